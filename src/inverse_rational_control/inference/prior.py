"""Priors: independent normals in unconstrained coordinates, stated by natural quantiles.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from inverse_rational_control.parameter_space import ParameterSpace

__all__ = ["CENTRAL_MASS", "FLAT", "Prior", "normal_prior"]

#: What an improper, constant prior density is called in place of an interval.
FLAT = "flat"

#: Probability of the interval that states a parameter's prior.
CENTRAL_MASS = 0.95
_REACH = NormalDist().inv_cdf(0.5 + CENTRAL_MASS / 2.0)


@dataclass(frozen=True)
class Prior:
    """Independent normals of n parameters in unconstrained coordinates.

    Attributes
    ----------
    mean, standard_deviation : ndarray, shape (n,)
        Unconstrained coordinates. A standard deviation of infinity leaves the parameter out: its density
        is flat, or it is held fixed, or tied to one that counts already.
    space : ParameterSpace
        The free coordinates of which this is the density.
    """

    mean: np.ndarray
    standard_deviation: np.ndarray
    space: ParameterSpace

    @property
    def is_proper(self) -> bool:
        """Whether every free coordinate has a normal, so that the density integrates to one."""
        return int(np.isfinite(self.standard_deviation).sum()) == self.space.size

    @property
    def center(self) -> np.ndarray:
        """The prior's middle, natural coordinates, shape (n,); 0 unconstrained where it is flat."""
        free = np.nan_to_num(self.mean[_first_of(self.space)])
        return self._natural(free)

    def log_density(self, eta: np.ndarray) -> float:
        """Log density by the free coordinates at unconstrained coordinates, shape (n,); flat: 0."""
        counts = np.isfinite(self.standard_deviation)
        deviation = self.standard_deviation[counts]
        score = (eta[counts] - self.mean[counts]) / deviation
        return float(-0.5 * score @ score - np.log(deviation * np.sqrt(2.0 * np.pi)).sum())

    def gradient(self, eta: np.ndarray) -> np.ndarray:
        """Gradient of the log density by unconstrained coordinates, shape (n,)."""
        counts = np.isfinite(self.standard_deviation)
        center = np.where(counts, self.mean, 0.0)
        return np.where(counts, (center - eta) / self.standard_deviation**2, 0.0)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """A draw, natural coordinates, shape (n,).

        Raises
        ------
        ValueError
            If the prior is not proper.
        """
        if not self.is_proper:
            raise ValueError("prior: found flat, allowed: a proper prior, to draw from it")
        first = _first_of(self.space)
        free = self.mean[first] + self.standard_deviation[first] * rng.standard_normal(len(first))
        return self._natural(free)

    def quantiles(self, probabilities: Sequence[float]) -> np.ndarray:
        """Quantiles of every parameter's prior, natural coordinates, (probabilities, n); flat: NaN."""
        reach = np.array([NormalDist().inv_cdf(p) for p in probabilities])
        counts = np.isfinite(self.standard_deviation)
        deviation = np.where(counts, self.standard_deviation, np.nan)
        return self.space.natural(self.mean + reach[:, None] * deviation)

    def _natural(self, free: np.ndarray) -> np.ndarray:
        eta = np.where(self.space.is_free, self.space.directions @ free, self.space.fixed)
        return self.space.natural(eta)

    def log_marginal(self, theta: np.ndarray) -> np.ndarray:
        """Log density of each parameter by its natural coordinate, (..., n); flat: NaN."""
        counts = np.isfinite(self.standard_deviation)
        deviation = np.where(counts, self.standard_deviation, np.nan)
        score = (self.space.unconstrained(theta) - self.mean) / deviation
        normal = -0.5 * score**2 - np.log(deviation * np.sqrt(2.0 * np.pi))
        return normal - np.log(self.space.natural_jacobian(theta))


def normal_prior(intervals: Mapping[str, Sequence[float] | str], space: ParameterSpace) -> Prior:
    """Build the prior of a space's free coordinates from central 95 % intervals.

    A fixed parameter has none; tied ones have that of the first of them. Of a parameter that is kept
    within an interval, only what lies inside counts (see `Coordinates.ranges_inside`).

    Parameters
    ----------
    intervals : mapping of str to (low, high) or "flat"
        Per parameter name, natural coordinates.
    space : ParameterSpace
        Whose free coordinates move one parameter each, or tied ones alike.

    Raises
    ------
    ValueError
        If a parameter of the space has no entry, or an interval reaches its lower limit.
    """
    names = [parameter.name for parameter in space.parameters]
    missing = [name for name in names if name not in intervals]
    if missing:
        raise ValueError(f"prior: found no interval of {missing[0]}, allowed: one per parameter")
    mean, deviation = np.full(len(names), np.nan), np.full(len(names), np.inf)
    normal = [k for k in _first_of(space) if intervals[names[k]] != FLAT]
    ends = np.full((2, len(names)), 0.5)
    ends[:, normal] = np.array([intervals[names[k]] for k in normal]).reshape(-1, 2).T
    for k in normal:
        if not ends[0, k] > space.parameters[k].lower and space.parameters[k].coordinate == "log":
            raise ValueError(
                f"prior: found {list(intervals[names[k]])} for {names[k]}, allowed: low > "
                f"{space.parameters[k].lower:g}"
            )
    low, high = space.unconstrained(space.ranges_inside(ends))
    mean[normal] = 0.5 * (low + high)[normal]
    deviation[normal] = 0.5 * (high - low)[normal] / _REACH
    return Prior(mean, deviation, space)


def _first_of(space: ParameterSpace) -> list[int]:
    """Index of the first parameter that each free coordinate moves."""
    return [int(np.flatnonzero(column)[0]) for column in space.directions.T]
