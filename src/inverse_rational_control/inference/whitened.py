"""A density around its mode in whitened coordinates, in which samplers move.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.inference.information import regularized_inverse_root
from inverse_rational_control.inference.log_posterior import LogPosterior

__all__ = ["Whitened"]


@dataclass(frozen=True)
class Whitened:
    """A log posterior density by whitened coordinates z: unconstrained = mode + root z.

    Attributes
    ----------
    density : LogPosterior
        With k free of n parameters.
    mode : ndarray, shape (n,)
        Unconstrained coordinates; where z = 0.
    root : ndarray, shape (n, k)
        Inverse root of minus the Hessian at the mode, small eigenvalues made larger; or what `turned`
        made of it.
    log_volume : float
        Log of the volume of a unit cube of z in free coordinates.
    """

    density: LogPosterior
    mode: np.ndarray
    root: np.ndarray
    log_volume: float

    @classmethod
    def around(cls, density: LogPosterior, mode: np.ndarray, information: np.ndarray) -> Whitened:
        """Whiten with the information at a mode, natural coordinates (n,), and (k, k)."""
        inner = regularized_inverse_root(information)
        space = density.space
        return cls(
            density,
            space.unconstrained(mode),
            space.directions @ inner,
            float(np.linalg.slogdet(inner)[1]),
        )

    @property
    def size(self) -> int:
        """Number k of coordinates."""
        return self.root.shape[1]

    def turned(self, inner: np.ndarray, center: np.ndarray | float = 0.0) -> Whitened:
        """The same density by other coordinates y, z = center + inner y; shapes (k, k) and (k,)."""
        mode = self.mode + self.root @ np.broadcast_to(center, self.size)
        volume = self.log_volume + float(np.linalg.slogdet(inner)[1])
        return Whitened(self.density, mode, self.root @ inner, volume)

    def located(self, other: Whitened, z: np.ndarray) -> np.ndarray:
        """Coordinates (k,) of where z is in another's, of the same free coordinates."""
        away = other.mode + other.root @ z - self.mode
        return np.linalg.lstsq(self.root, away, rcond=None)[0]

    def log_stretch(self, z: np.ndarray) -> np.ndarray:
        """Log of what the volume varies by from place to place, (..., k) to (...): nothing."""
        return np.zeros(z.shape[:-1])

    def natural(self, z: np.ndarray) -> np.ndarray:
        """Natural parameters at z, shape (..., k) to (..., n)."""
        return self.density.space.natural(self.mode + z @ self.root.T)

    def log_density(self, z: np.ndarray) -> float:
        """Log density by z but for a constant, the forward pass alone; -inf where there is none."""
        eta = self.mode + self.root @ z
        if not self.density.space.contains(eta):
            return -np.inf
        value = self.density.log_likelihood(self.density.space.natural(eta))
        return value if np.isfinite(value) else -np.inf

    def evaluate(self, z: np.ndarray) -> tuple[float, np.ndarray | None]:
        """Log density by z but for a constant, and its gradient (k,); (-inf, None) if there is none."""
        eta = self.mode + self.root @ z
        if not self.density.space.contains(eta):
            return -np.inf, None
        theta = self.density.space.natural(eta)
        found = self.density.evaluate(theta)
        if not found.usable:
            return -np.inf, None
        by_eta = found.gradient * self.density.space.natural_jacobian(theta)
        return found.log_likelihood, self.root.T @ by_eta
