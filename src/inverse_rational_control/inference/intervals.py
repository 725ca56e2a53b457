"""Standard errors and confidence intervals from the observed information.

Intervals are Wald intervals in the unconstrained coordinates, mapped back, so that probabilities stay
inside (0, 1) and positive parameters positive. Standard errors in natural units are by the delta method.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.parameter_space import ParameterSpace

__all__ = ["Intervals", "wald_intervals"]


@dataclass(frozen=True)
class Intervals:
    """Standard errors and intervals of one estimate; NaN where the information defines none.

    Attributes
    ----------
    standard_error, lower, upper : ndarray, shape (n,)
        Natural coordinates; a fixed parameter has a standard error of 0.
    confidence_level : float
        Of the intervals.
    """

    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    confidence_level: float


def wald_intervals(
    theta: np.ndarray,
    information: np.ndarray,
    confidence_level: float,
    space: ParameterSpace,
) -> Intervals:
    """Standard errors and intervals of an estimate.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        Estimate, natural coordinates.
    information : ndarray, shape (k, k)
        Observed information by the space's free coordinates.
    confidence_level : float
        In (0, 1).
    space : ParameterSpace
        With k free coordinates.
    """
    if not is_positive_definite(information):
        nothing = np.full(len(space.parameters), np.nan)
        return Intervals(nothing, nothing.copy(), nothing.copy(), confidence_level)
    covariance = space.directions @ np.linalg.inv(information) @ space.directions.T
    deviation = np.sqrt(np.diag(covariance))
    eta = space.unconstrained(theta)
    reach = NormalDist().inv_cdf(0.5 + confidence_level / 2.0) * deviation
    return Intervals(
        deviation * space.natural_jacobian(theta),
        space.natural(eta - reach),
        space.natural(eta + reach),
        confidence_level,
    )
