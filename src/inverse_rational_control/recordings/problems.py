"""What is wrong with a person's file: every problem in a line of its own, the first ones and a count."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

from inverse_rational_control.record import RecordError

__all__ = ["SHOWN", "Problems", "shown_cell", "shown_header", "shown_name"]

#: How many problems are shown; the others are counted.
SHOWN = 20
_LONGEST_CELL = 40
_COLUMNS = 12  # of a header that is shown
_MISSING = ("na", "n/a", "nan", "null", "none")


def shown_cell(cell: object) -> str:
    """Show what a cell holds on one line: numbers as they are, words in quotes."""
    said = _shortened(str(cell))
    if not said:
        return "an empty cell"
    if said.lower() in _MISSING:
        return f"{said!r} (a missing value)"
    try:
        float(said)
    except ValueError:
        return repr(said)
    return said


def shown_name(name: str) -> str:
    """Show the name of a column or a session, in quotes."""
    return repr(_shortened(name))


def shown_header(names: Sequence[str]) -> str:
    """Show the names of a table's columns, of many the first."""
    said = [_shortened(name) for name in names[:_COLUMNS]]
    return ", ".join(said + [f"and {len(names) - _COLUMNS} more"] * (len(names) > _COLUMNS))


def _shortened(words: str) -> str:
    """Words on one line, of long ones the beginning."""
    words = " ".join(words.split())
    return f"{words[:_LONGEST_CELL]}..." if len(words) > _LONGEST_CELL else words


def _printable(words: str) -> str:
    """Words on one line; signs that cannot be seen by their numbers."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        for sign in " ".join(words.split())
    )


class Problems:
    """Problems of one file, kept as the first `SHOWN` by row, and counted.

    Rows are those of a spreadsheet: the header is row 1, so the first row of data is row 2.

    Parameters
    ----------
    file : object
        Its name, in front of every line.
    counted : str
        What the numbers of rows count; in a NetCDF file, steps from 0.
    """

    def __init__(self, file: object, counted: str = "row"):
        self.file, self.counted, self.count = file, counted, 0
        self._kept: list[tuple[int, int, str]] = []

    def add(self, column: str, row: int | None, found: str, allowed: str) -> None:
        """Note a problem of one cell, or without a row of the whole file."""
        place = " at " * bool(column and row is not None) + (
            "" if row is None else f"{self.counted} {row}"
        )
        self.say(f"{column}{place}: found {found}, allowed: {allowed}", row or 0)

    def add_at(
        self,
        column: str,
        steps: Iterable[int],
        rows: Callable[[int], int],
        found: Callable[[int], str],
        allowed: Callable[[int], str] | str,
    ) -> None:
        """Note the same problem at many steps, of which few are put into words.

        Parameters
        ----------
        column : str
        steps : ndarray of int
            In order.
        rows, found, allowed : callable
            Row, and words, of a step.
        """
        steps = list(steps)
        for step in steps[:SHOWN]:
            words = allowed if isinstance(allowed, str) else allowed(step)
            self.add(column, int(rows(step)), found(step), words)
        self.count += max(0, len(steps) - SHOWN)

    def say(self, line: str, row: int = 0) -> None:
        """Note a problem in words of its own."""
        self.count += 1
        entry = (-row, -self.count, _printable(line))
        if len(self._kept) < SHOWN:
            heapq.heappush(self._kept, entry)
        else:
            # The furthest down leaves.
            heapq.heappushpop(self._kept, entry)

    @property
    def lines(self) -> list[str]:
        """The first problems by row, one line each, and how many there are if not all are shown."""
        lines = [f"{self.file}: {said}" for _, _, said in sorted(self._kept, reverse=True)]
        if self.count > len(lines):
            lines.append(f"{self.file}: {self.count} problems in all, the first {SHOWN} shown")
        return lines

    def settle(self) -> None:
        """Refuse the file if it has problems.

        Raises
        ------
        RecordError
            With a line for each.
        """
        if self.count:
            raise RecordError("\n".join(self.lines))
