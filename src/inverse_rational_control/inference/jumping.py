"""Starts of a likelihood whose jumps keep their searches from agreeing: each climbed on along its edges.

Source: docs/model.md section 8.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.edges import EdgeClimb, climb_continued, continuation
from inverse_rational_control.inference.information import Curvature, observed_information
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.search import OptimizationPath, Search
from inverse_rational_control.inference.start import StartResult, run_start
from inverse_rational_control.inference.verdict import judge_convergence

__all__ = ["AT_EDGE", "beyond_jumps", "broken_by_jumps"]

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
    top = np.argmax([np.nan_to_num(result.log_likelihood, nan=-np.inf) for result in results])
    return bool(broken[int(top)] and 2 * sum(broken) >= len(results))


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
    end = objective.space.natural(climb.end)
    if climb.at_edge:
        found = _stopped_at_edge(objective, settings, result, end)
    else:
        cold = settings.model_copy(update={"warm_up_iterations": 0})
        found = run_start(Search(objective, whitening), end, cold)
    spent = result.n_evaluations + climb.n_evaluations + found.n_evaluations
    if found.log_likelihood >= result.log_likelihood:
        found = replace(found, path=_joined(result, found.path, climb.n_evaluations))
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


def _stopped_at_edge(
    objective: Objective, settings: FitSettings, result: StartResult, end: np.ndarray
) -> StartResult:
    """An end at an edge, judged by the side on which it lies."""
    space, near = objective.space, continuation(objective, end)
    evaluation, eta = near.evaluate(end), space.unconstrained(end)
    information = np.full_like(result.information, np.nan)
    gradient = np.full(len(end), np.nan)
    if evaluation.usable:
        gradient = evaluation.gradient * space.natural_jacobian(end)
        information = observed_information(near, eta, settings.difference_step, gradient)
    curvature = Curvature.of(information, eta, space)
    found = judge_convergence(curvature, gradient, settings.tolerance)
    reached = objective.log_likelihood(end)
    path = OptimizationPath(np.array([reached]), end[None], np.array([0]), np.array([0.0]))
    return replace(
        result,
        end=end,
        log_likelihood=reached,
        converged=False,
        settled=True,
        stop_reason=AT_EDGE,
        newton_decrement=found.newton_decrement,
        whitened_gradient=found.whitened_gradient,
        information=information,
        n_evaluations=space.size + 3,
        path=path,
        at_edge=True,
    )


def _joined(before: StartResult, path: OptimizationPath, n_between: int) -> OptimizationPath:
    """A start's path and, some E-steps later, another one that goes on from it."""
    first, spent = before.path, before.n_evaluations + n_between
    return OptimizationPath(
        np.concatenate([first.log_likelihood, path.log_likelihood]),
        np.concatenate([first.parameters, path.parameters]),
        np.concatenate([first.evaluations, path.evaluations + spent]),
        np.concatenate([first.seconds, path.seconds + before.seconds]),
    )
