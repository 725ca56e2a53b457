"""Parameters of any model, and the unconstrained coordinates in which they are fitted.

A probability moves by its logit, a positive number by its logarithm, a real number as it is; a number
above a lower limit by the logarithm of what it is above it.
Source: docs/model.md section 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["BOUND_MARGIN", "Coordinates", "Parameter"]

#: A probability this close to 0 or 1, or a positive parameter this small, counts as "at a bound".
BOUND_MARGIN = 1e-3
# Beyond these a probability is 0 or 1 to within rounding, and a reward dwarfs all food to come.
_LARGEST = {"logit": 25.0, "log": 25.0, "identity": 1e6}


@dataclass(frozen=True)
class Parameter:
    """One scalar parameter.

    Attributes
    ----------
    name : str
        The name used in config, NetCDF, tables and code.
    symbol : str
        The paper's symbol, in mathtext.
    coordinate : {"logit", "log", "identity"}
        Unconstrained coordinate in which fits run (probability, positive number, real number).
    unit : str
        Unit of the natural value.
    lower : float
        Of coordinate "log": the natural value's lower limit, in its unit.
    """

    name: str
    symbol: str
    coordinate: str
    unit: str
    lower: float = 0.0


@dataclass(frozen=True)
class Coordinates:
    """Natural and unconstrained coordinates of n parameters.

    Attributes
    ----------
    parameters : tuple of Parameter
        In the order of every vector, whose last axis has n entries.
    """

    parameters: tuple[Parameter, ...]

    @cached_property
    def _logit(self) -> np.ndarray:
        return np.array([parameter.coordinate == "logit" for parameter in self.parameters])

    @cached_property
    def _log(self) -> np.ndarray:
        return np.array([parameter.coordinate == "log" for parameter in self.parameters])

    @cached_property
    def _lower(self) -> np.ndarray:
        return np.array([parameter.lower for parameter in self.parameters])

    @cached_property
    def _largest(self) -> np.ndarray:
        return np.array([_LARGEST[parameter.coordinate] for parameter in self.parameters])

    def unconstrained(self, theta: np.ndarray) -> np.ndarray:
        """Map natural to unconstrained coordinates; shape (..., n)."""
        theta = np.asarray(theta, dtype=float)
        eta = theta.copy()
        eta[..., self._logit] = np.log(theta[..., self._logit]) - np.log1p(-theta[..., self._logit])
        eta[..., self._log] = np.log(theta[..., self._log] - self._lower[self._log])
        return eta

    def natural(self, eta: np.ndarray) -> np.ndarray:
        """Map unconstrained to natural coordinates; shape (..., n). Inverse of `unconstrained`."""
        eta = np.asarray(eta, dtype=float)
        theta = eta.copy()
        with np.errstate(over="ignore"):
            theta[..., self._logit] = 1.0 / (1.0 + np.exp(-eta[..., self._logit]))
            theta[..., self._log] = np.exp(eta[..., self._log]) + self._lower[self._log]
        return theta

    def natural_jacobian(self, theta: np.ndarray) -> np.ndarray:
        """Derivative of each natural by its unconstrained coordinate at `theta`; shape (..., n)."""
        theta = np.asarray(theta, dtype=float)
        jacobian = np.ones_like(theta)
        jacobian[..., self._logit] = theta[..., self._logit] * (1.0 - theta[..., self._logit])
        jacobian[..., self._log] = theta[..., self._log] - self._lower[self._log]
        return jacobian

    def at_bound(self, theta: np.ndarray) -> np.ndarray:
        """Tell which parameters lie at a bound; bool, shape (n,)."""
        theta = np.asarray(theta, dtype=float)
        close = np.minimum(theta, 1.0 - theta) < BOUND_MARGIN
        return (self._logit & close) | (self._log & (theta - self._lower < BOUND_MARGIN))

    def contains(self, eta: np.ndarray) -> bool:
        """Whether an unconstrained vector, shape (n,), lies where numbers are still told apart."""
        return bool(np.isfinite(eta).all() and (np.abs(eta) < self._largest).all())

    def check_ranges(self, theta: np.ndarray, actor: str) -> None:
        """Check natural values against their ranges.

        Parameters
        ----------
        theta : ndarray, shape (n,)
        actor : str
            Whose parameters they are, for the message.

        Raises
        ------
        ValueError
            Naming the first parameter outside its range, what was found and what is allowed.
        """
        for parameter, value in zip(self.parameters, theta, strict=True):
            if not np.isfinite(value):
                allowed = "finite numbers"
            elif parameter.coordinate == "logit" and not 0 < value < 1:
                allowed = "0 < value < 1"
            elif parameter.coordinate == "log" and not value > parameter.lower:
                allowed = f"value > {parameter.lower:g}"
            else:
                continue
            raise ValueError(f"{actor}.{parameter.name}: found {value}, allowed: {allowed}")
