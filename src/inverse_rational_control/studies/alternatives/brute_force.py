"""What a search costs: brute force over the start ranges, beside the fit from a few starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.parameter_ranges import range_ends
from inverse_rational_control.parameters import N_PARAMETERS

if TYPE_CHECKING:
    from inverse_rational_control.inference.start import StartResult

__all__ = ["brute_force", "optimization_path"]


def brute_force(
    objective: ForagingObjective,
    settings: FitSettings,
    n_evaluations: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Log-likelihoods over a scrambled Sobol design within the start ranges, in order, nats.

    Such points fill ten dimensions more evenly than draws or any grid of as many points, so this is the
    most favorable form of a grid search; -inf where the planner found no solution.

    Parameters
    ----------
    objective : ForagingObjective
    settings : FitSettings
        Gives the ranges.
    n_evaluations : int
        A power of two: only then is the design balanced.
    rng : numpy.random.Generator

    Returns
    -------
    log_likelihoods : ndarray, shape (n_evaluations,)
    best : ndarray, shape (10,)
        The most likely point, natural coordinates.
    """
    from scipy.stats import qmc  # slow to import

    design = qmc.Sobol(N_PARAMETERS, scramble=True, rng=rng)
    low, high = range_ends(settings.start_ranges)
    points = qmc.scale(design.random(n_evaluations), low, high)
    values = np.array([objective.log_likelihood(theta) for theta in points])
    return values, points[np.argmax(values)]


def optimization_path(
    starts: Sequence[StartResult], candidates: int
) -> tuple[np.ndarray, np.ndarray]:
    """Likelihood evaluations used so far and the best log-likelihood, over starts made one by one.

    Parameters
    ----------
    starts : sequence of StartResult
    candidates : int
        Evaluations that each start cost before it began.

    Returns
    -------
    evaluations : ndarray of int, shape (points,)
    log_likelihood : ndarray, shape (points,)
        Running best, nats.
    """
    evaluations, values, used = [], [], 0
    for start in starts:
        used += candidates
        evaluations += [used + count for count in start.path.evaluations]
        values += list(start.path.log_likelihood)
        used += start.n_evaluations
    # What comes after the last accepted iteration (information matrices) is paid for too.
    evaluations.append(used)
    values.append(max(values))
    return np.array(evaluations), np.maximum.accumulate(values)
