"""Ranges of the agent's parameters, by name: their ends as vectors, and draws from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inverse_rational_control.parameters import agent_parameters, extras_among

__all__ = ["draw_parameters", "in_belief_units", "range_ends"]


def in_belief_units(ranges: Mapping[str, Sequence[float]], n_bins: int) -> dict:
    """Ranges by parameter name, the diffusion's made of that in widths of a bin, `diffusion_bins`.

    A range of the `diffusion` itself stays.
    """
    converted = dict(ranges)
    in_bins = converted.pop("diffusion_bins", None)
    if in_bins is not None and "diffusion" not in converted:
        converted["diffusion"] = (
            in_bins if isinstance(in_bins, str) else tuple(end / n_bins for end in in_bins)
        )
    return converted


def range_ends(
    ranges: Mapping[str, Sequence[float]], extras: tuple[str, ...] = (), n_bins: int | None = None
) -> np.ndarray:
    """Lower and upper ends of the agent's parameters' ranges.

    Parameters
    ----------
    ranges : mapping of str to (low, high)
        Per parameter name, natural coordinates, or `diffusion_bins`; those of extra parameters that the
        agent has not are left out.
    extras : tuple of str
        The agent's extra parameters.
    n_bins : int, optional
        Belief bins per box; needed if the diffusion is among them.

    Returns
    -------
    ndarray, shape (2, 10 + extras)
        In the order of `agent_parameters`.

    Raises
    ------
    ValueError
        If a parameter has no range, a name is unknown, or a range is empty.
    """
    names = [parameter.name for parameter in agent_parameters(extras)]
    if "diffusion" in extras:
        ranges = in_belief_units(ranges, n_bins)
    ranges = {
        name: ends
        for name, ends in ranges.items()
        if name in names or not (name == "diffusion_bins" or extras_among([name]))
    }
    if set(ranges) != set(names):
        raise ValueError(f"ranges: found {', '.join(ranges)}, allowed: {', '.join(names)}")
    for name, (low, high) in ranges.items():
        if not low < high:
            raise ValueError(f"ranges: found [{low}, {high}] for {name}, allowed: low < high")
    return np.array([ranges[name] for name in names]).T


def draw_parameters(
    ranges: Mapping[str, Sequence[float]],
    rng: np.random.Generator,
    extras: tuple[str, ...] = (),
    n_bins: int | None = None,
) -> np.ndarray:
    """Draw an agent's parameters, uniform over ranges, every parameter by itself.

    Parameters
    ----------
    ranges : mapping of str to (low, high)
        As for `range_ends`.
    rng : numpy.random.Generator
    extras, n_bins
        As for `range_ends`.

    Returns
    -------
    ndarray, shape (10 + extras,)
        Natural coordinates, in the order of `agent_parameters`.

    Raises
    ------
    ValueError
        As `range_ends`.
    """
    low, high = range_ends(ranges, extras, n_bins)
    return low + (high - low) * rng.random(low.size)
