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
    em_rises,
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
    slope_reach = bounds["slope_tolerance"] + 3.0 * slope_error
    found = [
        em_rises("recovery_em_steps_rise", "6", fits),
        within(
            "recovery_slope",
            "6",
            float(summary["pooled_slope"]),
            -0.5 - slope_reach,
            -0.5 + slope_reach,
            f"theory: -0.5; {bounds['slope_tolerance']:g} and three standard errors of "
            f"{slope_error:.3f}, over lengths from {slope_from}",
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
    efficient = summary.sel(
        n_steps=[n for n in summary["n_steps"].values if n >= bounds["efficiency_from"]]
    )
    for length in efficient["n_steps"].values:
        part = efficient.sel(n_steps=length)
        error = float(part["mean_efficiency_standard_error"])
        found.append(
            at_least(
                f"recovery_efficiency_{length}_steps",
                "6",
                float(part["mean_efficiency"]),
                bounds["efficiency_minimum"] - 3.0 * error,
                f"Cramer-Rao bound over mean squared error, mean over parameters: at least "
                f"{bounds['efficiency_minimum']:g}, less three standard errors of {error:.3f}, "
                f"{int(part['fitted_count'])} fits",
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
                f"{100 * level:g} % intervals at {judged} steps; standard error {error:.3f} over "
                "records",
            )
        )
    return found
