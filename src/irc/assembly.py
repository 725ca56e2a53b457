"""From arrays to datasets and back: the only place where results become xarray."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import xarray as xr

from irc.beliefs import bin_centres
from irc.datasets import CONTRACTS
from irc.decoding import N_LEVELS, Decoding, DecodingScore
from irc.fitting import Fit, History, StartResult
from irc.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS
from irc.records import Record
from irc.task import Task
from irc.uncertainty import uncertainty

__all__ = [
    "add_score",
    "fit_dataset",
    "names",
    "posterior_dataset",
    "record_dataset",
    "record_from_dataset",
    "stack_seeds",
    "task_from_dataset",
]

_COLUMNS = tuple(Record.__dataclass_fields__)


def names(parameters=AGENT_PARAMETERS) -> list[str]:
    """Names of parameters, for coordinates."""
    return [parameter.name for parameter in parameters]


def _task_attribute(task: Task) -> str:
    return json.dumps(asdict(task), sort_keys=True)


def task_from_dataset(dataset: xr.Dataset) -> Task:
    """The task that a file was made for."""
    return Task(**json.loads(dataset.attrs["task"]))


def record_dataset(
    record: Record,
    task: Task,
    truth: np.ndarray | None = None,
    world: np.ndarray | None = None,
) -> xr.Dataset:
    """A record as a dataset, with the simulated agent's and world's parameters where known."""
    variables = {
        name: ("step", np.asarray(column, dtype=np.int32))
        for name, column in record.__dict__.items()
        if column is not None
    }
    coordinates = {"step": np.arange(record.n_steps)}
    if truth is not None:
        variables["truth"] = ("parameter", truth)
        coordinates["parameter"] = names()
    if world is not None:
        variables["world"] = ("world_parameter", world)
        coordinates["world_parameter"] = names(WORLD_PARAMETERS)
    return xr.Dataset(variables, coordinates, {"task": _task_attribute(task)})


def record_from_dataset(dataset: xr.Dataset) -> Record:
    """A record from a dataset without a seed dimension."""
    return Record(
        **{
            name: np.ascontiguousarray(dataset[name].values, dtype=np.int64)
            if name in dataset
            else None
            for name in _COLUMNS
        }
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
        "scaled_gradient": (("start", "parameter"), per_start("scaled_gradient")),
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
        "task": _task_attribute(task),
        "method": method,
        "confidence_level": confidence_level,
    }
    return xr.Dataset(variables, coordinates, attributes)


def stack_seeds(datasets: Sequence[xr.Dataset], seeds: Sequence[int], kind: str) -> xr.Dataset:
    """Join datasets along a leading dimension `seed`; what one lacks is NaN, -1, false or ""."""
    fills = {"f": np.nan, "i": -1, "b": False, "U": ""}
    contract = CONTRACTS[kind]
    known = contract.required | contract.optional
    fill = {name: fills[known[name].type] for name in datasets[0].data_vars}
    stacked = xr.concat(
        datasets,
        dim=xr.Variable("seed", list(seeds)),
        data_vars="all",
        coords="minimal",
        compat="override",
        join="outer",
        fill_value=fill,
        combine_attrs="override",
    )
    return stacked.transpose("seed", ...)


def posterior_dataset(decoding: Decoding, task: Task) -> xr.Dataset:
    """A decoding as a dataset, without comparison to a truth."""
    centres = bin_centres(task.n_bins)
    first, second = decoding.marginals
    mean_1, mean_2 = decoding.means
    return xr.Dataset(
        {
            "posterior": (("step", "bin_1", "bin_2"), decoding.posterior.astype(np.float32)),
            "marginal_1": (("step", "bin_1"), first),
            "marginal_2": (("step", "bin_2"), second),
            "posterior_mean_1": ("step", mean_1),
            "posterior_mean_2": ("step", mean_2),
            "most_probable_bin_1": ("step", decoding.path_1.astype(np.int32)),
            "most_probable_bin_2": ("step", decoding.path_2.astype(np.int32)),
            "log_likelihood": ((), float(decoding.log_likelihood)),
        },
        {
            "step": np.arange(first.shape[0]),
            "bin_1": centres,
            "bin_2": centres,
        },
        {"task": _task_attribute(task)},
    )


def add_score(
    dataset: xr.Dataset, score: DecodingScore, true_1: np.ndarray, true_2: np.ndarray
) -> xr.Dataset:
    """Add the true beliefs and the decoding's score to a posterior dataset."""
    dims = {
        "posterior_given_true": ("box", "true_bin", "bin"),
        "true_bin_steps": ("box", "true_bin"),
        "correlation": ("box",),
        "rmse": ("box",),
        "path_correlation": ("box",),
        "calibration_predicted": ("box", "level"),
        "calibration_observed": ("box", "level"),
        "calibration_count": ("box", "level"),
        "credible_coverage": ("box",),
        "credible_expected": ("box",),
    }
    centres = dataset["bin_1"].values
    added = {name: (dims[name], array) for name, array in score.__dict__.items()}
    added["true_bin_1"] = ("step", np.asarray(true_1, dtype=np.int32))
    added["true_bin_2"] = ("step", np.asarray(true_2, dtype=np.int32))
    return dataset.assign(added).assign_coords(
        box=[1, 2],
        true_bin=centres,
        bin=centres,
        level=(np.arange(N_LEVELS) + 0.5) / N_LEVELS,
    )
