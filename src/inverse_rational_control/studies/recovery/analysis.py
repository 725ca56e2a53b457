"""How recovery improves with more data: errors, slopes, coverage, efficiency (Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.parameters import natural_jacobian
from inverse_rational_control.statistics import bootstrap_standard_error, root_mean_square

__all__ = [
    "ErrorScaling",
    "cramer_rao_bound",
    "efficiency",
    "error_scaling",
]


@dataclass(frozen=True)
class ErrorScaling:
    """Slope of log RMSE by log data length; theory says -1/2.

    Attributes
    ----------
    slope, slope_standard_error : ndarray, shape (parameters,)
        Per parameter; standard errors by bootstrap over records.
    pooled_slope, pooled_slope_standard_error : float
        One slope for all parameters, with an intercept for each.
    """

    slope: np.ndarray
    slope_standard_error: np.ndarray
    pooled_slope: float
    pooled_slope_standard_error: float


def _slopes(error, log_length):
    """Least-squares slope per parameter and pooled; error [record, length, parameter]."""
    with np.errstate(divide="ignore"):
        log_rmse = np.log(root_mean_square(error))
    centered = log_length - log_length.mean()
    slope = centered @ (log_rmse - log_rmse.mean(0)) / (centered @ centered)
    return slope, float(slope.mean())


def error_scaling(
    error: np.ndarray,
    n_steps: np.ndarray,
    rng: np.random.Generator,
    n_bootstrap: int = 1000,
) -> ErrorScaling:
    """Fit the slope of log RMSE against log data length.

    Every length counts the same, so the pooled slope is the mean of the parameters' slopes.

    Parameters
    ----------
    error : ndarray, shape (records, lengths, parameters)
        Estimate minus truth; NaN for fits to be left out.
    n_steps : ndarray, shape (lengths,)
        At least two lengths.
    rng : numpy.random.Generator
        For the bootstrap over records.
    n_bootstrap : int
    """
    log_length = np.log(np.asarray(n_steps, dtype=float))
    slope, pooled = _slopes(error, log_length)
    n_records = error.shape[0]
    draws = [
        _slopes(error[rng.integers(0, n_records, n_records)], log_length)
        for _ in range(n_bootstrap)
    ]
    each = np.array([draw[0] for draw in draws])
    together = np.array([draw[1] for draw in draws])
    # One record says nothing about how records differ.
    enough = np.isfinite(error).sum(0).min(0) > 1
    return ErrorScaling(
        slope,
        np.where(enough, bootstrap_standard_error(each), np.nan),
        pooled,
        float(bootstrap_standard_error(together)) if enough.all() else float("nan"),
    )


def cramer_rao_bound(information: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least standard deviation of unbiased estimates, and its jackknife standard error over records.

    Parameters
    ----------
    information : ndarray, shape (records, 10, 10)
        Observed information at the truth, unconstrained coordinates; their mean estimates the expected
        information.
    truth : ndarray, shape (10,)
        Natural coordinates.

    Returns
    -------
    bound, standard_error : ndarray, shape (10,)
        Natural units; NaN if the mean information is not positive definite.
    """

    def bound_of(mean):
        if not np.isfinite(mean).all() or not np.linalg.eigvalsh(mean)[0] > 0:
            return np.full(mean.shape[0], np.nan)
        return natural_jacobian(truth) * np.sqrt(np.diag(np.linalg.inv(mean)))

    n = information.shape[0]
    total = information.sum(0)
    left_out = np.array([bound_of((total - one) / (n - 1)) for one in information])
    error = np.sqrt((n - 1) / n * ((left_out - left_out.mean(0)) ** 2).sum(0))
    return bound_of(total / n), error


def efficiency(
    error: np.ndarray, bound: np.ndarray, rng: np.random.Generator, n_bootstrap: int = 1000
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Squared Cramer-Rao bound over mean squared error.

    Parameters
    ----------
    error : ndarray, shape (records, parameters)
        Estimate minus truth; NaN for fits to be left out.
    bound : ndarray, shape (parameters,)
        From `cramer_rao_bound`.
    rng : numpy.random.Generator
        For the bootstrap over records.
    n_bootstrap : int

    Returns
    -------
    efficiency, standard_error : ndarray, shape (parameters,)
    mean, mean_standard_error : float
        Over parameters.
    """

    def of(errors):
        return bound**2 / root_mean_square(errors) ** 2

    n_records = error.shape[0]
    draws = np.array([of(error[rng.integers(0, n_records, n_records)]) for _ in range(n_bootstrap)])
    each = of(error)
    return (
        each,
        bootstrap_standard_error(draws),
        float(each.mean()),
        float(bootstrap_standard_error(draws.mean(1))),
    )
