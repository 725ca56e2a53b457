"""Newton's method in a trust region, for curved ridges along which a likelihood hardly changes.

Steps are measured in coordinates whitened by the function's own information, in which what is pinned
moves by its standard errors and what is not by about one unconstrained unit. Source: docs/model.md
section 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inverse_rational_control.inference.information import minus_hessian
from inverse_rational_control.inference.search import Point

__all__ = ["Ascent", "by_trust_region", "whitened_by"]

_ROUNDS = 60
_DIFFERENCES = (0.03, -0.03, 0.006, -0.006, 0.001, -0.001)  # whitened; smaller ones near a wall
_WIDEST, _NARROWEST = 200.0, 1e-6
_GOOD, _FAIR, _POOR = 0.75, 0.6, 0.25  # gain by that expected
_LEAST = 1e-3  # of it, for a step to be taken


class Ascent(NamedTuple):
    """Where a climb came to.

    Attributes
    ----------
    point : Point
    directions : ndarray, shape (n, k)
        Whitened coordinates there; their information is about one, less where nothing is pinned.
    information : ndarray, shape (k, k), or None
        By these; None if it is not known.
    """

    point: Point
    directions: np.ndarray
    information: np.ndarray | None


def by_trust_region(
    point_at: Callable[[np.ndarray], Point | None],
    begun: Ascent,
    flat: float,
    max_evaluations: int,
) -> Ascent:
    """Climb until no step within the region is expected to gain `flat` nats.

    Parameters
    ----------
    point_at : callable
        Gives the function and its gradient at coordinates, shape (n,), or None beyond a wall.
    begun : Ascent
        Where to begin; its directions say in what steps the first information is looked for.
    flat : float
        Nats.
    max_evaluations : int
    """
    point, directions, information = begun
    radius, spent, fresh = 1.0, 0, False
    for _ in range(_ROUNDS):
        if information is None:
            information, used = _information(point_at, point, directions)
            spent += used
            if information is None:
                break
            directions, information = whitened_by(directions, information)
            fresh = True
        gradient = directions.T @ point.gradient
        step, expected = _step(gradient, information, radius)
        if expected < flat:
            if fresh and radius >= 1.0:
                break
            # Narrow regions expect little wherever they are.
            radius, information = max(radius, 1.0), information if fresh else None
            continue
        if spent >= max_evaluations:
            break
        trial = point_at(point.eta + directions @ step)
        spent += 1
        gain = -np.inf if trial is None else trial.log_likelihood - point.log_likelihood
        length, share = float(np.linalg.norm(step)), gain / expected
        if share > _GOOD and length > 0.9 * radius:
            radius = min((4.0 if share > 0.9 else 2.0) * radius, _WIDEST)
        elif share < _POOR:
            radius = 0.3 * length
        if share > _LEAST:
            change = gradient - directions.T @ trial.gradient
            information = None if share < _FAIR else _updated(information, step, change)
            point, fresh = trial, False
        elif not fresh:
            information = None
        elif radius < _NARROWEST:
            break
    return Ascent(point, directions, information)


def whitened_by(directions: np.ndarray, information: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions in which an information matrix is plus or minus one, or less where they are one long.

    Parameters
    ----------
    directions : ndarray, shape (n, k)
    information : ndarray, shape (k, k)
        By these.

    Returns
    -------
    directions : ndarray, shape (n, k)
        None longer than one.
    information : ndarray, shape (k, k)
        By the new ones.
    """
    eigenvalues, vectors = np.linalg.eigh(information)
    root = vectors / np.sqrt(np.maximum(np.abs(eigenvalues), 1e-12))
    root = root / np.maximum(1.0, np.linalg.norm(directions @ root, axis=0))
    return directions @ root, root.T @ information @ root


def _information(point_at, point, directions):
    """Minus the second derivative by directions, one-sided differences; None if beside a wall."""
    axes, spent = np.eye(directions.shape[1]), 0

    def gradient_at(moved):
        nonlocal spent
        spent += 1
        beside = point_at(point.eta + directions @ moved)
        return None if beside is None else directions.T @ beside.gradient

    here, center = directions.T @ point.gradient, np.zeros(len(axes))
    found = minus_hessian(gradient_at, center, axes, _DIFFERENCES, here)
    return (None if np.isnan(found).any() else found), spent


def _step(gradient, information, radius):
    """The step that gains most within a radius by the quadratic picture, and its gain.

    Source: Nocedal and Wright (2006), Numerical Optimization, section 4.3.
    """
    eigenvalues, vectors = np.linalg.eigh(information)
    along = vectors.T @ gradient

    def shifted(by):
        return along / (eigenvalues + by)

    if eigenvalues[0] > 0.0 and np.linalg.norm(shifted(0.0)) <= radius:
        step = shifted(0.0)
    else:
        low = max(0.0, -eigenvalues[0]) + 1e-12
        high = low + np.linalg.norm(along) / radius + 1.0
        for _ in range(80):
            middle = 0.5 * (low + high)
            low, high = (
                (middle, high) if np.linalg.norm(shifted(middle)) > radius else (low, middle)
            )
        step = shifted(high)
        rest = radius**2 - step @ step
        if eigenvalues[0] < 0.0 and rest > 0.02 * radius**2:  # no slope along what curves upward
            step[0] += np.copysign(np.sqrt(rest), along[0])
    return vectors @ step, float(along @ step - 0.5 * step @ (eigenvalues * step))


def _updated(information, step, change):
    """Symmetric rank-one update by a step along which minus the gradient changed so."""
    rest = change - information @ step
    along = rest @ step
    if abs(along) <= 1e-8 * np.linalg.norm(rest) * np.linalg.norm(step):
        return information
    return information + np.outer(rest, rest) / along
