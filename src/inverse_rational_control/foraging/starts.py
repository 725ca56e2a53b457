"""Where fits of a record start, and the coordinates in which they search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.fit import Fit, fit
from inverse_rational_control.inference.information import (
    observed_information,
    regularized_inverse_root,
)
from inverse_rational_control.parameter_space import FULL_SPACE, ParameterSpace
from inverse_rational_control.parameters import (
    WORLD_BELIEFS,
    draw_parameters,
    range_ends,
    unconstrained,
)
from inverse_rational_control.random_streams import stream
from inverse_rational_control.task import Task

__all__ = ["choose_start", "fit_from_random_starts", "generic_whitening"]

_GENERIC_STEPS = 2000


def choose_start(
    objective: ForagingObjective, settings: FitSettings, rng: np.random.Generator
) -> np.ndarray:
    """Draw candidates uniformly from the start ranges and keep the one most likely for the record.

    A few forward passes; they keep starts away from regions where the planner has several solutions
    and the likelihood jumps.

    Parameters
    ----------
    objective : ForagingObjective
        Candidates are moved into its space.
    settings : FitSettings
        Gives the ranges and the number of candidates.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (10,), natural coordinates
    """
    candidates = [
        objective.space.admit(draw_parameters(settings.start_ranges, rng))
        for _ in range(settings.candidates_per_start)
    ]
    return max(candidates, key=objective.log_likelihood)


def generic_whitening(
    settings: FitSettings, task: Task, space: ParameterSpace = FULL_SPACE
) -> np.ndarray:
    """Whitening of the search: inverse root of a generic agent's information per 1000 steps.

    The generic agent sits in the middle of the start ranges and forages 2000 steps in a world as it
    believes it to be. Only how fast a fit goes depends on it, not where it ends.

    Parameters
    ----------
    settings : FitSettings
        Gives the start ranges and the difference step.
    task : Task
    space : ParameterSpace
        With k free coordinates.

    Returns
    -------
    ndarray, shape (10, k)
        A step in search coordinates times this is one in unconstrained coordinates.
    """
    middle = space.admit(range_ends(settings.start_ranges).mean(0))
    model = agent_model(middle, task)
    if not model.plan.converged:
        return space.directions
    world, rng = middle[WORLD_BELIEFS], stream(0, "generic agent")
    objective = ForagingObjective(simulate(model, world, _GENERIC_STEPS, rng), task, space)
    information = observed_information(objective, unconstrained(middle), settings.difference_step)
    # At a point that is not the record's optimum some eigenvalues may be small or negative.
    return space.directions @ regularized_inverse_root(information / (_GENERIC_STEPS / 1000.0))


def fit_from_random_starts(
    objective: ForagingObjective,
    settings: FitSettings,
    generator: Callable[[int], np.random.Generator],
    n_starts: int,
    n_reserve_starts: int = 0,
    whitening: np.ndarray | None = None,
) -> Fit:
    """Fit from starts that `choose_start` makes, those in reserve only if `fit` wants them.

    Parameters
    ----------
    objective : ForagingObjective
    settings : FitSettings
    generator : callable
        Gives the random generator of a start by its number.
    n_starts, n_reserve_starts : int
    whitening : ndarray, shape (10, k), optional
        From `generic_whitening` for the same space, to share it between fits; made here if not given.
    """

    def start(number):
        return choose_start(objective, settings, generator(number))

    if whitening is None:
        whitening = generic_whitening(settings, objective.task, objective.space)
    starts = [start(number) for number in range(n_starts)]
    reserve = (start(n_starts + number) for number in range(n_reserve_starts))
    return fit(objective, settings, starts, reserve, whitening)
