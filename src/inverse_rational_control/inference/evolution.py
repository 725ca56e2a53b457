"""Searches that need no gradient, for likelihoods that jump: from a start, and around a climb's end.

Source: docs/model.md section 8; CMA-ES: Hansen (2016), arXiv:1604.00772.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.edges import (
    EdgeClimb,
    Region,
    climb_continued,
    continuation,
)
from inverse_rational_control.inference.objective import Objective

__all__ = ["beyond_hollows", "climb_by_evolution"]

_SPREAD = 1.0  # standard deviation to begin with, whitened
_AROUND, _FROM_AFAR = (16, 300), (40, 3000)  # population, and most forward passes
_MOST_STEPS, _GENERATIONS = 40_000_000, 10  # steps of all passes, but at least so many generations
_ROUNDS = 6
_GAIN = 0.01  # nats, within which the best of many generations lie where it ends
_OUTSIDE, _NO_PLAN = 1e9, 1e8  # in place of a log-likelihood, less far out is better


def climb_by_evolution(
    objective: Objective, settings: FitSettings, start: np.ndarray, rng: np.random.Generator
) -> EdgeClimb:
    """Search from a start by CMA-ES, and climb from the highest point found.

    Parameters
    ----------
    objective : Objective
    settings : FitSettings
    start : ndarray, shape (n,)
        Unconstrained coordinates.
    rng : numpy.random.Generator

    Returns
    -------
    EdgeClimb
    """
    highest = _evolved(objective, start, objective.space.directions, _FROM_AFAR, rng)
    return _climbed(objective, settings, highest) or EdgeClimb(highest, False, 0)


def beyond_hollows(
    objective: Objective, settings: FitSettings, climb: EdgeClimb, rng: np.random.Generator
) -> EdgeClimb:
    """Look for a higher point around a climb's end by CMA-ES, climb on from there, and again.

    Between edges, and along one of them, there are maxima that no gradient leads away from; their
    heights differ by a few nats, and they lie within what the record leaves open.

    Parameters
    ----------
    objective : Objective
    settings : FitSettings
    climb : EdgeClimb
    rng : numpy.random.Generator

    Returns
    -------
    EdgeClimb
        The one given if nothing higher is found, with the E-steps spent.
    """
    height = _height(objective, climb)
    for _ in range(_ROUNDS):
        climb = _round(objective, settings, climb, rng)
        before, height = height, _height(objective, climb)
        if height < before + _GAIN:
            break
    return climb


def _round(
    objective: Objective, settings: FitSettings, climb: EdgeClimb, rng: np.random.Generator
) -> EdgeClimb:
    """One search around a climb's end and one climb on: the higher end, with all E-steps."""
    space, near = objective.space, continuation(objective, objective.space.natural(climb.end))
    if near is None:
        return climb
    region = Region(near, settings.difference_step)
    point = region.point(climb.end)
    whitening = None if point is None else region.whitening(point)
    whitening = space.directions if whitening is None else whitening
    climb = replace(climb, n_evaluations=climb.n_evaluations + region.n_evaluations)
    highest = _evolved(objective, climb.end, whitening, _AROUND, rng)
    again = _climbed(objective, settings, highest)
    if again is None:
        return climb
    spent = climb.n_evaluations + again.n_evaluations
    best = max(climb, again, key=lambda each: _height(objective, each))
    return replace(best, n_evaluations=spent)


def _climbed(objective: Objective, settings: FitSettings, eta: np.ndarray) -> EdgeClimb | None:
    """A climb from where a search ended; None if the likelihood is not known to jump, or fails there."""
    near = continuation(objective, objective.space.natural(eta))
    return None if near is None else climb_continued(near, eta, settings)


def _height(objective: Objective, climb: EdgeClimb) -> float:
    return objective.log_likelihood(objective.space.natural(climb.end))


def _evolved(
    objective: Objective,
    center: np.ndarray,
    whitening: np.ndarray,
    effort: tuple[int, int],
    rng: np.random.Generator,
) -> np.ndarray:
    """The highest point found around one, unconstrained coordinates; that itself if there is none."""
    if whitening.shape[1] < 2:  # there is no strategy along a line
        return center
    from cma import CMAEvolutionStrategy  # takes longer to import than most fits to begin

    space, (population, most) = objective.space, effort
    affordable = max(_GENERATIONS * population, _MOST_STEPS // max(objective.n_steps, 1))
    best, reached = center, objective.log_likelihood(space.natural(center))
    strategy = CMAEvolutionStrategy(
        np.zeros(whitening.shape[1]),
        _SPREAD,
        {
            "popsize": population,
            "maxfevals": min(most, affordable),
            "tolfun": _GAIN,
            # Its own seed would be that of all of numpy's old generators.
            "seed": np.nan,
            "randn": lambda *shape: rng.standard_normal(shape),
            "verbose": -10,
        },
    )
    while not strategy.stop():
        steps, costs = strategy.ask(), []
        for step in steps:
            eta = center + whitening @ step
            if not space.contains(eta):
                costs.append(_OUTSIDE + float(np.abs(eta).max()))
                continue
            value = objective.log_likelihood(space.natural(eta))
            costs.append(-value if np.isfinite(value) else _NO_PLAN)
            if value > reached:
                best, reached = eta, value
        strategy.tell(steps, costs)
    return best
