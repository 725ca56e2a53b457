"""Observed information of the likelihood, in unconstrained coordinates.

Differences of the exact gradient (docs/model.md section 8): one E-step per free coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.parameter_space import ParameterSpace

__all__ = [
    "Curvature",
    "inverse_root",
    "is_positive_definite",
    "minus_hessian",
    "observed_information",
    "regularized_inverse_root",
]


def observed_information(
    objective: Objective,
    eta: np.ndarray,
    difference_step: float,
    gradient: np.ndarray | None = None,
) -> np.ndarray:
    """Minus the second derivative of the log-likelihood at `eta`, by the space's free coordinates.

    Parameters
    ----------
    objective : Objective
        Its space has k free coordinates.
    eta : ndarray, shape (n,)
        Unconstrained coordinates.
    difference_step : float
        Step of the differences of the gradient, unconstrained coordinates.
    gradient : ndarray, shape (n,), optional
        By unconstrained coordinates at `eta`, if known: then differences are taken to one side only,
        which costs half the E-steps and is true to first order in the step; `FitSettings` says which
        step is small enough for that.

    Returns
    -------
    ndarray, shape (k, k)
        Symmetrized; NaN throughout if a gradient beside `eta` is not usable.
    """
    space = objective.space

    def gradient_at(eta):
        theta = space.natural(eta)
        evaluation = objective.evaluate(theta)
        if not evaluation.usable:
            return None
        return evaluation.gradient * space.natural_jacobian(theta)

    return minus_hessian(gradient_at, eta, space.directions, difference_step, gradient)


def minus_hessian(
    gradient_at: Callable[[np.ndarray], np.ndarray | None],
    point: np.ndarray,
    directions: np.ndarray,
    difference_step: float | Sequence[float],
    gradient: np.ndarray | None = None,
) -> np.ndarray:
    """Minus the second derivative of a function along directions, by differences of its gradient.

    Parameters
    ----------
    gradient_at : callable
        Gives the gradient at a point, shape (n,) both, or None where it is not usable.
    point : ndarray, shape (n,)
    directions : ndarray, shape (n, k)
    difference_step : float, or several
        In the coordinates of the point; of several, along each direction the first at whose end a
        gradient is usable.
    gradient : ndarray, shape (n,), optional
        At the point, if known: then differences are taken to one side only.

    Returns
    -------
    ndarray, shape (k, k)
        Symmetrized; NaN throughout, and no further gradient is taken, once none is usable.
    """
    size = directions.shape[1]
    hessian = np.empty((size, size))
    for k in range(size):
        for step in np.atleast_1d(difference_step):
            change = _change_along(gradient_at, point, directions[:, k], step, gradient)
            if change is not None:
                break
        else:
            return np.full_like(hessian, np.nan)
        hessian[k] = directions.T @ change
    return -0.5 * (hessian + hessian.T)


def _change_along(gradient_at, point, direction, step, gradient):
    """Change of the gradient per unit of a direction; None where a gradient is not usable."""
    ahead = gradient_at(point + step * direction)
    if ahead is None or gradient is not None:
        return None if ahead is None else (ahead - gradient) / step
    behind = gradient_at(point - step * direction)
    return None if behind is None else (ahead - behind) / (2.0 * step)


def is_positive_definite(information: np.ndarray) -> bool:
    """Whether an information matrix is finite and numerically positive definite."""
    if not np.isfinite(information).all():
        return False
    size = np.sqrt(np.abs(np.diag(information)))
    if not (np.diag(information) > 0).all():
        return False
    eigenvalues = np.linalg.eigvalsh(information / np.outer(size, size))
    return bool(eigenvalues[0] > 1e-10 * eigenvalues[-1])


def inverse_root(information: np.ndarray) -> np.ndarray:
    """A with A A' = information^-1, so that eta = A z has unit information in z; shape (k, k)."""
    return np.linalg.inv(np.linalg.cholesky(information)).T


def regularized_inverse_root(information: np.ndarray) -> np.ndarray:
    """A with A A' about information^-1, small and negative eigenvalues made positive; (k, k)."""
    if not np.isfinite(information).all():
        return np.eye(len(information))
    eigenvalues, vectors = np.linalg.eigh(information)
    lowest = max(1e-4 * np.abs(eigenvalues).max(), np.finfo(float).tiny)
    return vectors / np.sqrt(np.maximum(np.abs(eigenvalues), lowest))


@dataclass(frozen=True)
class Curvature:
    """Quadratic picture of the likelihood around a point.

    Attributes
    ----------
    information : ndarray, shape (k, k)
        By the space's free coordinates.
    center : ndarray, shape (n,)
        Where it was taken, unconstrained coordinates.
    root : ndarray, shape (n, k), or None
        Inverse root of the information, from whitened to unconstrained coordinates; None if the
        information is not positive definite.
    space : ParameterSpace
    """

    information: np.ndarray
    center: np.ndarray
    root: np.ndarray | None
    space: ParameterSpace

    @classmethod
    def of(
        cls,
        information: np.ndarray,
        center: np.ndarray,
        space: ParameterSpace,
    ) -> Curvature:
        """Make one of an information matrix."""
        definite = is_positive_definite(information)
        root = space.directions @ inverse_root(information) if definite else None
        return cls(information, center, root, space)

    @classmethod
    def unknown(cls, center: np.ndarray, space: ParameterSpace) -> Curvature:
        """That of a point where nobody looked: NaN throughout, no root."""
        return cls(np.full((space.size, space.size), np.nan), center, None, space)

    @property
    def lowest(self) -> float:
        """The information's lowest eigenvalue; NaN if it is not finite."""
        finite = np.isfinite(self.information).all()
        return float(np.linalg.eigvalsh(self.information)[0]) if finite else np.nan

    @property
    def regularized_root(self) -> np.ndarray:
        """As `root`, but always there: of the absolute eigenvalues, none too small; shape (n, k)."""
        return self.space.directions @ regularized_inverse_root(self.information)

    def whitened(self, gradient: np.ndarray) -> np.ndarray:
        """A gradient by whitened coordinates, sqrt(nats), (n,) to (k,); NaN if there are none."""
        return np.full(self.space.size, np.nan) if self.root is None else self.root.T @ gradient

    def reaches(self, eta: np.ndarray) -> bool:
        """Whether a point, shape (n,), is within a standard deviation of the center."""
        apart = self.space.free_coordinates(eta - self.center)
        return self.root is not None and float(apart @ self.information @ apart) < 1.0
