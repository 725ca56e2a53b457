"""Names, bounds and coordinates of the world's six and the agent's ten parameters, and of extra ones.

Two actors are kept apart everywhere: the *world* (known to the experimenter, spec of the task) and the
*agent* (what the animal believes of the world, what it likes and pays; unknown, to be inferred).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from inverse_rational_control.coordinates import Coordinates, Parameter

__all__ = [
    "AGENT_PARAMETERS",
    "BOX_PARAMETERS",
    "EXTRA_PARAMETERS",
    "N_PARAMETERS",
    "REWARDS_AND_COSTS",
    "TEMPERATURE",
    "WORLD_BELIEFS",
    "WORLD_PARAMETERS",
    "Parameter",
    "agent_extras",
    "agent_parameters",
    "agent_vector",
    "at_bound",
    "box_places",
    "check_ranges",
    "extras_among",
    "natural",
    "natural_jacobian",
    "ordered_extras",
    "place_of",
    "remarks",
    "unconstrained",
    "world_vector",
]

#: The world's six parameters, in order: how often food appears and vanishes at each box, and the
#: probability of each of a cue's colors where there is food, and where there is none.
WORLD_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("appearance_rate_1", r"$\gamma_1$", "logit", "1/step"),
    Parameter("appearance_rate_2", r"$\gamma_2$", "logit", "1/step"),
    Parameter("disappearance_rate_1", r"$\epsilon_1$", "logit", "1/step"),
    Parameter("disappearance_rate_2", r"$\epsilon_2$", "logit", "1/step"),
    Parameter("cue_probability_present", r"$q_1$", "logit", "1"),
    Parameter("cue_probability_absent", r"$q_2$", "logit", "1"),
)

#: The agent's ten parameters, in the order of every parameter vector of the project: what it believes
#: of the world's six, what waiting in the middle is worth to it, what a step of travel and a push cost
#: it, and the softmax temperature of its policy.
AGENT_PARAMETERS: tuple[Parameter, ...] = (
    *WORLD_PARAMETERS,
    Parameter("grooming_reward", r"$r_g$", "identity", "reward"),
    Parameter("travel_cost", r"$c_t$", "identity", "reward"),
    Parameter("push_cost", r"$c_p$", "identity", "reward"),
    Parameter("temperature", r"$\tau$", "log", "reward"),
)

N_PARAMETERS = len(AGENT_PARAMETERS)
#: Places in a parameter vector, so that nobody writes a number: what the agent believes of the world,
#: its rewards and costs (in the order of `Task.reward_jacobian`), its temperature.
WORLD_BELIEFS = slice(0, 6)
REWARDS_AND_COSTS = slice(6, 9)
TEMPERATURE = 9
#: The four parameters of each box's belief dynamics: appearance rate, disappearance rate, and the cue
#: probabilities with food present and absent, which the boxes share.
BOX_PARAMETERS = ((0, 2, 4, 5), (1, 3, 4, 5))
#: What an agent may have beyond the ten, in this order after them (docs/model.md section 13): how often
#: it acts at random, how much it is drawn to its last action, and the diffusion and discount that are
#: the task's where the agent has none of its own.
EXTRA_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("lapse", r"$\lambda$", "logit", "1"),
    Parameter("perseveration", r"$\kappa$", "identity", "1"),
    Parameter("diffusion", r"$\sigma$", "log", "belief"),
    Parameter("discount", r"$\delta$", "logit", "1"),
)
_LEAST_DIFFUSION = 0.1  # bins
_NAMES = tuple(parameter.name for parameter in AGENT_PARAMETERS)
_EXTRAS = tuple(parameter.name for parameter in EXTRA_PARAMETERS)
_AGENT = Coordinates(AGENT_PARAMETERS)


def ordered_extras(names: Iterable[str]) -> tuple[str, ...]:
    """Names of extra parameters in their order.

    Raises
    ------
    ValueError
        If a name is unknown or given twice.
    """
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if name not in _EXTRAS:
            raise ValueError(f"extras: found {name!r}, allowed: {', '.join(_EXTRAS)}")
        if given.count(name) > 1:
            raise ValueError(f"extras: found {name} twice, allowed: once")
    return tuple(name for name in _EXTRAS if name in given)


def extras_among(names: Iterable[str]) -> tuple[str, ...]:
    """The extra parameters among names of parameters, in their order."""
    return ordered_extras(name for name in map(str, names) if name in _EXTRAS)


@lru_cache
def agent_parameters(
    extras: tuple[str, ...] = (), n_bins: int | None = None
) -> tuple[Parameter, ...]:
    """An agent's parameters in the order of its vector: the ten, then its extra ones.

    Parameters
    ----------
    extras : tuple of str
        Names, in the order of `EXTRA_PARAMETERS`.
    n_bins : int, optional
        Belief bins per box: a belief step diffuses by a tenth of a bin at least; by more than 0 if not
        given.

    Raises
    ------
    ValueError
        If the names are not extra parameters in their order.
    """
    if extras != ordered_extras(extras):
        raise ValueError(f"extras: found {extras}, allowed: {ordered_extras(extras)}, their order")
    found = (EXTRA_PARAMETERS[_EXTRAS.index(name)] for name in extras)
    return (
        *AGENT_PARAMETERS,
        *(
            replace(parameter, lower=_LEAST_DIFFUSION / n_bins)
            if n_bins is not None and parameter.name == "diffusion"
            else parameter
            for parameter in found
        ),
    )


def place_of(extras: tuple[str, ...], name: str) -> int | None:
    """Place of an extra parameter in the agent's vector; None where it has none."""
    return N_PARAMETERS + extras.index(name) if name in extras else None


