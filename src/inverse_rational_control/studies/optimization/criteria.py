"""Criteria of the optimization paths (Figure 8)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.statistics import binomial_standard_error
from inverse_rational_control.studies.criterion import Criterion, at_least, at_most, largest_fall
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
    gap = float(summary["gap"].values[-1])
    # By definition within a standard deviation of the best end: elsewhere there may be other maxima.
    ends = best - summary["end_log_likelihood"].values
    same = summary["end_converged"].values.astype(bool) & (summary["end_distance"].values < 1.0)
    chosen = summary.sel(choice="chosen")
    n_starts = chosen.sizes["trial"]
    least = bounds["reached_share_minimum"]
    error = binomial_standard_error(least, n_starts)
    cost = {
        str(method): median_reached(
            summary["evaluations_to_gap"].sel({"method": method}).values[:, -1]
        )
        for method in summary["method"].values
    }
    # A path that never came so close needs more than it was allowed.
    of_em = min(cost["em"], float(summary.attrs["max_evaluations"]))
    return [
        *(
            at_most(
                f"{method}_monotone",
                "8",
                largest_fall(summary.sel({"method": method})),
                bounds["monotone_tolerance"],
                "plain EM and SQUAREM with its guard never lower the likelihood but for rounding",
            )
            for method in ("em", "squarem")
        ),
        at_most(
            "quasi_newton_ends_agree",
            "8",
            float(ends[same].max()) if same.sum() > 1 else np.nan,
            bounds["start_agreement_nats"],
            f"{int(same.sum())} of {same.size} paths converged within a standard deviation of the "
            "best end; the Newton decrement says that each is within fitting.tolerance of its maximum",
        ),
        at_least(
            "chosen_starts_reach_the_best",
            "8",
            float(chosen["reached_share"]),
            least - 3.0 * error,
            f"share of {n_starts} within {gap:g} nats: {least:g}, less three binomial standard errors "
            f"of {error:.3f}",
        ),
        at_most(
            "squarem_saves_e_steps",
            "8",
            float(cost["squarem"] / of_em),
            1.0,
            f"ratio of the median numbers of E-steps (SQUAREM over plain EM) to come within {gap:g} "
            "nats of the best; where EM never does, its limit is taken",
        ),
    ]
