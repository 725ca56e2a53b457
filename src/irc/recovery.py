"""How recovery of the parameters improves with more data: errors, slopes, coverage (Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ErrorScaling", "coverage_over_seeds", "error_scaling", "root_mean_square"]


@dataclass(frozen=True)
class ErrorScaling:
    """Slope of log RMSE by log data length; theory says -1/2.

    Attributes
    ----------
    slope, slope_standard_error : ndarray, shape (parameters,)
        Per parameter; standard errors by bootstrap over seeds.
    pooled_slope, pooled_slope_standard_error : float
        One slope for all parameters, with an intercept for each.
    """

    slope: np.ndarray
    slope_standard_error: np.ndarray
    pooled_slope: float
    pooled_slope_standard_error: float


def root_mean_square(error: np.ndarray) -> np.ndarray:
    """Root mean square over seeds (first axis), NaN entries left out; NaN if none is left."""
    count = np.isfinite(error).sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.nansum(error**2, 0) / count)


def _slopes(error, log_length):
    """Least-squares slope per parameter and pooled; error [seed, length, parameter]."""
    with np.errstate(divide="ignore"):
        log_rmse = np.log(root_mean_square(error))
    centred = log_length - log_length.mean()
    slope = centred @ (log_rmse - log_rmse.mean(0)) / (centred @ centred)
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
    error : ndarray, shape (seeds, lengths, parameters)
        Estimate minus truth; NaN for fits to be left out.
    n_steps : ndarray, shape (lengths,)
        At least two lengths.
    rng : numpy.random.Generator
        For the bootstrap over seeds.
    n_bootstrap : int
    """
    log_length = np.log(np.asarray(n_steps, dtype=float))
    slope, pooled = _slopes(error, log_length)
    n_seeds = error.shape[0]
    draws = [
        _slopes(error[rng.integers(0, n_seeds, n_seeds)], log_length) for _ in range(n_bootstrap)
    ]
    each = np.array([draw[0] for draw in draws])
    together = np.array([draw[1] for draw in draws])
    # One seed says nothing about how seeds differ.
    enough = np.isfinite(error).sum(0).min(0) > 1
    return ErrorScaling(
        slope,
        np.where(enough, _spread(each), np.nan),
        pooled,
        float(_spread(together)) if enough.all() else float("nan"),
    )


def _spread(draws):
    """Standard deviation over bootstrap draws, draws that left a length without fits set aside."""
    finite = np.where(np.isfinite(draws), draws, np.nan)
    enough = np.isfinite(finite).sum(0) > 1
    filled = np.where(enough, finite, 0.0)
    return np.where(enough, np.nanstd(filled, 0, ddof=1), np.nan)


def coverage_over_seeds(covered: np.ndarray, defined: np.ndarray) -> tuple[float, float]:
    """Share of intervals that cover, and its standard error over seeds.

    Parameters
    ----------
    covered, defined : ndarray of bool, shape (seeds, parameters)
        Parameters within a seed are correlated, so the seed is the unit of the standard error.
    """
    defined_by_seed = defined.sum(1)
    if not defined_by_seed.any():
        return float("nan"), float("nan")
    hits = (covered & defined).sum(1)
    share = hits.sum() / defined_by_seed.sum()
    used = defined_by_seed > 0
    n_used = used.sum()
    if n_used < 2:
        return float(share), float("nan")
    # Ratio estimator: spread of each seed's surplus of hits over its expected number.
    surplus = (hits - share * defined_by_seed)[used]
    spread = np.sqrt((surplus**2).sum() / (n_used - 1) * n_used) / defined_by_seed.sum()
    return float(share), float(spread)
