"""The full model by brute force: the likelihood everywhere in the start ranges, as evenly as can be."""

from __future__ import annotations

import numpy as np
from scipy.stats import qmc

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.parameters import N_PARAMETERS, range_ends

__all__ = ["brute_force"]


def brute_force(
    objective: ForagingObjective,
    settings: FitSettings,
    n_evaluations: int,
    rng: np.random.Generator,
) -> np.ndarray:
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
    ndarray, shape (n_evaluations,)
    """
    design = qmc.Sobol(N_PARAMETERS, scramble=True, rng=rng)
    low, high = range_ends(settings.start_ranges)
    points = qmc.scale(design.random(n_evaluations), low, high)
    return np.array([objective.log_likelihood(theta) for theta in points])
