"""Which of the agent's parameters are free for one's own animal, and within what bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inverse_rational_control.parameter_ranges import in_belief_units
from inverse_rational_control.parameter_space import ParameterSpace, parameter_space
from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    EXTRA_PARAMETERS,
    Parameter,
    agent_parameters,
    extras_among,
    ordered_extras,
)

__all__ = [
    "alternative_entries",
    "alternative_entry",
    "animal_extras",
    "animal_space",
    "bounds_of",
    "held_values",
    "judge_animal_space",
]

_ALL_EXTRAS = tuple(parameter.name for parameter in EXTRA_PARAMETERS)


def animal_extras(entry: str | Mapping, extras: Sequence[str]) -> tuple[str, ...]:
    """Parameters that an animal has beyond the ten, in their order: its own or `extras`, and held ones.

    Parameters
    ----------
    entry : str or mapping
        Of the section `animals`, checked.
    extras : sequence of str
        Of the section `fitting`.
    """
    if isinstance(entry, str):
        return ordered_extras(extras)
    own = entry.get("extras")
    held = extras_among(entry.get("held", {}))
    return ordered_extras({*(extras if own is None else own), *held})


def animal_space(
    entry: str | Mapping,
    world: Mapping[str, float],
    parameters: Sequence[Parameter] = AGENT_PARAMETERS,
    n_bins: int | None = None,
) -> ParameterSpace:
    """Which of the agent's parameters are free for an animal, and within what bounds.

    Parameters
    ----------
    entry : str or mapping
        Of the section `animals`, checked.
    world : mapping of str to float
        Parameters of the world, which `from_world` may name.
    parameters : sequence of Parameter, optional
        Of the agent; the ten if not given. What the entry says of others is left out.
    n_bins : int, optional
        Belief bins per box, where the diffusion may be bounded in bins.

    Raises
    ------
    ValueError
        If a parameter is held or tied twice, or held and bounded, a value or bound is out of range, or
        nothing is left free.
    """
    if isinstance(entry, str):
        return parameter_space(parameters=parameters)
    there = {parameter.name for parameter in parameters}
    held, bounded = held_values(entry, world), bounds_of(entry, n_bins)
    return parameter_space(
        {name: value for name, value in held.items() if name in there},
        [group for group in entry.get("tied", ()) if there.issuperset(group)],
        parameters,
        {name: ends for name, ends in bounded.items() if name in there},
    )


def held_values(entry: Mapping, world: Mapping[str, float]) -> dict[str, float]:
    """Parameters held for an animal, by name, those at the world's values among them.

    Parameters
    ----------
    entry, world
        As for `animal_space`.

    Raises
    ------
    ValueError
        If a parameter is held twice.
    """
    world = {**world, **entry.get("world", {})}
    held = dict(entry.get("held", {}))
    for name in entry.get("from_world", ()):
        if name in held:
            raise ValueError(f"from_world: found {name} held twice, allowed: once")
        held[name] = world[name]
    return held


def bounds_of(entry: Mapping, n_bins: int | None) -> dict[str, tuple[float, float]]:
    """Intervals that an animal's parameters are kept within, natural coordinates, by name."""
    bounded = dict(entry.get("bounded", {}))
    return bounded if n_bins is None else in_belief_units(bounded, n_bins)


def alternative_entries(
    entry: Mapping, models: Mapping[str, Mapping] | None = None
) -> dict[str, dict[str, Any]]:
    """An animal's entry under each of its alternative models, by name.

    Parameters
    ----------
    entry : mapping
        Of the section `animals`, checked.
    models : mapping of str to mapping
        Of the section `alternatives`, where the entry names some of these.
    """
    choices = entry.get("alternatives", ())
    if not isinstance(choices, Mapping):
        choices = {name: (models or {})[name] for name in choices}
    return {name: alternative_entry(entry, choice) for name, choice in choices.items()}


def alternative_entry(entry: Mapping, choice: Mapping) -> dict[str, Any]:
    """An animal's entry under an alternative model.

    What the animal's own entry holds at the world's values stays; a value or a bound of the model takes
    the place of the entry's; what is held needs no bounds.

    Parameters
    ----------
    entry : mapping
        Of the section `animals`, checked.
    choice : mapping
        Of `alternatives.models`, without values of a simulated agent, or a model of the entry's own.
    """
    stated = choice.get("held", {})
    mine = [name for name in entry.get("from_world", ()) if name not in stated]
    held = {**entry.get("held", {}), **stated}
    more = [name for name in choice.get("from_world", ()) if name not in {*held, *mine}]
    bounds = {**entry.get("bounded", {}), **choice.get("bounded", {})}
    gone = {*stated, *more} - set(choice.get("bounded", {}))
    return {
        **entry,
        "held": held,
        "from_world": [*mine, *more],
        "tied": [*entry.get("tied", ()), *choice.get("tied", ())],
        "bounded": {name: ends for name, ends in bounds.items() if name not in gone},
        "prior": dict(choice.get("prior", {})),
        "extras": list(choice.get("extras", ())),
    }


def judge_animal_space(
    entry: str | Mapping, world: Mapping[str, float], extras: Sequence[str], n_bins: int
) -> None:
    """Check what an entry says of parameters, of those too that only descriptions have.

    Parameters
    ----------
    entry, world, n_bins
        As for `animal_space`.
    extras : sequence of str
        Of the section `fitting`.

    Raises
    ------
    ValueError
        As `animal_space`; also if a prior or a range of starts lies outside the bounds.
    """
    own = animal_extras(entry, extras)
    animal_space(entry, world, agent_parameters(own, n_bins), n_bins)
    space = animal_space(entry, world, agent_parameters(_ALL_EXTRAS, n_bins), n_bins)
    if isinstance(entry, str):
        return
    for key in ("prior", "start_ranges"):
        stated: dict[str, Any] = in_belief_units(entry.get(key, {}), n_bins)
        for parameter in space.parameters:
            ends = stated.get(parameter.name, "flat")
            low, high = parameter.limits
            # Of a number above a limit the whole range must be, of an interval some of it.
            nearest = 0 if parameter.coordinate == "log" else 1
            if isinstance(ends, str) or (ends[0] < high and ends[nearest] > low):
                continue
            raise ValueError(
                f"{key}.{parameter.name}: found {list(ends)}, allowed: what lies within the bounds, "
                f"[{low:g}, {high:g}]"
            )
