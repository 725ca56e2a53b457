"""What the end of a search means: convergence, jumps of the likelihood, and the status of a fit.

Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from inverse_rational_control.inference.information import Curvature
from inverse_rational_control.inference.search import Point, Search

__all__ = [
    "Convergence",
    "FitStatus",
    "fit_status",
    "judge_convergence",
    "jump_between",
    "jump_sides",
    "mismatch",
]

_BESIDE_JUMP = 0.25  # how far from a jump the starts on its two sides lie, unconstrained
_SUSPECTS, _BISECTIONS = 2, 10


class FitStatus(StrEnum):
    """What a fit's estimate is worth; only that of a converged one is free of reservations."""

    CONVERGED = "converged"
    #: A parameter at a bound, or information that is not positive definite, with no more to gain.
    AT_BOUND = "at_bound"
    NOT_CONVERGED = "not_converged"
    #: The record says too little, whatever the search found.
    DEGENERATE_RECORD = "degenerate_record"


def fit_status(
    degenerate: bool, settled: bool, converged: bool, interior: bool, sound: bool
) -> FitStatus:
    """Status of a fit from what is known of its best start.

    Parameters
    ----------
    degenerate : bool
        The data cannot identify the parameters.
    settled, converged : bool
        Of the best start.
    interior : bool
        No parameter is at a bound, and the information is positive definite.
    sound : bool
        The model itself can be trusted at the estimate.
    """
    if degenerate:
        return FitStatus.DEGENERATE_RECORD
    if settled and not interior:
        return FitStatus.AT_BOUND
    return FitStatus.CONVERGED if converged and sound else FitStatus.NOT_CONVERGED


@dataclass(frozen=True)
class Convergence:
    """How far an end is from the maximum, by its gradient and information.

    Attributes
    ----------
    whitened_gradient : ndarray, shape (k,)
        Gradient by coordinates whitened with the information, sqrt(nats); NaN without them.
    newton_decrement : float
        g' I^-1 g / 2: the gain still expected, nats.
    converged : bool
        The decrement is within tolerance (and so all numbers are finite).
    said : str
        Why that means converged, in words; empty if it does not.
    """

    whitened_gradient: np.ndarray
    newton_decrement: float
    converged: bool
    said: str


def judge_convergence(curvature: Curvature, gradient: np.ndarray, tolerance: float) -> Convergence:
    """Judge an end by the Newton decrement there.

    Parameters
    ----------
    curvature : Curvature
    gradient : ndarray, shape (n,)
        By unconstrained coordinates.
    tolerance : float
        Nats.
    """
    whitened = curvature.whitened(gradient)
    decrement = 0.5 * float(whitened @ whitened)
    if decrement <= tolerance:
        said = f"converged: Newton decrement {decrement:.2g} <= {tolerance:g} nats"
        return Convergence(whitened, decrement, True, said)
    return Convergence(whitened, decrement, False, "")


def mismatch(one: Point, other: Point) -> tuple[float, float]:
    """What the mean of the end gradients leaves unexplained of a change, and its natural size, nats."""
    change = other.eta - one.eta
    expected = 0.5 * (one.gradient + other.gradient) @ change
    size = abs(one.gradient @ change) + abs(other.gradient @ change)
    return abs(other.log_likelihood - one.log_likelihood - expected), size


def jump_sides(search: Search) -> tuple[np.ndarray, np.ndarray] | None:
    """Look for a jump of the likelihood along the optimization path.

    Between two points, a smooth function changes by the mean of the end gradients up to third order;
    what is left shrinks eightfold where the interval halves. A jump stays.

    Parameters
    ----------
    search : Search
        At its end; bisections evaluate it further.

    Returns
    -------
    pair of ndarray, shape (n,), or None
        A point on each side, natural coordinates; None if there is no jump.
    """
    suspects = []
    for one, other in pairwise(search.visited):
        left_over, size = mismatch(one, other)
        if left_over > max(1.0, 0.5 * size):
            suspects.append((left_over, one, other))
    suspects.sort(key=lambda suspect: -suspect[0])
    for left_over, one, other in suspects[:_SUSPECTS]:
        ends = jump_between(search.point, left_over, one, other)
        if ends is not None:
            one, other = ends
            away = other.eta - one.eta
            away *= _BESIDE_JUMP / np.linalg.norm(away)
            return search.space.natural(one.eta - away), search.space.natural(other.eta + away)
    return None


def jump_between(
    point_at: Callable[[np.ndarray], Point | None],
    left_over: float,
    one: Point,
    other: Point,
    n_halvings: int = _BISECTIONS,
) -> tuple[Point, Point] | None:
    """The points next to a jump, or None if what is unexplained vanishes as the interval shrinks.

    Parameters
    ----------
    point_at : callable
        Gives the point at coordinates, or None.
    left_over : float
        Unexplained between the two, see `mismatch`; nats.
    one, other : Point
    n_halvings : int
    """
    for _ in range(n_halvings):
        middle = point_at(0.5 * (one.eta + other.eta))
        if middle is None:
            return None
        halves = [(mismatch(*pair)[0], pair) for pair in ((one, middle), (middle, other))]
        half_left_over, (one, other) = max(halves, key=lambda half: half[0])
        if half_left_over < max(0.5, 0.4 * left_over):
            return None
        left_over = half_left_over
    return one, other
