"""Which parameters a fit may move: free ones, ones tied together, fixed ones.

A space is affine in unconstrained coordinates: the fixed parameters stay, and each free coordinate moves
one parameter, or several tied ones alike (docs/model.md section 8). For profiles along a direction there
is the space perpendicular to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.coordinates import Coordinates, Parameter
from inverse_rational_control.parameters import AGENT_PARAMETERS

__all__ = [
    "FULL_SPACE",
    "ParameterSpace",
    "hold",
    "parameter_space",
    "perpendicular_space",
    "without",
]


@dataclass(frozen=True)
class ParameterSpace(Coordinates):
    """An affine space of n parameters with k free coordinates.

    Attributes
    ----------
    parameters : tuple of Parameter
        All n, free or not.
    names : tuple of str
        Of the free coordinates; tied parameters are joined by " = ".
    fixed : ndarray, shape (n,)
        Unconstrained values of the fixed parameters, NaN for the others.
    directions : ndarray, shape (n, k)
        What each free coordinate moves: columns of zeros and ones, or orthonormal ones.
    origin : ndarray, shape (n,)
        Unconstrained point that the space goes through.
    absent : tuple of str
        Parameters that do not exist in the model at hand: nothing depends on them, and no result
        reports them.
    """

    names: tuple[str, ...]
    fixed: np.ndarray
    directions: np.ndarray
    origin: np.ndarray
    absent: tuple[str, ...] = ()

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of all n parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def size(self) -> int:
        """Number k of free coordinates."""
        return self.directions.shape[1]

    @property
    def is_free(self) -> np.ndarray:
        """Which parameters can move, bool, shape (n,)."""
        return self.directions.any(1)

    @property
    def exists(self) -> np.ndarray:
        """Which parameters the model at hand has, bool, shape (n,)."""
        return np.array([parameter.name not in self.absent for parameter in self.parameters])

    @property
    def is_full(self) -> bool:
        """Whether every parameter that exists moves by itself."""
        return np.array_equal(self.directions[self.exists], np.eye(int(self.exists.sum())))

    def free_coordinates(self, eta: np.ndarray) -> np.ndarray:
        """Free coordinates of an unconstrained vector, (n,) to (k,); tied parameters average."""
        return (self.directions / (self.directions**2).sum(0)).T @ eta

    def admit(self, theta: np.ndarray) -> np.ndarray:
        """The point of the space that has a vector's free coordinates; natural, (n,) to (n,)."""
        free = self.free_coordinates(self.unconstrained(theta) - self.origin)
        eta = self.origin + self.directions @ free
        moved = self.natural(np.where(self.is_free, eta, self.fixed))
        # Through the logarithms and back, numbers lose their last digit.
        alone = self.directions[:, np.count_nonzero(self.directions, 0) == 1].any(1)
        return np.where(alone, theta, moved)


def parameter_space(
    fixed: Mapping[str, float] | None = None,
    tied: Sequence[Sequence[str]] = (),
    parameters: Sequence[Parameter] = AGENT_PARAMETERS,
    bounded: Mapping[str, Sequence[float]] | None = None,
) -> ParameterSpace:
    """Build a space from parameters that are fixed, groups that are tied, and bounds of free ones.

    Parameters
    ----------
    fixed : mapping of str to float, optional
        Natural values by parameter name.
    tied : sequence of sequences of str
        Groups of names that share one value in natural coordinates.
    parameters : sequence of Parameter
        The model's parameters; the agent's ten if not given (`parameters.agent_parameters` gives them
        with extra ones).
    bounded : mapping of str to (low, high), optional
        Intervals that free parameters are kept within, natural coordinates.

    Raises
    ------
    ValueError
        If a name is unknown or in two places, a value or an interval is outside its range, a group ties
        parameters of different coordinates or bounds, or nothing is left free.
    """
    fixed, bounded = dict(fixed or {}), dict(bounded or {})
    names = [parameter.name for parameter in parameters]
    for name in bounded:
        if name in fixed:
            raise ValueError(f"bounded.{name}: found a bound of what is held, allowed: one of both")
    used = [*fixed, *(name for group in tied for name in group)]
    for name in (*used, *bounded):
        if name not in names:
            raise ValueError(f"parameters: found {name!r}, allowed: {', '.join(names)}")
        if used.count(name) > 1:
            raise ValueError(f"parameters: found {name} fixed or tied twice, allowed: once")
    parameters = tuple(p.within(*bounded[p.name]) if p.name in bounded else p for p in parameters)
    coordinates = Coordinates(parameters)
    middle = coordinates.natural(np.zeros(len(names)))
    values = np.array([fixed.get(name, middle[k]) for k, name in enumerate(names)], dtype=float)
    coordinates.check_ranges(values, "parameters")
    held = np.array([name in fixed for name in names])
    columns, labels = [], []
    for name in names:
        group = next((list(group) for group in tied if name in group), [name])
        if name in fixed or group[0] != name:
            continue
        members = [parameters[names.index(member)] for member in group]
        if len({(member.coordinate, member.limits) for member in members}) > 1:
            raise ValueError(
                f"parameters: found {' = '.join(group)} tied, allowed: parameters of one kind, bounded "
                "alike"
            )
        columns.append([float(other in group) for other in names])
        labels.append(" = ".join(group))
    if not columns:
        raise ValueError("parameters: found none free, allowed: at least one")
    return ParameterSpace(
        coordinates.parameters,
        tuple(labels),
        np.where(held, coordinates.unconstrained(values), np.nan),
        np.array(columns).T,
        np.zeros(len(names)),
    )


