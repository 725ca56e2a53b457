"""A record: what one animal or simulated agent did and saw, step by step; checked against the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, fields

import numpy as np

from inverse_rational_control.task import (
    ABSENT,
    ACTIONS,
    LOCATIONS,
    MISSING,
    N_ACTIONS,
    N_LOCATIONS,
    OPENED_BOX,
    Task,
)

__all__ = ["BY_BOX", "Record", "RecordError", "column_limits"]


class RecordError(ValueError):
    """A record does not fit the task; the message names column and row in one line."""


def column_limits(task: Task) -> dict[str, tuple[int, int]]:
    """Lowest value of each column, and the first beyond the highest; `cue` and so on for both boxes."""
    return {
        "location": (0, N_LOCATIONS),
        "action": (0, N_ACTIONS),
        "reward": (0, 2),
        "cue": (min(ABSENT, MISSING), task.n_cues),
        "food": (0, 2),
        "belief_bin": (0, task.n_bins),
    }


#: Columns with one entry per box; in tables they are two columns, `cue_1` and `cue_2` and so on.
BY_BOX = ("cue", "food", "belief_bin")


_OF_TRUTH = ("food", "belief_bin")


@dataclass(frozen=True)
class Record:
    """Behavior of one agent; every array is int64, or narrower to save memory, of T steps.

    Attributes
    ----------
    session : ndarray, shape (T,)
        Session number; a change starts an independent session.
    location, action, reward : ndarray, shape (T,)
        Indices as in `task`; reward[t] was caused by action[t - 1].
    cue : ndarray, shape (T, 2)
        Color index at each box, [step, box]; `task.ABSENT` where nothing was shown, `task.MISSING` where
        it was shown, but is not recorded.
    food, belief_bin : ndarray, shape (T, 2), or None
        Truth, for simulated agents, [step, box].
    """

    session: np.ndarray
    location: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    cue: np.ndarray
    food: np.ndarray | None = None
    belief_bin: np.ndarray | None = None

    @classmethod
    def from_columns(cls, columns: Mapping[str, np.ndarray]) -> Record:
        """Make a record of columns of shape (T,), those by box in two: `cue_1`, `cue_2` and so on.

        Raises
        ------
        RecordError
            If a column is missing, unknown or no row of whole numbers, is of another length than the
            first, or is of one box without the other.
        """
        if not hasattr(columns, "items"):
            raise RecordError(f"record: found {type(columns).__name__}, allowed: columns by name")
        arrays = {name: _column(name, values) for name, values in columns.items()}
        first = next(iter(arrays), None)
        for name, array in arrays.items():
            if array.size != arrays[first].size:
                raise RecordError(
                    f"record: {name}: found {array.size} steps, allowed: as many as {first} has, "
                    f"{arrays[first].size}"
                )
        for name in BY_BOX:
            pair = [f"{name}_{box}" for box in (1, 2)]
            found = [arrays.pop(each) for each in pair if each in arrays]
            if len(found) == 1:
                raise RecordError(f"record: found one of {' and '.join(pair)}, allowed: both")
            if found:
                arrays[name] = np.stack(found, 1)
        needed = {each.name for each in fields(cls) if each.default is NO_DEFAULT}
        if not needed <= arrays.keys() <= {each.name for each in fields(cls)}:
            raise RecordError(
                f"record: found the columns {', '.join(columns) or 'none'}, allowed: session, location, "
                "action, reward, cue_1, cue_2, and food and belief_bin in two alike"
            )
        return cls(**arrays)

    def columns(self) -> dict[str, np.ndarray]:
        """Columns of shape (T,) by name, those by box in two; what is unknown is left out."""
        columns = {}
        for name, array in self.__dict__.items():
            if array is not None and name in BY_BOX:
                columns |= {f"{name}_{box}": array[:, box - 1] for box in (1, 2)}
            elif array is not None:
                columns[name] = array
        return columns

    @property
    def n_steps(self) -> int:
        """Number of steps over all sessions."""
        return self.action.size

    @property
    def session_starts(self) -> np.ndarray:
        """Whether a session starts at each step, bool (T,)."""
        return np.append(True, self.session[1:] != self.session[:-1])

    @property
    def opened(self) -> np.ndarray:
        """Which box the action of each step opens: 0 none, 1 or 2; int (T,)."""
        return OPENED_BOX[self.location, self.action]

    def head(self, n_steps: int) -> Record:
        """The first `n_steps` steps."""
        return Record(
            **{
                name: None if array is None else array[:n_steps]
                for name, array in self.__dict__.items()
            }
        )

    def forbidden(self, task: Task) -> np.ndarray:
        """Whether the action of each step is not available where it is taken, bool (T,)."""
        return ~task.available[self.location, self.action]

    def impossible_moves(self, task: Task) -> np.ndarray:
        """Whether the step before cannot have led to where each step is, bool (T,)."""
        before = self.location[:-1], self.action[:-1]
        possible = task.arrives[(*before, self.location[1:])]
        return np.append(False, ~self.session_starts[1:] & ~possible)

    @property
    def unearned_rewards(self) -> np.ndarray:
        """Whether each step has a reward although the step before pushed at no box, bool (T,)."""
        unearned = (self.reward[1:] == 1) & (self.opened[:-1] == 0)
        return np.append(False, ~self.session_starts[1:] & unearned)

    def colors_never_shown(self, task: Task) -> np.ndarray:
        """Which of the task's cue colors no step has."""
        return np.flatnonzero(~np.isin(np.arange(task.n_cues), self.cue))

    def check(self, task: Task, source: str = "record") -> None:
        """Check every entry against the task.

        Raises
        ------
        RecordError
            Naming source, column, row, what was found and what is allowed.
        """
        for name, column in self.__dict__.items():
            if not (isinstance(column, np.ndarray) or (column is None and name in _OF_TRUTH)):
                raise RecordError(
                    f"{source}: {name}: found {type(column).__name__}, allowed: an array of whole "
                    "numbers"
                )
        if self.n_steps == 0:
            raise RecordError(f"{source}: no steps found, allowed: at least one")
        for name, column in self.__dict__.items():
            shape = (self.n_steps, 2) if name in BY_BOX else (self.n_steps,)
            if column is not None and (column.shape != shape or column.dtype.kind not in "iu"):
                raise RecordError(
                    f"{source}: {name}: found {column.dtype} of shape {column.shape}, allowed: whole "
                    f"numbers, one for each of the {self.n_steps} steps"
                    f"{' and both boxes' if name in BY_BOX else ''}"
                )
        limits = column_limits(task)
        also = f", {ABSENT} (nothing shown), {MISSING} (not recorded)"
        for name, column in self.columns().items():
            kind = name.removesuffix("_1").removesuffix("_2")
            low, end = limits.get(kind, (-np.inf, np.inf))
            bad = (column < low) | (column >= end)
            if bad.any():
                row = int(np.argmax(bad))
                raise RecordError(
                    f"{source}: {name} at row {row}: found {column[row]}, allowed: 0 to {end - 1}"
                    f"{also if kind == 'cue' else ''}"
                )
        forbidden = self.forbidden(task)
        if forbidden.any():
            row = int(np.argmax(forbidden))
            here = self.location[row]
            allowed = ", ".join(np.array(ACTIONS)[task.available[here]])
            raise RecordError(
                f"{source}: action at row {row}: found {ACTIONS[self.action[row]]!r} at location "
                f"{LOCATIONS[here]!r}, which task.{task.restricted_by(here, self.action[row])} does not "
                f"allow, allowed there: {allowed}"
            )
        changes = np.flatnonzero(self.session_starts)
        if np.unique(self.session[changes]).size != changes.size:
            raise RecordError(f"{source}: session: a session's steps must be together, in order")
        wrong = np.flatnonzero(self.impossible_moves(task))
        if wrong.size:
            row = int(wrong[0])
            arrives = task.arrives[self.location[row - 1], self.action[row - 1]]
            allowed = " or ".join(repr(LOCATIONS[k]) for k in np.flatnonzero(arrives))
            raise RecordError(
                f"{source}: location at row {row}: found {LOCATIONS[self.location[row]]!r} after "
                f"{ACTIONS[self.action[row - 1]]!r} at {LOCATIONS[self.location[row - 1]]!r}, allowed: "
                f"{allowed} (is a column shifted or mis-coded? task.travel says who can go where)"
            )
        wrong = np.flatnonzero(self.unearned_rewards)
        if wrong.size:
            raise RecordError(
                f"{source}: reward at row {wrong[0]}: found 1, allowed: 0 unless the step before "
                "pushed at a box"
            )

    def without_color(self) -> dict[str, int]:
        """Count cues, over steps and boxes, that were absent (nothing shown) or are missing."""
        return {
            "absent": int((self.cue == ABSENT).sum()),
            "missing": int((self.cue == MISSING).sum()),
        }

    def remarks(self, task: Task) -> list[str]:
        """Say in words what is unusual about a record that fits the task, or that results rest on."""
        said = []
        if not task.has_cues:
            said.append("the task has no cues: q_1 and q_2 do not exist")
            return said
        never = ", ".join(map(str, self.colors_never_shown(task)))
        if never:
            said.append(
                f"of the cue's {task.n_cues} colors, {never} never occur: if the task has fewer colors "
                "(task.n_cues), what is inferred of the cues is wrong"
            )
        lacking = self.without_color()
        if lacking["absent"]:
            said.append(
                f"{lacking['absent']} of {self.cue.size} cues were not shown: there beliefs move by "
                f"prediction alone; the plan expects cues at a share {task.cue_share:.3g} of the steps"
            )
        if lacking["missing"]:
            said.append(
                f"{lacking['missing']} of {self.cue.size} cues were shown, but are not recorded: there "
                "the cues that the agent expects are taken for those that the world showed"
            )
        return said


def _column(name: str, values: Sequence[int] | np.ndarray) -> np.ndarray:
    """A column as an array of shape (T,), whose values are whole numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of several lengths
        array = np.asarray(values, dtype=object)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise RecordError(
            f"record: {name}: found {array.dtype} of shape {array.shape}, allowed: whole numbers, one "
            "for each step"
        )
    return array
