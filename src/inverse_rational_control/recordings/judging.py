"""Judge a record against the task: every step that does not fit, with the row of the file.

Source: docs/model.md sections 1 and 3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inverse_rational_control.record import Record
from inverse_rational_control.recordings.problems import Problems
from inverse_rational_control.task import (
    ACTIONS,
    LOCATIONS,
    N_ACTIONS,
    N_LOCATIONS,
    OPENED_BOX,
    Task,
)

__all__ = ["arrives", "judge", "limits"]


def limits(task: Task) -> dict[str, int]:
    """How many values each column may have, from 0; `cue`, `food` and `belief_bin` for both boxes."""
    counts = {"location": N_LOCATIONS, "action": N_ACTIONS, "reward": 2, "cue": task.n_cues}
    return counts | {"food": 2, "belief_bin": task.n_bins}


def arrives(task: Task) -> np.ndarray:
    """Whether an action may lead to a place, bool [location, action, next location]."""
    return task.arrival > 0


def judge(
    record: Record,
    task: Task,
    rows: np.ndarray,
    known: np.ndarray,
    problems: Problems,
    label: Callable[[int], str],
) -> None:
    """Note what is impossible: actions, moves, rewards, sessions that come back.

    Parameters
    ----------
    record : Record
        With numbers in range wherever `known`.
    task : Task
    rows : ndarray, shape (T,)
        Row of the file of each step.
    known : ndarray of bool, shape (T,)
        Whether location and action of a step could be read.
    problems : Problems
    label : callable
        Name of a session's number.
    """

    def row(step):
        return rows[step]

    location, action = np.where(known, record.location, 0), np.where(known, record.action, 0)
    opened = OPENED_BOX[location, action]

    def did(step):
        return f"{ACTIONS[action[step]]!r} at {LOCATIONS[location[step]]!r}"

    forbidden = np.flatnonzero(known & ~task.available[location, action])
    problems.add_at(
        "action",
        forbidden,
        row,
        lambda step: f"{ACTIONS[action[step]]!r} at location {LOCATIONS[location[step]]!r}",
        lambda step: _may(task, location[step]),
    )
    starts = np.flatnonzero(record.session_starts)
    seen = set()
    for start in starts:
        number = int(record.session[start])
        if number in seen:
            before = label(int(record.session[start - 1]))
            problems.add(
                "session",
                int(rows[start]),
                f"{label(number)} again, after {before}",
                "the rows of a session together, in order",
            )
        seen.add(number)
    within = ~record.session_starts[1:] & known[1:] & known[:-1]
    may_come_to = arrives(task)[location[:-1], action[:-1]]
    possible = may_come_to[np.arange(len(may_come_to)), location[1:]]
    problems.add_at(
        "location",
        np.flatnonzero(within & ~possible) + 1,
        row,
        lambda step: f"{LOCATIONS[location[step]]!r} after {did(step - 1)}",
        lambda step: (
            f"{_places(may_come_to[step - 1])} (is a column shifted or mis-coded? "
            "task.travel says who can go where)"
        ),
    )
    unearned = within & (record.reward[1:] == 1) & (opened[:-1] == 0)
    problems.add_at(
        "reward",
        np.flatnonzero(unearned) + 1,
        row,
        lambda step: f"1 after {did(step - 1)}",
        "0 unless the step before pushed at a box",
    )


def _may(task: Task, location: int) -> str:
    available = ", ".join(ACTIONS[k] for k in np.flatnonzero(task.available[location]))
    return f"{available} (the task's available actions there)"


def _places(among: np.ndarray) -> str:
    return " or ".join(repr(LOCATIONS[k]) for k in np.flatnonzero(among))
