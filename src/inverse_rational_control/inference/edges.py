"""Maximizing a likelihood that jumps: up its smooth continuations, and along the edges where they end.

Where a model switches from one of its solutions to another, the likelihood is one smooth function up to
an edge and another one beyond it, and a line search breaks down. Each of the functions goes on smoothly
beyond its edge. Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.edge_slide import along_edge
from inverse_rational_control.inference.information import observed_information
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.quasi_newton import FLAT, quasi_newton
from inverse_rational_control.inference.search import Point, Search

__all__ = ["Continued", "EdgeClimb", "Region", "climb_continued", "continuation", "last_inside"]

_LEGS, _LEG_GAIN = 8, 1e-3  # free climbs, each but the first from an edge; nats
_ROUNDS, _ROUND_EVALUATIONS, _ROUND_GAIN = 4, 120, 1e-3  # of a free climb, whitened anew in each
_MOST_EVALUATIONS, _MOST_TESTS = 600, 3000
_SMALLEST = 0.25  # information, per square unconstrained coordinate: steps of up to 2
_HALVINGS = 20


class Continued(Objective, Protocol):
    """A smooth function that equals an objective in the region from which it was continued."""

    def holds(self, theta: np.ndarray) -> bool:
        """Whether the two are equal at natural parameters, shape (n,)."""
        ...


def continuation(objective: Objective, theta: np.ndarray) -> Continued | None:
    """What an objective is near natural parameters, shape (n,), continued; None if it does not jump."""
    made = getattr(objective, "continued", None)
    return None if made is None else made(theta)


@dataclass(frozen=True)
class EdgeClimb:
    """Where a climb ended.

    Attributes
    ----------
    end : ndarray, shape (n,)
        In the region, unconstrained coordinates.
    at_edge : bool
        Whether the continuation rises on beyond the region's edge, where the objective jumps.
    n_evaluations : int
        E-steps.
    """

    end: np.ndarray
    at_edge: bool
    n_evaluations: int


def climb_continued(
    continued: Continued,
    start: np.ndarray,
    settings: FitSettings,
    beside_edge: bool = False,
) -> EdgeClimb | None:
    """Climb to the highest point of the region in which a continuation equals its objective.

    Its maximum is sought freely. If that lies beyond the edge, the climb goes on along the edge,
    whitened anew until nothing more is gained; where the way up leads inward again, the maximum is
    sought once more.

    Parameters
    ----------
    continued : Continued
    start : ndarray, shape (n,)
        Unconstrained coordinates, in the region.
    settings : FitSettings
    beside_edge : bool
        Whether the start lies beside an edge beyond which the continuation rises.

    Returns
    -------
    EdgeClimb or None
        None if the continuation is not usable at the start.
    """
    region = Region(continued, settings.difference_step)
    begun = region.point(start)
    if begun is None:
        return None
    here, inward, reached = begun, not beside_edge, -np.inf
    for _ in range(_LEGS):
        if inward:
            free, visited = _free_climb(region, here, settings)
            if region.holds(free):
                return EdgeClimb(free, False, region.n_evaluations)
            here = _highest_inside(region, here, free, visited)
        here, inward = along_edge(region, here)
        if region.spent or here.log_likelihood < reached + _LEG_GAIN:
            break
        reached = here.log_likelihood
    return EdgeClimb(here.eta, True, region.n_evaluations)


class Region:
    """Where a continuation holds, in unconstrained coordinates.

    Parameters
    ----------
    continued : Continued
    difference_step : float
        Of information, as for `observed_information`.

    Attributes
    ----------
    n_evaluations, n_tests : int
        E-steps and questions whether it holds, so far.
    """

    def __init__(self, continued: Continued, difference_step: float):
        self.continued, self.space = continued, continued.space
        self.difference_step = difference_step
        self.n_evaluations = self.n_tests = 0

    @property
    def spent(self) -> bool:
        """Whether as much was spent as a climb may."""
        return self.n_evaluations > _MOST_EVALUATIONS or self.n_tests > _MOST_TESTS

    def holds(self, eta: np.ndarray) -> bool:
        """Whether the continuation equals its objective at eta, shape (n,)."""
        self.n_tests += 1
        return self.space.contains(eta) and self.continued.holds(self.space.natural(eta))

    def point(self, eta: np.ndarray) -> Point | None:
        """The continuation and its gradient at eta, or None if not usable."""
        self.n_evaluations += 1
        return Search(self.continued, self.space.directions).point(eta)

    def whitening(self, point: Point) -> np.ndarray | None:
        """By the information at a point, eigenvalues made positive; (n, k), None if it is not known."""
        self.n_evaluations += self.space.size
        information = observed_information(
            self.continued, point.eta, self.difference_step, point.gradient
        )
        if not np.isfinite(information).all():
            return None
        eigenvalues, vectors = np.linalg.eigh(information)
        root = vectors / np.sqrt(np.maximum(np.abs(eigenvalues), _SMALLEST))
        return self.space.directions @ root


def _free_climb(
    region: Region, start: Point, settings: FitSettings
) -> tuple[np.ndarray, list[Point]]:
    """The continuation's maximum, unconstrained coordinates, and all points on the way."""
    limit = settings.model_copy(update={"max_evaluations": _ROUND_EVALUATIONS})
    point, last, visited = start, -np.inf, []
    for _ in range(_ROUNDS):
        if point is None or point.log_likelihood < last + _ROUND_GAIN:
            break
        last, whitening = point.log_likelihood, region.whitening(point)
        if whitening is None:
            break
        search = Search(region.continued, whitening)
        end = quasi_newton(search, point.eta, limit, FLAT).end
        region.n_evaluations += search.n_evaluations
        visited += search.visited
        point = region.point(end)
    best = max([start, *visited], key=lambda point: point.log_likelihood)
    return best.eta, visited


def _highest_inside(
    region: Region, start: Point, beyond: np.ndarray, visited: list[Point]
) -> Point:
    """The highest known point of the region; the last one on the straight way out is made known."""
    way = beyond - start.eta
    share = last_inside(lambda share: region.holds(start.eta + share * way), _HALVINGS)
    best, crossing = start, region.point(start.eta + share * way)
    if crossing is not None and crossing.log_likelihood > best.log_likelihood:
        best = crossing
    higher = [point for point in visited if point.log_likelihood > best.log_likelihood]
    higher.sort(key=lambda point: -point.log_likelihood)
    return next((point for point in higher if region.holds(point.eta)), best)


def last_inside(holds: Callable[[float], bool], halvings: int) -> float:
    """Share of the way out, from 0 inside to 1 beyond, up to which something holds, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
