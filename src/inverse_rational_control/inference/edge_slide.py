"""Maximization along the edge of a region: BFGS over the plane across a way out of it.

Source: docs/model.md section 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inverse_rational_control.inference.search import Point

if TYPE_CHECKING:
    from inverse_rational_control.inference.edges import Region

__all__ = ["along_edge"]

_STEPS = 40
_FLAT = 2e-4  # gain still expected, nats
_RISE = 1e-5  # of the likelihood, nats, that a step must bring
_INWARD = -0.1  # slope across the edge from which on the way up leads inward, sqrt(nats)
_LONGEST = 2.0  # step, whitened coordinates
_SHORTENINGS, _SHORTER = 6, 0.35
_POOR = 0.3  # share of the expected gain below which the edge's slope is measured anew
_DIFFERENCE = 0.05  # for the slope, whitened coordinates
_EXACT, _WIDEST, _WIDENING = (
    3e-5,
    3.0,
    2.5,
)  # of the edge's height: error, reach, growth of brackets
_NEAR, _NEARER = 0.01, 0.002  # first brackets, after a step and a difference


def along_edge(region: Region, inside: Point) -> tuple[Point, bool]:
    """Climb along the edge of a region, from a point inside and close to it.

    In whitened coordinates around the point, the edge is a graph h(u) over the plane across the
    gradient there; by u, the function has the gradient g_u + g_h h'. A height is found by bisection,
    the slope h' by differences, and between those by secants of the steps (Broyden).

    Parameters
    ----------
    region : Region
    inside : Point

    Returns
    -------
    highest : Point
        Inside, beside the edge.
    inward : bool
        Whether the function rises from there into the region.
    """
    whitening = region.whitening(inside)
    if whitening is None:
        return inside, False
    edge = _Edge(region, inside, whitening)
    here = edge.vertex(np.zeros(edge.size), 0.0)
    if here is None:
        return inside, False
    best = max(inside, here.point, key=lambda point: point.log_likelihood)
    slope, metric = edge.slope(here, np.zeros(edge.size)), np.eye(edge.size)
    measured, before, expected, gained = True, None, 0.0, 0.0
    for _ in range(_STEPS):
        gradient, push = edge.gradient(here.point, slope)
        poor = push < _INWARD or gained < _POOR * expected
        if not measured and (poor or 0.5 * gradient @ metric @ gradient < _FLAT):
            slope, measured = edge.slope(here, slope), True
            gradient, push = edge.gradient(here.point, slope)
        if before is not None:
            metric = _bfgs(metric, here.u - before[0], before[1] - gradient)
        step = metric @ gradient
        expected = 0.5 * gradient @ step
        if push < _INWARD:
            return best, True
        if expected < _FLAT or region.spent:
            break
        reached = edge.step(here, step * min(1.0, _LONGEST / np.linalg.norm(step)), slope)
        if reached is None:
            if measured:
                break
            # The next round measures the slope, whatever it expects.
            before, gained, expected = None, 0.0, np.inf
            continue
        before, gained = (here.u, gradient), reached.log_likelihood - here.log_likelihood
        moved = reached.u - here.u
        error = reached.height - here.height - slope @ moved
        # The secant is the slope half-way; at the end it has changed by twice that.
        slope, measured = slope + 2.0 * error * moved / (moved @ moved), False
        here = reached
        best = max(best, here.point, key=lambda point: point.log_likelihood)
    return best, False


class _Vertex:
    """A point at the edge: where in the plane, how high, and the function there."""

    def __init__(self, u: np.ndarray, height: float, point: Point):
        self.u, self.height, self.point = u, height, point
        self.log_likelihood = point.log_likelihood


class _Edge:
    """The edge as a graph over the plane across the gradient at a point."""

    def __init__(self, region: Region, origin: Point, whitening: np.ndarray):
        self.region, self.origin, self.whitening = region, origin.eta, whitening
        gradient = whitening.T @ origin.gradient
        self.outward = gradient / np.linalg.norm(gradient)
        self.plane = np.linalg.svd(self.outward[None, :])[2][1:]
        self.size = len(self.plane)

    def at(self, u: np.ndarray, height: float) -> np.ndarray:
        """Unconstrained coordinates."""
        return self.origin + self.whitening @ (self.plane.T @ u + height * self.outward)

    def height(self, u: np.ndarray, guess: float, width: float) -> float | None:
        """The last height inside, near a guess; None if the edge is nowhere near."""

        def holds(height):
            return self.region.holds(self.at(u, height))

        inside = holds(guess)
        sign = 1.0 if inside else -1.0
        near, far = guess, guess + sign * width
        while holds(far) == inside:
            width *= _WIDENING
            if width > _WIDEST:
                return None
            near, far = far, far + sign * width
        low, high = (near, far) if inside else (far, near)
        while high - low > _EXACT:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    def vertex(self, u: np.ndarray, guess: float) -> _Vertex | None:
        """The edge's point at u, if there is one near a guess of its height and it is usable."""
        height = self.height(u, guess, _NEAR)
        point = None if height is None else self.region.point(self.at(u, height))
        return None if point is None else _Vertex(u, height, point)

    def step(self, here: _Vertex, step: np.ndarray, slope: np.ndarray) -> _Vertex | None:
        """A higher vertex as a step is shortened, or None."""
        for _ in range(_SHORTENINGS):
            reached = self.vertex(here.u + step, here.height + slope @ step)
            if reached is not None and reached.log_likelihood > here.log_likelihood + _RISE:
                return reached
            step = _SHORTER * step
        return None

    def slope(self, here: _Vertex, guess: np.ndarray) -> np.ndarray:
        """Derivative of the height by u, one-sided; the guess where the edge is not found."""
        uphill, _ = self.gradient(here.point, guess)
        found = guess.copy()
        for j in range(self.size):
            move = np.zeros(self.size)
            move[j] = np.copysign(_DIFFERENCE, uphill[j])
            height = self.height(here.u + move, here.height + guess @ move, _NEARER)
            if height is not None:
                found[j] = (height - here.height) / move[j]
        return found

    def gradient(self, point: Point, slope: np.ndarray) -> tuple[np.ndarray, float]:
        """Of the function along the edge by u, and its slope across the edge, outward."""
        whitened = self.whitening.T @ point.gradient
        up, across = whitened @ self.outward, self.plane @ whitened
        return across + up * slope, (up - across @ slope) / np.sqrt(1.0 + slope @ slope)


def _bfgs(metric: np.ndarray, moved: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Inverse curvature after a step along which minus the gradient changed so; kept definite."""
    along = moved @ change
    if along <= 1e-8 * np.linalg.norm(moved) * np.linalg.norm(change):
        return metric
    left = np.eye(len(moved)) - np.outer(moved, change) / along
    return left @ metric @ left.T + np.outer(moved, moved) / along
