"""From a table's text to columns of numbers, every cell that cannot be read noted with its row."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from inverse_rational_control.recordings.layout import Layout, codes_of, find_column, whole_number
from inverse_rational_control.recordings.problems import Problems, shown_cell
from inverse_rational_control.recordings.tables import Piece, TextTable
from inverse_rational_control.task import N_ACTIONS, N_LOCATIONS, Task

__all__ = ["OPTIONAL_COLUMNS", "REQUIRED_COLUMNS", "read_columns"]

REQUIRED_COLUMNS = ("location", "action", "reward", "cue_1", "cue_2")
TRUTH = ("food_1", "food_2", "belief_bin_1", "belief_bin_2")
OPTIONAL_COLUMNS = ("session", "step", "time", *TRUTH)
_BAD = -(2**31)  # a cell that could not be read
_JUDGED = ("location", "action", "reward")


def read_columns(path: Path, task: Task, layout: Layout, problems: Problems):
    """Read the columns of a record.

    Returns
    -------
    columns : dict of str to ndarray, shape (T,)
        Numbers by name, `session` among them; cells that could not be read are 0.
    rows : ndarray, shape (T,)
        Row of the file.
    known : ndarray of bool, shape (T,)
        Whether location, action and reward could be read.
    time : ndarray, shape (T,), or None
    sessions : dict of int to str
        The person's names of the sessions by their numbers.
    remarks : list of str
    """
    table = TextTable(path, problems)
    places = _places(table.header, layout, problems) if table.header else {}
    if not table.header or any(name not in places for name in REQUIRED_COLUMNS):
        return {}, np.zeros(0, int), np.zeros(0, bool), None, {}, table.remarks
    readers = _readers(task, layout, places, table.separator != ",")
    sessions, parts = _Sessions(layout, places), []
    for piece in table.pieces():
        piece = _only(piece, layout, places)
        part = {"rows": np.array(piece.rows, dtype=np.int64), "session": sessions.of(piece)}
        for name, reader in readers.items():
            part[name] = reader.read(piece.cells[places[name]], piece.rows, problems)
        if "time" in places:
            part["time"] = _times(
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
        known &= columns[name] != _BAD
    remarks = [*table.remarks, *_unread(table.header, places)]
    step = columns.pop("step", None)
    names = sessions.names
    if step is not None:
        columns["session"], names = _judge_steps(
            step, columns["session"], names, rows, layout, problems, remarks
        )
    if layout.session is None and layout.subject is None:
        columns["session"], names = _own_numbers(columns["session"], names)
    columns = {name: np.where(column == _BAD, 0, column) for name, column in columns.items()}
    return columns, rows, known, time, names, remarks


# --- which columns --------------------------------------------------------------------------------


def _places(header: list[str], layout: Layout, problems: Problems) -> dict[str, str]:
    """The file's column of each of ours; those missing, twice there or not known are noted."""
    ours = {name: name for name in (*REQUIRED_COLUMNS, *OPTIONAL_COLUMNS)} | dict(layout.columns)
    needed = {*REQUIRED_COLUMNS, *layout.columns}
    for name in ("subject", "session"):
        if getattr(layout, name) is not None:
            ours[name] = getattr(layout, name)
            needed.add(name)
    places = {}
    for name, theirs in ours.items():
        found = find_column(header, theirs)
        if len(found) > 1:
            problems.say(f"column {theirs!r} is there {len(found)} times, allowed: once")
        if found:
            places[name] = found[0]
        elif name in needed:
            whose = "" if theirs == name else f", {name}"
            problems.say(f"column {theirs!r}{whose} is missing (found: {', '.join(header)})")
    for kind in ("food", "belief_bin"):
        pair = [f"{kind}_{box}" for box in (1, 2)]
        if len([name for name in pair if name in places]) == 1:
            problems.say(f"found one of {' and '.join(pair)}, allowed: both or none")
            for name in pair:
                places.pop(name, None)
    unknown = [name for name in header if name not in places.values()]
    if unknown and not layout.is_stated:
        known = ", ".join((*REQUIRED_COLUMNS, *OPTIONAL_COLUMNS))
        for name in unknown:
            problems.say(f"column {name!r} is not known, allowed: {known}")
    return places


