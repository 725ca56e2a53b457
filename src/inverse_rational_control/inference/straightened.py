"""A density in coordinates that bend with it, so that samplers meet something like a unit normal.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.inference.bending import REACH, Bend, bounded
from inverse_rational_control.inference.importance import ImportanceSample
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["Straightened"]


@dataclass(frozen=True)
class Straightened:
    """A log posterior density by straightened coordinates u, one to one with whitened coordinates x.

    Attributes
    ----------
    whitened : Whitened
        Principal coordinates x of the draws.
    bend : Bend
        From u to x; its center and inner matrix are in `whitened` already.
    """

    whitened: Whitened
    bend: Bend

    @classmethod
    def of(cls, whitened: Whitened, importance: ImportanceSample) -> Straightened:
        """Fit to weighted draws."""
        bend = Bend.of(importance.z, importance.log_weight)
        return cls(whitened.turned(bend.inner, bend.center), bend)

    @property
    def size(self) -> int:
        """Number k of coordinates."""
        return self.whitened.size

    def located(self, x: np.ndarray) -> np.ndarray:
        """Straightened coordinates of whitened ones, both (k,)."""
        return self.bend.straightened(x[None])[0][0]

    def natural(self, u: np.ndarray) -> np.ndarray:
        """Natural parameters at u, shape (..., k) to (..., n)."""
        x, _ = self.bend.bent(u.reshape(-1, self.size))
        return self.whitened.natural(x).reshape(*u.shape[:-1], -1)

    def log_stretch(self, u: np.ndarray) -> np.ndarray:
        """Log of the volume that x has by that of u, shape (..., k) to (...)."""
        return self.bend.bent(u.reshape(-1, self.size))[1].reshape(u.shape[:-1])

    def log_density(self, u: np.ndarray) -> float:
        """Log density by u but for a constant, the forward pass alone; -inf where there is none."""
        x, log_volume = self.bend.bent(u[None])
        return self.whitened.log_density(x[0]) + float(log_volume[0])

    def evaluate(self, u: np.ndarray) -> tuple[float, np.ndarray | None]:
        """Log density by u but for a constant, and its gradient (k,); (-inf, None) if there is none."""
        found, log_volume = self.bend.bent(u[None])
        value, gradient = self.whitened.evaluate(found[0])
        if gradient is None:
            return value, None
        y = bounded(found[0])
        constants, width_slopes = self.bend.log_width
        by_x, by_u = gradient.copy(), np.empty(self.size)
        by_y = 1.0 - (y / REACH) ** 2
        slopes = self.bend.mean[1] + 2.0 * self.bend.mean[2] @ y
        reach = np.exp(constants + width_slopes @ y)
        for k in reversed(range(self.size)):
            by_u[k] = by_x[k] * reach[k]
            change = by_x[k] * slopes[k, :k] + (by_u[k] * u[k] + 1.0) * width_slopes[k, :k]
            by_x[:k] += by_y[:k] * change
        return value + float(log_volume[0]), by_u
