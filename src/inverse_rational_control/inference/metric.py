"""Coordinates in which the whole of a posterior, not its mode alone, is about a unit normal.

Source: docs/model.md section 10.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.inference.bending import shrunk
from inverse_rational_control.inference.importance import ImportanceSample
from inverse_rational_control.inference.information import minus_hessian, regularized_inverse_root
from inverse_rational_control.inference.straightened import Straightened
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["N_CURVATURES", "prepared"]

N_CURVATURES = 12  # draws whose curvature is averaged
_DIFFERENCE = 1e-3  # of the gradients, standard deviations at the mode
_POWER = 0.5  # of the posterior that starts are drawn for: wider by the root of two


def prepared(
    whitened: Whitened, importance: ImportanceSample, n_chains: int, rng: np.random.Generator
) -> tuple[Whitened | Straightened, np.ndarray | None, int]:
    """Choose the coordinates that chains move in by weighted draws, and where they start.

    Where the weights can be trusted, coordinates bend with the draws. Elsewhere they stay straight,
    whitened with the curvature and the covariance over draws instead of the mode's curvature: with H the
    mean of minus the Hessian and C the covariance, the root A has A' H A = A^-1 C A'^-1, so that neither
    steep directions nor long ones are far from one. Where few draws carry the weight, C has little say.

    Parameters
    ----------
    whitened : Whitened
        Around the mode.
    importance : ImportanceSample
        In its coordinates.
    n_chains : int
    rng : numpy.random.Generator

    Returns
    -------
    coordinates : Whitened or Straightened
    starts : ndarray, shape (n_chains, k), or None
        In these. Different draws, weighed for the root of the posterior, which is wider; None if too few
        have a density.
    n_evaluations : int
        Gradients taken.
    """
    starts = _draws_to_start_from(importance, n_chains, rng)
    if importance.usable:
        bent = Straightened.of(whitened, importance)
        if starts is not None:
            starts = np.array([bent.located(bent.whitened.located(whitened, z)) for z in starts])
        return bent, starts, 0
    moved, spent = _rewhitened(whitened, importance, rng)
    if starts is not None:
        starts = np.array([moved.located(whitened, z) for z in starts])
    return moved, starts, spent


def _rewhitened(whitened, importance, rng):
    """Whitened anew by curvature and covariance over draws, and gradients taken."""
    curvatures, spent = [], 0
    for z in importance.z[np.unique(importance.resampled(N_CURVATURES, rng))]:
        found, taken = _curvature(whitened, z)
        spent += taken
        if np.isfinite(found).all():
            curvatures.append(found)
    if not curvatures:
        return whitened, spent
    steep = regularized_inverse_root(np.mean(curvatures, axis=0))
    inverse = np.linalg.inv(steep)
    covariance = inverse @ importance.moments[1] @ inverse.T
    variances, vectors = np.linalg.eigh(shrunk(covariance, importance.effective_size))
    # Half way, in logarithms, from unit curvature to unit variance.
    return whitened.turned(steep @ (vectors * variances**0.25)), spent


def _draws_to_start_from(importance, n_chains, rng):
    """Draws that chains start from, shape (n_chains, k); None if too few have a density."""
    known = np.flatnonzero(np.isfinite(importance.log_weight + importance.log_density))
    if len(known) < n_chains:
        return None
    log_weight = importance.log_weight[known] - (1.0 - _POWER) * importance.log_density[known]
    weight = np.exp(log_weight - log_weight.max()) + np.finfo(float).tiny
    return importance.z[rng.choice(known, n_chains, replace=False, p=weight / weight.sum())]


def _curvature(whitened, z):
    """Minus the Hessian by z, of one-sided differences; NaN if one is not usable; gradients taken."""
    taken = 0

    def gradient_at(place):
        nonlocal taken
        taken += 1
        return whitened.evaluate(place)[1]

    here, axes = gradient_at(z), np.eye(whitened.size)
    if here is None:
        return np.full_like(axes, np.nan), taken
    return minus_hessian(gradient_at, z, axes, _DIFFERENCE, here), taken
