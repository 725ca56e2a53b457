"""Tables as people save them: separators, encodings, row names; read in pieces of bounded size.

What is harmless (an index column, semicolons, a byte order mark, UTF-16, gzip) is read and remarked on;
what could mean two things is refused.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from inverse_rational_control.recordings.problems import Problems

__all__ = ["Piece", "TextTable", "plain_name"]

_PIECE = 50_000  # rows held as text at a time
_BLOCK = 1 << 20  # bytes looked at at a time; also the longest line
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]")
_SPACE = re.compile(r"\s")
_UNNAMED = re.compile(r"(unnamed: ?\d+)?", re.IGNORECASE)
_NAMED_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces"}
_DAMAGED = (OSError, EOFError, zlib.error, UnicodeError, csv.Error)


class _Unreadable(Exception):
    """Why a file is no table, in words."""


@dataclass
class Piece:
    """Some rows of a table: `rows`, as a spreadsheet counts them, and the text of each column."""

    rows: list[int]
    cells: dict[str, list[str]]


def plain_name(name: str) -> str:
    """A column's name without the liberties that people take: case, spaces, dots, hyphens."""
    return re.sub(r"[\s.\-]+", "_", name.strip().lower())


@dataclass
class TextTable:
    """A text file with a header and rows.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives what is wrong; where nothing can be read, `header` stays empty.

    Attributes
    ----------
    header : list of str
        Names of the columns, without index columns.
    remarks : list of str
        What was read although it is unusual.
    separator : str
    """

    path: Path
    problems: Problems
    header: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    separator: str = ","

    def __post_init__(self):
        try:
            self._rows = self._open()
        except _Unreadable as error:
            self._refuse(str(error))
        except _DAMAGED as error:
            self._refuse(f"not a readable table ({_reason(error)})")

    def pieces(self) -> Iterator[Piece]:
        """The rows, some at a time; what is wrong with their shape goes to the problems."""
        if not self.header:
            return
        try:
            while batch := list(itertools.islice(self._rows, _PIECE)):
                yield self._piece(batch)
        except _Unreadable as error:
            self._refuse(str(error))
        except _DAMAGED as error:
            self._refuse(f"not a readable table ({_reason(error)})")

    def _refuse(self, words: str) -> None:
        self.problems.say(words)
        self.header = []

    # --- the file as lines ------------------------------------------------------------------------

    def _open(self) -> Iterator[tuple[int, list[str]]]:
        """Find out how the file is written; its rows after the header, numbered."""
        if not self.path.exists():
            raise _Unreadable("no such file")
        if self.path.is_dir():
            raise _Unreadable("found a folder, allowed: a file")
        with open(self.path, "rb") as file:
            start = file.read(8)
        if start.startswith(b"PK\x03\x04"):
            raise _Unreadable("found a zip file or workbook, allowed: a table saved as CSV")
        if start.startswith((b"\x89HDF", b"CDF")):
            raise _Unreadable("found a NetCDF file, allowed: a table (a record's name ends in .nc)")
        self._gzipped = start.startswith(b"\x1f\x8b")
        if self._gzipped:
            self.remarks.append("the file is compressed by gzip")
        self._encoding = self._find_encoding()
        lines = enumerate(self._lines(), 1)
        number, first = next(
            ((number, line) for number, line in lines if line.strip(" \t\r\n,;") != ""), (0, "")
        )
        if not number:
            raise _Unreadable("not a readable table (the file is empty)")
        self.separator = _separator(first)
        if self.separator != ",":
            self.remarks.append(f"columns are separated by {_NAMED_SEPARATORS[self.separator]}")
        rows = self._records(number)
        _, names = next(rows)
        ahead = list(itertools.islice(rows, 1000))
        self._choose_columns(names, [cells for _, cells in ahead], '"' in first)
        return self._without_blank_end(itertools.chain(ahead, rows))

    def _bytes(self):
        return gzip.open(self.path, "rb") if self._gzipped else open(self.path, "rb")

    def _find_encoding(self) -> str:
        with self._bytes() as file:
            start = file.read(_BLOCK)
            for mark, encoding in (
                # Begins like that of UTF-16.
                (codecs.BOM_UTF32_LE, "utf-32"),
                (codecs.BOM_UTF32_BE, "utf-32"),
                (codecs.BOM_UTF16_LE, "utf-16"),
                (codecs.BOM_UTF16_BE, "utf-16"),
            ):
                if start.startswith(mark):
                    self.remarks.append(f"the text is encoded in {encoding.upper()}")
                    return encoding
            odd, even = start[1:400:2], start[0:400:2]
            for zeros, text, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
                if len(zeros) > 2 and not any(zeros) and all(text[: len(zeros)]):
                    self.remarks.append("the text is encoded in UTF-16")
                    return encoding
            decoder, block, is_utf8 = codecs.getincrementaldecoder("utf-8")(), start, True
            while block:
                if _CONTROL.search(block):
                    raise _Unreadable("not a readable table (found bytes that are no text)")
                if is_utf8:
                    try:
                        decoder.decode(block)
                    except UnicodeDecodeError:
                        is_utf8 = False
                block = file.read(_BLOCK)
        if start.startswith(codecs.BOM_UTF8):
            self.remarks.append("the file begins with a byte order mark")
        if is_utf8:
            return "utf-8-sig"
        self.remarks.append("the text is no UTF-8, and was read as Windows-1252")
        return "cp1252"

    def _lines(self) -> Iterator[str]:
        with self._bytes() as file, io.TextIOWrapper(file, self._encoding, newline="") as text:
            while line := text.readline(_BLOCK):
                if len(line) == _BLOCK:
                    raise _Unreadable(
                        "not a readable table (a line is longer than a million signs)"
                    )
                yield line

    def _records(self, first: int) -> Iterator[tuple[int, list[str]]]:
        """Rows of cells from row `first` on, which is the header, with their numbers."""
        lines = itertools.islice(self._lines(), first - 1, None)
        if self.separator == " ":
            lines = (line.replace("\t", " ").strip() for line in lines)
        reader = csv.reader(lines, delimiter=self.separator, skipinitialspace=True)
        for number, cells in enumerate(reader, first):
            if cells:
                yield number, cells

    # --- the columns ------------------------------------------------------------------------------

    def _choose_columns(self, names: list[str], ahead: list[list[str]], is_quoted: bool) -> None:
        """Names and places of the columns; index columns and columns without anything are left out."""
        names = [name.strip() for name in names]
        longer = bool(ahead) and all(len(cells) == len(names) + 1 for cells in ahead)
        if longer and any(cells[-1].strip() for cells in ahead):
            numbered = [cells[0] for cells in ahead] == [str(k + 1) for k in range(len(ahead))]
            if is_quoted or (numbered and len(ahead) > 2):
                self.remarks.append("the rows have names that the header does not count: left out")
                names = ["", *names]
        while names and not names[-1] and all(not "".join(c[len(names) - 1 :]) for c in ahead):
            names.pop()
        self._width = len(names)
        self._places = [k for k, name in enumerate(names) if not _UNNAMED.fullmatch(name)]
        unnamed = [k + 1 for k in range(len(names)) if k not in self._places]
        if unnamed and ahead:
            said = ", ".join(map(str, unnamed))
            self.remarks.append(f"column {said} has no name: left out, as an index of rows")
        self.header = [names[k] for k in self._places]
        if len(self.header) == 0:
            raise _Unreadable("not a readable table (no column has a name)")

    def _without_blank_end(self, rows: Iterator) -> Iterator[tuple[int, list[str]]]:
        """Leave out rows without anything in them at the end of the file."""
        blank = []
        for number, cells in rows:
            if "".join(cells).strip():
                yield from blank
                blank = []
                yield number, cells
            elif len(blank) < _PIECE:
                blank.append((number, cells))
        if blank:
            self.remarks.append("empty rows at the end were left out")

    def _piece(self, batch: list[tuple[int, list[str]]]) -> Piece:
        width = self._width
        for number, cells in batch:
            if len(cells) != width:
                if any(cell.strip() for cell in cells[width:]):
                    self.problems.add("", number, f"{len(cells)} cells", f"{width}, one per column")
                elif len(cells) > width:
                    self._remark_once("rows end with separators")
                del cells[width:]
                cells += [""] * (width - len(cells))
        columns = list(zip(*(cells for _, cells in batch), strict=True))
        texts = {
            name: _stripped(columns[place])
            for name, place in zip(self.header, self._places, strict=True)
        }
        return Piece([number for number, _ in batch], texts)

    def _remark_once(self, words: str) -> None:
        if words not in self.remarks:
            self.remarks.append(words)


def _stripped(cells: tuple[str, ...]) -> list[str]:
    """Cells without spaces around them; where there are none at all, as they are."""
    return [cell.strip() for cell in cells] if _SPACE.search("".join(cells)) else list(cells)


def _separator(header: str) -> str:
    """What separates the columns: the most frequent of tab, semicolon and comma, or else spaces."""
    outside = re.sub(r'"[^"]*"', "x", header.strip(" \r\n"))
    best = max((",", ";", "\t"), key=outside.count)
    if outside.count(best):
        return best
    return " " if " " in outside else ","


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "found bytes that are no text"
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return said.splitlines()[0]
