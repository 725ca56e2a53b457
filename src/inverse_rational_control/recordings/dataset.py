"""Records, and what every kind shares: task, names, stacking, reading batches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

import numpy as np
import xarray as xr

from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    WORLD_PARAMETERS,
    agent_parameters,
    extras_among,
)
from inverse_rational_control.record import Record
from inverse_rational_control.storage.contract import (
    BATCH_DIMS,
    Contract,
    DatasetError,
    read,
    variable,
)
from inverse_rational_control.task import Task

__all__ = [
    "RECORD",
    "coordinates_of_dataset",
    "extras_of_dataset",
    "named_world",
    "names",
    "read_batches",
    "record_dataset",
    "record_from_dataset",
    "seen_from_dataset",
    "stack",
    "task_attribute",
    "task_from_dataset",
]

_COLUMNS = tuple(Record.__dataclass_fields__)
_HIDDEN = ("food", "belief_bin")


def names(parameters=AGENT_PARAMETERS) -> list[str]:
    """Names of parameters, for coordinates."""
    return [parameter.name for parameter in parameters]


def _check_records(dataset: xr.Dataset) -> None:
    """Check the parameters' names, and the record or each of a batch against its task."""
    if "parameter" in dataset.dims:
        expected = names(agent_parameters(extras_of_dataset(dataset)))
        labels = dataset["parameter"].values.tolist() if "parameter" in dataset.coords else expected
        if labels != expected or dataset.sizes["parameter"] != len(expected):
            raise ValueError(f"dimension 'parameter' has other labels than {', '.join(expected)}")
    task = task_from_dataset(dataset)
    for dim in BATCH_DIMS:
        if dim in dataset.dims:
            for k, number in enumerate(dataset[dim].values):
                one = dataset.isel({dim: k})
                record_from_dataset(one, narrow=True).check(task, f"record {number}")
            return
    record_from_dataset(dataset, narrow=True).check(task)


#: Kind `record`.
RECORD = Contract(
    "record",
    "behavior of one agent, step by step",
    {
        "session": variable("step", "i", "", "session number; sessions are independent"),
        "location": variable("step", "i", "", "0 middle, 1 box 1, 2 box 2"),
        "action": variable("step", "i", "", "0 stay, 1 go to middle, 2/3 go to box 1/2, 4 push"),
        "reward": variable("step", "i", "", "food obtained by the action of the step before"),
        "cue": variable(
            "step box", "i", "", "color at each box, low = redder; -1 none shown, -2 not recorded"
        ),
    },
    {
        "food": variable("step box", "i", "", "true availability at each box"),
        "belief_bin": variable("step box", "i", "", "the agent's true belief bin of each box"),
        "truth": variable(
            "parameter", "f", "natural", "parameters of the simulated agent", finite=True
        ),
        "world": variable(
            "world_parameter", "f", "natural", "parameters of the simulated world", finite=True
        ),
        "row": variable("step", "i", "", "row of the person's file, its header being row 1"),
        "file": variable("step", "i", "", "which of the person's files, from 0"),
        "time": variable("step", "f", "s", "time in the person's file", finite=True),
    },
    ("task",),
    labels={
        "parameter": tuple(names()),
        "box": (1, 2),
        "world_parameter": tuple(names(WORLD_PARAMETERS)),
    },
    longer=("parameter",),
    rules=_check_records,
)


def extras_of_dataset(dataset: xr.Dataset) -> tuple[str, ...]:
    """Extra parameters of the agent that a file's parameters are of; none without parameters."""
    return extras_among(dataset["parameter"].values) if "parameter" in dataset.coords else ()


def coordinates_of_dataset(dataset: xr.Dataset) -> Coordinates:
    """Coordinates of the parameters that a file has, whose task it names."""
    extras = extras_of_dataset(dataset)
    n_bins = task_from_dataset(dataset).n_bins if "diffusion" in extras else None
    return Coordinates(agent_parameters(extras, n_bins))


def named_world(dataset: xr.Dataset) -> dict[str, float]:
    """Parameters of the world by name, where a record has them."""
    if "world" not in dataset:
        return {}
    return dict(zip(names(WORLD_PARAMETERS), map(float, dataset["world"].values), strict=True))


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
    except (TypeError, ValueError, RecursionError) as error:
        raise DatasetError(f"attribute 'task': not a task ({error})") from None


def record_dataset(
    record: Record,
    task: Task,
    truth: np.ndarray | None = None,
    world: np.ndarray | None = None,
    extras: tuple[str, ...] = (),
) -> xr.Dataset:
    """A record as a dataset, with the simulated agent's and world's parameters where known.

    `extras` are the names of the agent's parameters beyond the ten.
    """
    variables = {
        name: (("step", "box")[: column.ndim], np.asarray(column, dtype=np.int32))
        for name, column in record.__dict__.items()
        if column is not None
    }
    coordinates = {"step": np.arange(record.n_steps), "box": [1, 2]}
    if truth is not None:
        variables["truth"] = ("parameter", truth)
        coordinates["parameter"] = names(agent_parameters(extras))
    if world is not None:
        variables["world"] = ("world_parameter", world)
        coordinates["world_parameter"] = names(WORLD_PARAMETERS)
    return xr.Dataset(variables, coordinates, {"task": task_attribute(task)})


def record_from_dataset(dataset: xr.Dataset, narrow: bool = False) -> Record:
    """A record from a dataset that holds one.

    Parameters
    ----------
    dataset : xarray.Dataset
    narrow : bool
        Whether columns shall take as little memory as they can, a byte a number instead of eight.
    """
    return Record(
        **{
            name: (_narrow if narrow else _wide)(dataset[name].values) if name in dataset else None
            for name in _COLUMNS
        }
    )


def seen_from_dataset(dataset: xr.Dataset) -> Record:
    """What the experimenter saw of a record, in as little memory as it can take; no hidden states."""
    return record_from_dataset(dataset.drop_vars(_HIDDEN, errors="ignore"), narrow=True)


def _wide(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.int64)


def _narrow(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the narrowest type that holds them all."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return np.ascontiguousarray(values, dtype=kind)
    return _wide(values)


def stack(
    datasets: Sequence[xr.Dataset], numbers: Sequence[int], contract: Contract, dim: str = "seed"
) -> xr.Dataset:
    """Join datasets along a leading dimension; what one lacks is NaN, -1, false or ""."""
    fills = {"f": np.nan, "i": -1, "b": False, "U": ""}
    fill = {name: fills[contract.variables[name].type] for name in datasets[0].data_vars}
    stacked = xr.concat(
        datasets,
        dim=xr.Variable(dim, list(numbers)),
        data_vars="all",
        coords="minimal",
        compat="override",
        join="outer",
        fill_value=fill,
        combine_attrs="override",
    )
    return stacked.transpose(dim, ...)


def read_batches(
    paths: Iterable,
    contract: Contract,
    variables: Iterable[str] | None = None,
    dim: str = "seed",
) -> xr.Dataset:
    """Read files of one kind that hold batches, as one dataset in the order of their numbers.

    Parameters
    ----------
    paths : iterable of str or Path
    contract : Contract
        Of their kind.
    variables : iterable of str, optional
        Only these are kept.
    dim : str
        Of the batches.

    Raises
    ------
    DatasetError
        As `storage.contract.read`.
    """
    parts = [read(path, contract) for path in paths]
    if variables is not None:
        parts = [part[list(variables)] for part in parts]
    joined = xr.concat(parts, dim, data_vars="all", join="outer", combine_attrs="override")
    return joined.sortby(dim)
