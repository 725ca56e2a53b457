"""A record: what one animal or simulated agent did and saw, step by step; checked against the task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.task import (
    ACTIONS,
    BOX_1,
    BOX_2,
    DESTINATION,
    LOCATIONS,
    N_ACTIONS,
    N_LOCATIONS,
    PUSH,
    Task,
)

__all__ = ["Record", "RecordError"]


class RecordError(ValueError):
    """A record does not fit the task; the message names column and row in one line."""


@dataclass(frozen=True)
class Record:
    """Behavior of one agent; every array is int64 of shape (T,).

    Attributes
    ----------
    session : ndarray
        Session number; a change starts an independent session.
    location, action, reward, cue_1, cue_2 : ndarray
        Indices as in `irc.task`; reward[t] was caused by action[t - 1].
    food_1, food_2, belief_bin_1, belief_bin_2 : ndarray or None
        Truth, for simulated agents.
    """

    session: np.ndarray
    location: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    cue_1: np.ndarray
    cue_2: np.ndarray
    food_1: np.ndarray | None = None
    food_2: np.ndarray | None = None
    belief_bin_1: np.ndarray | None = None
    belief_bin_2: np.ndarray | None = None

    @property
    def n_steps(self) -> int:
        """Number of steps over all sessions."""
        return self.action.size

    @property
    def starts(self) -> np.ndarray:
        """Whether a session starts at each step, bool (T,)."""
        return np.append(True, self.session[1:] != self.session[:-1])

    @property
    def opened(self) -> np.ndarray:
        """Which box the action of each step opens: 0 none, 1 or 2; int (T,)."""
        at_box = (self.location == BOX_1) | (self.location == BOX_2)
        return np.where((self.action == PUSH) & at_box, self.location, 0)

    def head(self, n_steps: int) -> Record:
        """The first `n_steps` steps."""
        return Record(
            **{
                name: None if array is None else array[:n_steps]
                for name, array in self.__dict__.items()
            }
        )

    def check(self, task: Task, source: str = "record") -> None:
        """Check every entry against the task.

        Raises
        ------
        RecordError
            Naming source, column, row, what was found and what is allowed.
        """
        if self.n_steps == 0:
            raise RecordError(f"{source}: no steps found, allowed: at least one")
        for name, column in self.__dict__.items():
            if column is None:
                continue
            if column.shape != (self.n_steps,) or column.dtype.kind not in "iu":
                raise RecordError(
                    f"{source}: {name}: found {column.dtype} of shape {column.shape}, allowed: whole "
                    f"numbers, one for each of the {self.n_steps} steps"
                )
        limits = {
            "location": N_LOCATIONS,
            "action": N_ACTIONS,
            "reward": 2,
            "cue_1": task.n_cues,
            "cue_2": task.n_cues,
            "food_1": 2,
            "food_2": 2,
            "belief_bin_1": task.n_bins,
            "belief_bin_2": task.n_bins,
        }
        for name, limit in limits.items():
            column = getattr(self, name)
            if column is None:
                continue
            bad = (column < 0) | (column >= limit)
            if bad.any():
                row = int(np.argmax(bad))
                raise RecordError(
                    f"{source}: {name} at row {row}: found {column[row]}, allowed: 0 to {limit - 1}"
                )
        forbidden = ~task.available[self.location, self.action]
        if forbidden.any():
            row = int(np.argmax(forbidden))
            raise RecordError(
                f"{source}: action at row {row}: found {ACTIONS[self.action[row]]!r} at location "
                f"{LOCATIONS[self.location[row]]!r}, which task.restricted_actions does not allow"
            )
        changes = np.flatnonzero(self.starts)
        if np.unique(self.session[changes]).size != changes.size:
            raise RecordError(f"{source}: session: a session's steps must be together, in order")
        within = ~self.starts[1:]
        came_to = DESTINATION[self.location[:-1], self.action[:-1]]
        wrong = np.flatnonzero(within & (self.location[1:] != came_to)) + 1
        if wrong.size:
            row = int(wrong[0])
            raise RecordError(
                f"{source}: location at row {row}: found {LOCATIONS[self.location[row]]!r} after "
                f"{ACTIONS[self.action[row - 1]]!r} at {LOCATIONS[self.location[row - 1]]!r}, allowed: "
                f"{LOCATIONS[came_to[row - 1]]!r} (is a column shifted or mis-coded?)"
            )
        wrong = np.flatnonzero(within & (self.reward[1:] == 1) & (self.opened[:-1] == 0)) + 1
        if wrong.size:
            raise RecordError(
                f"{source}: reward at row {wrong[0]}: found 1, allowed: 0 unless the step before "
                "pushed at a box"
            )
