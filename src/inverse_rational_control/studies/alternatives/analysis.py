"""Models compared and recovered: information criteria, confusion and inversion; gaps of a search.

Confusion and inversion matrices as in Wilson and Collins (2019), Ten simple rules for the computational
modeling of behavioral data, eLife 8:e49547.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "akaike",
    "bayesian",
    "choose",
    "confusion_matrix",
    "inversion_matrix",
    "running_gap",
]


def akaike(log_likelihood: np.ndarray, n_parameters: np.ndarray) -> np.ndarray:
    """Akaike's information criterion, 2 k - 2 l; lower is better. Shapes broadcast."""
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


def running_gap(log_likelihoods: np.ndarray, maximum: float) -> np.ndarray:
    """How far below `maximum` the best so far is, after each evaluation; inf before any is finite."""
    return maximum - np.maximum.accumulate(log_likelihoods)
