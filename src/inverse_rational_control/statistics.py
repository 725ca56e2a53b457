"""Statistics that studies share, each once: errors of means, z-scores, coverage, calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.parameters import unconstrained

__all__ = [
    "Reliability",
    "belief_accuracy",
    "binomial_interval",
    "binomial_standard_error",
    "block_begins",
    "block_standard_error",
    "correlation",
    "coverage_over_records",
    "error_of_sum",
    "levels_and_outcomes",
    "mean_and_error",
    "paired_difference",
    "reliability",
    "root_mean_square",
    "standard_deviations",
    "thinned",
    "z_scores",
]


def mean_and_error(values: np.ndarray, nan_policy: str = "omit") -> tuple[np.ndarray, np.ndarray]:
    """Mean over records (first axis) and its standard error, s / sqrt(n).

    Parameters
    ----------
    values : ndarray, shape (records, ...)
    nan_policy : {"omit", "propagate"}
        As in scipy: NaN entries are left out, or propagate. The two round differently: "omit" takes
        one root of s^2 / n, "propagate" numpy's own standard deviation.

    Returns
    -------
    mean, standard_error : ndarray, shape (...)
        NaN where nothing is left, and the error where fewer than two are.
    """
    if nan_policy == "propagate":
        unknown = np.full(values.shape[1:], np.nan)
        mean = values.mean(0) if len(values) else unknown
        return mean, values.std(0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else unknown
    finite = np.isfinite(values)
    count = finite.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(finite, values, 0.0).sum(0) / count
        squares = np.where(finite, (values - mean) ** 2, 0.0).sum(0)
        error = np.sqrt(squares / (count - 1) / count)
    return mean, np.where(count > 1, error, np.nan)


def paired_difference(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of `one` minus `other` over pairs (first axis), and its standard error; NaN propagates.

    Parameters
    ----------
    one, other : ndarray, shape (pairs, ...)
        At least two pairs; the difference within a pair is what varies independently.
    """
    return mean_and_error(np.asarray(one) - np.asarray(other), nan_policy="propagate")


def root_mean_square(error: np.ndarray) -> np.ndarray:
    """Root mean square over the first axis, NaN entries left out; NaN if none is left."""
    count = np.isfinite(error).sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.nansum(error**2, 0) / count)


def block_standard_error(series: np.ndarray, block_steps: int) -> np.ndarray:
    """Standard error of the mean over the last axis, from the standard deviation of block sums.

    Blocks much longer than the series remembers are as good as independent, so the sum's variance is
    the number of blocks times the variance of their sums (method of batch means).

    Parameters
    ----------
    series : ndarray, shape (..., T)
    block_steps : int
        Steps per block; T // block_steps blocks that differ in length by at most one step share all
        steps. NaN with fewer than two blocks.
    """
    return error_of_sum(_block_sums(series, block_steps)) / series.shape[-1]


