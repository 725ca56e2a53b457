"""Statistics of long series, added up over blocks of steps; of one block, as of the whole series."""

from __future__ import annotations

import numpy as np

from inverse_rational_control.statistics import (
    block_begins,
    error_of_sum,
    levels_and_outcomes,
)

__all__ = ["BlockSums", "Pairs", "level_sums"]


def level_sums(probability: np.ndarray, true: np.ndarray, n_levels: int) -> np.ndarray:
    """Sums of a reliability diagram, by level of the stated probability; shape (3, levels).

    The probabilities, how many of them came true, and how many there are.

    Parameters
    ----------
    probability : ndarray, shape (T, N)
        Rows sum to 1.
    true : ndarray of int, shape (T,)
    n_levels : int
        Equal parts of [0, 1].
    """
    level, came_true = levels_and_outcomes(probability, true, n_levels)
    level = level.ravel()
    return np.array(
        [
            np.bincount(level, weights=probability.ravel(), minlength=n_levels),
            np.bincount(level, weights=came_true.ravel(), minlength=n_levels),
            np.bincount(level, minlength=n_levels),
        ]
    )


class BlockSums:
    """Standard error of a series' mean as `statistics.block_standard_error` has it.

    Parameters
    ----------
    n_steps : int
        Of the whole series.
    block_steps : int
        As there.
    """

    def __init__(self, n_steps: int, block_steps: int):
        self._n_steps = n_steps
        self._begins = block_begins(n_steps, block_steps)
        self._sums = np.zeros(len(self._begins))

    def add(self, begin: int, series: np.ndarray) -> None:
        """Add the steps from `begin` on, shape (steps,)."""
        first = np.searchsorted(self._begins, begin, side="right") - 1
        last = np.searchsorted(self._begins, begin + series.size, side="left")
        here = np.maximum(self._begins[first:last] - begin, 0)
        self._sums[first:last] += np.add.reduceat(series, here)

    @property
    def standard_error(self) -> float:
        """Of the mean, after all steps."""
        return error_of_sum(self._sums) / self._n_steps


class Pairs:
    """Correlation and root mean square difference of two series."""

    def __init__(self):
        self._parts: list[tuple] = []
        self._low, self._high = np.full(2, np.inf), np.full(2, -np.inf)
        self._squares, self._n = 0.0, 0

    def add(self, one: np.ndarray, other: np.ndarray) -> None:
        """Add some steps of both, each of shape (steps,)."""
        pair = np.stack([one, other])
        self._low = np.minimum(self._low, pair.min(1))
        self._high = np.maximum(self._high, pair.max(1))
        self._squares += np.sum((pair[0] - pair[1]) ** 2)
        self._n += one.size
        covariance = np.cov(pair) if one.size > 1 else np.zeros((2, 2))
        self._parts.append((one.size, pair.mean(1), covariance))

    @property
    def rmse(self) -> float:
        """Root mean square difference, after all steps."""
        return np.sqrt(self._squares / self._n) if self._n else np.nan

    @property
    def correlation(self) -> float:
        """Pearson's, after all steps; NaN if either does not vary."""
        if not self._n or (self._low == self._high).any():
            return np.nan
        covariance = self._covariance()
        deviation = np.sqrt(np.diag(covariance))
        return float(np.clip(covariance[0, 1] / deviation[0] / deviation[1], -1.0, 1.0))

    def _covariance(self) -> np.ndarray:
        if len(self._parts) == 1:
            return self._parts[0][2]
        mean = sum(n * part for n, part, _ in self._parts) / self._n
        within = sum((n - 1) * part for n, _, part in self._parts)
        between = sum(n * np.outer(part - mean, part - mean) for n, part, _ in self._parts)
        return (within + between) / (self._n - 1)
