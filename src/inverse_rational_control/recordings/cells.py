"""Cells of a table as numbers and labels; what cannot be read is noted with its row."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np

from inverse_rational_control.recordings.layout import Layout, find_column, whole_number
from inverse_rational_control.recordings.problems import (
    Problems,
    shown_cell,
    shown_header,
    shown_name,
)
from inverse_rational_control.recordings.tables import Piece

__all__ = ["BAD", "Reader", "Sessions", "only_asked_for", "places_of", "read_times", "unread"]

BAD = -(2**31)  # a cell that could not be read


def places_of(
    header: list[str],
    layout: Layout,
    required: Sequence[str],
    optional: Sequence[str],
    problems: Problems,
) -> dict[str, str]:
    """The file's column of each of ours; those missing, twice there or not known are noted."""
    ours = {name: name for name in (*required, *optional)} | dict(layout.columns)
    needed = {*required, *layout.columns}
    for name in ("subject", "session"):
        if getattr(layout, name) is not None:
            ours[name] = getattr(layout, name)
            needed.add(name)
    places = {}
    for name, theirs in ours.items():
        found = find_column(header, theirs)
        if len(found) > 1:
            problems.say(f"column {shown_name(theirs)} is there {len(found)} times, allowed: once")
        if found:
            places[name] = found[0]
        elif name in needed:
            whose = "" if theirs == name else f", {name},"
            hint = "" if whose else f"; if it has another name: columns: {{{name}: ...}}"
            if name.startswith("cue_"):
                hint += "; if boxes show nothing: task: {n_cues: 1}"
            problems.say(
                f"column {shown_name(theirs)}{whose} is missing (found: {shown_header(header)}){hint}"
            )
    for kind in ("food", "belief_bin"):
        pair = [f"{kind}_{box}" for box in (1, 2)]
        if len([name for name in pair if name in places]) == 1:
            problems.say(f"found one of {' and '.join(pair)}, allowed: both or none")
            for name in pair:
                places.pop(name, None)
    unknown = [name for name in header if name not in places.values()]
    if unknown and not layout.is_stated:
        known = ", ".join((*required, *optional))
        for name in unknown:
            problems.say(f"column {shown_name(name)} is not known, allowed: {known}")
    return places


def unread(header: list[str], places: dict[str, str]) -> list[str]:
    """Remark on the file's columns that are none of ours."""
    others = [name for name in header if name not in places.values()]
    return [f"columns that were not read: {', '.join(others)}"] if others else []


class Reader(dict):
    """Numbers of one column's cells; each different text is read once.

    Parameters
    ----------
    name : str
        Of the column, for problems.
    codes : dict of str to int
        What words stand for.
    limit : int or None
        Numbers are below it, and not negative; 0 for words only.
    decimal_comma : bool
    empty : int, optional
        What an empty cell stands for; nothing if not given.
    """

    def __init__(
        self,
        name: str,
        codes: dict[str, int],
        limit: int | None,
        decimal_comma: bool,
        empty: int | None = None,
    ):
        self.name, self.codes, self.decimal_comma = name, codes, decimal_comma
        self.limit = limit
        words = ", ".join(codes)
        numbers = "whole numbers" if limit is None else f"whole numbers 0 to {limit - 1}"
        self.allowed = " or ".join(filter(None, ["" if limit == 0 else numbers, words]))
        if empty is not None:
            self |= dict.fromkeys(("", "NA", "na", "NaN", "nan"), empty)

    def __missing__(self, cell: str) -> int:
        value = self.codes.get(cell.lower())
        if value is None:
            value = whole_number(cell, self.decimal_comma)
            if value is None or (self.limit is not None and not 0 <= value < self.limit):
                value = BAD
        if len(self) < 100_000:
            self[cell] = value
        return value

    def read(self, cells: list[str], rows: list[int], problems: Problems) -> np.ndarray:
        """Numbers of a piece's cells, `BAD` where there is none; those are noted."""
        values = np.fromiter(map(self.__getitem__, cells), dtype=np.int64, count=len(cells))
        problems.add_at(
            self.name,
            np.flatnonzero(values == BAD),
            rows.__getitem__,
            lambda k: shown_cell(cells[k]),
            self.allowed,
        )
        return values


def read_times(
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


def only_asked_for(piece: Piece, layout: Layout, places: dict[str, str]) -> Piece:
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


class Sessions:
    """Numbers of sessions in the order in which they appear, by what identifies them."""

    def __init__(self, layout: Layout, places: dict[str, str]):
        self.keys = [places[name] for name in ("subject", "session") if name in places]
        self.numbers: dict[tuple[str, ...], int] = {}

    def of(self, piece: Piece, problems: Problems) -> np.ndarray:
        """Number of the session of each row; empty cells are noted."""
        for key in self.keys:
            cells = piece.cells[key]
            missing = {cell for cell in set(cells) if cell.lower() in ("", "na", "nan")}
            problems.add_at(
                key,
                [k for k, cell in enumerate(cells) if cell in missing] if missing else (),
                piece.rows.__getitem__,
                lambda k, texts=cells: shown_cell(texts[k]),
                "a name or number",
            )
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
