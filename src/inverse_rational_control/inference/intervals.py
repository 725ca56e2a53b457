"""Standard errors and confidence intervals from the observed information.

Intervals are Wald intervals in the unconstrained coordinates, mapped back, so that probabilities stay
inside (0, 1) and temperatures positive. Standard errors in natural units are by the delta method.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.parameter_space import FULL_SPACE, ParameterSpace
from inverse_rational_control.parameters import (
    N_PARAMETERS,
    natural,
    natural_jacobian,
    unconstrained,
)

__all__ = ["Uncertainty", "uncertainty"]


@dataclass(frozen=True)
class Uncertainty:
    """Standard errors and intervals of one estimate; NaN where the information defines none.

    Attributes
    ----------
    standard_error, lower, upper : ndarray, shape (10,)
        Natural coordinates.
    covariance : ndarray, shape (10, 10)
        Unconstrained coordinates.
    """

    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    covariance: np.ndarray


def uncertainty(
    theta: np.ndarray,
    information: np.ndarray,
    confidence_level: float,
    space: ParameterSpace = FULL_SPACE,
) -> Uncertainty:
    """Standard errors and intervals of an estimate.

    Parameters
    ----------
    theta : ndarray, shape (10,)
        Estimate, natural coordinates.
    information : ndarray, shape (k, k)
        Observed information by the space's free coordinates.
    confidence_level : float
        In (0, 1).
    space : ParameterSpace
        Fixed parameters have no spread.
    """
    if not is_positive_definite(information):
        nothing = np.full(N_PARAMETERS, np.nan)
        unknown = np.full((N_PARAMETERS, N_PARAMETERS), np.nan)
        return Uncertainty(nothing, nothing.copy(), nothing.copy(), unknown)
    covariance = space.directions @ np.linalg.inv(information) @ space.directions.T
    spread = np.sqrt(np.diag(covariance))
    eta = unconstrained(theta)
    reach = NormalDist().inv_cdf(0.5 + confidence_level / 2.0) * spread
    return Uncertainty(
        spread * natural_jacobian(theta), natural(eta - reach), natural(eta + reach), covariance
    )
