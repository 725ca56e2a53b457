"""Decode beliefs from the record alone: averaged over draws from the parameters' posterior.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inverse_rational_control.foraging.decoding import Decoding, credible_sets, decode, smoothed
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = ["credible_masses", "decode_mixture"]


def decode_mixture(
    draws: np.ndarray,
    record: Record,
    task: Task,
    estimate: np.ndarray,
    extras: tuple[str, ...] = (),
) -> Decoding:
    """Beliefs given the record alone: the mean of the smoothed posteriors of many draws.

    Draws from the parameters' posterior have weighed the record already, so all weigh the same. The
    most probable path, which has no mean, and the log-likelihood are those of `estimate`.

    Parameters
    ----------
    draws : ndarray, shape (draws, 10 + extras)
        Natural coordinates, from the posterior given this record.
    record : Record
    task : Task
    estimate : ndarray, shape (10 + extras,)
    extras : tuple of str
        As for `decode`.

    Raises
    ------
    RecordError, ValueError
        As `decode`, for any of them; ValueError also without draws.
    """
    if not len(draws):
        raise ValueError("draws: found none, allowed: at least one")
    record.check(task)
    total = np.zeros((record.n_steps, task.n_bins, task.n_bins))
    for _, posterior in smoothed(draws, record, task, extras):
        total += posterior
    return replace(decode(estimate, record, task, extras), posterior=total / len(draws))


def credible_masses(
    draws: np.ndarray,
    mixture: Decoding,
    record: Record,
    task: Task,
    extras: tuple[str, ...] = (),
) -> np.ndarray:
    """Probability that each draw gives to a mixture's 90 % credible sets, mean over steps.

    Its mean over draws is the sets' mass. How it varies is what the record leaves open of the sets'
    coverage: all steps of a record share one agent, so this part does not shrink with its length as
    the errors of steps do.

    Parameters
    ----------
    draws, mixture, record, task, extras
        As given to, and returned by, `decode_mixture`.

    Returns
    -------
    ndarray, shape (draws, 2)
        [draw, box].
    """
    inside = [credible_sets(marginal) for marginal in mixture.marginals]
    masses = []
    for _, posterior in smoothed(draws, record, task, extras):
        marginals = posterior.sum(2), posterior.sum(1)
        masses.append([(m * i).sum() / len(m) for m, i in zip(marginals, inside, strict=True)])
    return np.array(masses)
