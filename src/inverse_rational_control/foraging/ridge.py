"""From a continued plan's maximum back into the region where it is the agent's own, along the ridge.

What the likelihood hardly knows is the scale of rewards, costs and temperature together; where value
iteration reaches the plan depends on it. Source: docs/model.md section 8.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.foraging.unscaled import Unscaled
from inverse_rational_control.inference.edge_slide import along_edge
from inverse_rational_control.inference.edges import Region, last_inside
from inverse_rational_control.inference.search import Point
from inverse_rational_control.inference.trust_region import Ascent, by_trust_region, whitened_by
from inverse_rational_control.parameters import TEMPERATURE

__all__ = ["back_inside"]

_WEAK, _SHIFTS, _LOSS = 0.2, (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 1e-3  # of a slide along what is flat
_STEP, _STEPS = 0.1, 8  # of the walk, in the temperature's logarithm
_DEPTH = 0.5  # nats below the maximum, at which a walk ends
_NEARLY_FLAT, _EVALUATIONS = 3e-3, 60  # of the climb at each step
_HALVINGS = 14


def back_inside(near: Unscaled, climb: Ascent) -> tuple[np.ndarray, bool, int] | None:
    """The highest point found at which a continued plan is the agent's own.

    The maximum itself; or, within 0.001 nat, a point along a direction that is flat; or the best end of
    climbs along the edge, from where a walk along the ridge enters the region.

    Parameters
    ----------
    near : Unscaled
        Of a `ContinuedObjective`.
    climb : Ascent
        To its maximum.

    Returns
    -------
    eta : ndarray, shape (n,)
        Unconstrained coordinates.
    at_edge : bool
        Whether it rises on beyond.
    n_evaluations : int
        E-steps of climbs along the edge; the others `near` counts.
    """
    flat = _along_flat(near, climb)
    if flat is not None:
        return near.eta(flat.eta), False, 0
    best, spent = None, 0
    for sign in (-1.0, 1.0):
        least = climb.point.log_likelihood - _DEPTH if best is None else best.log_likelihood
        entered = _walk(near, climb, sign, least)
        if entered is None:
            continue
        region = Region(near.objective)
        beside = _beside_edge(near, *entered)
        start = region.point(near.eta(beside))
        if start is None:
            continue
        end, _ = along_edge(region, start)
        spent += region.n_evaluations
        if best is None or end.log_likelihood > best.log_likelihood:
            best = end
    return None if best is None else (best.eta, True, spent)


def _holds(near: Unscaled, x: np.ndarray) -> bool:
    return near.space.contains(near.eta(x)) and near.objective.holds(near.theta(x))


def _along_flat(near: Unscaled, climb: Ascent) -> Point | None:
    """The maximum, or a point as high along what is flat, if the plan is the agent's own there."""
    end = climb.point
    if _holds(near, end.eta):
        return end
    if climb.information is None:
        return None
    eigenvalues, vectors = np.linalg.eigh(climb.information)
    for curvature, vector in zip(eigenvalues, vectors.T, strict=True):
        if curvature > _WEAK:
            break
        for length in _SHIFTS:
            for shift in (length, -length):
                x = end.eta + shift * climb.directions @ vector
                point = near.point(x) if _holds(near, x) else None
                if point is not None and point.log_likelihood > end.log_likelihood - _LOSS:
                    return point
    return None


def _walk(
    near: Unscaled, climb: Ascent, sign: float, least: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The first point of the ridge inside and the last outside; None before it falls below `least`."""
    plane = near.space.directions[:, near.space.directions[TEMPERATURE] == 0]
    if climb.information is None or plane.shape[1] == near.space.size:
        return None
    root = np.linalg.pinv(climb.directions)
    whole = root.T @ climb.information @ root
    directions, information = whitened_by(plane, plane.T @ whole @ plane)
    step = np.zeros(len(plane))
    step[TEMPERATURE] = sign * _STEP
    pulled = np.linalg.lstsq(information, directions.T @ whole @ step, rcond=1e-6)[0]
    step = step - directions @ pulled
    before, here = climb.point.eta - step, climb.point.eta
    near.objective.follow(near.theta(here))
    for _ in range(_STEPS):
        begun = near.point(2.0 * here - before)
        if begun is None:
            return None
        ascent = Ascent(begun, directions, None)
        point, directions, _ = by_trust_region(near.point, ascent, _NEARLY_FLAT, _EVALUATIONS)
        if point.log_likelihood < least:
            return None
        near.objective.follow(near.theta(point.eta))
        before, here = here, point.eta
        if _holds(near, here):
            return here, before
    return None


def _beside_edge(near: Unscaled, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    way = outside - inside
    return inside + last_inside(lambda share: _holds(near, inside + share * way), _HALVINGS) * way
