"""What follows the actions: outcomes of each location, and how the planner groups actions by them.

Source: docs/model.md sections 1 and 5.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from inverse_rational_control.agent._bellman_kernels import OPEN
from inverse_rational_control.task import (
    DESTINATION,
    MIDDLE,
    N_ACTIONS,
    N_LOCATIONS,
    OPENED_BOX,
    Task,
)

__all__ = ["Continuations", "continuations"]


class Continuations(NamedTuple):
    """Groups of actions that lead to the same.

    Attributes
    ----------
    outcome : ndarray of int, shape (3, O)
        [location, number]: a location that is reached, or `OPEN`, staying with the box opened.
    slot : ndarray of int, shape (3, 5)
        Continuation of each action, [location, action].
    arrives : ndarray, shape (3, S, O)
        Probability of each outcome, [location, slot, number].
    """

    outcome: np.ndarray
    slot: np.ndarray
    arrives: np.ndarray


def _of_the_paper() -> Continuations:
    """One outcome per continuation: three of each at every location."""
    follows = np.where(OPENED_BOX > 0, OPEN, DESTINATION)
    outcome = np.array([list(dict.fromkeys(row)) for row in follows.tolist()])
    slot = np.array(
        [[list(o).index(k) for k in row] for o, row in zip(outcome, follows, strict=True)]
    )
    return Continuations(outcome, slot, np.tile(np.eye(outcome.shape[1]), (N_LOCATIONS, 1, 1)))


_PAPER = _of_the_paper()


@lru_cache(maxsize=16)
def continuations(task: Task) -> Continuations:
    """The continuations of a task's table of travel.

    With the paper's travel an outcome each, three at a location; else mixtures of four outcomes, of
    which opening is none in the middle.
    """
    if np.array_equal(task.arrival, np.eye(N_LOCATIONS)[DESTINATION]):
        return _PAPER
    chance = np.zeros((N_LOCATIONS, N_ACTIONS, N_LOCATIONS + 1))
    chance[..., :N_LOCATIONS] = task.arrival
    chance[OPENED_BOX > 0] = np.eye(N_LOCATIONS + 1)[OPEN]
    slot = np.zeros((N_LOCATIONS, N_ACTIONS), dtype=np.int64)
    arrives = np.zeros_like(chance)
    for location in range(N_LOCATIONS):
        rows = list(dict.fromkeys(map(tuple, chance[location].tolist())))
        slot[location] = [rows.index(tuple(row)) for row in chance[location].tolist()]
        arrives[location, : len(rows)] = rows
    outcome = np.tile(np.array([0, 1, 2, OPEN]), (N_LOCATIONS, 1))
    outcome[MIDDLE, OPEN] = MIDDLE  # nothing opens there; never reached
    return Continuations(outcome, slot, arrives)
