"""Whether the searches of a fit agree on the highest maximum, and where else it might lie.

Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.inference.start import AGREE, Start, StartResult
from inverse_rational_control.parameter_space import ParameterSpace

__all__ = ["Agreement", "agreement", "challengers", "highest", "unseen_share"]

_UNSEEN = 1 / 3  # largest expected share of further searches that end at a maximum not seen yet
_PINNED = 1.0  # largest standard error of a coordinate that the record pins, unconstrained
_FAR = 9.0  # logit of a probability close to a bound, from which a search can still come back


@dataclass(frozen=True)
class Agreement:
    """What the searches of a fit say together.

    Attributes
    ----------
    log_likelihood : float
        Of the highest end, nats; -inf if no start led anywhere.
    n_agreeing : int
        Searches that ended flat within `AGREE` nats of it, itself included; 0 if it is not flat.
    n_maxima : int
        Different log-likelihoods among the flat ends, to within `AGREE`.
    enough : bool
        Whether no further start is needed.
    """

    log_likelihood: float
    n_agreeing: int
    n_maxima: int
    enough: bool


def unseen_share(n_starts: int, n_maxima: int) -> float:
    """Expected share of the starts' region that leads to maxima not found yet.

    Under a uniform prior of the number and the sizes of the basins: w (w + 1) / (n (n - 1)) for w maxima
    found by n starts.

    Source: Boender and Rinnooy Kan (1987), Mathematical Programming 37, 59-80.
    """
    if n_starts < 2:
        return 1.0
    return min(1.0, n_maxima * (n_maxima + 1) / (n_starts * (n_starts - 1)))


def highest(results: Sequence) -> int:
    """Index of the result with the highest `log_likelihood`; one that led nowhere (NaN) is below all."""
    return int(np.argmax([np.nan_to_num(result.log_likelihood, nan=-np.inf) for result in results]))


def agreement(results: Sequence[StartResult]) -> Agreement:
    """Judge the ends of a fit's searches.

    Two that agree at the top are enough if no other ended flat elsewhere; otherwise the expected share
    of what has not been seen must be small, too. Those that did not end flat found no maximum and do
    not count.

    Parameters
    ----------
    results : sequence of StartResult
    """
    found = [result for result in results if np.isfinite(result.log_likelihood)]
    if not found:
        return Agreement(-np.inf, 0, 0, False)
    top = max(found, key=lambda result: result.log_likelihood)
    maxima = [result.log_likelihood for result in found if result.settled]
    n_maxima = int((np.diff(np.sort(maxima)) > AGREE).sum()) + bool(maxima)
    agreeing = sum(value >= top.log_likelihood - AGREE for value in maxima) if top.settled else 0
    sure = n_maxima == 1 or unseen_share(len(maxima), n_maxima) <= _UNSEEN
    return Agreement(top.log_likelihood, agreeing, n_maxima, agreeing >= 2 and sure)


def _standard_errors(information: np.ndarray) -> np.ndarray:
    """Of each free coordinate, (k, k) to (k,); large where a direction is flat or indefinite."""
    eigenvalues, vectors = np.linalg.eigh(information)
    return np.sqrt((vectors**2 / np.maximum(eigenvalues, 1e-6)).sum(1))


def challengers(
    top: StartResult, results: Sequence[StartResult], space: ParameterSpace
) -> list[Start]:
    """Starts that ask whether the maximum lies at another bound than the top, or at one at all.

    Where a record hardly pins a probability, the likelihood often has several maxima that differ in
    which probabilities are 0 or 1. From the top, one such probability at a time is moved across: from a
    bound to where the starts began, in the median; from inside to near the bound on its side.

    Parameters
    ----------
    top : StartResult
    results : sequence of StartResult
    space : ParameterSpace

    Returns
    -------
    list of Start
        Empty if every probability is pinned: inside, with a standard error of its
        logit below 1.
    """
    if not np.isfinite(top.information).all():
        return []
    logit = np.array([parameter.coordinate == "logit" for parameter in space.parameters])
    errors = _standard_errors(top.information)
    begun = np.median([space.unconstrained(result.start) for result in results], axis=0)
    eta, at_bound = space.unconstrained(top.end), space.at_bound(top.end)
    eta = np.where(logit, np.clip(eta, -_FAR, _FAR), eta)
    moved = []
    for column, error in zip(space.directions.T, errors, strict=True):
        members = column != 0
        if not (logit[members].all() and (column[members] == 1).all()):
            continue
        across = eta.copy()
        if at_bound[members].any():
            across[members] = begun[members]
        elif error > _PINNED:
            across[members] = np.copysign(_FAR, eta[members])
        else:
            continue
        moved.append(Start(space.admit(space.natural(across)), challenger=True))
    return moved