def block_begins(n_steps: int, block_steps: int) -> np.ndarray:
    """First step of each of the blocks, equal but for one step, that a series is divided into."""
    n_blocks = max(1, n_steps // block_steps)
    return np.arange(n_blocks) * n_steps // n_blocks


def _block_sums(series, block_steps):
    return np.add.reduceat(series, block_begins(series.shape[-1], block_steps), axis=-1)


def error_of_sum(sums: np.ndarray) -> np.ndarray:
    """Standard error of a series' sum, from the sums of its blocks, shape (..., blocks)."""
    n_blocks = sums.shape[-1]
    if n_blocks < 2:
        return np.full(sums.shape[:-1], np.nan)
    with np.errstate(invalid="ignore"):
        return np.sqrt(n_blocks * sums.var(-1, ddof=1))


def binomial_interval(count: int, n: int, level: float) -> tuple[float, float]:
    """Exact (Clopper-Pearson) confidence interval of a share of `count` in `n`.

    Raises
    ------
    ValueError
        If not 0 <= count <= n, or n is 0.
    """
    from scipy.special import betaincinv  # here, because figures import this module

    if not 0 <= count <= n or n == 0:
        raise ValueError(f"count: found {count} of {n}, allowed: 0 to n, and n at least 1")
    tail = (1.0 - level) / 2.0
    lower = betaincinv(count, n - count + 1, tail) if count else 0.0
    upper = betaincinv(count + 1, n - count, 1.0 - tail) if count < n else 1.0
    return float(lower), float(upper)


def binomial_standard_error(share: float, n: int) -> float:
    """Standard error of an observed share of `n` independent cases, each of probability `share`."""
    return np.sqrt(share * (1.0 - share) / n)


def coverage_over_records(covered: np.ndarray, defined: np.ndarray) -> tuple[float, float]:
    """Share of intervals that hold the truth, and its standard error over records or agents.

    Parameters
    ----------
    covered, defined : ndarray of bool, shape (fits, parameters)
        Parameters of one fit are correlated, so the fit, not the interval, is the unit of the standard
        error (ratio estimator).

    Returns
    -------
    share, standard_error : float
        NaN where no interval is defined, and the error where fewer than two fits have one.
    """
    defined_by_fit = defined.sum(1)
    if not defined_by_fit.any():
        return float("nan"), float("nan")
    hits = (covered & defined).sum(1)
    share = hits.sum() / defined_by_fit.sum()
    used = defined_by_fit > 0
    n_used = used.sum()
    if n_used < 2:
        return float(share), float("nan")
    # Each fit's surplus of hits over its expected number.
    surplus = (hits - share * defined_by_fit)[used]
    error = np.sqrt((surplus**2).sum() / (n_used - 1) * n_used) / defined_by_fit.sum()
    return float(share), float(error)


def standard_deviations(information: np.ndarray) -> np.ndarray:
    """Standard deviations of estimates, from the inverse of their information.

    Parameters
    ----------
    information : ndarray, shape (..., k, k)
        Positive definite; unconstrained coordinates for unconstrained standard deviations.

    Returns
    -------
    ndarray, shape (..., k)
    """
    return np.sqrt(np.diagonal(np.linalg.inv(information), axis1=-2, axis2=-1))


def z_scores(estimate: np.ndarray, truth: np.ndarray, information: np.ndarray) -> np.ndarray:
    """Errors by their standard errors, in unconstrained coordinates; standard normal in theory.

    Parameters
    ----------
    estimate, truth : ndarray, shape (..., 10)
        Natural coordinates.
    information : ndarray, shape (..., 10, 10)
        Observed information, positive definite, unconstrained coordinates.

    Returns
    -------
    ndarray, shape (..., 10)
    """
    return (unconstrained(estimate) - unconstrained(truth)) / standard_deviations(information)


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson correlation of two series, shape (T,); NaN if either does not vary."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return np.nan
    return float(np.corrcoef(one, other)[0, 1])


def belief_accuracy(decoded: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Correlation and RMSE of decoded with true beliefs, box by box.

    Compares beliefs, not bins, so the analyst's number of bins need not be the agent's.

    Parameters
    ----------
    decoded, true : ndarray, shape (T, 2)
        Beliefs in [0, 1], [step, box]: the posterior mean, and the centers of the agent's own bins.

    Returns
    -------
    correlation, rmse : ndarray, shape (2,)
        Correlation NaN if either does not vary.
    """
    pairs = list(zip(np.ascontiguousarray(decoded.T), np.ascontiguousarray(true.T), strict=True))
    return (
        np.array([correlation(*pair) for pair in pairs]),
        np.array([root_mean_square(one - other) for one, other in pairs]),
    )


@dataclass(frozen=True)
class Reliability:
    """A reliability diagram; all arrays of shape (levels,), NaN where a level is empty.

    Attributes
    ----------
    predicted, observed : ndarray
        Mean stated probability per level, and how often what was stated came true.
    standard_error : ndarray
        Of observed minus predicted, over blocks of steps.
    count : ndarray of int
        (step, bin) pairs.
    variance : ndarray
        Sum of p (1 - p) over the pairs: about the variance of the number that came true.
    """

    predicted: np.ndarray
    observed: np.ndarray
    standard_error: np.ndarray
    count: np.ndarray
    variance: np.ndarray


def levels_and_outcomes(probability: np.ndarray, true: np.ndarray, n_levels: int) -> tuple:
    """Level of each stated probability, and whether it came true; both (T, N), as for `reliability`."""
    level = np.minimum((probability * n_levels).astype(int), n_levels - 1)
    return level, np.arange(probability.shape[1]) == np.asarray(true)[:, None]


def reliability(
    probability: np.ndarray, true: np.ndarray, n_levels: int, block_steps: int
) -> Reliability:
    """Compare stated probabilities of bins with how often they were the true bin.

    Parameters
    ----------
    probability : ndarray, shape (T, N)
        Rows sum to 1.
    true : ndarray of int, shape (T,)
    n_levels : int
        Equal parts of [0, 1].
    block_steps : int
        As in `block_standard_error`.
    """
    level, came_true = levels_and_outcomes(probability, true, n_levels)
    count = np.bincount(level.ravel(), minlength=n_levels)
    within = level[:, None, :] == np.arange(n_levels)[:, None]

    def by_step(values):
        return (within * values[:, None, :]).sum(2).T

    def total(values):
        return by_step(values).sum(1)

    sums = _block_sums(by_step(came_true - probability), block_steps)
    error = np.where(count > 0, error_of_sum(sums), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Reliability(
            predicted=total(probability) / count,
            observed=total(came_true.astype(float)) / count,
            standard_error=error / count,
            count=count,
            variance=total(probability * (1.0 - probability)),
        )


def thinned(draws: np.ndarray, n_draws: int) -> np.ndarray:
    """Evenly spaced draws of some in a row, first and last included, (draws, n) to (n_draws, n)."""
    return draws[np.linspace(0, len(draws) - 1, n_draws).round().astype(int)]
