"""Simulation-based calibration: ranks, their simultaneous band, spread, coverage; prior sensitivity.

Figure 12; docs/model.md section 12. Arrays only: nothing here knows a model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import bdtr, xlogy

from inverse_rational_control.statistics import mean_and_error

__all__ = [
    "WEIGHTY",
    "band_of_counts",
    "counts_below",
    "covers",
    "diagnosis",
    "power_scaling",
    "ranks",
    "spread",
]

_HALVINGS = 50
_POWER = 1.01  # of the power that scales the prior, up and down
#: Sensitivity from which a power changes a posterior in earnest (Kallioinen et al. 2023).
WEIGHTY = 0.05


def ranks(truth: np.ndarray, draws: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Number of draws below the truth, ties broken at random; uniform on 0 .. L if all is right.

    Parameters
    ----------
    truth : ndarray, shape (quantities,)
    draws : ndarray, shape (L, quantities)
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (quantities,)
    """
    below, equal = (draws < truth).sum(0), (draws == truth).sum(0)
    return below + rng.integers(0, equal + 1)


# --- the simultaneous band of an empirical distribution -------------------------------------------


def counts_below(rank: np.ndarray, n_draws: int) -> np.ndarray:
    """How many ranks lie below 1 .. L, shape (L,): the empirical distribution times the number."""
    return np.cumsum(np.bincount(rank, minlength=n_draws + 1))[:-1]


def band_of_counts(n: int, n_draws: int, level: float) -> np.ndarray:
    """Band that `counts_below` of n uniform ranks leaves anywhere with probability `level` at most.

    Pointwise central binomial intervals, all of one tail probability: the largest with which the path
    stays inside often enough. The counts are a Markov chain, so this probability is exact.

    Source: Sailynoja, Buerkner and Vehtari (2022), section 2.

    Parameters
    ----------
    n : int
        Ranks, at least one.
    n_draws : int
        L; the ranks are 0 .. L.
    level : float
        In (0, 1).

    Returns
    -------
    ndarray of int, shape (2, L)
        Lowest and highest count.
    """
    share = np.arange(1, n_draws + 1) / (n_draws + 1)
    distribution = bdtr(np.arange(n + 1)[:, None], n, share)  # [count, place]

    def of_tail(tail):
        lower = (distribution >= tail).argmax(0)
        upper = (distribution >= 1.0 - tail).argmax(0)
        return np.array([lower, upper])

    # Below the level by Bonferroni's inequality, above it by a single place.
    low, high = 0.5 * level / n_draws, 0.5 * level
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        if _stays_inside(of_tail(middle), n) >= 1.0 - level:
            low = middle
        else:
            high = middle
        if high < low * (1.0 + 1e-6):
            break
    return of_tail(low)


def _stays_inside(band: np.ndarray, n: int) -> float:
    """Probability that the counts of n uniform ranks stay inside a band (2, L)."""
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    # That a rank not below k is k.
    hazard = 1.0 / np.arange(band.shape[1] + 1, 1, -1)
    before, probability = np.array([0]), np.array([1.0])
    for (lower, upper), p in zip(band.T, hazard, strict=True):
        counts = np.arange(lower, upper + 1)
        more = counts[:, None] - before
        allowed = more >= 0
        fresh = np.where(allowed, more, 0)
        rest = n - before
        log_chance = log_factorial[rest] - log_factorial[fresh] - log_factorial[n - counts][:, None]
        log_chance = log_chance + fresh * np.log(p) + (n - counts)[:, None] * np.log1p(-p)
        probability = np.where(allowed, np.exp(log_chance), 0.0) @ probability
        before = counts
    return float(probability.sum())


# --- spread, coverage, contraction ------------------------------------------------------------------


def spread(rank: np.ndarray, n_draws: int) -> tuple[float, float]:
    """Variance of ranks around their middle, of that of uniform ones, and its error over agents.

    Parameters
    ----------
    rank : ndarray of int, shape (agents, quantities)
    n_draws : int
        L; the ranks are 0 .. L.

    Returns
    -------
    ratio, standard_error : float
        1 if all is right; more where posteriors are too narrow, less where they are too wide.
    """
    uniform = n_draws * (n_draws + 2) / 12.0
    by_agent = ((rank - 0.5 * n_draws) ** 2).mean(1) / uniform
    ratio, error = mean_and_error(by_agent, nan_policy="propagate")
    return float(ratio), float(error)


def covers(draws: np.ndarray, truth: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    """Whether central intervals of draws hold the truth, bool, shape (quantities, levels).

    Parameters
    ----------
    draws : ndarray, shape (draws, quantities)
    truth : ndarray, shape (quantities,)
    levels : sequence of float
    """
    tails = 0.5 * (1.0 - np.asarray(levels))
    lower, upper = np.quantile(draws, [tails, 1.0 - tails], axis=0)
    return ((lower <= truth) & (truth <= upper)).T


# --- prior sensitivity ------------------------------------------------------------------------------


def power_scaling(draws: np.ndarray, log_component: np.ndarray) -> np.ndarray:
    """How fast marginals change as a component of the density is raised to a power near one.

    The square root of the cumulative Jensen-Shannon distance between the draws and the same draws
    weighted as if prior, or likelihood, had the power 1.01 or 1/1.01, per unit of log2 of the power.

    Source: Kallioinen, Paananen, Buerkner and Vehtari (2023), section 3.

    Parameters
    ----------
    draws : ndarray, shape (draws, quantities)
    log_component : ndarray, shape (draws,)
        Log of prior, or likelihood, at each draw.

    Returns
    -------
    ndarray, shape (quantities,)
    """
    total = np.zeros(draws.shape[1])
    for power in (_POWER, 1.0 / _POWER):
        log_weight = (power - 1.0) * log_component
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        total += [_distance(values, weight) for values in draws.T]
    return total / (2.0 * np.log2(_POWER))


def _distance(values: np.ndarray, weight: np.ndarray) -> float:
    """Root of the cumulative Jensen-Shannon distance between draws and weighted ones, in [0, 1]."""
    order = np.argsort(values, kind="stable")
    found = 0.0
    for chosen, sign in ((order, 1.0), (order[::-1], -1.0)):
        width = np.diff(sign * values[chosen])
        if not width.sum() > 0.0:
            return 0.0
        one = np.arange(1, values.size) / values.size
        other = np.cumsum(weight[chosen])[:-1]
        middle = 0.5 * (one + other)
        # The two terms beyond the divergences cancel in the sum of both directions.
        both = sum(xlogy(each, each / middle) for each in (one, other)) / np.log(2.0)
        found = max(found, float(width @ both / (width @ (one + other))))
    return float(np.sqrt(max(found, 0.0)))


def diagnosis(by_prior: float, by_likelihood: float) -> str:
    """What the two sensitivities of a parameter say together, in words."""
    if not by_prior >= WEIGHTY:
        return "data"
    return "prior and data conflict" if by_likelihood >= WEIGHTY else "prior"
