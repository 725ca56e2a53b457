"""Read a record that this project wrote, and say where it was made for another task."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from inverse_rational_control.record import Record, RecordError, column_limits
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.recordings.judging import judge
from inverse_rational_control.recordings.problems import Problems
from inverse_rational_control.storage.contract import BATCH_DIMS, DatasetError, read
from inverse_rational_control.task import Task

__all__ = ["read_netcdf"]


def read_netcdf(path: Path, task: Task) -> tuple[Record, list[str]]:
    """Read a NetCDF record; what it was made for is compared with the task.

    Returns
    -------
    record : Record
        Without the true beliefs if they are in other bins.
    remarks : list of str

    Raises
    ------
    RecordError, DatasetError
        If it is no record, or one of another number of cues.
    """
    if path.is_dir():
        raise RecordError(f"{path}: found a folder, allowed: a file")
    dataset = read(path, RECORD, made_elsewhere=True)
    for dim in BATCH_DIMS:
        if dim in dataset.dims:
            raise RecordError(f"{path}: found records of several {dim}s, allowed: one record")
    try:
        made_for = task_from_dataset(dataset)
    except DatasetError as error:
        raise DatasetError(f"{path}: {error}") from None
    record, remarks = record_from_dataset(dataset), []
    if made_for.n_cues != task.n_cues:
        raise RecordError(
            f"{path}: found a record of {made_for.n_cues} cues, allowed: task.n_cues, {task.n_cues}"
        )
    if made_for.n_bins != task.n_bins and record.belief_bin is not None:
        record = replace(record, belief_bin=None)
        remarks.append(
            f"true beliefs are left out: they are in {made_for.n_bins} bins, the task has {task.n_bins}"
        )
    given = asdict(task)
    for name, value in asdict(made_for).items():
        if value != given[name] and name not in ("n_bins", "n_cues"):
            remarks.append(f"made with task.{name} {value}, read with {given[name]}")
    _judge_all(record, task, path)
    return record, [f"{path}: {remark}" for remark in remarks]


def _judge_all(record: Record, task: Task, path: Path) -> None:
    problems, steps = Problems(path, "step"), np.arange(record.n_steps)
    known = np.ones(record.n_steps, dtype=bool)
    for name, column in record.columns().items():
        limits = column_limits(task).get(name.removesuffix("_1").removesuffix("_2"))
        if limits is not None:
            lowest, end = limits
            bad = (column < lowest) | (column >= end)
            if name in ("location", "action"):
                known &= ~bad
            problems.add_at(
                name,
                np.flatnonzero(bad),
                steps.__getitem__,
                lambda step, values=column: str(values[step]),
                f"whole numbers 0 to {end - 1}",
            )
    if record.n_steps:
        judge(record, task, steps, known, problems, str)
    problems.settle()
