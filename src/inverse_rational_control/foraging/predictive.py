"""Posterior predictive check: statistics of a record beside those of its replicates.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.foraging.behavior import event_intervals
from inverse_rational_control.record import Record
from inverse_rational_control.task import (
    ACTIONS,
    BOX_1,
    BOX_2,
    DESTINATION,
    LOCATIONS,
    N_ACTIONS,
    N_LOCATIONS,
    PUSH,
)

__all__ = ["PREDICTIVE_STATISTICS", "PredictiveCheck", "predictive_check", "predictive_statistics"]

_QUANTILES = (0.25, 0.5, 0.9)
_LAGS = (5, 20)

#: Statistics of a record, in order.
PREDICTIVE_STATISTICS = (
    *(f"share of steps: {action}" for action in ACTIONS),
    *(f"share of steps: {location}" for location in LOCATIONS),
    *(f"interval between pushes: {100 * q:.0f} % quantile" for q in _QUANTILES),
    *(f"interval between travels: {100 * q:.0f} % quantile" for q in _QUANTILES),
    "pushes per visit to a box",
    "rewards per step",
    *(f"autocorrelation of place: {lag} steps" for lag in _LAGS),
    "switches of box after an unrewarded push",
)


def predictive_statistics(record: Record) -> np.ndarray:
    """All of `PREDICTIVE_STATISTICS` of a record; NaN where it has nothing to take one of.

    Quantiles are of the mid-distribution. Intervals, visits and pairs of steps are those within a
    session. A visit is a run of steps at one box. The autocorrelation of place is the share of pairs of
    steps, so far apart, at the same place, less that of independent places, as a part of what is left. A
    switch: the next push at a box, after one that brought nothing, is at the other box.

    Returns
    -------
    ndarray, shape (statistics,)
    """
    location, starts = record.location, record.session_starts
    places = np.bincount(location, minlength=N_LOCATIONS) / record.n_steps
    return np.array(
        [
            *(np.bincount(record.action, minlength=N_ACTIONS) / record.n_steps),
            *places,
            *_quantiles(event_intervals(record.action == PUSH, starts)),
            *_quantiles(event_intervals(DESTINATION[location, record.action] != location, starts)),
            _pushes_per_visit(record),
            record.reward.mean(),
            *(_autocorrelation(record, places, lag) for lag in _LAGS),
            _switches(record),
        ]
    )


def _quantiles(intervals: np.ndarray) -> np.ndarray:
    """Quantiles by the mid-distribution, which move smoothly although steps are whole numbers."""
    if not intervals.size:
        return np.full(len(_QUANTILES), np.nan)
    values, counts = np.unique(intervals, return_counts=True)
    middle = (np.cumsum(counts) - 0.5 * counts) / intervals.size
    return np.interp(_QUANTILES, middle, values)


def _pushes_per_visit(record: Record) -> float:
    location = record.location
    came = record.session_starts | np.append(True, location[1:] != location[:-1])
    n_visits = (came & np.isin(location, (BOX_1, BOX_2))).sum()
    return (record.opened > 0).sum() / n_visits if n_visits else np.nan


def _autocorrelation(record: Record, places: np.ndarray, lag: int) -> float:
    together = record.session[lag:] == record.session[:-lag]
    by_chance = (places**2).sum()
    if not together.any() or by_chance >= 1.0:
        return np.nan
    same = (record.location[lag:] == record.location[:-lag])[together].mean()
    return (same - by_chance) / (1.0 - by_chance)


def _switches(record: Record) -> float:
    when = np.flatnonzero(record.opened)
    first, second = when[:-1], when[1:]
    pairs = record.session[first] == record.session[second]
    first, second = first[pairs], second[pairs]
    unrewarded = record.reward[first + 1] == 0
    if not unrewarded.any():
        return np.nan
    return (record.opened[first] != record.opened[second])[unrewarded].mean()


@dataclass(frozen=True)
class PredictiveCheck:
    """A record's statistics beside those of R replicates.

    Attributes
    ----------
    observed : ndarray, shape (statistics,)
    replicates : ndarray, shape (R, statistics)
    p_values : ndarray, shape (statistics,)
        Two-sided; NaN where the record or every replicate lacks the statistic.
    distance : float
        Mahalanobis distance of the record's statistics from the mean over record and replicates.
    replicate_distances : ndarray, shape (R,)
        The same of each replicate.
    p_value : float
        Share of record and replicates that are at least as far away as the record: small if the record
        does, in any or several statistics together, what chance does not explain.
    """

    observed: np.ndarray
    replicates: np.ndarray
    p_values: np.ndarray
    distance: float
    replicate_distances: np.ndarray

    @property
    def p_value(self) -> float:
        """See the attributes."""
        further = (self.replicate_distances >= self.distance).sum()
        return float((1 + further) / (1 + len(self.replicate_distances)))


def predictive_check(observed: np.ndarray, replicates: np.ndarray) -> PredictiveCheck:
    """Compare a record's statistics with those of replicates.

    The p-value of a statistic is 2 min(p, 1 - p), where p is the share of replicates in which it is at
    least the record's, ties counted by half. Distances are taken alike of record and replicates, so that
    that of a record of the replicates' kind is exchangeable with theirs, and the p-value of all
    statistics together is exact; a statistic that one of them lacks counts there as the mean.

    Parameters
    ----------
    observed : ndarray, shape (statistics,)
    replicates : ndarray, shape (R, statistics)
    """
    known = np.isfinite(replicates)
    above = (known & (replicates > observed)).sum(0) + 0.5 * (replicates == observed).sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(np.isfinite(observed), above / known.sum(0), np.nan)
    every = np.vstack([observed, replicates])
    known = np.isfinite(every)
    filled, count = np.where(known, every, 0.0), np.maximum(known.sum(0), 1)
    offset = np.where(known, filled - filled.sum(0) / count, 0.0)
    deviation = np.sqrt((offset**2).sum(0) / count)
    # Equal values may differ from their mean by rounding.
    varies = deviation > 1e-12 * np.abs(filled).max(0)
    scaled = offset[:, varies] / deviation[varies]
    distances = np.zeros(len(every))
    if varies.any():
        eigenvalues, vectors = np.linalg.eigh(scaled.T @ scaled / len(every))
        # Shares sum to one, so some directions do not vary.
        used = eigenvalues > 1e-8 * eigenvalues[-1]
        scores = scaled @ vectors[:, used] / np.sqrt(eigenvalues[used])
        distances = np.sqrt((scores**2).sum(1))
    return PredictiveCheck(
        observed,
        replicates,
        2.0 * np.minimum(share, 1.0 - share),
        float(distances[0]),
        distances[1:],
    )
