"""Standard errors and confidence intervals from the observed information, and the form of all intervals.

Wald intervals are taken in the unconstrained coordinates and mapped back, so that probabilities stay
inside (0, 1) and positive parameters positive; standard errors in natural units are by the delta method.
They hold at an interior maximum only. Elsewhere see `bound_intervals`. Source: docs/model.md section 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np

from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.parameter_space import ParameterSpace

__all__ = ["IntervalKind", "Intervals", "no_intervals", "wald_intervals"]


class IntervalKind(StrEnum):
    """Where an interval comes from."""

    WALD = "wald"
    #: Profile likelihood: no standard error goes with it.
    PROFILE = "profile"
    NONE = "none"
    #: The parameter is held fixed.
    FIXED = "fixed"
    #: The model at hand has no such parameter.
    ABSENT = "absent"


@dataclass(frozen=True)
class Intervals:
    """Standard errors and intervals of one estimate; NaN where there are none.

    Attributes
    ----------
    standard_error, lower, upper : ndarray, shape (n,)
        Natural coordinates; a fixed parameter has a standard error of 0, one that does not exist NaN. An
        end of a profile interval may be the parameter's bound, or infinite.
    confidence_level : float
        Of the intervals.
    kind : tuple of IntervalKind, length n
    remarks : tuple of str
        Why a parameter has no interval, in words.
    """

    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    confidence_level: float
    kind: tuple[IntervalKind, ...]
    remarks: tuple[str, ...] = ()


def no_intervals(theta: np.ndarray, confidence_level: float, space: ParameterSpace) -> Intervals:
    """Nothing (NaN) for every free parameter of an estimate, shape (n,), itself for fixed ones."""
    unknown = space.is_free | ~space.exists
    ends = np.where(unknown, np.nan, theta)
    kind = _kinds(space, IntervalKind.NONE)
    return Intervals(np.where(unknown, np.nan, 0.0), ends, ends.copy(), confidence_level, kind)


def _kinds(space: ParameterSpace, of_free: IntervalKind) -> tuple[IntervalKind, ...]:
    return tuple(
        of_free if free else IntervalKind.FIXED if exists else IntervalKind.ABSENT
        for free, exists in zip(space.is_free, space.exists, strict=True)
    )


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
        return no_intervals(theta, confidence_level, space)
    covariance = space.directions @ np.linalg.inv(information) @ space.directions.T
    deviation = np.sqrt(np.diag(covariance))
    eta = space.unconstrained(theta)
    deviation[~space.exists] = np.nan
    reach = NormalDist().inv_cdf(0.5 + confidence_level / 2.0) * deviation
    return Intervals(
        deviation * space.natural_jacobian(theta),
        space.natural(eta - reach),
        space.natural(eta + reach),
        confidence_level,
        _kinds(space, IntervalKind.WALD),
    )
