"""Fits as datasets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from inverse_rational_control.inference.fitting import Fit, History, StartResult
from inverse_rational_control.inference.intervals import uncertainty
from inverse_rational_control.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS
from inverse_rational_control.recordings.dataset import names, task_attribute
from inverse_rational_control.task import Task

__all__ = ["fit_dataset"]


def _padded(rows: Sequence[Sequence], width: int, tail: tuple[int, ...] = ()) -> np.ndarray:
    block = np.full((len(rows), width, *tail), np.nan)
    for k, row in enumerate(rows):
        if len(row):
            block[k, : len(row)] = row
    return block


def fit_dataset(
    fit: Fit,
    task: Task,
    method: str,
    confidence_level: float,
    truth: np.ndarray | None = None,
    truth_log_likelihood: float | None = None,
    world: np.ndarray | None = None,
) -> xr.Dataset:
    """A fit as a dataset: estimate, intervals, status, and every start's whole history."""
    starts: list[StartResult] = fit.starts
    histories: list[History] = [result.history for result in starts]
    width = max(1, *(len(history.log_likelihood) for history in histories))
    interval = uncertainty(fit.estimate, fit.information, confidence_level)
    n = len(AGENT_PARAMETERS)

    def per_start(attribute):
        return np.array([getattr(result, attribute) for result in starts])

    variables = {
        "estimate": ("parameter", fit.estimate),
        "standard_error": ("parameter", interval.standard_error),
        "interval_lower": ("parameter", interval.lower),
        "interval_upper": ("parameter", interval.upper),
        "information": (("parameter", "parameter_other"), fit.information),
        "information_positive_definite": ((), bool(np.isfinite(interval.standard_error).all())),
        "log_likelihood": ((), float(fit.log_likelihood)),
        "parameter_at_bound": ("parameter", fit.parameter_at_bound),
        "converged": ((), bool(starts[fit.best].converged)),
        "status": ((), fit.status),
        "remarks": ((), "; ".join(fit.remarks)),
        "planner_residual": ((), float(fit.planner_residual)),
        "planner_radius": ((), float(fit.planner_radius)),
        "best_start": ((), fit.best),
        "start_parameters": (("start", "parameter"), per_start("start")),
        "end_parameters": (("start", "parameter"), per_start("end")),
        "end_log_likelihood": ("start", per_start("log_likelihood").astype(float)),
        "newton_decrement": ("start", per_start("newton_decrement").astype(float)),
        "whitened_gradient": (("start", "parameter"), per_start("whitened_gradient")),
        "start_converged": ("start", per_start("converged")),
        "stop_reason": ("start", per_start("stop_reason").astype(object)),
        "jump_met": ("start", np.array([result.jump_sides is not None for result in starts])),
        "n_evaluations": ("start", per_start("n_evaluations")),
        "n_iterations": (
            "start",
            np.array([max(0, len(history.log_likelihood) - 1) for history in histories]),
        ),
        "seconds": ("start", per_start("seconds").astype(float)),
        "history_log_likelihood": (
            ("start", "iteration"),
            _padded([history.log_likelihood for history in histories], width),
        ),
        "history_parameters": (
            ("start", "iteration", "parameter"),
            _padded([history.theta for history in histories], width, (n,)),
        ),
        "history_evaluations": (
            ("start", "iteration"),
            _padded([history.evaluations for history in histories], width),
        ),
        "history_seconds": (
            ("start", "iteration"),
            _padded([history.seconds for history in histories], width),
        ),
    }
    coordinates = {
        "parameter": names(),
        "parameter_other": names(),
        "unit": ("parameter", [parameter.unit for parameter in AGENT_PARAMETERS]),
        "start": np.arange(len(starts)),
        "iteration": np.arange(width),
    }
    if truth is not None:
        variables["truth"] = ("parameter", truth)
        variables["truth_log_likelihood"] = ((), float(truth_log_likelihood))
    if world is not None:
        variables["world"] = ("world_parameter", world)
        coordinates["world_parameter"] = names(WORLD_PARAMETERS)
    attributes = {
        "task": task_attribute(task),
        "method": method,
        "confidence_level": confidence_level,
    }
    return xr.Dataset(variables, coordinates, attributes)
