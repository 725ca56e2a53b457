"""How a person's table is laid out: names of columns, codes, which column is subject or session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.tables import plain_name
from inverse_rational_control.task import ABSENT, ACTIONS, LOCATIONS, MISSING

__all__ = ["WORDS", "Layout", "codes_of", "find_column", "whole_number"]

#: Words for each kind of event.
EVENT_WORDS = (
    ("enter", "enters"),
    ("leave", "leaves"),
    ("push", "pushes", "press", "presses"),
    ("reward", "rewards"),
    ("cue", "cues"),
    ("start",),
    ("stop",),
)
#: What a cell may say in place of a number, by column.
WORDS: dict[str, dict[str, int]] = {
    "location": {name: k for k, name in enumerate(LOCATIONS)},
    "action": {name: k for k, name in enumerate(ACTIONS)},
    "reward": {"false": 0, "true": 1},
    "food": {"false": 0, "true": 1},
    "cue": {"absent": ABSENT, "missing": MISSING, str(ABSENT): ABSENT, str(MISSING): MISSING},
    "place": {name: k for k, name in enumerate(LOCATIONS)},
    "box": {name: k for k, name in enumerate(LOCATIONS)},
    "event": {word: k for k, words in enumerate(EVENT_WORDS) for word in words},
}
_NUMBERS = {name: 3 for name in ("location", "place", "box")} | {
    "action": len(ACTIONS),
    "reward": 2,
    "food": 2,
    "event": len(EVENT_WORDS),
}


@dataclass(frozen=True)
class Layout:
    """What a person says about their files; what is not said is as this project writes it.

    Attributes
    ----------
    columns : mapping of str to str
        The file's name of a column, by this project's name.
    codes : mapping of str to mapping of str to int or str
        What a cell's text stands for, by column: a number, or a word such as "box 1" or "push".
    subject, session : str or None
        The file's columns of subjects and sessions.
    only_subject, only_session : str or None
        Whose rows are read; all if None.
    new_session_at_missing_steps : bool
        Whether steps that are not there end a session; else they are a mistake.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Mapping[str, int | str]] = field(default_factory=dict)
    subject: str | None = None
    session: str | None = None
    only_subject: str | None = None
    only_session: str | None = None
    new_session_at_missing_steps: bool = False

    def __post_init__(self):
        """Refuse what is no mapping."""
        stated = {"columns": self.columns, "codes": self.codes}
        if isinstance(self.codes, Mapping):
            stated |= {f"codes.{name}": meanings for name, meanings in self.codes.items()}
        for name, value in stated.items():
            if not isinstance(value, Mapping):
                what = "our names to the file's" if name == "columns" else "texts to meanings"
                words = "columns to mappings of texts to meanings" if name == "codes" else what
                raise ValueError(f"layout.{name}: found {value!r}, allowed: a mapping of {words}")

    @property
    def is_stated(self) -> bool:
        """Whether columns were named, so that the file's others are none of ours."""
        return bool(self.columns or self.subject or self.session)


def codes_of(layout: Layout, column: str) -> dict[str, int]:
    """What the text of a column's cells stands for, in small letters.

    Raises
    ------
    RecordError
        If a code stands for nothing that is known; one line.
    """
    kind = column.removesuffix("_1").removesuffix("_2")
    words = WORDS.get(kind, {})
    codes = dict(words)
    for text, meaning in {**layout.codes.get(kind, {}), **layout.codes.get(column, {})}.items():
        value = words.get(str(meaning).lower(), meaning)
        if not isinstance(value, int) or isinstance(value, bool):
            known = f" or one of {', '.join(words)}" if words else ""
            raise RecordError(
                f"codes.{kind}.{text}: found {meaning!r}, allowed: a whole number{known}"
            )
        codes[str(text).strip().lower()] = value
    for text, value in codes.items():
        if kind == "cue" and value < 0 and value not in words.values():
            raise RecordError(
                f"codes.{kind}.{text}: found {value}, allowed: a color, or one of {', '.join(words)}"
            )
        if kind in _NUMBERS and not 0 <= value < _NUMBERS[kind]:
            raise RecordError(
                f"codes.{kind}.{text}: found {value}, allowed: 0 to {_NUMBERS[kind] - 1}"
            )
    return codes


def find_column(header: list[str], name: str) -> list[str]:
    """The file's columns of a name: exactly that, or else written a little otherwise."""
    exact = [each for each in header if each == name]
    return exact or [each for each in header if plain_name(each) == plain_name(name)]


def whole_number(text: str, decimal_comma: bool) -> int | None:
    """A whole number that fits 32 bits, or None."""
    if decimal_comma and text.count(",") == 1:
        text = text.replace(",", ".")
    if not text.isascii() or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if abs(value) < 2**31 and value == int(value) else None