def _unread(header: list[str], places: dict[str, str]) -> list[str]:
    unread = [name for name in header if name not in places.values()]
    return [f"columns that are not part of a record: {', '.join(unread)}"] if unread else []


# --- cells to numbers -----------------------------------------------------------------------------


class _Reader(dict):
    """Numbers of one column's cells; each different text is read once."""

    def __init__(self, name: str, codes: dict[str, int], limit: int | None, decimal_comma: bool):
        self.name, self.codes, self.decimal_comma = name, codes, decimal_comma
        self.limit = limit
        words = ", ".join(codes)
        numbers = "whole numbers" if limit is None else f"whole numbers 0 to {limit - 1}"
        self.allowed = f"{numbers}{words and f', or {words}'}"

    def __missing__(self, cell: str) -> int:
        value = self.codes.get(cell.lower())
        if value is None:
            value = whole_number(cell, self.decimal_comma)
        if value is None or (self.limit is not None and not 0 <= value < self.limit):
            value = _BAD
        if len(self) < 100_000:
            self[cell] = value
        return value

    def read(self, cells: list[str], rows: list[int], problems: Problems) -> np.ndarray:
        values = np.fromiter(map(self.__getitem__, cells), dtype=np.int64, count=len(cells))
        problems.add_at(
            self.name,
            np.flatnonzero(values == _BAD),
            rows.__getitem__,
            lambda k: shown_cell(cells[k]),
            self.allowed,
        )
        return values


def _readers(
    task: Task, layout: Layout, places: Iterable[str], decimal_comma: bool
) -> dict[str, _Reader]:
    limits = {"location": N_LOCATIONS, "action": N_ACTIONS, "reward": 2, "cue": task.n_cues}
    limits |= {"food": 2, "belief_bin": task.n_bins, "step": None}
    readers = {}
    for name in (*REQUIRED_COLUMNS, *TRUTH, "step"):
        if name in places:
            limit = limits[name.removesuffix("_1").removesuffix("_2")]
            readers[name] = _Reader(name, codes_of(layout, name), limit, decimal_comma)
    return readers


def _times(
    cells: list[str], rows: list[int], problems: Problems, decimal_comma: bool
) -> np.ndarray:
    """Seconds; what is no finite number is noted."""
    values = np.full(len(cells), np.nan)
    for k, cell in enumerate(cells):
        with contextlib.suppress(ValueError):
            values[k] = float(cell.replace(",", ".") if decimal_comma else cell)
    problems.add_at(
        "time",
        np.flatnonzero(~np.isfinite(values)),
        rows.__getitem__,
        lambda k: shown_cell(cells[k]),
        "seconds, a finite number",
    )
    return values


# --- sessions -------------------------------------------------------------------------------------


def _only(piece: Piece, layout: Layout, places: dict[str, str]) -> Piece:
    """The rows of the subject and session that are asked for."""
    keep = range(len(piece.rows))
    for name in ("subject", "session"):
        label = getattr(layout, f"only_{name}")
        if label is not None and name in places:
            cells = piece.cells[places[name]]
            keep = [k for k in keep if cells[k] == label]
    if len(keep) == len(piece.rows):
        return piece
    cells = {name: [column[k] for k in keep] for name, column in piece.cells.items()}
    return Piece([piece.rows[k] for k in keep], cells)


class _Sessions:
    """Numbers of sessions in the order in which they appear, by what identifies them."""

    def __init__(self, layout: Layout, places: dict[str, str]):
        self.keys = [places[name] for name in ("subject", "session") if name in places]
        self.numbers: dict[tuple[str, ...], int] = {}

    def of(self, piece: Piece) -> np.ndarray:
        if not self.keys:
            self.numbers[("0",)] = 0
            return np.zeros(len(piece.rows), dtype=np.int64)
        labels = zip(*(piece.cells[key] for key in self.keys), strict=True)
        numbers = self.numbers
        return np.fromiter(
            (numbers.setdefault(label, len(numbers)) for label in labels),
            dtype=np.int64,
            count=len(piece.rows),
        )

    @property
    def names(self) -> dict[int, str]:
        return {number: " ".join(label) for label, number in self.numbers.items()}


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
    jump &= (step[1:] != _BAD) & (step[:-1] != _BAD)
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
