"""Criteria of the recovery study (Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.statistics import mean_and_error
from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    largest_fall,
    within,
)
from inverse_rational_control.studies.recovery.dataset import RECOVERY

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": RECOVERY, "fits": FIT}


def criteria(summary: xr.Dataset, fits: list[xr.Dataset], bounds: Mapping) -> list[Criterion]:
    """Judge the recovery study (Figure 6).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `recovery`.
    fits : list of xarray.Dataset
        Every batch of fits, kind `fit` with dimension seed.
    bounds : mapping
        The `check` section of the configuration.
    """
    slope_from = int(summary.attrs["slope_from"])
    long = summary.sel(n_steps=[n for n in summary["n_steps"].values if n >= slope_from])
    status = long["status"].values.astype(str)
    fitted = status != ""
    settled = np.isin(status, ("converged", "at_bound"))
    n_long = int(fitted.sum())
    slope_error = float(summary["pooled_slope_standard_error"])
    slope_reach = bounds["slope_tolerance"] + 2.0 * slope_error
    found = [
        at_most(
            "recovery_history_monotone",
            "6",
            max(largest_fall(fit) for fit in fits),
            bounds["monotone_tolerance"],
            "the likelihood never falls, at any iteration of any fit",
        ),
        within(
            "recovery_slope",
            "6",
            float(summary["pooled_slope"]),
            -0.5 - slope_reach,
            -0.5 + slope_reach,
            f"theory: -0.5; {bounds['slope_tolerance']:g} and two standard errors of "
            f"{slope_error:.3f}, clustered by record, over all fits from {slope_from} steps on",
        ),
        at_least(
            "recovery_converged_share",
            "6",
            settled.sum() / n_long,
            bounds["converged_share_minimum"],
            f"of {n_long} fits from {slope_from} steps on; of these at a bound: "
            f"{int(long['at_bound_count'].sum())}",
        ),
        at_most(
            "recovery_likelihood_below_truth",
            "6",
            int((fitted & ~(long["likelihood_ratio"].values >= 0)).sum()),
            0,
            f"fits less likely than the truth, of {n_long} from {slope_from} steps on",
        ),
    ]
    efficiency_from = int(summary.attrs["efficiency_from"])
    if (summary["n_steps"].values >= efficiency_from).any():
        error = float(summary["pooled_efficiency_standard_error"])
        reach = bounds["efficiency_tolerance"] + 2.0 * error
        found.append(
            within(
                "recovery_efficiency",
                "6",
                float(summary["pooled_efficiency"]),
                1.0 - reach,
                1.0 + reach,
                f"squared Cramer-Rao bound over mean squared error, mean over parameters; theory: 1; "
                f"{bounds['efficiency_tolerance']:g} and two standard errors of {error:.3f}, clustered "
                f"by record and with the bound's own, over all fits from {efficiency_from} steps on",
            )
        )
    judged = bounds["likelihood_ratio_n_steps"]
    if judged in summary["n_steps"].values:
        part = summary.sel(n_steps=judged)
        ratio = part["likelihood_ratio"].values
        ratio = ratio[part["status"].values.astype(str) != ""]
        mean, error = mean_and_error(ratio, nan_policy="propagate")
        found.append(
            within(
                "recovery_likelihood_ratio",
                "6",
                mean,
                *bounds["likelihood_ratio_range"],
                f"theory: 10, one per parameter; standard error {error:.2f} over "
                f"{ratio.size} records of {judged} steps",
            )
        )
        level = float(summary.attrs["confidence_level"])
        error = float(part["coverage_standard_error"])
        reach = bounds["coverage_standard_errors"] * error
        found.append(
            within(
                "recovery_coverage",
                "6",
                float(part["coverage"]),
                level - reach,
                min(1.0, level + reach),
                f"{100 * level:g} % intervals of all fits at {judged} steps; standard error {error:.3f} "
                "over records",
            )
        )
    return found
