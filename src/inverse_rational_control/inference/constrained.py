"""Constrained maxima of a likelihood around a fit: one free coordinate held, all others at their best.

What profile-likelihood intervals and tests of a known value are made of. Unlike `profiles`, which
follows one profile finely, few points are solved here, and each may begin where any other ended, so that
a bound or a jump of the likelihood between them does not hold the search up. Source: docs/model.md
section 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.information import regularized_inverse_root
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.quasi_newton import quasi_newton
from inverse_rational_control.inference.search import Search
from inverse_rational_control.parameter_space import hold

__all__ = ["ConstrainedMaxima", "ConstrainedMaximum"]

# Largest gradient by whitened coordinates: aimed at, and accepted, sqrt(nats).
_FLAT, _SETTLED = 0.02, 0.1
# At a bound the gradient by a logit or logarithm vanishes, and a search would never leave it: starts
# are at least this far inside, unconstrained coordinates.
_INSIDE = 4.0
_NEAREST = 3  # solved points that may lend their other coordinates
_LONGEST = 60  # E-steps of one search
_LAST, _GAIN = 20, 0.02  # a search whose last E-steps gain less than so many nats is at its end too
_DOUBTFUL = 6.0  # deviance above which all starts are tried


class ConstrainedMaximum(NamedTuple):
    """The highest point that has one coordinate at a value.

    Attributes
    ----------
    held : float
        The value, unconstrained.
    log_likelihood : float
        Nats.
    slope : float
        Derivative of the profile by the held coordinate, nats: the likelihood's own, since by all other
        coordinates it is flat.
    eta : ndarray, shape (n,)
        Where it is, unconstrained coordinates.
    settled : bool
        Whether the search had nothing more to gain; if not, the maximum is at least as high as this.
    """

    held: float
    log_likelihood: float
    slope: float
    eta: np.ndarray
    settled: bool


class ConstrainedMaxima:
    """Solves for constrained maxima around an estimate, and remembers them.

    Parameters
    ----------
    objective : Objective
        With k free coordinates.
    settings : FitSettings
    estimate : ndarray, shape (n,)
        Natural coordinates.
    information : ndarray, shape (k, k)
        Observed information there, by the free coordinates; sets the scales of the search only.

    Attributes
    ----------
    n_evaluations : int
        E-steps so far.
    highest : float
        Highest log-likelihood met: that of the estimate unless it is no maximum, nats.
    """

    def __init__(
        self,
        objective: Objective,
        settings: FitSettings,
        estimate: np.ndarray,
        information: np.ndarray,
    ):
        self.objective = objective
        self.settings = settings.model_copy(update={"max_evaluations": _LONGEST})
        self.information = information
        self.n_evaluations = 0
        space = objective.space
        #: Parameters that each coordinate moves, and the first of them.
        self.moved = space.directions.T != 0
        self.member = self.moved.argmax(1)
        eta = space.unconstrained(estimate)
        search = Search(objective, space.directions)
        point = search.point(eta)
        self.highest = -np.inf
        self._solved = [eta]
        #: The estimate as a point of each coordinate's profile.
        self.estimate = [self._as_point(point, k, True) for k in range(space.size)]

    def _as_point(self, point, coordinate, settled):
        slope = float(point.gradient[self.moved[coordinate]].sum())
        held = float(point.eta[self.member[coordinate]])
        self.highest = max(self.highest, point.log_likelihood)
        return ConstrainedMaximum(held, point.log_likelihood, slope, point.eta, settled)

    def _keep(self, point, coordinate, settled):
        self._solved.append(point.eta)
        return self._as_point(point, coordinate, settled)

    def deviance(self, point: ConstrainedMaximum) -> float:
        """2 [l_max - l_profile], nats, never below 0."""
        return 2.0 * (self.highest - point.log_likelihood)

    def remember(self, eta: np.ndarray) -> None:
        """Let searches begin at a point as well, shape (n,), unconstrained coordinates.

        A point that has the coordinate at the value already bounds the maximum there from below.
        """
        self._solved.append(eta)

    def solve(
        self, coordinate: int, held: float, thorough: bool = True
    ) -> ConstrainedMaximum | None:
        """The maximum with one coordinate at a value; None if the likelihood failed there.

        Parameters
        ----------
        coordinate : int
        held : float
            Unconstrained.
        thorough : bool
            Whether a search that fails or ends low is repeated in steps from the estimate, which takes
            up to ten times as long; not needed where the way there has been solved already.
        """
        point = self._from_nearest(coordinate, held, thorough)
        begin = self.estimate[coordinate].held
        for share in (0.5, 0.75, 1.0) if thorough else ():
            if point is not None and point.settled and self.deviance(point) < _DOUBTFUL:
                break
            step = self._from_nearest(coordinate, begin + share * (held - begin))
            better = point is None or (step and step.log_likelihood > point.log_likelihood)
            if share == 1.0 and better:
                point = step
        return point

    def _from_nearest(self, coordinate, held, thorough=True):
        """The highest end of searches from the solved points nearest to a value."""
        full = self.objective.space
        space = hold(full, coordinate, held)
        starts = self._starts(coordinate, held)
        if space is None:
            point = Search(self.objective, full.directions).point(starts[0])
            self.n_evaluations += 1
            return None if point is None else self._keep(point, coordinate, True)
        keep = np.arange(full.size) != coordinate
        across = self.objective.within(space)
        whitening = space.directions @ regularized_inverse_root(
            self.information[np.ix_(keep, keep)]
        )
        best, settled = None, False
        for start in starts[: _NEAREST if thorough else 2]:
            point, ended = self._climbed(across, whitening, start)
            if point is None:
                continue
            if best is None or point.log_likelihood > best.log_likelihood:
                best, settled = point, ended
            # Low enough to exclude the value: that may be a search that ended at a lower maximum.
            if settled and 2.0 * (self.highest - best.log_likelihood) < _DOUBTFUL:
                break
        return None if best is None else self._keep(best, coordinate, settled)

    def _climbed(self, across, whitening, start):
        """Where a search from a start ends, and whether it settled there."""
        search = Search(across, whitening)
        point = search.point(start)
        if point is not None:
            climb = quasi_newton(search, start, self.settings, _FLAT)
            point = search.point(climb.end)
        self.n_evaluations += search.n_evaluations
        if point is None:
            return None, False
        flat = np.abs(whitening.T @ point.gradient).max() < _SETTLED
        # Along an edge of the likelihood no gradient vanishes, but nothing more is gained.
        path = search.path
        late = path.evaluations > search.n_evaluations - _LAST
        gain = point.log_likelihood - path.log_likelihood[~late].max(initial=-np.inf)
        return point, bool(flat or gain < _GAIN)

    def _starts(self, coordinate, held):
        """Starts, the most likely first: the solved points nearest to the value, moved there."""
        moved, member = self.moved[coordinate], self.member[coordinate]
        near = sorted(self._solved, key=lambda eta: abs(eta[member] - held))[:_NEAREST]
        found = []
        for eta in near:
            start = self._inside(eta)
            start[moved] = held
            log_likelihood = self.objective.log_likelihood(self.objective.space.natural(start))
            found.append((log_likelihood, start))
        found.sort(key=lambda pair: -np.nan_to_num(pair[0], nan=-np.inf))
        return [start for _, start in found]

    def _inside(self, eta):
        bounded = [p.coordinate != "identity" for p in self.objective.space.parameters]
        low = [p.coordinate == "logit" for p in self.objective.space.parameters]
        moved = np.where(bounded, np.maximum(eta, -_INSIDE), eta)
        moved = np.where(low, np.minimum(moved, _INSIDE), moved)
        # Fixed parameters stay where they are.
        return np.where(self.objective.space.is_free, moved, eta)
