"""Where fits of a record start, and the coordinates in which they search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.horizons import (
    climb_by_horizons,
    horizons_lead,
    wide_start,
)
from inverse_rational_control.foraging.objective import ForagingObjective, space_of
from inverse_rational_control.inference.edges import EdgeClimb
from inverse_rational_control.inference.evolution import beyond_hollows, climb_by_evolution
from inverse_rational_control.inference.fit import Fit, fit
from inverse_rational_control.inference.information import (
    observed_information,
    regularized_inverse_root,
)
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.inference.quasi_newton import quasi_newton
from inverse_rational_control.inference.search import Search
from inverse_rational_control.inference.start import Start, whitening_of_length
from inverse_rational_control.parameter_ranges import (
    draw_parameters,
    range_ends,
)
from inverse_rational_control.parameter_space import FULL_SPACE, ParameterSpace
from inverse_rational_control.parameters import WORLD_BELIEFS, extras_among
from inverse_rational_control.random_streams import stream
from inverse_rational_control.task import Task

__all__ = [
    "approached_start",
    "choose_start",
    "fit_from_random_starts",
    "generic_whitening",
    "random_start",
]

_GENERIC_STEPS = 2000
_TIGHTER = 0.5  # the easier objective's normals, by those with the start ranges as 95 % intervals
_MORE_DRAWS = 2  # from which climbs by horizons begin, where that from the first leads nowhere
_NEARLY_FLAT = 1.0  # where its climb ends, largest gradient by search coordinates, sqrt(nats)


def choose_start(
    objective: ForagingObjective | LogPosterior, settings: FitSettings, rng: np.random.Generator
) -> np.ndarray:
    """Draw candidates uniformly from the start ranges and keep the highest, most likely for the record.

    A few forward passes; they keep starts away from regions where the planner has several solutions
    and the likelihood jumps.

    Parameters
    ----------
    objective : ForagingObjective or LogPosterior
        Candidates are moved into its space.
    settings : FitSettings
        Gives the ranges and the number of candidates.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,), natural coordinates
    """
    likelihood = _likelihood(objective)
    ranges = _start_ranges(settings, objective.space, likelihood.task)
    shape = likelihood.extras, likelihood.task.n_bins
    candidates = [
        objective.space.admit(draw_parameters(ranges, rng, *shape))
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
    ndarray, shape (n, k)
        A step in search coordinates times this is one in unconstrained coordinates.
    """
    space = space_of(task, space)
    extras = extras_among(space.parameter_names)
    ranges = _start_ranges(settings, space, task)
    middle = space.admit(range_ends(ranges, extras, task.n_bins).mean(0))
    model = agent_model(middle, task, extras)
    if not model.plan.converged:
        return space.directions
    world, rng = middle[WORLD_BELIEFS], stream(0, "generic agent")
    objective = ForagingObjective(simulate(model, world, _GENERIC_STEPS, rng), task, space)
    information = observed_information(
        objective, space.unconstrained(middle), settings.difference_step
    )
    # At a point that is not the record's optimum some eigenvalues may be small or negative.
    return space.directions @ regularized_inverse_root(information / (_GENERIC_STEPS / 1000.0))


def approached_start(
    objective: ForagingObjective | LogPosterior,
    settings: FitSettings,
    theta: np.ndarray,
    whitening: np.ndarray | None = None,
) -> Start:
    """Lead a start up an easier objective first, and begin where that ends.

    Easier is the same record with a shorter horizon, whose plans have fewer folds, so that the
    likelihood jumps less, times a normal density around the middle of the start ranges, which keeps it
    from running to bounds. It is climbed until nearly flat. Where the discount is the agent's own, only
    the normals shorten the horizon.

    Parameters
    ----------
    objective : ForagingObjective or LogPosterior
    settings : FitSettings
        Gives horizon and start ranges.
    theta : ndarray, shape (n,)
        Natural coordinates, in the objective's space.
    whitening : ndarray, shape (n, k), optional
        As for `fit`.
    """
    likelihood, space = _likelihood(objective), objective.space
    shorter = min(settings.approach_discount, likelihood.task.discount)
    prior = normal_prior(_start_ranges(settings, space, likelihood.task), space)
    prior = replace(prior, standard_deviation=_TIGHTER * prior.standard_deviation)
    easier = LogPosterior(likelihood.with_discount(shorter), prior)
    search = Search(easier, whitening_of_length(objective, whitening))
    eta = space.unconstrained(theta)
    if search.evaluate(eta) is None:
        return Start(theta, search.n_evaluations, seconds=search.seconds)
    climb = quasi_newton(search, eta, settings, _NEARLY_FLAT, from_afar=True)
    return Start(space.natural(climb.end), search.n_evaluations, seconds=search.seconds)


