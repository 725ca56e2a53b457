"""Starts of a likelihood whose jumps keep their searches from agreeing: each climbed on along its edges.

Source: docs/model.md section 8.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.agreement import highest
from inverse_rational_control.inference.edges import EdgeClimb, climb_continued, continuation
from inverse_rational_control.inference.information import Curvature, observed_information
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.search import OptimizationPath, Search
from inverse_rational_control.inference.start import Start, StartResult, run_start
from inverse_rational_control.inference.verdict import judge_convergence

__all__ = ["AT_EDGE", "beyond_jumps", "broken_by_jumps", "run_from"]

#: Why a start ended where the likelihood jumps.
AT_EDGE = "at an edge: the likelihood rises up to here, and jumps"

_FEWEST = 3  # starts: two that disagree are common
_LEFT_BELOW = 100.0  # nats below the highest from which on a start is not led on


def broken_by_jumps(results: Sequence[StartResult]) -> bool:
    """Whether jumps keep the searches of a fit from its maximum.

    At least three were made, and of those at least half, the highest among them, met a jump and did not
    end flat.
    """
    if len(results) < _FEWEST:
        return False
    broken = [result.jump_sides is not None and not result.settled for result in results]
    return broken[highest(results)] and 2 * sum(broken) >= len(results)


def run_from(
    search: Search, start: Start, settings: FitSettings, known: float, climbs: bool
) -> tuple[StartResult, bool]:
    """Run one start of a fit: by its own climb first where jumps are known of, or expected.

    Parameters
    ----------
    search : Search
        A fresh one.
    start : Start
    settings : FitSettings
    known : float
        As for `inference.start.run_start`.
    climbs : bool
        Whether its own climb comes first.

    Returns
    -------
    result : StartResult
    climbed : bool
        Whether that climb led there.
    """
    climbed = _climbed(search, start, settings) if climbs else None
    if climbed is not None:
        return climbed, True
    begin = search.space.admit(start.parameters)
    result = run_start(search, begin, settings, known, thorough=not start.challenger)
    led, path = start.n_evaluations, result.path
    path = replace(path, evaluations=path.evaluations + led, seconds=path.seconds + start.seconds)
    spent = {"n_evaluations": led + result.n_evaluations, "seconds": start.seconds + result.seconds}
    return replace(result, path=path, **spent), False


def _climbed(search: Search, start: Start, settings: FitSettings) -> StartResult | None:
    """What a start's own climb comes to; None where it has none, or it leads nowhere."""
    objective, began = search.objective, time.perf_counter()
    climb = None if start.beyond_jumps is None else start.beyond_jumps()
    if climb is None:
        return None
    between, begun = time.perf_counter() - began, start.parameters
    found = _ended(objective, settings, climb, search.whitening)
    first = OptimizationPath(
        np.array([objective.log_likelihood(begun)]), begun[None], np.array([0]), np.array([0.0])
    )
    return replace(
        found,
        start=begun,
        path=_joined(first, found.path, climb.n_evaluations, between),
        n_evaluations=climb.n_evaluations + found.n_evaluations,
        seconds=time.perf_counter() - began,
    )


def beyond_jumps(
    objective: Objective,
    settings: FitSettings,
    result: StartResult,
    whitening: np.ndarray,
    known: float = -np.inf,
    by: Callable[[], EdgeClimb | None] | None = None,
) -> StartResult:
    """Lead a start's end on along the smooth continuation of the likelihood there.

    Parameters
    ----------
    objective : Objective
    settings : FitSettings
    result : StartResult
    whitening : ndarray, shape (n, k)
        As for `Search`.
    known : float
        The highest log-likelihood so far, nats.
    by : callable, optional
        Another climb, of the start's own, to be taken first; see `inference.start.Start`.

    Returns
    -------
    StartResult
        The one given where it ended flat without a jump, or far below the highest, or where this leads
        nowhere higher.
    """
    if result.settled and result.jump_sides is None:
        return result
    began, climb = time.perf_counter(), by() if by is not None else None
    if climb is None:
        if not result.log_likelihood > known - _LEFT_BELOW:
            return result
        continued = continuation(objective, result.end)
        if continued is None:
            return result
        climb = climb_continued(continued, objective.space.unconstrained(result.end), settings)
    if climb is None:
        return result
    found = _ended(objective, settings, climb, whitening)
    before = result.n_evaluations + climb.n_evaluations
    spent = before + found.n_evaluations
    if found.log_likelihood >= result.log_likelihood:
        found = replace(found, path=_joined(result.path, found.path, before, result.seconds))
    else:
        found = result
    return replace(
        found,
        start=result.start,
        jump_sides=result.jump_sides,
        em_fall=max(result.em_fall, found.em_fall),
        n_evaluations=spent,
        seconds=result.seconds + time.perf_counter() - began,
    )


def _ended(
    objective: Objective, settings: FitSettings, climb: EdgeClimb, whitening: np.ndarray
) -> StartResult:
    """A climb's end: at an edge, judged by the side on which it lies; otherwise searched from."""
    end = objective.space.natural(climb.end)
    if climb.at_edge:
        return _stopped_at_edge(objective, settings, end)
    cold = settings.model_copy(update={"warm_up_iterations": 0})
    return run_start(Search(objective, whitening), end, cold)


def _stopped_at_edge(objective: Objective, settings: FitSettings, end: np.ndarray) -> StartResult:
    """An end at an edge, judged by the side on which it lies."""
    space, near = objective.space, continuation(objective, end)
    evaluation, eta = near.evaluate(end), space.unconstrained(end)
    information = np.full((space.size, space.size), np.nan)
    gradient = np.full(len(end), np.nan)
    if evaluation.usable:
        gradient = evaluation.gradient * space.natural_jacobian(end)
        information = observed_information(near, eta, settings.difference_step, gradient)
    curvature = Curvature.of(information, eta, space)
    found = judge_convergence(curvature, gradient, settings.tolerance)
    reached = objective.log_likelihood(end)
    path = OptimizationPath(np.array([reached]), end[None], np.array([0]), np.array([0.0]))
    return StartResult(
        start=end,
        end=end,
        log_likelihood=reached,
        converged=False,
        settled=True,
        stop_reason=AT_EDGE,
        newton_decrement=found.newton_decrement,
        whitened_gradient=found.whitened_gradient,
        information=information,
        jump_sides=None,
        em_fall=-np.inf,
        n_evaluations=space.size + 3,
        path=path,
        seconds=0.0,
        at_edge=True,
    )


def _joined(
    first: OptimizationPath, second: OptimizationPath, n_evaluations: int, seconds: float
) -> OptimizationPath:
    """A path and, after so many E-steps and seconds in all, another one that goes on from it."""
    return OptimizationPath(
        np.concatenate([first.log_likelihood, second.log_likelihood]),
        np.concatenate([first.parameters, second.parameters]),
        np.concatenate([first.evaluations, second.evaluations + n_evaluations]),
        np.concatenate([first.seconds, second.seconds + seconds]),
    )
