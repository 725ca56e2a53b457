"""What functions of the front door may be given, by the argument's name: one line for all else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from inverse_rational_control.front_door.actors import Agent, World
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.inference.posterior import Posterior
from inverse_rational_control.record import Record
from inverse_rational_control.recordings.layout import Layout
from inverse_rational_control.task import Task

__all__ = ["judge"]

_LONGEST_VALUE = 60  # characters of a value that an error line shows


def judge(given: Mapping[str, Any], settings: type | None = None) -> None:
    """Judge a function's arguments by their names; nothing is said of what is judged elsewhere.

    Parameters
    ----------
    given : mapping of str to object
        By name; others are left alone.
    settings : type, optional
        What an argument `settings` is.

    Raises
    ------
    ValueError
        One line: name, what was found, what is allowed.
    """
    for name, value in given.items():
        holds, words = _KINDS.get(name, (None, ""))
        if name == "settings" and settings is not None:
            holds, words = _is_one(settings), settings.__name__
        if holds is None or (value is None and name in _OPTIONAL) or holds(value):
            continue
        raise ValueError(f"{name}: found {_shown(value)}, allowed: {words}")


def _shown(value: Any) -> str:
    """A value as far as a line has place for it, or what kind of thing it is."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}, shape {value.shape}"
    if value is None or isinstance(value, str | bytes | Path | Real | Sequence | dict | set):
        said = repr(value)
        return said if len(said) <= _LONGEST_VALUE else f"{said[:_LONGEST_VALUE]}..."
    return f"{value!r}" if isinstance(value, type) else f"an object of type {type(value).__name__}"


def _is_one(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _whole(least: int) -> tuple[Callable[[Any], bool], str]:
    def holds(value):
        return isinstance(value, Integral) and not isinstance(value, bool) and value >= least

    return holds, f"a whole number >= {least}"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_vector(value: Any) -> bool:
    """Whether it is a row of numbers, which the model at hand judges further."""
    try:
        found = np.asarray(value)
    except ValueError:
        return False
    return found.ndim == 1 and found.dtype.kind in "iuf"


def _several(holds: Callable[[Any], bool], value: Any) -> bool:
    """Whether it is a list, tuple or array, each of whose items `holds`."""
    is_list = isinstance(value, Sequence | np.ndarray | set) and not isinstance(value, str | bytes)
    return is_list and all(map(holds, value))


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _are_words(value: Any) -> bool:
    return _is_word(value) or _several(_is_word, value)


def _by_name(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def all_hold(value):
        return isinstance(value, Mapping) and all(
            isinstance(name, str) and holds(each) for name, each in value.items()
        )

    return all_hold


def _is_interval(value: Any) -> bool:
    return _several(_is_number, value) and len(value) == 2


def _is_path(value: Any) -> bool:
    return isinstance(value, str | Path)


_ACTOR = "an Agent, a Fit, a Posterior, or the parameters as an array"


def _is_actor(value: Any) -> bool:
    return isinstance(value, Agent | Fit | Posterior) or _is_vector(value)


#: None stands for what is usual.
_OPTIONAL = frozenset(
    {
        *("task", "layout", "fixed", "bounded", "settings"),
        *("extras", "prior", "start", "descriptions"),
    }
)
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "record": (_is_one(Record), "a Record, as read_record gives"),
    "task": (_is_one(Task), "a Task"),
    "layout": (_is_one(Layout), "a Layout"),
    "world": (_is_one(World), "a World"),
    "agent": (_is_actor, _ACTOR),
    "start": (_is_actor, _ACTOR),
    "path": (
        lambda value: _several(_is_path, value) and len(value) > 0,
        "the path of a file, or a list of paths",
    ),
    "step_width": (_is_number, "a number of seconds"),
    "n_steps": _whole(1),
    "n_starts": _whole(1),
    "n_reserve_starts": _whole(0),
    "n_replicates": _whole(1),
    "n_parts": _whole(2),
    "seed": _whole(0),
    "fixed": (
        _by_name(lambda value: value is None or _is_number(value)),
        "a mapping of parameters' names to numbers",
    ),
    "tied": (
        lambda value: _several(lambda group: _several(_is_word, group), value),
        "a list of lists of parameters' names",
    ),
    "bounded": (_by_name(_is_interval), "a mapping of parameters' names to (low, high)"),
    "extras": (_are_words, "a list of names of extra parameters"),
    "prior": (_by_name(lambda value: True), "a mapping of parameters' names to (low, high)"),
    "descriptions": (
        _by_name(_are_words),
        "a mapping of names to lists of names of extra parameters",
    ),
}
