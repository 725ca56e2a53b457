"""A density in coordinates that bend with it, so that samplers meet something like a unit normal.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.inference.importance import ImportanceSample
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["Straightened"]

_RIDGE = 20.0  # draws that coefficients of zero count as
_REACH = 2.0  # standard deviations beyond which means and widths bend no more
_ITERATIONS, _ENOUGH = 30, 1e-6  # of Newton's method for a width


@dataclass(frozen=True)
class Straightened:
    """A log posterior density by straightened coordinates u, one to one with whitened coordinates x.

    x_k = m_k(y) + exp(s_k(y)) u_k, with m_k quadratic and s_k linear in y_j, j < k, and y the bounded
    _REACH tanh(x / _REACH).

    Attributes
    ----------
    whitened : Whitened
        Principal coordinates x of the draws, the widest first; mean 0, variance 1.
    mean : tuple of ndarray, shapes (k,), (k, k), (k, k, k)
        Constants, slopes and curvatures of m; zero where j >= k.
    log_width : tuple of ndarray, shapes (k,), (k, k)
        Constants and slopes of s.
    """

    whitened: Whitened
    mean: tuple[np.ndarray, np.ndarray, np.ndarray]
    log_width: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, whitened: Whitened, importance: ImportanceSample) -> Straightened:
        """Fit to weighted draws, by coordinate: means by least squares, widths by likelihood."""
        center, covariance = importance.moments
        variances, vectors = np.linalg.eigh(covariance)
        inner = vectors[:, ::-1] * np.sqrt(variances[::-1])
        x = np.linalg.solve(inner, (importance.z - center).T).T
        size, weight = x.shape[1], np.exp(importance.log_weight)
        ridge = _RIDGE / importance.effective_size
        mean = np.zeros(size), np.zeros((size, size)), np.zeros((size, size, size))
        log_width = np.zeros(size), np.zeros((size, size))
        y = _bounded(x)
        for k in range(size):
            before = y[:, :k]
            rows, columns = np.triu_indices(k)
            features = np.column_stack(
                [np.ones(len(y)), before, before[:, rows] * before[:, columns]]
            )
            found = _regression(features, x[:, k], weight, ridge)
            mean[0][k], mean[1][k, :k] = found[0], found[1 : 1 + k]
            mean[2][k, rows, columns] = 0.5 * found[1 + k :]
            mean[2][k] += mean[2][k].T
            found = _log_width(features[:, : 1 + k], x[:, k] - features @ found, weight, ridge)
            log_width[0][k], log_width[1][k, :k] = found[0], found[1:]
        return cls(whitened.turned(inner, center), mean, log_width)

    @property
    def size(self) -> int:
        """Number k of coordinates."""
        return self.whitened.size

    def located(self, x: np.ndarray) -> np.ndarray:
        """Straightened coordinates of whitened ones, both (k,)."""
        y = _bounded(x)
        # Nothing depends on coordinates that come later: their slopes are zero.
        middle = self.mean[0] + self.mean[1] @ y + self.mean[2] @ y @ y
        return (x - middle) * np.exp(-self._log_widths(y))

    def natural(self, u: np.ndarray) -> np.ndarray:
        """Natural parameters at u, shape (..., k) to (..., n)."""
        x = np.array([self._bent(each)[0] for each in u.reshape(-1, self.size)])
        return self.whitened.natural(x).reshape(*u.shape[:-1], -1)

    def log_stretch(self, u: np.ndarray) -> np.ndarray:
        """Log of the volume that x has by that of u, shape (..., k) to (...)."""
        found = [self._log_widths(self._bent(each)[1]).sum() for each in u.reshape(-1, self.size)]
        return np.array(found).reshape(u.shape[:-1])

    def log_density(self, u: np.ndarray) -> float:
        """Log density by u but for a constant, the forward pass alone; -inf where there is none."""
        x, y = self._bent(u)
        return self.whitened.log_density(x) + float(self._log_widths(y).sum())

    def evaluate(self, u: np.ndarray) -> tuple[float, np.ndarray | None]:
        """Log density by u but for a constant, and its gradient (k,); (-inf, None) if there is none."""
        x, y = self._bent(u)
        value, gradient = self.whitened.evaluate(x)
        if gradient is None:
            return value, None
        log_widths = self._log_widths(y)
        by_x, by_u = gradient.copy(), np.empty(self.size)
        by_y = 1.0 - (y / _REACH) ** 2
        slopes = self.mean[1] + 2.0 * self.mean[2] @ y
        reach = np.exp(log_widths)
        for k in reversed(range(self.size)):
            by_u[k] = by_x[k] * reach[k]
            change = by_x[k] * slopes[k, :k] + (by_u[k] * u[k] + 1.0) * self.log_width[1][k, :k]
            by_x[:k] += by_y[:k] * change
        return value + float(log_widths.sum()), by_u

    def _bent(self, u):
        """Whitened coordinates x, and y, at u: one coordinate after another."""
        x, y = np.zeros(self.size), np.zeros(self.size)
        constants, slopes, curvatures = self.mean
        for k in range(self.size):
            before = y[:k]
            middle = slopes[k, :k] @ before + before @ curvatures[k, :k, :k] @ before
            width = np.exp(self.log_width[0][k] + self.log_width[1][k, :k] @ before)
            x[k] = constants[k] + middle + width * u[k]
            y[k] = _bounded(x[k])
        return x, y

    def _log_widths(self, y):
        return self.log_width[0] + self.log_width[1] @ y


def _bounded(x):
    return _REACH * np.tanh(x / _REACH)


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
    found = np.zeros(features.shape[1])
    found[0] = 0.5 * np.log(weight @ residual**2)
    penalty = _ridges(features.shape[1], ridge)
    for _ in range(_ITERATIONS):
        square = weight * residual**2 * np.exp(-2.0 * features @ found)
        gradient = features.T @ (square - weight) - penalty @ found
        step = np.linalg.solve((features.T * (2.0 * square)) @ features + penalty, gradient)
        found = found + step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < _ENOUGH:
            break
    return found
