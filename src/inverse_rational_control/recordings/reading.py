"""Read an animal's own behavior from CSV or NetCDF files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import xarray as xr

from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.recordings.dataset import record_dataset
from inverse_rational_control.recordings.judging import judge
from inverse_rational_control.recordings.layout import Layout
from inverse_rational_control.recordings.netcdf import read_netcdf
from inverse_rational_control.recordings.problems import Problems, shown_name
from inverse_rational_control.recordings.table_columns import read_columns
from inverse_rational_control.task import Task

__all__ = ["NETCDF", "Recording", "read_record", "read_recording", "recording_dataset"]

#: How the names of NetCDF files end; all others are tables.
NETCDF = (".nc", ".nc4", ".netcdf")


@dataclass(frozen=True)
class Recording:
    """A record, and how it lies in the person's files.

    Attributes
    ----------
    record : Record
    rows : ndarray, shape (T,)
        Row of the file of each step, as a spreadsheet counts them; 0 where there are none.
    file : ndarray, shape (T,)
        Which of the files.
    time : ndarray, shape (T,), or None
        Seconds, where the files have them.
    sessions : tuple of str
        The person's own names of the sessions, in order.
    remarks : tuple of str
        What was read although it is unusual.
    """

    record: Record
    rows: np.ndarray
    file: np.ndarray
    time: np.ndarray | None = None
    sessions: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())


def read_record(path: str | Path, task: Task) -> Record:
    """Read and check a record; rows are steps, in order.

    Parameters
    ----------
    path : str or Path
        A table with a header naming the columns, or a NetCDF record.
    task : Task

    Raises
    ------
    RecordError, DatasetError
        One line per problem: file, column, row (the header is row 1), what was found and is allowed.
    """
    return read_recording([path], task).record


def read_recording(
    paths: Sequence[str | Path], task: Task, layout: Layout | None = None
) -> Recording:
    """Read and check the files of one animal as one record.

    Parameters
    ----------
    paths : sequence of str or Path
        Tables or NetCDF records; a session does not go on from one file to the next.
    task : Task
    layout : Layout, optional
        Names and codes; this project's own if not given.

    Raises
    ------
    RecordError, DatasetError
        One line per problem: file, column, row (the header is row 1), what was found and is allowed.
    """
    layout = layout or Layout()
    parts, lines = [], []
    for path in map(Path, paths):
        try:
            parts.append(_read_file(path, task, layout))
        except RecordError as error:
            lines.append(str(error))
    if lines:
        raise RecordError("\n".join(lines))
    # Not every file need hold the subject.
    parts = [part for part in parts if part.record.n_steps] or parts
    joined = parts[0] if len(parts) == 1 else _joined(parts)
    where = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    if not joined.record.n_steps:
        raise RecordError(f"{where}: no steps found{_whose(layout)}, allowed: at least one")
    joined.record.check(task, where)
    return replace(joined, remarks=(*joined.remarks, *_remarks(joined.record, task, where)))


def recording_dataset(
    recording: Recording, task: Task, world: np.ndarray | None = None
) -> xr.Dataset:
    """A recording as a dataset of kind `record`, with each step's row and time in the files.

    Attributes `sessions` (the person's names of the sessions, JSON) and `remarks` say the rest.
    """
    dataset = record_dataset(recording.record, task, world=world)
    dataset["row"] = ("step", recording.rows.astype(np.int32))
    dataset["file"] = ("step", recording.file.astype(np.int32))
    if recording.time is not None:
        dataset["time"] = ("step", recording.time)
    return dataset.assign_attrs(
        sessions=json.dumps(recording.sessions), remarks="; ".join(recording.remarks)
    )


def _read_file(path: Path, task: Task, layout: Layout) -> Recording:
    if path.suffix.lower() in NETCDF:
        record, remarks = read_netcdf(path, task)
        numbers = np.unique(record.session)
        rows, sessions = np.zeros(record.n_steps, dtype=np.int64), tuple(map(str, numbers))
        return Recording(record, rows, rows, None, sessions, tuple(remarks))
    problems = Problems(path)
    columns, rows, known, time, sessions, remarks = read_columns(path, task, layout, problems)
    if columns and len(rows):
        record = Record.from_columns(columns)
        names = dict(sessions)
        judge(record, task, rows, known, problems, lambda number: shown_name(names[number]))
    problems.settle()
    if not len(rows):
        columns = dict.fromkeys(columns, np.zeros(0, dtype=np.int64))
    remarks = tuple(f"{path}: {remark}" for remark in remarks)
    record = Record.from_columns(columns)
    return Recording(record, rows, np.zeros_like(rows), time, tuple(sessions.values()), remarks)


def _joined(parts: Sequence[Recording]) -> Recording:
    """Files one after the other, their sessions numbered on."""
    arrays, offset, sessions = {}, 0, []
    for part in parts:
        _, numbers = np.unique(part.record.session, return_inverse=True)
        sessions.append(numbers + offset)
        offset += int(numbers.max()) + 1
    arrays["session"] = np.concatenate(sessions)
    for name in Record.__dataclass_fields__:
        if name != "session":
            found = [getattr(part.record, name) for part in parts]
            whole = all(array is not None for array in found)
            arrays[name] = np.concatenate(found) if whole else None
    times = [part.time for part in parts]
    return Recording(
        Record(**arrays),
        np.concatenate([part.rows for part in parts]),
        np.repeat(np.arange(len(parts)), [part.record.n_steps for part in parts]),
        None if any(time is None for time in times) else np.concatenate(times),
        tuple(name for part in parts for name in part.sessions),
        tuple(remark for part in parts for remark in part.remarks),
    )


def _whose(layout: Layout) -> str:
    only = {"subject": layout.only_subject, "session": layout.only_session}
    said = [f"{word} {name!r}" for word, name in only.items() if name]
    return f" of {', '.join(said)}" if said else ""


def _remarks(record: Record, task: Task, where: str) -> list[str]:
    """What a record lets one doubt, although it fits the task."""
    remarks = [f"{where}: {said}" for said in record.remarks(task)]
    if not record.opened.any():
        remarks.append(f"{where}: no push at a box: nothing tells what food is worth")
    return remarks
