"""Criteria of the optimization paths (Figure 8)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.statistics import binomial_standard_error
from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    em_rises,
    not_judged,
    too_few,
)
from inverse_rational_control.studies.optimization.analysis import median_reached
from inverse_rational_control.studies.optimization.dataset import OPTIMIZATION

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": OPTIMIZATION}


def criteria(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Judge the optimization paths (Figure 8).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `optimization`.
    bounds : mapping
        The `check` part of the `optimization` section of the configuration.
    """
    best = float(summary["best_log_likelihood"])
    # By definition within a standard deviation of the best end: elsewhere there may be other maxima.
    ends = best - summary["end_log_likelihood"].values
    same = summary["end_converged"].values.astype(bool) & (summary["end_distance"].values < 1.0)
    by_em = summary.sel({"method": ["em", "squarem"]})
    return [
        em_rises(
            "em_and_squarem_steps_rise",
            "8",
            [by_em[["em_fall"]].assign(end_log_likelihood=best)],
        ),
        at_most(
            "quasi_newton_ends_agree",
            "8",
            float(ends[same].max()) if same.sum() > 1 else np.nan,
            bounds["start_agreement_nats"],
            f"{int(same.sum())} of {same.size} paths converged within a standard deviation of the "
            "best end; the Newton decrement says that each is within fitting.tolerance of its maximum",
        ),
        _reached(summary, bounds),
        _saving(summary, bounds),
    ]


def _reached(summary: xr.Dataset, bounds: Mapping) -> Criterion:
    """Chosen starts mostly reach the best log-likelihood."""
    name, chosen = "chosen_starts_reach_the_best", summary.sel(choice="chosen")
    n_starts, share = chosen.sizes["trial"], bounds["reached_share_minimum"]
    gap = float(summary["gap"].values[-1])
    said = too_few(n_starts, "starts")
    if said:
        return not_judged(name, "8", said)
    drawn = float(summary.sel(choice="drawn")["reached_share"])
    return at_least(
        name,
        "8",
        float(chosen["reached_share"]),
        share - 3.0 * binomial_standard_error(share, n_starts),
        f"share of {n_starts} within {gap:g} nats: {share:g}, less three binomial standard errors; of "
        f"raw draws {drawn:.3g} get there",
    )


def _saving(summary: xr.Dataset, bounds: Mapping) -> Criterion:
    """SQUAREM comes within the smallest gap in fewer E-steps than plain EM."""
    gap = float(summary["gap"].values[-1])
    cost = {
        method: median_reached(summary["evaluations_to_gap"].sel({"method": method}).values[:, -1])
        for method in ("em", "squarem")
    }
    # A path that never came so close needs more than it was allowed.
    of_em = min(cost["em"], float(summary.attrs["max_evaluations"]))
    return at_most(
        "squarem_saves_e_steps",
        "8",
        float(cost["squarem"] / of_em),
        bounds["squarem_cost_maximum"],
        f"ratio of the median numbers of E-steps (SQUAREM over plain EM) to come within {gap:g} "
        "nats of the best; where EM never does, its limit is taken; 1 is SQUAREM without leaps",
    )
