"""A map of known volume from straight coordinates u to bent ones z, fitted to weighted draws.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

__all__ = ["REACH", "Bend", "bounded", "effective_size", "moments", "shrunk"]

_SHRINKAGE = 20.0  # draws that a covariance known beforehand counts as, or coefficients of zero
REACH = 2.0  # standard deviations beyond which means and widths bend no more
_ITERATIONS, _ENOUGH = 30, 1e-6  # of Newton's method for a width


@dataclass(frozen=True)
class Bend:
    """One to one: z = center + inner x, x_k = m_k(y) + exp(s_k(y)) u_k.

    m_k is quadratic and s_k linear in y_j, j < k, with y the bounded REACH tanh(x / REACH).

    Attributes
    ----------
    center, inner : ndarray, shapes (k,) and (k, k)
        Principal coordinates x of the draws, the widest first; mean 0, variance 1.
    mean : tuple of ndarray, shapes (k,), (k, k), (k, k, k)
        Constants, slopes and curvatures of m; zero where j >= k.
    log_width : tuple of ndarray, shapes (k,), (k, k)
        Constants and slopes of s.
    """

    center: np.ndarray
    inner: np.ndarray
    mean: tuple[np.ndarray, np.ndarray, np.ndarray]
    log_width: tuple[np.ndarray, np.ndarray]

    @classmethod
    def none(cls, center: np.ndarray, inner: np.ndarray) -> Bend:
        """That which is straight; shapes (k,) and (k, k)."""
        k = len(center)
        mean = np.zeros(k), np.zeros((k, k)), np.zeros((k, k, k))
        return cls(center, inner, mean, (np.zeros(k), np.zeros((k, k))))

    @classmethod
    def of(cls, z: np.ndarray, log_weight: np.ndarray) -> Bend:
        """Fit to weighted draws (n, k), by coordinate: means by least squares, widths by likelihood.

        Few draws that carry the weight say little: their covariance is drawn to the unit matrix, that of
        the mode in whitened coordinates, and coefficients to zero.
        """
        size, weight = effective_size(log_weight), np.exp(log_weight)
        center, covariance = moments(z, log_weight)
        variances, vectors = np.linalg.eigh(shrunk(covariance, size))
        inner = vectors[:, ::-1] * np.sqrt(variances[::-1])
        found = cls.none(center, inner)
        mean, log_width = found.mean, found.log_width
        x = found.principal(z)
        y, ridge = bounded(x), _SHRINKAGE / size
        for j in range(len(center)):
            before = y[:, :j]
            rows, columns = np.triu_indices(j)
            features = np.column_stack(
                [np.ones(len(y)), before, before[:, rows] * before[:, columns]]
            )
            fitted = _regression(features, x[:, j], weight, ridge)
            mean[0][j], mean[1][j, :j] = fitted[0], fitted[1 : 1 + j]
            mean[2][j, rows, columns] = 0.5 * fitted[1 + j :]
            mean[2][j] += mean[2][j].T
            residual = x[:, j] - features @ fitted
            fitted = _log_width(features[:, : 1 + j], residual, weight, ridge)
            log_width[0][j], log_width[1][j, :j] = fitted[0], fitted[1:]
        return found

    def principal(self, z: np.ndarray) -> np.ndarray:
        """Coordinates x of points z, both (n, k)."""
        return np.linalg.solve(self.inner, (z - self.center).T).T

    def bent(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bent x, and log of its volume by u, at u: (n, k) to (n, k) and (n,)."""
        x, y, log_volume = np.zeros(u.shape), np.zeros(u.shape), np.zeros(len(u))
        constants, slopes, curvatures = self.mean
        for k in range(u.shape[1]):
            before = y[:, :k]
            middle = before @ slopes[k, :k]
            middle += ((before @ curvatures[k, :k, :k]) * before).sum(1)
            log_width = self.log_width[0][k] + before @ self.log_width[1][k, :k]
            x[:, k] = constants[k] + middle + np.exp(log_width) * u[:, k]
            y[:, k] = bounded(x[:, k])
            log_volume += log_width
        return x, log_volume

    def straightened(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The inverse of `bent`: u, and log of the volume of x by u, at x; (n, k) to (n, k) and (n,)."""
        y = bounded(x)
        # Nothing depends on coordinates that come later: their slopes are zero.
        constants, slopes, curvatures = self.mean
        middle = constants + y @ slopes.T + np.einsum("na,kab,nb->nk", y, curvatures, y)
        log_widths = self.log_width[0] + y @ self.log_width[1].T
        return (x - middle) * np.exp(-log_widths), log_widths.sum(1)


def bounded(x: np.ndarray) -> np.ndarray:
    """The coordinates that means and widths depend on, of any shape."""
    return REACH * np.tanh(x / REACH)


def moments(z: np.ndarray, log_weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (k,) and covariance (k, k) of weighted draws (n, k)."""
    weight = np.exp(log_weight)
    mean = weight @ z
    return mean, (weight[:, None] * (z - mean)).T @ (z - mean)


def shrunk(covariance: np.ndarray, size: float) -> np.ndarray:
    """A covariance (k, k) that is known from so many draws, drawn to the unit matrix."""
    return (size * covariance + _SHRINKAGE * np.eye(len(covariance))) / (size + _SHRINKAGE)


def effective_size(log_weight: np.ndarray) -> float:
    """1 / sum of squared weights that sum to one, shape (n,)."""
    return float(np.exp(-logsumexp(2.0 * log_weight)))


def _ridges(size, ridge):
    """Penalty of every coefficient but the first, a matrix."""
    penalty = ridge * np.eye(size)
    penalty[0, 0] = 0.0
    return penalty


def _regression(features, values, weight, ridge):
    weighted = features.T * weight
    penalty = _ridges(features.shape[1], ridge)
    return np.linalg.solve(weighted @ features + penalty, weighted @ values)


def _log_width(features, residual, weight, ridge):
    """Coefficients of the log of a normal's standard deviation, by penalized likelihood."""
    # As of draws one standard deviation away: few draws alone may leave no width at all.
    features = np.vstack([features, np.eye(1, features.shape[1])])
    residual, weight = np.append(residual, 1.0), np.append(weight, ridge)
    found = np.zeros(features.shape[1])
    found[0] = 0.5 * np.log(weight @ residual**2 / weight.sum())
    penalty = _ridges(features.shape[1], ridge)
    for _ in range(_ITERATIONS):
        square = weight * residual**2 * np.exp(-2.0 * features @ found)
        gradient = features.T @ (square - weight) - penalty @ found
        step = np.linalg.solve((features.T * (2.0 * square)) @ features + penalty, gradient)
        found = found + step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < _ENOUGH:
            break
    return found
