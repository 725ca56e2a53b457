"""Starts of a likelihood whose jumps keep their searches from agreeing: each climbed on along its edges.

Source: docs/model.md section 8.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.edges import climb_continued, continuation
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.search import OptimizationPath, Search
from inverse_rational_control.inference.start import StartResult, run_start

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

    Returns
    -------
    StartResult
        The one given where it ended flat without a jump, or far below the highest, or where this leads
        nowhere higher.
    """
    if result.settled and result.jump_sides is None:
        return result
    if not result.log_likelihood > known - _LEFT_BELOW:
        return result
    continued, began = continuation(objective, result.end), time.perf_counter()
    if continued is None:
        return result
    climb = climb_continued(continued, objective.space.unconstrained(result.end), settings)
    if climb is None:
        return result
    end, spent = objective.space.natural(climb.end), climb.n_evaluations + 1
    reached = objective.log_likelihood(end)
    if climb.at_edge:
        seconds = time.perf_counter() - began
        added = OptimizationPath(
            np.array([reached]), end[None], np.array([spent]), np.array([seconds])
        )
        found = replace(
            result,
            end=end,
            log_likelihood=reached,
            converged=False,
            settled=True,
            stop_reason=AT_EDGE,
            at_edge=True,
            n_evaluations=spent,
            path=added,
            seconds=seconds,
        )
    else:
        found = run_start(Search(objective, whitening), end, settings)
    higher = found.log_likelihood >= result.log_likelihood
    spent += 0 if climb.at_edge else found.n_evaluations
    whole = replace(
        found if higher else result,
        start=result.start,
        jump_sides=result.jump_sides,
        em_fall=max(result.em_fall, found.em_fall),
        n_evaluations=result.n_evaluations + spent,
        seconds=time.perf_counter() - began + result.seconds,
    )
    return replace(whole, path=_joined(result.path, found.path, result)) if higher else whole


def _joined(first: OptimizationPath, second: OptimizationPath, before: StartResult):
    """One path after another, evaluations and seconds going on."""
    return OptimizationPath(
        np.concatenate([first.log_likelihood, second.log_likelihood]),
        np.concatenate([first.parameters, second.parameters]),
        np.concatenate([first.evaluations, second.evaluations + before.n_evaluations]),
        np.concatenate([first.seconds, second.seconds + before.seconds]),
    )