def box_places(extras: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Places of what each box's belief tables depend on: `BOX_PARAMETERS`, and a free diffusion."""
    diffusion = place_of(extras, "diffusion")
    more = () if diffusion is None else (diffusion,)
    return tuple((*places, *more) for places in BOX_PARAMETERS)


def _vector(values: Mapping[str, float], parameters: tuple[Parameter, ...], actor: str):
    names = [parameter.name for parameter in parameters]
    if set(values) != set(names):
        missing = sorted(set(names) - set(values))
        unknown = sorted(set(values) - set(names))
        raise ValueError(f"{actor} parameters: missing {missing}, unknown {unknown}")
    vector = np.array([float(values[name]) for name in names])
    Coordinates(parameters).check_ranges(vector, actor)
    return vector


def check_ranges(
    theta: np.ndarray, extras: tuple[str, ...] = (), n_bins: int | None = None
) -> None:
    """Check an agent's parameters, as `agent_parameters` orders them, against their ranges.

    Raises
    ------
    ValueError
        Naming the first parameter outside its range, what was found and what is allowed.
    """
    Coordinates(agent_parameters(extras, n_bins)).check_ranges(theta, "agent")


def agent_extras(values: Mapping[str, float | None]) -> tuple[str, ...]:
    """Extra parameters that have a value, in their order."""
    return extras_among(name for name, value in values.items() if value is not None)


def agent_vector(values: Mapping[str, float | None]) -> np.ndarray:
    """Order the agent's parameters into a vector, shape (10 + extras,).

    Extra parameters that are not given, or None, are not there.

    Raises
    ------
    ValueError
        If a name is missing or unknown, or a value lies outside its range.
    """
    there = {name: value for name, value in values.items() if value is not None}
    return _vector(there, agent_parameters(agent_extras(values)), "agent")


def world_vector(values: Mapping[str, float]) -> np.ndarray:
    """Order the world's parameters into a vector, shape (6,).

    Raises
    ------
    ValueError
        If a name is missing or unknown, or a value lies outside its range.
    """
    return _vector(values, WORLD_PARAMETERS, "world")


def unconstrained(theta: np.ndarray) -> np.ndarray:
    """Map natural to unconstrained coordinates (logit, log, identity); shape (..., 10)."""
    return _AGENT.unconstrained(theta)


def natural(eta: np.ndarray) -> np.ndarray:
    """Map unconstrained to natural coordinates; shape (..., 10). Inverse of `unconstrained`."""
    return _AGENT.natural(eta)


def natural_jacobian(theta: np.ndarray) -> np.ndarray:
    """Derivative of the natural by the unconstrained coordinate at `theta`; shape (..., 10)."""
    return _AGENT.natural_jacobian(theta)


def at_bound(theta: np.ndarray) -> np.ndarray:
    """Tell which parameters lie at a bound (docs/model.md section 8); bool, shape (10,)."""
    return _AGENT.at_bound(theta)


def remarks(theta: np.ndarray) -> list[str]:
    """Say in words what is unusual, though allowed, about a parameter vector, shape (10,) or (6,)."""
    value = dict(zip(_NAMES, np.asarray(theta, dtype=float), strict=False))
    said = []
    for box in (1, 2):
        total = value[f"appearance_rate_{box}"] + value[f"disappearance_rate_{box}"]
        if total >= 1:
            said.append(
                f"appearance_rate_{box} + disappearance_rate_{box} = {total:.3g} >= 1: box {box} is "
                "anti-persistent (food now makes food at the next step less likely)"
            )
    if value["cue_probability_present"] >= value["cue_probability_absent"]:
        said.append(
            f"cue_probability_present = {value['cue_probability_present']:.3g} >= "
            f"cue_probability_absent = {value['cue_probability_absent']:.3g}: cues mean the opposite "
            "(a bluer cue speaks for food; equal: cues say nothing)"
        )
    return said
