"""Whether stated probabilities come true, with errors that allow for dependence from step to step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Reliability", "block_standard_error", "reliability"]


def block_standard_error(series: np.ndarray, block_steps: int) -> np.ndarray:
    """Standard error of the mean over the last axis, from the spread of block sums.

    Blocks much longer than the series remembers are as good as independent, so the sum's variance is
    the number of blocks times the variance of their sums (method of batch means).

    Parameters
    ----------
    series : ndarray, shape (..., T)
    block_steps : int
        Steps per block; T // block_steps blocks that differ in length by at most one step share all
        steps. NaN with fewer than two blocks.
    """
    sums, n_steps = _block_sums(series, block_steps)
    return _error_of_sum(sums) / n_steps


def _block_sums(series, block_steps):
    n_steps = series.shape[-1]
    n_blocks = max(1, n_steps // block_steps)
    begins = np.arange(n_blocks) * n_steps // n_blocks
    return np.add.reduceat(series, begins, axis=-1), n_steps


def _error_of_sum(sums):
    n_blocks = sums.shape[-1]
    if n_blocks < 2:
        return np.full(sums.shape[:-1], np.nan)
    with np.errstate(invalid="ignore"):
        return np.sqrt(n_blocks * sums.var(-1, ddof=1))


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
    n_bins = probability.shape[1]
    level = np.minimum((probability * n_levels).astype(int), n_levels - 1)
    came_true = np.arange(n_bins) == np.asarray(true)[:, None]
    within = level[:, None, :] == np.arange(n_levels)[:, None]

    def by_step(values):
        return (within * values[:, None, :]).sum(2).T

    count = within.sum((0, 2))
    sums, _ = _block_sums(by_step(came_true - probability), block_steps)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Reliability(
            predicted=by_step(probability).sum(1) / count,
            observed=by_step(came_true.astype(float)).sum(1) / count,
            standard_error=np.where(count > 0, _error_of_sum(sums), np.nan) / count,
            count=count,
            variance=by_step(probability * (1.0 - probability)).sum(1),
        )
