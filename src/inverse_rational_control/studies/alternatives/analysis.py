"""Models compared and recovered: information criteria, confusion and inversion; gaps of a search.

Confusion and inversion matrices as in Wilson and Collins (2019), Ten simple rules for the computational
modeling of behavioral data, eLife 8:e49547.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.statistics import binomial_interval

__all__ = [
    "akaike",
    "bayesian",
    "choose",
    "confusion_matrix",
    "inversion_matrix",
    "inversion_standard_error",
    "running_gap",
    "share_intervals",
]


def akaike(log_likelihood: np.ndarray, n_parameters: np.ndarray) -> np.ndarray:
    """Akaike's information criterion, 2 k - 2 l; lower is better. Shapes broadcast.

    A parameter at a bound is not to be counted: where the truth lies at the bound, the estimate does in
    half of all records, and an interior one gains half a nat on average, so that charging only the
    interior ones is right on average (docs/model.md section 8).
    """
    return 2.0 * np.asarray(n_parameters) - 2.0 * np.asarray(log_likelihood)


def bayesian(log_likelihood: np.ndarray, n_parameters: np.ndarray, n_steps: int) -> np.ndarray:
    """Bayesian information criterion, k log T - 2 l; lower is better. Shapes broadcast."""
    return np.log(n_steps) * np.asarray(n_parameters) - 2.0 * np.asarray(log_likelihood)


def choose(criterion: np.ndarray) -> np.ndarray:
    """Index of the model with the lowest criterion over the last axis.

    A model whose fit led nowhere (NaN) is never chosen; -1 where no fit led anywhere.
    """
    criterion = np.asarray(criterion, dtype=float)
    finite = np.isfinite(criterion)
    chosen = np.argmin(np.where(finite, criterion, np.inf), -1)
    return np.where(finite.any(-1), chosen, -1)


def confusion_matrix(chosen: np.ndarray, n_models: int) -> np.ndarray:
    """P(chosen | generating), shape (generating, chosen).

    Parameters
    ----------
    chosen : ndarray of int, shape (generating, replicates)
        Index of the model chosen for each record; a negative one counts as no choice, so that its row
        sums to less than 1.
    n_models : int
    """
    chosen = np.asarray(chosen)
    return (chosen[..., None] == np.arange(n_models)).mean(1)


def inversion_matrix(confusion: np.ndarray) -> np.ndarray:
    """P(generating | chosen), every generating model equally likely before; shape as `confusion`.

    A column of a model that was never chosen is NaN.
    """
    total = confusion.sum(0)
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, confusion / total, np.nan)


def share_intervals(chosen: np.ndarray, n_models: int, level: float) -> np.ndarray:
    """Exact binomial intervals of a confusion matrix, shape (2, generating, chosen): lower, upper ends.

    Parameters
    ----------
    chosen, n_models
        As for `confusion_matrix`.
    level : float
        In (0, 1).
    """
    chosen = np.asarray(chosen)
    counts = (chosen[..., None] == np.arange(n_models)).sum(1)
    ends = [binomial_interval(int(count), chosen.shape[1], level) for count in counts.ravel()]
    return np.array(ends).T.reshape(2, *counts.shape)


def inversion_standard_error(chosen: np.ndarray, n_models: int) -> np.ndarray:
    """Standard error of the inversion matrix by the delta method, shape (generating, chosen).

    Rows are independent multinomials; 0 where a model was chosen for the records of one model alone.
    """
    confusion = confusion_matrix(chosen, n_models)
    variance = confusion * (1.0 - confusion) / np.asarray(chosen).shape[1]
    total = confusion.sum(0)
    others = variance.sum(0) - variance
    with np.errstate(invalid="ignore", divide="ignore"):
        own = (total - confusion) ** 2 * variance + confusion**2 * others
        return np.where(total > 0, np.sqrt(own) / total**2, np.nan)


def running_gap(log_likelihoods: np.ndarray, maximum: float) -> np.ndarray:
    """How far below `maximum` the best so far is, after each evaluation; inf before any is finite."""
    return maximum - np.maximum.accumulate(log_likelihoods)
