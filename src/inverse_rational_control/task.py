"""The two-box foraging task as data: locations, actions, destinations, availability, rewards.

Index meanings, the same everywhere: location 0 middle, 1 box 1, 2 box 2; action 0 stay, 1 go to the
middle, 2 go to box 1, 3 go to box 2, 4 push (docs/model.md, notation).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = [
    "ACTIONS",
    "BOX_1",
    "BOX_2",
    "DESTINATION",
    "GROOMING_OPTIONS",
    "LOCATIONS",
    "MIDDLE",
    "N_ACTIONS",
    "N_LOCATIONS",
    "OPENED_BOX",
    "PUSH",
    "STAY",
    "Task",
]

LOCATIONS = ("middle", "box 1", "box 2")
ACTIONS = ("stay", "go to middle", "go to box 1", "go to box 2", "push")
N_LOCATIONS = len(LOCATIONS)
N_ACTIONS = len(ACTIONS)
MIDDLE, BOX_1, BOX_2 = range(N_LOCATIONS)
STAY, GO_MIDDLE, GO_BOX_1, GO_BOX_2, PUSH = range(N_ACTIONS)
GROOMING_OPTIONS = ("waiting", "presence")

#: Next location, [location, action]; boxes are two steps apart, through the middle.
DESTINATION = np.array([[0, 0, 1, 2, 0], [1, 0, 1, 0, 1], [2, 0, 0, 2, 2]])

#: Box that an action opens, [location, action]: 0 none, 1 or 2; a push in the middle opens nothing.
OPENED_BOX = np.zeros_like(DESTINATION)
OPENED_BOX[[BOX_1, BOX_2], PUSH] = BOX_1, BOX_2


@dataclass(frozen=True)
class Task:
    """What is fixed about the task and its discretization.

    Parameters
    ----------
    n_bins : int
        Belief bins per box, N >= 2.
    n_cues : int
        Number of cue colors, C >= 2.
    diffusion : float or None
        Diffusion of the belief step, sigma, in belief units; None means half a bin, 1/(2N).
    discount : float
        Discount per step, in (0, 1).
    grooming : {"waiting", "presence"}
        Which actions earn the grooming reward: staying in the middle, or every action that ends there.
    restricted_actions : bool
        If true, pushing in the middle and going to the present location are not available.

    Raises
    ------
    ValueError
        If a value is outside its range.
    """

    n_bins: int = 10
    n_cues: int = 5
    diffusion: float | None = None
    discount: float = 0.99
    grooming: str = "waiting"
    restricted_actions: bool = False

    def __post_init__(self):
        for name, kind in (("n_bins", int), ("n_cues", int), ("restricted_actions", bool)):
            value = getattr(self, name)
            if type(value) is not kind:
                allowed = "whole numbers" if kind is int else "true or false"
                raise ValueError(f"task.{name}: found {value!r}, allowed: {allowed}")
        if self.n_bins < 2:
            raise ValueError(f"task.n_bins: found {self.n_bins}, allowed: whole numbers >= 2")
        if self.n_cues < 2:
            raise ValueError(f"task.n_cues: found {self.n_cues}, allowed: whole numbers >= 2")
        if self.diffusion is not None and not 0 < self.diffusion <= 100:
            raise ValueError(
                f"task.diffusion: found {self.diffusion}, allowed: 0 < value <= 100 or null"
            )
        if not 0 < self.discount < 1:
            raise ValueError(f"task.discount: found {self.discount}, allowed: 0 < value < 1")
        if self.grooming not in GROOMING_OPTIONS:
            raise ValueError(
                f"task.grooming: found {self.grooming!r}, allowed: {' or '.join(GROOMING_OPTIONS)}"
            )

    @property
    def sigma(self) -> float:
        """Diffusion in belief units, with the default of half a bin filled in."""
        return 0.5 / self.n_bins if self.diffusion is None else float(self.diffusion)

    @cached_property
    def available(self) -> np.ndarray:
        """Whether an action may be taken, bool [location, action]."""
        available = np.ones((N_LOCATIONS, N_ACTIONS), dtype=bool)
        if self.restricted_actions:
            available[MIDDLE, PUSH] = False
            for location, go in ((MIDDLE, GO_MIDDLE), (BOX_1, GO_BOX_1), (BOX_2, GO_BOX_2)):
                available[location, go] = False
        return available

    @cached_property
    def reward_jacobian(self) -> np.ndarray:
        """Derivative of the expected reward by (grooming_reward, travel_cost, push_cost).

        Shape (3, 3, 5), [reward parameter, location, action]; the reward is linear in the three, and
        the rest of it is the probability of food at the pushed box (docs/model.md section 4).
        """
        jacobian = np.zeros((3, N_LOCATIONS, N_ACTIONS))
        if self.grooming == "waiting":
            jacobian[0, MIDDLE, STAY] = 1.0
        else:
            jacobian[0] = DESTINATION == MIDDLE
        jacobian[1, :, GO_MIDDLE : GO_BOX_2 + 1] = -1.0
        jacobian[2, :, PUSH] = -1.0
        return jacobian
