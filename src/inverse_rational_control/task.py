"""The two-box foraging task as data: locations, actions, movement, availability, rewards, time.

Index meanings, the same everywhere: location 0 middle, 1 box 1, 2 box 2; action 0 stay, 1 go to the
middle, 2 go to box 1, 3 go to box 2, 4 push (docs/model.md, notation).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np

from inverse_rational_control import seconds

__all__ = [
    "ABSENT",
    "ACTIONS",
    "BOX_1",
    "BOX_2",
    "DESTINATION",
    "GO_BOX_1",
    "GO_BOX_2",
    "GO_MIDDLE",
    "GROOMING_OPTIONS",
    "LOCATIONS",
    "MIDDLE",
    "MISSING",
    "N_ACTIONS",
    "N_LOCATIONS",
    "OPENED_BOX",
    "PUSH",
    "STAY",
    "TRAVEL_OPTIONS",
    "Task",
]

LOCATIONS = ("middle", "box 1", "box 2")
ACTIONS = ("stay", "go to middle", "go to box 1", "go to box 2", "push")
N_LOCATIONS = len(LOCATIONS)
N_ACTIONS = len(ACTIONS)
MIDDLE, BOX_1, BOX_2 = range(N_LOCATIONS)
STAY, GO_MIDDLE, GO_BOX_1, GO_BOX_2, PUSH = range(N_ACTIONS)
GROOMING_OPTIONS = ("waiting", "presence")
TRAVEL_OPTIONS = ("through_middle", "direct")
#: In place of a color: nothing was shown at this step; it was shown, but is not recorded.
ABSENT, MISSING = -1, -2

#: Next location, [location, action]; boxes are two steps apart, through the middle: the paper's travel.
DESTINATION = np.array([[0, 0, 1, 2, 0], [1, 0, 1, 0, 1], [2, 0, 0, 2, 2]])

#: Box that an action opens, [location, action]: 0 none, 1 or 2; a push in the middle opens nothing.
OPENED_BOX = np.zeros_like(DESTINATION)
OPENED_BOX[[BOX_1, BOX_2], PUSH] = BOX_1, BOX_2


def _number(name: str, names: Sequence[str], source: str) -> int:
    """Index of a name in which spaces may be underscores."""
    plain = name.replace("_", " ") if isinstance(name, str) else name
    if plain not in names:
        raise ValueError(f"{source}: found {name!r}, allowed: {', '.join(names)}")
    return names.index(plain)


def _mapping(found: object, source: str, words: str) -> Mapping:
    if not isinstance(found, Mapping):
        raise ValueError(f"{source}: found {found!r}, allowed: {words}")
    return found


def _arrival(travel: str | Mapping) -> np.ndarray:
    """Probability of each next location, [location, action, next location]."""
    arrival = np.eye(N_LOCATIONS)[DESTINATION]
    if travel == "through_middle":
        return arrival
    if travel == "direct":
        arrival[:, GO_MIDDLE : GO_BOX_2 + 1] = np.eye(N_LOCATIONS)
        return arrival
    words = f"{', '.join(TRAVEL_OPTIONS)} or, by place and target, where one arrives"
    for place, targets in _mapping(travel, "task.travel", words).items():
        here = f"task.travel.{place}"
        at = _number(place, LOCATIONS, "task.travel")
        for target, arrives in _mapping(
            targets, here, "targets, each with where one arrives"
        ).items():
            source = f"{here}.{target}"
            to = GO_MIDDLE + _number(target, LOCATIONS, here)
            if isinstance(arrives, str):
                arrives = {arrives: 1.0}
            _mapping(arrives, source, "a place, or places with probabilities")
            chance = np.zeros(N_LOCATIONS)
            for name, probability in arrives.items():
                if not (isinstance(probability, int | float) and 0 <= probability <= 1):
                    raise ValueError(f"{source}.{name}: found {probability!r}, allowed: 0 to 1")
                chance[_number(name, LOCATIONS, source)] += probability
            if abs(chance.sum() - 1.0) > 1e-9:
                raise ValueError(
                    f"{source}: found probabilities of sum {chance.sum():.6g}, allowed: of sum 1"
                )
            arrival[at, to] = chance / chance.sum()
    return arrival


def _available(restricted: bool, listed: Mapping | None) -> np.ndarray:
    """Whether an action may be taken, bool [location, action]."""
    available = np.ones((N_LOCATIONS, N_ACTIONS), dtype=bool)
    if restricted:
        available[MIDDLE, PUSH] = False
        for location, go in ((MIDDLE, GO_MIDDLE), (BOX_1, GO_BOX_1), (BOX_2, GO_BOX_2)):
            available[location, go] = False
    if listed is None:
        return available
    words = "places, each with a list of actions"
    for place, actions in _mapping(listed, "task.available_actions", words).items():
        source = f"task.available_actions.{place}"
        at = _number(place, LOCATIONS, "task.available_actions")
        if isinstance(actions, str) or not isinstance(actions, Sequence):
            raise ValueError(f"{source}: found {actions!r}, allowed: a list of actions")
        among = np.zeros(N_ACTIONS, dtype=bool)
        among[[_number(action, ACTIONS, source) for action in actions]] = True
        available[at] &= among
        if not available[at].any():
            raise ValueError(f"{source}: found no action that is available, allowed: at least one")
    return available


@dataclass(frozen=True)
class Task:
    """What is fixed about the task and its discretization.

    Parameters
    ----------
    n_bins : int
        Belief bins per box, N >= 2.
    n_cues : int
        Number of cue colors, C >= 1; with one there are no cues: nothing follows from it.
    diffusion : float or None
        Diffusion of the belief step, sigma, in belief units; None means half a bin, 1/(2N).
    discount : float
        Discount per step, in (0, 1).
    grooming : {"waiting", "presence"}
        Which actions earn the grooming reward: staying in the middle, or every action that ends there.
    restricted_actions : bool
        If true, pushing in the middle and going to the present location are not available.
    travel : {"through_middle", "direct"} or mapping
        Where a "go" leads: the paper's, at once to its target, or a table place -> target -> place
        arrived at (or places with probabilities); what it leaves out is the paper's.
    available_actions : mapping or None
        Actions by place, e.g. {"middle": ["stay", "go to box 1", "go to box 2"]}, where not all are
        available; places left out are not restricted.
    cue_share : float
        Share of steps at which a box shows a cue, in (0, 1]; at the others it shows nothing.
    step_width : float or None
        Seconds per step, if known.
    horizon, diffusion_per_second : float, optional
        Given instead of discount and diffusion, in seconds and belief per root second; they need a
        step width (docs/model.md section 1).

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
    travel: str | Mapping = field(default="through_middle", hash=False)
    available_actions: Mapping | None = field(default=None, hash=False)
    cue_share: float = 1.0
    step_width: float | None = None
    horizon: InitVar[float | None] = None
    diffusion_per_second: InitVar[float | None] = None

    def __post_init__(self, horizon, diffusion_per_second):
        given = {"horizon": horizon, "diffusion_per_second": diffusion_per_second}
        for name in ("discount", "cue_share", "diffusion", "step_width"):
            given[name] = getattr(self, name)
        for name, value in given.items():
            absent = value is None and name not in ("discount", "cue_share")
            if not absent and (isinstance(value, bool) or not isinstance(value, Real)):
                raise ValueError(f"task.{name}: found {value!r}, allowed: a number")
        self._take_seconds(horizon, diffusion_per_second)
        for name, kind in (("n_bins", int), ("n_cues", int), ("restricted_actions", bool)):
            value = getattr(self, name)
            if type(value) is not kind:
                allowed = "whole numbers" if kind is int else "true or false"
                raise ValueError(f"task.{name}: found {value!r}, allowed: {allowed}")
        if self.n_bins < 2:
            raise ValueError(f"task.n_bins: found {self.n_bins}, allowed: whole numbers >= 2")
        if self.n_cues < 1:
            raise ValueError(f"task.n_cues: found {self.n_cues}, allowed: whole numbers >= 1")
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
        if not 0 < self.cue_share <= 1:
            raise ValueError(f"task.cue_share: found {self.cue_share}, allowed: 0 < value <= 1")
        _ = self.arrival, self.available  # that they can be read

    def _take_seconds(self, horizon, diffusion_per_second):
        """Check the step width, and turn what is given per second into what it is per step."""
        given = {"step_width": self.step_width, "horizon": horizon}
        given |= {"diffusion_per_second": diffusion_per_second}
        for name, value in given.items():
            if value is None:
                continue
            if not 0 < value < np.inf:
                raise ValueError(f"task.{name}: found {value}, allowed: 0 < value or null")
            if self.step_width is None:
                raise ValueError(
                    f"task.{name}: found {value} without task.step_width, allowed: with it"
                )
        if horizon is not None:
            discount = seconds.discount_per_step(horizon, self.step_width)
            object.__setattr__(self, "discount", discount)
        if diffusion_per_second is not None:
            diffusion = seconds.diffusion_per_step(diffusion_per_second, self.step_width)
            object.__setattr__(self, "diffusion", diffusion)

    @property
    def has_cues(self) -> bool:
        """Whether boxes show colors that differ; without, q_1 and q_2 do not exist."""
        return self.n_cues > 1

    @property
    def sigma(self) -> float:
        """Diffusion in belief units, with the default of half a bin filled in."""
        return 0.5 / self.n_bins if self.diffusion is None else float(self.diffusion)

    @cached_property
    def available(self) -> np.ndarray:
        """Whether an action may be taken, bool [location, action]."""
        return _available(self.restricted_actions, self.available_actions)

    def restricted_by(self, location: int, action: int) -> str:
        """The option by which an action is not available."""
        alone = _available(self.restricted_actions, None)
        return "available_actions" if alone[location, action] else "restricted_actions"

    @cached_property
    def arrival(self) -> np.ndarray:
        """Probability of the next location, P(l' | l, a), [location, action, next location]."""
        return _arrival(self.travel)

    @cached_property
    def arrives(self) -> np.ndarray:
        """Whether an action may lead to a place, bool [location, action, next location]."""
        return self.arrival > 0

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
            jacobian[0] = self.arrival[:, :, MIDDLE]
        jacobian[1, :, GO_MIDDLE : GO_BOX_2 + 1] = -1.0
        jacobian[2, :, PUSH] = -1.0
        return jacobian
