"""One criterion, and how to make one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from inverse_rational_control.inference.search import tolerated_fall

__all__ = [
    "LEAST_FOR_A_SHARE",
    "Criterion",
    "at_least",
    "at_most",
    "em_rises",
    "not_judged",
    "too_few",
    "within",
]


#: Fewer cases say too little about a share.
LEAST_FOR_A_SHARE = 20


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


def too_few(n: int, what: str, least: int = LEAST_FOR_A_SHARE) -> str:
    """Why results of `n` cases cannot be judged, if they are too few; else nothing."""
    return f"{n} {what}; judged from {least} on" if n < least else ""


def em_rises(name: str, figure: str, fits: Sequence[xr.Dataset]) -> Criterion:
    """No EM step may lower the likelihood, whether it was then taken or not.

    Parameters
    ----------
    name, figure : str
    fits : sequence of xarray.Dataset
        With `em_fall` and `end_log_likelihood` of every path; NaN where there is none.
    """
    falls = np.concatenate(
        [
            (fit["em_fall"] / tolerated_fall(fit["end_log_likelihood"])).values.ravel()
            for fit in fits
        ]
    )
    falls = falls[np.isfinite(falls)]
    if not falls.size:
        return not_judged(name, figure, "no EM step was made")
    return at_most(
        name,
        figure,
        falls.max(),
        1.0,
        "largest fall of the likelihood by an EM step, over what rounding explains at its size; of "
        f"{falls.size} paths, steps included that were not taken",
    )
