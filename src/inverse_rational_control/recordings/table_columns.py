"""From a table's text to columns of numbers, every cell that cannot be read noted with its row."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from inverse_rational_control.record import column_limits
from inverse_rational_control.recordings.cells import (
    BAD,
    Reader,
    Sessions,
    only_asked_for,
    places_of,
    read_times,
    unread,
)
from inverse_rational_control.recordings.layout import Layout, codes_of, whole_number
from inverse_rational_control.recordings.problems import Problems
from inverse_rational_control.recordings.tables import TextTable
from inverse_rational_control.task import Task

__all__ = ["OPTIONAL_COLUMNS", "REQUIRED_COLUMNS", "read_columns"]

REQUIRED_COLUMNS = ("location", "action", "reward", "cue_1", "cue_2")
#: Of these, what a task without cues has nothing to say in.
_CUES = ("cue_1", "cue_2")
TRUTH = ("food_1", "food_2", "belief_bin_1", "belief_bin_2")
OPTIONAL_COLUMNS = ("session", "step", "time", *TRUTH)
_JUDGED = ("location", "action")


def read_columns(path: Path, task: Task, layout: Layout, problems: Problems):
    """Read the columns of a record.

    Returns
    -------
    columns : dict of str to ndarray, shape (T,)
        Numbers by name, `session` among them; cells that could not be read are 0.
    rows : ndarray, shape (T,)
        Row of the file.
    known : ndarray of bool, shape (T,)
        Whether location and action could be read.
    time : ndarray, shape (T,), or None
    sessions : dict of int to str
        The person's names of the sessions by their numbers.
    remarks : list of str
    """
    table = TextTable(path, problems)
    optional = () if task.has_cues else _CUES
    required = tuple(name for name in REQUIRED_COLUMNS if name not in optional)
    places = (
        places_of(table.header, layout, required, (*optional, *OPTIONAL_COLUMNS), problems)
        if table.header
        else {}
    )
    if not table.header or any(name not in places for name in required):
        return {}, np.zeros(0, int), np.zeros(0, bool), None, {}, table.remarks
    readers = _readers(task, layout, places, table.separator != ",")
    sessions, parts = Sessions(layout, places), []
    for piece in table.pieces():
        piece = only_asked_for(piece, layout, places)
        part = {
            "rows": np.array(piece.rows, dtype=np.int64),
            "session": sessions.of(piece, problems),
        }
        for name, reader in readers.items():
            part[name] = reader.read(piece.cells[places[name]], piece.rows, problems)
        if "time" in places:
            part["time"] = read_times(
                piece.cells[places["time"]], piece.rows, problems, table.separator != ","
            )
        parts.append(part)
    columns = {
        name: np.concatenate([part[name] for part in parts]) if parts else np.zeros(0, int)
        for name in ("rows", "session", *readers, *(["time"] if "time" in places else ()))
    }
    rows, time = columns.pop("rows"), columns.pop("time", None)
    known = np.ones(len(rows), dtype=bool)
    for name in _JUDGED:
        known &= columns[name] != BAD
    remarks = [*table.remarks, *unread(table.header, places)]
    step = columns.pop("step", None)
    names = sessions.names
    if step is not None:
        columns["session"], names = _judge_steps(
            step, columns["session"], names, rows, layout, problems, remarks
        )
    if layout.session is None and layout.subject is None:
        columns["session"], names = _own_numbers(columns["session"], names)
    columns = {name: np.where(column == BAD, 0, column) for name, column in columns.items()}
    columns |= {name: np.zeros_like(rows) for name in optional if name not in columns}
    return columns, rows, known, time, names, remarks


def _readers(
    task: Task, layout: Layout, places: Iterable[str], decimal_comma: bool
) -> dict[str, Reader]:
    ends: dict[str, int | None] = {name: end for name, (_, end) in column_limits(task).items()}
    ends["step"] = None
    readers = {}
    for name in (*REQUIRED_COLUMNS, *TRUTH, "step"):
        if name in places:
            limit = ends[name.removesuffix("_1").removesuffix("_2")]
            readers[name] = Reader(name, codes_of(layout, name), limit, decimal_comma)
    return readers


def _own_numbers(session: np.ndarray, names: dict[int, str]) -> tuple[np.ndarray, dict[int, str]]:
    """Sessions by the person's own numbers, if that is what their names are."""
    numbers = [whole_number(name, False) for name in names.values()]
    if any(number is None for number in numbers) or len(set(numbers)) < len(numbers):
        return session, names
    return np.array(numbers, dtype=np.int64)[session], dict(
        zip(numbers, names.values(), strict=True)
    )


def _judge_steps(step, session, names, rows, layout, problems, remarks):
    """Note steps that do not rise by one; or let each jump forward begin a session."""
    jump = (step[1:] - step[:-1] != 1) & (session[1:] == session[:-1])
    jump &= (step[1:] != BAD) & (step[:-1] != BAD)
    forward = jump & (step[1:] > step[:-1])
    if layout.new_session_at_missing_steps:
        jump &= ~forward
        if forward.any():
            missing = int((step[1:] - step[:-1] - 1)[forward].sum())
            remarks.append(
                f"{missing} steps are missing at {int(forward.sum())} places; each begins a new session"
            )
            pieces = np.append(0, np.cumsum(forward))
            both = np.stack([session, pieces], 1)
            found, first, again = np.unique(both, axis=0, return_index=True, return_inverse=True)
            order = np.argsort(first)
            names = {k: names[int(found[old, 0])] for k, old in enumerate(order)}
            session = np.argsort(order)[again]
    problems.add_at(
        "step",
        np.flatnonzero(jump) + 1,
        rows.__getitem__,
        lambda k: f"{step[k]} after {step[k - 1]}",
        "rising by one within a session",
    )
    return session, names
