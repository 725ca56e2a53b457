"""Read an animal's own behavior from a CSV or NetCDF file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.recordings.dataset import RECORD, record_from_dataset
from inverse_rational_control.storage.contract import BATCH_DIMS, read
from inverse_rational_control.task import Task

__all__ = ["OPTIONAL_COLUMNS", "REQUIRED_COLUMNS", "read_record"]

REQUIRED_COLUMNS = ("location", "action", "reward", "cue_1", "cue_2")
OPTIONAL_COLUMNS = ("session", "food_1", "food_2", "belief_bin_1", "belief_bin_2")


def read_record(path: str | Path, task: Task) -> Record:
    """Read and check a record; rows are steps, in order.

    Parameters
    ----------
    path : str or Path
        A CSV file with a header naming the columns (`REQUIRED_COLUMNS`, any of `OPTIONAL_COLUMNS`,
        and optionally `step`, which must then rise by one within a session), or a NetCDF record.
    task : Task

    Raises
    ------
    RecordError, DatasetError
        In one line: file, column, row (counting data rows from 0), what was found and is allowed.
    """
    path = Path(path)
    if path.suffix.lower() in (".nc", ".nc4", ".netcdf"):
        dataset = read(path, RECORD, made_elsewhere=True)
        for dim in BATCH_DIMS:
            if dim in dataset.dims:
                raise RecordError(f"{path}: found records of several {dim}s, allowed: one record")
        record = record_from_dataset(dataset)
    else:
        record = _read_csv(path)
    record.check(task, str(path))
    return record


def _read_csv(path: Path) -> Record:
    import pandas

    try:
        # A row longer than the header is an error, not an index.
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            table = pandas.read_csv(path, skipinitialspace=True, index_col=False)
    except FileNotFoundError:
        raise RecordError(f"{path}: no such file") from None
    except (OSError, ValueError, pandas.errors.ParserWarning) as error:
        reason = str(error).splitlines()[0]
        raise RecordError(f"{path}: not a readable CSV file ({reason})") from None
    known = ("step", *REQUIRED_COLUMNS, *OPTIONAL_COLUMNS)
    for name in REQUIRED_COLUMNS:
        if name not in table:
            found = ", ".join(map(str, table.columns))
            raise RecordError(f"{path}: column {name!r} is missing (found: {found})")
    for name in table.columns:
        if name not in known:
            raise RecordError(f"{path}: column {name!r} is not known, allowed: {', '.join(known)}")
    columns = {}
    for name in table.columns:
        values = pandas.to_numeric(table[name], errors="coerce").to_numpy(dtype=float)
        bad = ~(np.abs(values) < 2**31) | (values != np.round(values))
        if bad.any():
            row = int(np.argmax(bad))
            found = table[name].iloc[row]
            found = repr(found) if isinstance(found, str) else found
            raise RecordError(f"{path}: {name} at row {row}: found {found}, allowed: whole numbers")
        columns[name] = values.astype(np.int64)
    step = columns.pop("step", None)
    columns.setdefault("session", np.zeros(len(table), dtype=np.int64))
    if step is not None:
        same = columns["session"][1:] == columns["session"][:-1]
        bad = same & (np.diff(step) != 1)
        if bad.any():
            row = int(np.argmax(bad)) + 1
            raise RecordError(
                f"{path}: step at row {row}: found {step[row]} after {step[row - 1]}, "
                "allowed: rising by one within a session"
            )
    try:
        return Record.from_columns(columns)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
