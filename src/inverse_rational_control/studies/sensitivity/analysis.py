"""Settings differing from the task in one thing at a time: what they do to estimates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.task import Task

__all__ = ["Setting", "belief_accuracy", "mean_and_error", "settings"]


@dataclass(frozen=True)
class Setting:
    """One way to fix what is fixed about the task.

    Attributes
    ----------
    name : str
        Letters, digits, `_` and points: part of a file's name.
    task : Task
    """

    name: str
    task: Task


def settings(
    task: Task,
    n_bins: Sequence[int],
    diffusion_bins: Sequence[float],
    discounts: Sequence[float],
) -> list[Setting]:
    """The task as it is, and with one thing changed at a time.

    Parameters
    ----------
    task : Task
        Comes first, as "task"; what equals it is left out.
    n_bins : sequence of int
        Each gives two settings: diffusion the same part of a bin as in `task`, and the same in belief.
    diffusion_bins : sequence of float
        Diffusions in bins of `task`.
    discounts : sequence of float
    """
    part = task.sigma * task.n_bins
    made = [Setting("task", task)]
    for n in sorted(n_bins):
        made.append(Setting(f"bins{n}", replace(task, n_bins=n, diffusion=part / n)))
        made.append(
            Setting(f"bins{n}_same_diffusion", replace(task, n_bins=n, diffusion=task.sigma))
        )
    for width in sorted(diffusion_bins):
        diffusion = float(width / task.n_bins)
        made.append(Setting(f"diffusion{width:g}", replace(task, diffusion=diffusion)))
    for discount in sorted(discounts):
        made.append(Setting(f"discount{discount:g}", replace(task, discount=discount)))
    return [made[0], *(setting for setting in made[1:] if not _same(setting.task, task))]


def _same(one: Task, other: Task) -> bool:
    """Whether two tasks differ in nothing that a setting changes, diffusion to within rounding."""
    return (
        one.n_bins == other.n_bins
        and one.discount == other.discount
        and math.isclose(one.sigma, other.sigma, rel_tol=1e-12)
    )


def belief_accuracy(
    means: np.ndarray, true_bins: np.ndarray, n_bins: int
) -> tuple[np.ndarray, np.ndarray]:
    """Correlation and RMSE of decoded beliefs with the centers of the agent's own bins.

    Unlike `decoding.score_decoding` this compares beliefs, not bins, so the analyst's number of bins
    need not be the agent's.

    Parameters
    ----------
    means : ndarray, shape (T, 2)
        Posterior mean belief, [step, box].
    true_bins : ndarray of int, shape (T, 2)
    n_bins : int
        The agent's.

    Returns
    -------
    correlation, rmse : ndarray, shape (2,)
        Correlation NaN if either does not vary.
    """
    correlation, rmse = [], []
    for mean, bins in zip(means.T, np.asarray(true_bins).T, strict=True):
        mean, belief = np.ascontiguousarray(mean), (bins + 0.5) / n_bins
        varied = np.ptp(mean) > 0 and np.ptp(belief) > 0
        correlation.append(np.corrcoef(mean, belief)[0, 1] if varied else np.nan)
        rmse.append(np.sqrt(np.mean((mean - belief) ** 2)))
    return np.array(correlation), np.array(rmse)


def mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over records (first axis) and its standard error; NaN entries are left out.

    NaN where nothing is left, and the error where fewer than two are.
    """
    finite = np.isfinite(values)
    count = finite.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(finite, values, 0.0).sum(0) / count
        squares = np.where(finite, (values - mean) ** 2, 0.0).sum(0)
        error = np.sqrt(squares / (count - 1) / count)
    return mean, np.where(count > 1, error, np.nan)
