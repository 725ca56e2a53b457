"""Fits as datasets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from inverse_rational_control.inference.fitting import Fit, History, StartResult
from inverse_rational_control.inference.intervals import uncertainty
from inverse_rational_control.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS
from inverse_rational_control.recordings.dataset import names, task_attribute
from inverse_rational_control.storage.contract import Contract, DatasetError, read, variable
from inverse_rational_control.task import Task

__all__ = ["FIT", "fit_dataset", "read_estimate"]

_FIT = {
    "estimate": variable("parameter", "f", "natural", "best estimate over starts"),
    "standard_error": variable(
        "parameter", "f", "natural", "from the observed information, delta method"
    ),
    "interval_lower": variable("parameter", "f", "natural", "lower end of the confidence interval"),
    "interval_upper": variable("parameter", "f", "natural", "upper end of the confidence interval"),
    "information": variable(
        "parameter parameter_other", "f", "1", "observed information, unconstrained coordinates"
    ),
    "information_positive_definite": variable(
        "", "b", "", "the observed information is positive definite"
    ),
    "log_likelihood": variable("", "f", "nat", "log-likelihood at the estimate"),
    "parameter_at_bound": variable("parameter", "b", "", "within 1e-3 of a bound"),
    "converged": variable("", "b", "", "the best start met the convergence criterion"),
    "status": variable("", "U", "", "converged, at_bound, not_converged or degenerate_record"),
    "remarks": variable("", "U", "", "what is unusual about the estimate, in words"),
    "planner_residual": variable("", "f", "reward", "Bellman residual at the estimate"),
    "planner_radius": variable(
        "", "f", "1", "spectral radius of the Bellman map without constant mode"
    ),
    "best_start": variable("", "i", "", "index of the best start"),
    "start_parameters": variable("start parameter", "f", "natural", "where a start began"),
    "end_parameters": variable("start parameter", "f", "natural", "where a start ended"),
    "end_log_likelihood": variable("start", "f", "nat", "log-likelihood where a start ended"),
    "newton_decrement": variable(
        "start", "f", "nat", "g' I^-1 g / 2 at the end: expected gain left"
    ),
    "whitened_gradient": variable(
        "start parameter", "f", "sqrt(nat)", "gradient by the whitened coordinates"
    ),
    "start_converged": variable("start", "b", "", "this start met the convergence criterion"),
    "stop_reason": variable("start", "U", "", "what stopped this start, in words"),
    "jump_met": variable("start", "b", "", "the likelihood jumped along the way (a planner fold)"),
    "n_evaluations": variable("start", "i", "", "E-steps used, information included"),
    "n_iterations": variable("start", "i", "", "accepted iterations"),
    "seconds": variable("start", "f", "s", "wall time of this start"),
    "history_log_likelihood": variable("start iteration", "f", "nat", "per accepted iteration"),
    "history_parameters": variable(
        "start iteration parameter", "f", "natural", "per accepted iteration"
    ),
    "history_evaluations": variable("start iteration", "f", "", "E-steps used so far"),
    "history_seconds": variable("start iteration", "f", "s", "wall time so far"),
}

#: Kind `fit`.
FIT = Contract(
    "fit",
    "maximum-likelihood fit of one record, with every start's history",
    _FIT,
    {
        "truth": variable("parameter", "f", "natural", "parameters of the simulated agent"),
        "truth_log_likelihood": variable("", "f", "nat", "log-likelihood at the truth"),
        "world": variable("world_parameter", "f", "natural", "parameters of the simulated world"),
        "decoded_correlation": variable(
            "box", "f", "1", "posterior mean at the estimate against true belief"
        ),
        "decoded_rmse": variable("box", "f", "1", "posterior mean at the estimate, true belief"),
    },
    ("task", "method", "confidence_level"),
)


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


def read_estimate(path: str | Path) -> xr.Dataset:
    """Read a fit that holds an estimate.

    Raises
    ------
    DatasetError
        As `read`, or if no start of the fit led anywhere.
    """
    fit = read(path, FIT)
    if not np.isfinite(fit["estimate"].values).all():
        raise DatasetError(
            f"{path}: variable 'estimate': found no numbers (status {fit['status'].values}: "
            f"{fit['remarks'].values}), so nothing can be made from this fit"
        )
    return fit
