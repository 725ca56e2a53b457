"""How optimization paths compare: cost to come within a gap, share of starts there (Figure 8)."""

from __future__ import annotations

import numpy as np

from inverse_rational_control.parameters import unconstrained

__all__ = ["cost_to_gap", "distance", "median_reached"]


def cost_to_gap(
    log_likelihood: np.ndarray, cost: np.ndarray, best: float, gaps: np.ndarray
) -> np.ndarray:
    """Cost at which a path first comes within each gap of the best log-likelihood.

    Parameters
    ----------
    log_likelihood : ndarray, shape (..., iterations)
        In nats, NaN after a path's end.
    cost : ndarray, shape (..., iterations)
        Cumulative: E-steps or seconds.
    best : float
        In nats.
    gaps : ndarray, shape (gaps,)
        In nats.

    Returns
    -------
    ndarray, shape (..., gaps)
        Infinite where a path never comes that close.
    """
    gaps = np.asarray(gaps, dtype=float)
    within = best - log_likelihood[..., None, :] <= gaps[:, None]
    first = np.argmax(within, axis=-1)
    reached = np.take_along_axis(np.asarray(cost, dtype=float), first, axis=-1)
    return np.where(within.any(-1), reached, np.inf)


def median_reached(cost: np.ndarray) -> np.ndarray:
    """Median cost over paths (first axis), in which infinite means never: it may be infinite itself.

    With an even number of paths the upper of the two in the middle, so that nothing is averaged with
    infinity.
    """
    return np.sort(cost, axis=0)[cost.shape[0] // 2]


def distance(end: np.ndarray, best: np.ndarray, information: np.ndarray) -> np.ndarray:
    """Distance of ends from the best one in its standard deviations (Mahalanobis).

    Parameters
    ----------
    end : ndarray, shape (..., 10)
        Natural coordinates.
    best : ndarray, shape (10,)
    information : ndarray, shape (10, 10)
        At the best end, unconstrained coordinates.

    Returns
    -------
    ndarray, shape (...)
        NaN where an end or the information is not finite, or the square is negative.
    """
    apart = unconstrained(end) - unconstrained(best)
    with np.errstate(invalid="ignore"):
        return np.sqrt(np.einsum("...i,ij,...j", apart, information, apart))