def perpendicular_space(
    origin: np.ndarray,
    direction: np.ndarray,
    parameters: Sequence[Parameter] = AGENT_PARAMETERS,
) -> ParameterSpace:
    """Build the space through a point and perpendicular to a direction, unconstrained coordinates.

    Parameters
    ----------
    origin, direction : ndarray, shape (n,)
        Unconstrained coordinates; the direction's length does not matter.
    parameters : sequence of Parameter
        The model's n parameters; the agent's ten if not given.

    Raises
    ------
    ValueError
        If the direction is not a finite vector other than zero.
    """
    direction = np.asarray(direction, dtype=float)
    length = np.linalg.norm(direction)
    if not (np.isfinite(length) and length > 0):
        raise ValueError(f"direction: found length {length}, allowed: finite and more than 0")
    # The first row of the decomposition spans the direction, the others all that is perpendicular.
    across = np.linalg.svd(direction[None, :] / length)[2][1:].T
    names = tuple(f"across {k + 1}" for k in range(len(parameters) - 1))
    origin = np.asarray(origin, dtype=float)
    # Some parameter may lie along the direction alone: it is held by the origin.
    return ParameterSpace(tuple(parameters), names, origin, across, origin)


def hold(space: ParameterSpace, coordinate: int, value: float) -> ParameterSpace | None:
    """Build the space in which one free coordinate is held, all else as it was.

    Parameters
    ----------
    space : ParameterSpace
        Whose free coordinates each move whole parameters.
    coordinate : int
        Which of its k.
    value : float
        Of the parameters that it moves, unconstrained coordinates.

    Returns
    -------
    ParameterSpace or None
        With k - 1 free coordinates; None if none is left.
    """
    if space.size == 1:
        return None
    held = space.directions[:, coordinate] != 0
    return replace(
        space,
        names=space.names[:coordinate] + space.names[coordinate + 1 :],
        fixed=np.where(held, value, space.fixed),
        directions=np.delete(space.directions, coordinate, axis=1),
    )


def without(space: ParameterSpace, names: Sequence[str]) -> ParameterSpace:
    """Build the space in which some parameters do not exist, all else as it was.

    Parameters
    ----------
    space : ParameterSpace
        Whose free coordinates each move whole parameters.
    names : sequence of str
        Nothing depends on their values; they stand in vectors as 0 in unconstrained coordinates.

    Raises
    ------
    ValueError
        If nothing is left free.
    """
    absent = np.array([parameter.name in names for parameter in space.parameters])
    directions = np.where(absent[:, None], 0.0, space.directions)
    left = directions.any(0)
    if not left.any():
        raise ValueError("parameters: found none free, allowed: at least one")
    kept = [" = ".join(n for n in name.split(" = ") if n not in names) for name in space.names]
    return replace(
        space,
        names=tuple(name for name, stays in zip(kept, left, strict=True) if stays),
        fixed=np.where(absent, 0.0, space.fixed),
        directions=directions[:, left],
        absent=tuple(p.name for p, gone in zip(space.parameters, absent, strict=True) if gone),
    )


#: All ten parameters of the agent free.
FULL_SPACE = parameter_space()
