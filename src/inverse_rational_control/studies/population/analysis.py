"""Many agents drawn over ranges: how well each parameter is recovered, and how well intervals cover.

Figure 7. Statistics are over all agents, and beside these over the ones whose fit converged to an
interior maximum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import bdtr, bdtrc, ndtri

from inverse_rational_control.statistics import mean_and_error, z_scores

__all__ = [
    "concordance",
    "coverage_band",
    "interval_covers",
    "rank_correlations",
    "recovery_statistics",
    "scores",
]


def scores(
    truth: np.ndarray,
    estimate: np.ndarray,
    information: np.ndarray,
    wald: np.ndarray,
    deviance: np.ndarray,
) -> np.ndarray:
    """Errors by their standard errors, or the signed root of the profile deviance at the truth.

    Both are standard normal in theory, and an interval holds the truth where |z| is within its level's
    normal quantile. Source: docs/model.md section 8.

    Parameters
    ----------
    truth, estimate : ndarray, shape (agents, 10)
        Natural coordinates.
    information : ndarray, shape (agents, 10, 10)
        Unconstrained coordinates.
    wald : ndarray of bool, shape (agents,)
        Whose intervals are Wald's.
    deviance : ndarray, shape (agents, 10)
        Of the others: 2 [l_max - l_profile(truth)], nats; NaN gives no score.

    Returns
    -------
    ndarray, shape (agents, 10)
    """
    z = np.sign(estimate - truth) * np.sqrt(np.maximum(deviance, 0.0))
    if wald.any():
        z[wald] = z_scores(estimate[wald], truth[wald], information[wald])
    return z


def rank_correlations(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Spearman's correlation of every column of one table with every column of another.

    By ranks, because estimates that ran away would rule any other.

    Parameters
    ----------
    one, other : ndarray, shape (agents, k), (agents, m)
        Agents with an entry that is not finite are left out.

    Returns
    -------
    ndarray, shape (k, m)
        NaN with fewer than three agents, and for columns that do not vary.
    """
    good = np.isfinite(one).all(1) & np.isfinite(other).all(1)
    if good.sum() < 3:
        return np.full((one.shape[1], other.shape[1]), np.nan)
    ranks = [_ranks(table[good]) for table in (one, other)]
    ranks = [table - table.mean(0) for table in ranks]
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = [table / np.sqrt((table**2).sum(0)) for table in ranks]
    return unit[0].T @ unit[1]


def _ranks(table):
    """Ranks along the first axis; equal entries share the mean of theirs."""
    below = (table[:, None] > table[None]).sum(1)
    equal = (table[:, None] == table[None]).sum(1)
    return below + 0.5 * (equal - 1)


def interval_covers(z: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    """Whether intervals hold the truth: |z| within the normal quantile of each level.

    Parameters
    ----------
    z : ndarray, shape (agents, parameters)
        NaN: no interval, which holds nothing.
    levels : sequence of float
        In (0, 1).

    Returns
    -------
    ndarray of bool, shape (agents, parameters, levels)
    """
    return np.abs(z)[..., None] <= ndtri(0.5 + np.asarray(levels) / 2.0)


def coverage_band(count: int, levels: Sequence[float], probability: float) -> np.ndarray:
    """Central band of the share of `count` independent intervals that cover, if each level is true.

    Parameters
    ----------
    count : int
    levels : sequence of float
        Nominal levels.
    probability : float
        Least probability of the band.

    Returns
    -------
    ndarray, shape (levels, 2)
        Lower and upper share; NaN if there are no intervals.
    """
    levels = np.asarray(levels, dtype=float)
    if count == 0:
        return np.full((levels.size, 2), np.nan)
    tail = (1.0 - probability) / 2.0
    hits = np.arange(count + 1)[:, None]
    lower = (bdtr(hits, count, levels) >= tail).argmax(0)
    upper = (bdtrc(hits, count, levels) <= tail).argmax(0)
    return np.stack([lower, upper], 1) / count


def concordance(truth: np.ndarray, estimate: np.ndarray) -> np.ndarray:
    """Lin's concordance coefficient over the first axis: 1 only where estimates equal truths.

    Source: Lin (1989), Biometrics 45, 255-268, with moments that divide by the count.
    """
    covariance = ((truth - truth.mean(0)) * (estimate - estimate.mean(0))).mean(0)
    shift = truth.mean(0) - estimate.mean(0)
    return 2.0 * covariance / (truth.var(0) + estimate.var(0) + shift**2)


def recovery_statistics(truth: np.ndarray, estimate: np.ndarray) -> dict[str, np.ndarray]:
    """Statistics of true against estimated, per parameter.

    Parameters
    ----------
    truth, estimate : ndarray, shape (agents, parameters)
        Natural coordinates, all finite; NaN throughout with fewer than three agents.

    Returns
    -------
    dict of str to ndarray, shape (parameters,)
        correlation (Pearson), concordance (Lin), bias and its Monte-Carlo standard error, rmse,
        median_relative_error (median of |estimate - truth| / |truth|).
    """
    error = estimate - truth
    if len(error) < 3:
        nothing = np.full(truth.shape[1], np.nan)
        names = ("correlation", "concordance", "bias", "bias_standard_error", "rmse")
        return {name: nothing.copy() for name in (*names, "median_relative_error")}
    bias, bias_error = mean_and_error(error, nan_policy="propagate")
    centered, centered_estimate = truth - truth.mean(0), estimate - estimate.mean(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "correlation": (centered * centered_estimate).mean(0)
            / (truth.std(0) * estimate.std(0)),
            "concordance": concordance(truth, estimate),
            "bias": bias,
            "bias_standard_error": bias_error,
            "rmse": np.sqrt((error**2).mean(0)),
            "median_relative_error": np.median(np.abs(error) / np.abs(truth), 0),
        }
