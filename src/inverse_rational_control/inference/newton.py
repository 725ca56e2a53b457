"""Newton steps on the observed information, from near a maximum to the last digits.

Source: docs/model.md section 8.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.search import Climb, Search, tolerated_fall

__all__ = ["newton", "point_beyond_saddle"]

_ROUNDS = 20
_HALVINGS = 12
_LAST_NATS = 1e-4  # that are not sought at a bound: each step there gains less than the one before
_WELL_WITHIN = 0.1  # of the tolerance, since the information that leads is only approximate


def newton(search: Search, start: np.ndarray, settings: FitSettings) -> Climb:
    """Newton steps until the decrement is well within tolerance.

    Information that an earlier search found within a standard deviation is used again; it is renewed
    where it does not lead on fast, or looks indefinite.

    Parameters
    ----------
    search : Search
    start : ndarray, shape (n,)
        A usable point near a maximum, unconstrained coordinates.
    settings : FitSettings

    Returns
    -------
    Climb
        With the curvature that led it last.
    """
    eta, (_, log_likelihood, gradient) = start, search.point(start)
    local = search.known_near(eta)
    # Whether the matrix was taken just here, and whether one that was did not lead on fast.
    fresh, slow = local is None, False

    def look():
        return search.curvature(eta, settings.difference_step)

    def at_bound(eta):
        return search.space.at_bound(search.space.natural(eta)).any()

    def ended(reason, failed=True):
        return search.climbed(eta, log_likelihood, reason, curvature=local, failed=failed)

    if fresh:
        local = look()
    for _ in range(_ROUNDS):
        if local.root is None and not fresh:
            local, fresh = look(), True
        if local.root is None:
            return ended("the information is not positive definite")
        whitened = local.whitened(gradient)
        decrement = 0.5 * float(whitened @ whitened)
        if decrement <= _WELL_WITHIN * settings.tolerance:
            return ended("Newton: the decrement is well within tolerance", failed=False)
        if fresh and slow and decrement < _LAST_NATS and at_bound(eta):
            return ended("next to nothing left to gain at a bound")
        point = _point_along(search, eta, local.root @ whitened, log_likelihood, local, whitened)
        if point is None and fresh:
            return ended("no Newton step raised the likelihood")
        left_over = np.inf
        if point is not None:
            eta, log_likelihood, gradient = point
            search.accept(eta, log_likelihood)
            left_over = 0.5 * float(np.sum(local.whitened(gradient) ** 2))
        # The same matrix serves again while it leads on fast.
        if left_over > max(_WELL_WITHIN * settings.tolerance, 0.4 * decrement):
            slow = slow or fresh
            local, fresh = look(), True
        else:
            fresh = False
    return ended(f"{_ROUNDS} Newton rounds used up")


def _point_along(search, eta, step, log_likelihood, local, whitened):
    """The first better point as a step is halved, or None."""
    for _ in range(_HALVINGS):
        point = search.point(eta + step)
        # Below rounding of the likelihood itself, a smaller gradient decides.
        if point is not None and (
            point.log_likelihood > log_likelihood
            or (
                point.log_likelihood > log_likelihood - tolerated_fall(log_likelihood)
                and np.linalg.norm(local.whitened(point.gradient)) < np.linalg.norm(whitened)
            )
        ):
            return point
        step = 0.5 * step
    return None


def point_beyond_saddle(search: Search, climb: Climb) -> np.ndarray | None:
    """A higher point along the direction of negative information, or None if there is none.

    Parameters
    ----------
    search : Search
    climb : Climb
        Newton's, whose end may be a saddle.

    Returns
    -------
    ndarray, shape (n,), or None
        Unconstrained coordinates.
    """
    local = climb.curvature
    if local.root is not None or not np.isfinite(local.information).all():
        return None
    eigenvalues, vectors = np.linalg.eigh(local.information)
    if not eigenvalues[0] < 0.0:
        return None
    for length in (1.0, 0.3):
        for sign in (1.0, -1.0):
            trial = climb.end + sign * length * local.space.directions @ vectors[:, 0]
            point = search.point(trial)
            if point is not None and point.log_likelihood > climb.log_likelihood + 1e-3:
                return trial
    return None
