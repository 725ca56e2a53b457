"""How recovery improves with more data: errors, slopes, efficiency, steps needed (Figure 6).

A record is fitted at several lengths, of which the shorter are beginnings of the longer: its fits are
not independent, so all standard errors are clustered by record, from each record's influence on the
result (linearized, no resampling). Source: docs/model.md section 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.parameter_space import FULL_SPACE

__all__ = [
    "Efficiency",
    "ErrorScaling",
    "cramer_rao_bound",
    "efficiency",
    "error_scaling",
    "steps_needed",
]


@dataclass(frozen=True)
class ErrorScaling:
    """Slope of log RMSE by log data length; theory says -1/2.

    Attributes
    ----------
    slope, slope_standard_error : ndarray, shape (parameters,)
        Per parameter; standard errors clustered by record.
    pooled_slope, pooled_slope_standard_error : float
        One slope for all parameters, with an intercept for each.
    """

    slope: np.ndarray
    slope_standard_error: np.ndarray
    pooled_slope: float
    pooled_slope_standard_error: float


def _clustered_error(influence):
    """Standard error of a sum of influences of records, first axis; NaN with fewer than two."""
    n_records = len(influence)
    if n_records < 2:
        return np.full(influence.shape[1:], np.nan)
    centered = influence - influence.mean(0)
    return np.sqrt((centered**2).sum(0) * n_records / (n_records - 1))


def error_scaling(error: np.ndarray, n_steps: np.ndarray) -> ErrorScaling:
    """Fit the slope of log RMSE against log data length by weighted least squares.

    A length counts in proportion to its records, since the variance of log RMSE is that of one
    record's by their number. The pooled slope is the mean of the parameters' slopes.

    Parameters
    ----------
    error : ndarray, shape (records, lengths, parameters)
        Estimate minus truth; NaN where a record was not fitted.
    n_steps : ndarray, shape (lengths,)
        At least two lengths.
    """
    square = np.where(np.isfinite(error), error**2, np.nan)
    known = np.isfinite(square)
    count = known.sum(0)
    x = np.log(np.asarray(n_steps, dtype=float))[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, square, 0.0).sum(0) / count
        centered = x - (count * x).sum(0) / count.sum(0)
        leverage = count * centered / (count * centered**2).sum(0)
        slope = (leverage * 0.5 * np.log(mean)).sum(0)
        # What each record does to every mean square, and so to the slope.
        moved = np.where(known, 0.5 * (square / mean - 1.0) / count, 0.0)
    influence = (leverage * moved).sum(1)
    # One record says nothing about how records differ.
    enough = count.min(0) > 1
    return ErrorScaling(
        slope,
        np.where(enough, _clustered_error(influence), np.nan),
        float(slope.mean()),
        float(_clustered_error(influence.mean(1))) if enough.all() else float("nan"),
    )


def cramer_rao_bound(
    information: np.ndarray, truth: np.ndarray, coordinates: Coordinates = FULL_SPACE
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Least standard deviation of unbiased estimates, and its jackknife over records.

    Parameters
    ----------
    information : ndarray, shape (records, n, n)
        Observed information at the truth, unconstrained coordinates; their mean estimates the expected
        information.
    truth : ndarray, shape (n,)
        Natural coordinates.
    coordinates : Coordinates
        Of the n parameters; the ten's if not given.

    Returns
    -------
    bound, standard_error : ndarray, shape (n,)
        Natural units; NaN if the mean information is not positive definite.
    left_out : ndarray, shape (records, n)
        The bound without each record.
    """

    def bound_of(mean):
        if not np.isfinite(mean).all() or not np.linalg.eigvalsh(mean)[0] > 0:
            return np.full(mean.shape[0], np.nan)
        return coordinates.natural_jacobian(truth) * np.sqrt(np.diag(np.linalg.inv(mean)))

    n = information.shape[0]
    total = information.sum(0)
    left_out = np.array([bound_of((total - one) / (n - 1)) for one in information])
    return bound_of(total / n), np.sqrt(_jackknife_variance(left_out)), left_out


@dataclass(frozen=True)
class Efficiency:
    """Squared Cramer-Rao bound over mean squared error; theory says 1 for long records.

    Attributes
    ----------
    each, standard_error : ndarray, shape (parameters,)
        The error is over records, and of the bound.
    mean, mean_standard_error : float
        Over parameters.
    """

    each: np.ndarray
    standard_error: np.ndarray
    mean: float
    mean_standard_error: float


def efficiency(error: np.ndarray, bound: np.ndarray, left_out: np.ndarray) -> Efficiency:
    """Efficiency over one length or several together.

    Parameters
    ----------
    error : ndarray, shape (records, lengths, parameters)
        Estimate minus truth; NaN where a record was not fitted.
    bound : ndarray, shape (lengths, parameters)
        From `cramer_rao_bound`.
    left_out : ndarray, shape (bound's records, lengths, parameters)
        Its jackknife: the bound comes from simulated records too, and its error counts.
    """
    relative = (error / bound) ** 2
    known = np.isfinite(relative)
    count = known.sum((0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, relative, 0.0).sum((0, 1)) / count
        each = 1.0 / mean
        moved = np.where(known, relative - mean, 0.0).sum(1) / count
    influence = -(each**2) * moved
    by_bound = np.array([_efficiency_alone(error, one) for one in left_out])
    variance = _clustered_error(influence) ** 2 + _jackknife_variance(by_bound)
    together = _clustered_error(influence.mean(1)) ** 2 + _jackknife_variance(by_bound.mean(1))
    return Efficiency(each, np.sqrt(variance), float(each.mean()), float(np.sqrt(together)))


def _jackknife_variance(left_out):
    n = len(left_out)
    return (n - 1) / n * ((left_out - left_out.mean(0)) ** 2).sum(0)


def _efficiency_alone(error, bound):
    relative = (error / bound) ** 2
    known = np.isfinite(relative)
    with np.errstate(invalid="ignore", divide="ignore"):
        return known.sum((0, 1)) / np.where(known, relative, 0.0).sum((0, 1))


def steps_needed(
    bound: np.ndarray,
    bound_standard_error: np.ndarray,
    n_steps: int,
    half_width: np.ndarray,
    confidence_level: float,
) -> tuple[np.ndarray, np.ndarray]:
    """How long a record must be for an interval of a wanted half width, and the error of that.

    By the Cramer-Rao bound, which falls with the square root of the length and which long records reach.

    Parameters
    ----------
    bound, bound_standard_error : ndarray, shape (parameters,)
        At `n_steps`, natural units.
    n_steps : int
    half_width : ndarray, shape (..., parameters)
        Natural units.
    confidence_level : float
        In (0, 1).

    Returns
    -------
    steps, standard_error : ndarray, shape (..., parameters)
    """
    reach = NormalDist().inv_cdf(0.5 + confidence_level / 2.0)
    steps = n_steps * (reach * bound / half_width) ** 2
    return steps, 2.0 * steps * bound_standard_error / bound