def _start_ranges(settings: FitSettings, space: ParameterSpace, task: Task) -> dict[str, tuple]:
    """Where starts may lie, by parameter: the settings' ranges, inside the space's stated intervals."""
    extras = extras_among(space.parameter_names)
    ends = space.ranges_inside(range_ends(settings.start_ranges, extras, task.n_bins))
    return dict(zip(space.parameter_names, map(tuple, ends.T.tolist()), strict=True))


def _likelihood(objective: ForagingObjective | LogPosterior) -> ForagingObjective:
    return objective.objective if isinstance(objective, LogPosterior) else objective


def random_start(
    objective: ForagingObjective | LogPosterior,
    settings: FitSettings,
    generator: Callable[[int], np.random.Generator],
    number: int,
    whitening: np.ndarray,
) -> Start:
    """One start of a fit by its number: every other one, the first included, is led up first.

    Where `horizons_lead`, it makes a climb of its own instead, as others do where jumps break searches:
    by horizons or by evolution, and beyond the hollows around.

    Parameters
    ----------
    objective, settings, generator, whitening
        As for `fit_from_random_starts`.
    number : int
        From 0.
    """
    if settings.method != "quasi_newton":
        return Start(choose_start(objective, settings, generator(number)))
    by, leads = whitening_of_length(objective, whitening), False
    if not isinstance(objective, LogPosterior):
        leads = horizons_lead(objective)
    if leads:
        rng = generator(number)
        wide = wide_start(objective, settings, rng)
        # Asked for once: the generator goes on from the draw.
        climb = partial(_climb_beyond_jumps, objective, settings, by, wide, rng)
        return Start(wide, beyond_jumps=climb, jumps_expected=True)
    start = Start(choose_start(objective, settings, generator(number)))
    if number % 2 == 0:
        start = approached_start(objective, settings, start.parameters, whitening)
    if isinstance(objective, LogPosterior):
        return start

    def beyond_jumps():
        rng = generator(number)
        wide = wide_start(objective, settings, rng)
        return _climb_beyond_jumps(objective, settings, by, wide, rng)

    return replace(start, beyond_jumps=beyond_jumps)


def _climb_beyond_jumps(
    objective: ForagingObjective,
    settings: FitSettings,
    whitening: np.ndarray,
    wide: np.ndarray,
    rng: np.random.Generator,
) -> EdgeClimb:
    """A start's own climb: by horizons, from another draw where that leads nowhere, and beyond hollows.

    Where no draw leads anywhere, evolution does from the first.
    """
    climb = climb_by_horizons(objective, settings, wide, whitening)
    for _ in range(_MORE_DRAWS):
        if climb is None:
            again = wide_start(objective, settings, rng)
            climb = climb_by_horizons(objective, settings, again, whitening)
    if climb is None:
        climb = climb_by_evolution(objective, settings, objective.space.unconstrained(wide), rng)
    elif not climb.at_edge:
        return climb
    return beyond_hollows(objective, settings, climb, rng)


def fit_from_random_starts(
    objective: ForagingObjective | LogPosterior,
    settings: FitSettings,
    generator: Callable[[int], np.random.Generator],
    n_starts: int,
    n_reserve_starts: int = 0,
    whitening: np.ndarray | None = None,
) -> Fit:
    """Fit from starts that `choose_start` makes, those in reserve only if `fit` wants them.

    Every other one, the first included, is led up an easier objective before (see
    `approached_start`): they hardly ever end far below the maximum, and the others do not share their
    preferences.

    Parameters
    ----------
    objective : ForagingObjective or LogPosterior
    settings : FitSettings
    generator : callable
        Gives the random generator of a start by its number.
    n_starts, n_reserve_starts : int
    whitening : ndarray, shape (n, k), optional
        From `generic_whitening` for the same space, to share it between fits; made here if not given.
    """
    if whitening is None:
        whitening = generic_whitening(settings, _likelihood(objective).task, objective.space)

    def start(number):
        return random_start(objective, settings, generator, number, whitening)

    starts = (start(number) for number in range(n_starts))
    reserve = (start(n_starts + number) for number in range(n_reserve_starts))
    return fit(objective, settings, starts, reserve, whitening)
