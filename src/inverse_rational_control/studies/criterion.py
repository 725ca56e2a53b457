"""One criterion, and how to make one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

__all__ = ["Criterion", "at_least", "at_most", "largest_fall", "not_judged", "within"]


@dataclass(frozen=True)
class Criterion:
    """One judgment.

    Attributes
    ----------
    name : str
    figure : str
        Where a reader sees it.
    found : float
    bound : str
        What is allowed, in words and numbers.
    passed : bool or None
        None if it was not judged.
    why : str
        Where the bound comes from, or why it was not judged.
    """

    name: str
    figure: str
    found: float
    bound: str
    passed: bool | None
    why: str

    @property
    def failed(self) -> bool:
        """Whether it was judged and not met."""
        return self.passed is False


def at_least(name, figure, found, bound, why):
    """`found` must be at least `bound`; NaN fails."""
    return Criterion(name, figure, float(found), f">= {bound:g}", bool(found >= bound), why)


def at_most(name, figure, found, bound, why):
    """`found` must be at most `bound`; NaN fails."""
    return Criterion(name, figure, float(found), f"<= {bound:g}", bool(found <= bound), why)


def within(name, figure, found, low, high, why):
    """`found` must be from `low` to `high`; NaN fails."""
    bound = f"{low:g} to {high:g}"
    return Criterion(name, figure, float(found), bound, bool(low <= found <= high), why)


def not_judged(name, figure, why):
    """Make a criterion that these results cannot be judged by, and say why."""
    return Criterion(name, figure, np.nan, "not judged", None, why)


def largest_fall(fit: xr.Dataset) -> float:
    """Largest fall of the log-likelihood between two iterations of any start, nats."""
    falls = -np.diff(fit["history_log_likelihood"].values, axis=-1)
    return float(np.nanmax(falls, initial=-np.inf)) if falls.size else -np.inf
