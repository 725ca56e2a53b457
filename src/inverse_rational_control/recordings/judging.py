"""Judge a record against the task: every step that does not fit, with the row of the file.

Source: docs/model.md sections 1 and 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from inverse_rational_control.record import Record
from inverse_rational_control.recordings.problems import Problems
from inverse_rational_control.task import ACTIONS, LOCATIONS, Task

__all__ = ["judge"]


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
    read = replace(record, location=location, action=action)
    both_known = known & np.append(False, known[:-1])

    def did(step):
        return f"{ACTIONS[action[step]]!r} at {LOCATIONS[location[step]]!r}"

    problems.add_at(
        "action",
        np.flatnonzero(known & read.forbidden(task)),
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
    problems.add_at(
        "location",
        np.flatnonzero(both_known & read.impossible_moves(task)),
        row,
        lambda step: f"{LOCATIONS[location[step]]!r} after {did(step - 1)}",
        lambda step: (
            f"{_places(task.arrives[location[step - 1], action[step - 1]])} (is a column shifted or "
            "mis-coded? task.travel says who can go where)"
        ),
    )
    problems.add_at(
        "reward",
        np.flatnonzero(both_known & read.unearned_rewards),
        row,
        lambda step: f"1 after {did(step - 1)}",
        "0 unless the step before pushed at a box",
    )


def _may(task: Task, location: int) -> str:
    available = ", ".join(ACTIONS[k] for k in np.flatnonzero(task.available[location]))
    return f"{available} (the task's available actions there)"


def _places(among: np.ndarray) -> str:
    return " or ".join(repr(LOCATIONS[k]) for k in np.flatnonzero(among))
