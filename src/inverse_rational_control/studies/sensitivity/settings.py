"""The settings of the study: the task as it is, and with one thing changed at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from inverse_rational_control.task import Task

__all__ = ["Setting", "settings"]


@dataclass(frozen=True)
class Setting:
    """One choice of what is fixed about the task.

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
