"""Criteria of the profile likelihoods and the information (Figure 9)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy.special import chdtri

from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    not_judged,
)
from inverse_rational_control.studies.identifiability.dataset import IDENTIFIABILITY

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": IDENTIFIABILITY}

_NEAR = 0.6  # standard errors within which a profile is a parabola but for its skew


def criteria(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Judge what the data tell about the paper's one agent (Figure 9).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `identifiability`.
    bounds : mapping
        The `check` part of the configuration's section `identifiability`.
    """
    converged = summary["profile_converged"].values
    n_points = converged.size
    # The estimate is a point of every profile and excess zero; NaN is a failed point, counted below.
    excess = summary["profile_log_likelihood"].values - float(summary["log_likelihood"])
    found = [
        at_most(
            "profile_above_maximum",
            "9",
            float(np.nanmax(excess)),
            bounds["excess_nats"],
            "a maximum under a constraint cannot be more likely than the maximum without",
        ),
        at_least(
            "profile_converged_share",
            "9",
            float(converged.mean()),
            bounds["converged_share_minimum"],
            f"of {n_points} points of {summary.sizes['profile']} profiles",
        ),
        _curvature(summary, bounds["curvature_tolerance"]),
    ]
    if "truth" in summary:
        found.append(_truth_inside(summary, bounds["interval_level"]))
    return found


def _curvature(summary: xr.Dataset, tolerance: float) -> Criterion:
    """Near the estimate every profile is the parabola that the information says."""
    name, middle = "profile_curvature", summary.sizes["point"] // 2
    beside = summary.isel(point=[middle - 1, middle + 1])
    distance = np.abs(beside["offset"].values) / summary["wald_standard_deviation"].values[:, None]
    if distance.max() > _NEAR:
        return not_judged(
            name,
            "9",
            f"the nearest points are {distance.max():.2g} standard errors away, > {_NEAR:g}",
        )
    fall = float(summary["log_likelihood"]) - beside["profile_log_likelihood"].values
    # Both sides together: what is skewed cancels.
    off = np.abs((2.0 * fall / distance**2).mean(1) - 1.0)
    return at_most(
        name,
        "9",
        off.max(),
        tolerance,
        "of the profile likelihoods next to the estimate, relative to the information's (1 over the "
        f"squared standard error); largest of {off.size}: {summary['profile'].values[np.argmax(off)]}",
    )


def _truth_inside(summary: xr.Dataset, level: float) -> Criterion:
    """All true parameters inside their profile intervals, which together hold at the given level."""
    chosen = summary.sel(profile=summary["parameter"].values)
    each = 1.0 - (1.0 - level) / chosen.sizes["profile"]
    cut = float(chdtri(1, 1.0 - each))
    # A maximization that failed at the truth tells nothing, and does not pass.
    outside = ~(chosen["truth_likelihood_ratio"].values <= cut)
    named = ", ".join(chosen["profile"].values[outside]) or "none"
    return at_most(
        "truth_outside_profile_interval",
        "9",
        int(outside.sum()),
        0,
        f"2 [l_max - l_profile] at the true value above {cut:.4g}, {100 * each:g} % of chi-square "
        f"with one degree of freedom ({100 * level:g} % for all together): {named}",
    )
