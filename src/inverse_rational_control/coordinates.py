"""Parameters of any model, and the unconstrained coordinates in which they are fitted.

A probability moves by its logit, a positive number by its logarithm, a real number as it is; a number
above a lower limit by the logarithm of what it is above it, one kept within an interval by the logit of
how far into it it lies.
Source: docs/model.md section 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

__all__ = ["BOUND_MARGIN", "Coordinates", "Parameter"]

#: A probability this close to 0 or 1, or a positive parameter this small, counts as "at a bound"; within
#: a stated interval, this share of its width.
BOUND_MARGIN = 1e-3
# Beyond these a probability is 0 or 1 to within rounding, and a reward dwarfs all food to come.
_LARGEST = {"logit": 25.0, "log": 25.0, "identity": 1e6}
# Within a stated interval, whose ends may be large numbers, rounding comes sooner.
_LARGEST_CONFINED, _NARROWEST = 16.0, 1e-6
# Ranges that reach beyond an interval end this share of its width inside.
_INSIDE = 0.025


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
        Unconstrained coordinate in which fits run (probability, or anything within an interval; positive
        number; real number).
    unit : str
        Unit of the natural value.
    lower : float
        Of coordinates "logit" and "log": the natural value's lower limit, in its unit.
    upper : float
        Of coordinate "logit": its upper limit.
    is_confined : bool
        Whether the limits are stated ones, and not what the parameter means.
    """

    name: str
    symbol: str
    coordinate: str
    unit: str
    lower: float = 0.0
    upper: float = 1.0
    is_confined: bool = False

    @property
    def limits(self) -> tuple[float, float]:
        """Between which the natural value lies; infinite where there is none."""
        return {"logit": (self.lower, self.upper), "log": (self.lower, np.inf)}.get(
            self.coordinate, (-np.inf, np.inf)
        )

    def within(self, low: float, high: float) -> Parameter:
        """The same parameter kept within an interval, natural coordinates.

        Raises
        ------
        ValueError
            If the interval is empty, too narrow for numbers, or reaches beyond the parameter's limits.
        """
        allowed = self.limits
        apart = high - low > _NARROWEST * max(abs(low), abs(high)) and np.isfinite(high - low)
        if not (allowed[0] <= low and high <= allowed[1] and apart):
            between = (
                f" within [{allowed[0]:g}, {allowed[1]:g}]" if np.isfinite(allowed).any() else ""
            )
            raise ValueError(
                f"bounded.{self.name}: found [{low:g}, {high:g}], allowed: [low, high] with low < "
                f"high{between}"
            )
        return replace(
            self, coordinate="logit", lower=float(low), upper=float(high), is_confined=True
        )


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
    def _width(self) -> np.ndarray:
        return np.array([parameter.upper - parameter.lower for parameter in self.parameters])

    @cached_property
    def _largest(self) -> np.ndarray:
        return np.array(
            [
                _LARGEST_CONFINED if parameter.is_confined else _LARGEST[parameter.coordinate]
                for parameter in self.parameters
            ]
        )

    def unconstrained(self, theta: np.ndarray) -> np.ndarray:
        """Map natural to unconstrained coordinates; shape (..., n)."""
        theta = np.asarray(theta, dtype=float)
        eta = theta.copy()
        share = self._shares(theta)[..., self._logit]
        eta[..., self._logit] = np.log(share) - np.log1p(-share)
        eta[..., self._log] = np.log(theta[..., self._log] - self._lower[self._log])
        return eta

    def _shares(self, theta: np.ndarray) -> np.ndarray:
        """How far into its interval each value of coordinate "logit" lies; 0 to 1, (..., n)."""
        return (theta - self._lower) / self._width

    def natural(self, eta: np.ndarray) -> np.ndarray:
        """Map unconstrained to natural coordinates; shape (..., n). Inverse of `unconstrained`."""
        eta = np.asarray(eta, dtype=float)
        theta = eta.copy()
        with np.errstate(over="ignore"):
            share = 1.0 / (1.0 + np.exp(-eta[..., self._logit]))
            theta[..., self._logit] = self._lower[self._logit] + self._width[self._logit] * share
            theta[..., self._log] = np.exp(eta[..., self._log]) + self._lower[self._log]
        return theta

    def natural_jacobian(self, theta: np.ndarray) -> np.ndarray:
        """Derivative of each natural by its unconstrained coordinate at `theta`; shape (..., n)."""
        theta = np.asarray(theta, dtype=float)
        jacobian = np.ones_like(theta)
        share = self._shares(theta)[..., self._logit]
        jacobian[..., self._logit] = self._width[self._logit] * (share * (1.0 - share))
        jacobian[..., self._log] = theta[..., self._log] - self._lower[self._log]
        return jacobian

    def at_bound(self, theta: np.ndarray) -> np.ndarray:
        """Tell which parameters lie at a bound; bool, shape (n,)."""
        theta = np.asarray(theta, dtype=float)
        share = self._shares(theta)
        close = np.minimum(share, 1.0 - share) < BOUND_MARGIN
        return (self._logit & close) | (self._log & (theta - self._lower < BOUND_MARGIN))

    def ranges_inside(self, ends: np.ndarray) -> np.ndarray:
        """Ranges of all parameters, natural, (2, n), as far as they lie inside stated intervals.

        An end that does not moves to 2.5 % of the interval's width inside it, as do both where nothing
        of the range lies in it.
        """
        ends = np.array(ends, dtype=float)
        low, high = (self._lower + share * self._width for share in (_INSIDE, 1.0 - _INSIDE))
        ends[0] = np.where(self._logit & ~(self._lower < ends[0]), low, ends[0])
        ends[1] = np.where(self._logit & ~(ends[1] < self._lower + self._width), high, ends[1])
        apart = self._logit & ~(ends[0] < ends[1])
        return np.where(apart, (low, high), ends)

    def labels(self, chosen: np.ndarray) -> list[str]:
        """Names of some parameters, bool (n,), with the intervals that they are kept within."""
        return [
            f"{p.name} (kept within [{p.lower:g}, {p.upper:g}])" if p.is_confined else p.name
            for p, each in zip(self.parameters, chosen, strict=True)
            if each
        ]

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
            elif parameter.coordinate == "logit" and not parameter.lower < value < parameter.upper:
                allowed = f"{parameter.lower:g} < value < {parameter.upper:g}"
            elif parameter.coordinate == "log" and not value > parameter.lower:
                allowed = f"value > {parameter.lower:g}"
            else:
                continue
            raise ValueError(f"{actor}.{parameter.name}: found {value}, allowed: {allowed}")
