"""Records, and what every kind shares: task, names, stacking over seeds, reading batches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

import numpy as np
import xarray as xr

from inverse_rational_control.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS
from inverse_rational_control.record import Record
from inverse_rational_control.storage.datasets import CONTRACTS, DatasetError, read
from inverse_rational_control.task import Task

__all__ = [
    "names",
    "read_batches",
    "record_dataset",
    "record_from_dataset",
    "stack_seeds",
    "task_attribute",
    "task_from_dataset",
]

_COLUMNS = tuple(Record.__dataclass_fields__)


def names(parameters=AGENT_PARAMETERS) -> list[str]:
    """Names of parameters, for coordinates."""
    return [parameter.name for parameter in parameters]


def task_attribute(task: Task) -> str:
    """The task as an attribute of a file."""
    return json.dumps(asdict(task), sort_keys=True)


def task_from_dataset(dataset: xr.Dataset) -> Task:
    """The task that a file was made for.

    Raises
    ------
    DatasetError
        If the attribute is not a task.
    """
    try:
        return Task(**json.loads(dataset.attrs["task"]))
    except (TypeError, ValueError) as error:
        raise DatasetError(f"attribute 'task': not a task ({error})") from None


def record_dataset(
    record: Record,
    task: Task,
    truth: np.ndarray | None = None,
    world: np.ndarray | None = None,
) -> xr.Dataset:
    """A record as a dataset, with the simulated agent's and world's parameters where known."""
    variables = {
        name: (("step", "box")[: column.ndim], np.asarray(column, dtype=np.int32))
        for name, column in record.__dict__.items()
        if column is not None
    }
    coordinates = {"step": np.arange(record.n_steps), "box": [1, 2]}
    if truth is not None:
        variables["truth"] = ("parameter", truth)
        coordinates["parameter"] = names()
    if world is not None:
        variables["world"] = ("world_parameter", world)
        coordinates["world_parameter"] = names(WORLD_PARAMETERS)
    return xr.Dataset(variables, coordinates, {"task": task_attribute(task)})


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


def read_batches(paths: Iterable, kind: str, variables: Iterable[str] | None = None) -> xr.Dataset:
    """Read files of one kind that hold batches of seeds, as one dataset in the order of the seeds.

    Parameters
    ----------
    paths : iterable of str or Path
    kind : str
        As for `datasets.read`.
    variables : iterable of str, optional
        Only these are kept.

    Raises
    ------
    DatasetError
        As `datasets.read`.
    """
    parts = [read(path, kind) for path in paths]
    if variables is not None:
        parts = [part[list(variables)] for part in parts]
    joined = xr.concat(parts, "seed", data_vars="all", join="outer", combine_attrs="override")
    return joined.sortby("seed")
