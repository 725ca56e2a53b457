"""Names, bounds and coordinates of the world's six and the agent's ten parameters.

Two actors are kept apart everywhere: the *world* (known to the experimenter, spec of the task) and the
*agent* (what the animal believes of the world, what it likes and pays; unknown, to be inferred).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inverse_rational_control.coordinates import Coordinates, Parameter

__all__ = [
    "AGENT_PARAMETERS",
    "BOX_PARAMETERS",
    "N_PARAMETERS",
    "REWARDS_AND_COSTS",
    "TEMPERATURE",
    "WORLD_BELIEFS",
    "WORLD_PARAMETERS",
    "Parameter",
    "agent_vector",
    "at_bound",
    "check_ranges",
    "draw_parameters",
    "natural",
    "natural_jacobian",
    "range_ends",
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
_NAMES = tuple(parameter.name for parameter in AGENT_PARAMETERS)
_AGENT = Coordinates(AGENT_PARAMETERS)


def _vector(values: Mapping[str, float], parameters: tuple[Parameter, ...], actor: str):
    names = [parameter.name for parameter in parameters]
    if set(values) != set(names):
        missing = sorted(set(names) - set(values))
        unknown = sorted(set(values) - set(names))
        raise ValueError(f"{actor} parameters: missing {missing}, unknown {unknown}")
    vector = np.array([float(values[name]) for name in names])
    Coordinates(parameters).check_ranges(vector, actor)
    return vector


def check_ranges(theta: np.ndarray) -> None:
    """Check the agent's ten parameters against their ranges.

    Raises
    ------
    ValueError
        Naming the first parameter outside its range, what was found and what is allowed.
    """
    _AGENT.check_ranges(theta, "agent")


def agent_vector(values: Mapping[str, float]) -> np.ndarray:
    """Order the agent's parameters into a vector, shape (10,).

    Raises
    ------
    ValueError
        If a name is missing or unknown, or a value lies outside its range.
    """
    return _vector(values, AGENT_PARAMETERS, "agent")


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


def range_ends(ranges: Mapping[str, Sequence[float]]) -> np.ndarray:
    """Lower and upper ends of the agent's parameters' ranges.

    Parameters
    ----------
    ranges : mapping of str to (low, high)
        Per parameter name, natural coordinates.

    Returns
    -------
    ndarray, shape (2, 10)
        In the order of `AGENT_PARAMETERS`.

    Raises
    ------
    ValueError
        If the names are not the agent's ten parameters, or a range is empty.
    """
    names = [parameter.name for parameter in AGENT_PARAMETERS]
    if set(ranges) != set(names):
        raise ValueError(f"ranges: found {', '.join(ranges)}, allowed: {', '.join(names)}")
    for name, (low, high) in ranges.items():
        if not low < high:
            raise ValueError(f"ranges: found [{low}, {high}] for {name}, allowed: low < high")
    return np.array([ranges[name] for name in names]).T


def draw_parameters(ranges: Mapping[str, Sequence[float]], rng: np.random.Generator) -> np.ndarray:
    """Draw an agent's parameters, uniform over ranges, every parameter by itself.

    Parameters
    ----------
    ranges : mapping of str to (low, high)
        As for `range_ends`.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (10,)
        Natural coordinates, in the order of `AGENT_PARAMETERS`.

    Raises
    ------
    ValueError
        As `range_ends`.
    """
    low, high = range_ends(ranges)
    return low + (high - low) * rng.random(low.size)
