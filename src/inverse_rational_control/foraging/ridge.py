"""From a continued plan's maximum back into the region where it is the agent's own.

The maximum of a plan that was followed from shorter horizons often lies where value iteration reaches
another one, but the point from which the last climb began does not. Source: docs/model.md section 8.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.unscaled import Unscaled
from inverse_rational_control.inference.edges import EdgeClimb, climb_continued, last_inside
from inverse_rational_control.inference.search import Point
from inverse_rational_control.inference.trust_region import Ascent

__all__ = ["along_edge_from", "along_flat"]

_WEAK, _SHIFTS, _LOSS = 0.2, (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 1e-3  # of a slide along what is flat
_HALVINGS = 14
_SAME = 1e-6  # of a log-likelihood, between two of one plan
_LOST = 5.0  # nats, by which a way up falls where its plan is lost


def along_flat(near: Unscaled, climb: Ascent) -> Point | None:
    """A continued plan's maximum, or a point as high along what is flat, where it is the agent's own.

    Parameters
    ----------
    near : Unscaled
        Of a `ContinuedObjective`.
    climb : Ascent
        To its maximum.

    Returns
    -------
    Point or None
        At most 0.001 nat below; None if it is the agent's own nowhere there.
    """
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


def along_edge_from(
    objective: ForagingObjective,
    settings: FitSettings,
    near: Unscaled,
    begun: Point,
    beyond: Point,
) -> EdgeClimb | None:
    """Climb along the edge from where the way from a point inside to one beyond crosses it.

    Parameters
    ----------
    objective : ForagingObjective
    settings : FitSettings
    near : Unscaled
        Of a `ContinuedObjective`.
    begun, beyond : Point
        Coordinates of `near`.

    Returns
    -------
    EdgeClimb or None
        None where the plan is not the agent's own where the climb began.
    """
    theta = near.theta(begun.eta)
    if abs(objective.log_likelihood(theta) - begun.log_likelihood) > _SAME * abs(
        begun.log_likelihood
    ):
        return None
    own, way = objective.continued(theta), beyond.eta - begun.eta
    lowest = begun.log_likelihood - _LOST

    def inside(share):
        return near.eta(begun.eta + share * way)

    def holds(share):
        eta = inside(share)
        if not near.space.contains(eta):
            return False
        theta = near.space.natural(eta)
        # A plan that is followed too far may be lost, and the other one then is the agent's own, too.
        return own.holds(theta) and objective.log_likelihood(theta) > lowest

    crossing = inside(last_inside(holds, _HALVINGS))
    return climb_continued(own, crossing, settings, beside_edge=True)


def _holds(near: Unscaled, x: np.ndarray) -> bool:
    return near.space.contains(near.eta(x)) and near.objective.holds(near.theta(x))
