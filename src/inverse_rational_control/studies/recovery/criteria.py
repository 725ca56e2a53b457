"""Criteria of the recovery study (Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.parameters import N_PARAMETERS
from inverse_rational_control.statistics import mean_and_error
from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    em_rises,
    not_judged,
    too_few,
    within,
)
from inverse_rational_control.studies.recovery.dataset import RECOVERY

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": RECOVERY, "fits": FIT}

_SLOPE_ERROR = 0.1  # with more, a slope of -0.5 is hardly told from none


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
    few = too_few(n_long, "fits")
    found = [
        em_rises("recovery_em_steps_rise", "6", fits),
        _slope(summary, slope_from, bounds),
        at_least(
            "recovery_converged_share",
            "6",
            settled.sum() / n_long,
            bounds["converged_share_minimum"],
            f"of {n_long} fits from {slope_from} steps on; of these at a bound: "
            f"{int(long['at_bound_count'].sum())}",
        )
        if not few
        else not_judged("recovery_converged_share", "6", few),
        at_most(
            "recovery_likelihood_below_truth",
            "6",
            int((fitted & ~(long["likelihood_ratio"].values >= 0)).sum()),
            0,
            f"fits less likely than the truth, of {n_long} from {slope_from} steps on",
        ),
    ]
    return [*found, _efficiency(summary, bounds), *_at_one_length(summary, bounds)]


def _slope(summary, slope_from, bounds):
    """Errors fall like one over the square root of the length."""
    error = float(summary["pooled_slope_standard_error"])
    if not error <= _SLOPE_ERROR:
        said = f"its standard error is {error:.3f}; judged up to {_SLOPE_ERROR:g}"
        return not_judged("recovery_slope", "6", said)
    reach = bounds["slope_tolerance"] + 2.0 * error
    return within(
        "recovery_slope",
        "6",
        float(summary["pooled_slope"]),
        -0.5 - reach,
        -0.5 + reach,
        f"theory: -0.5; {bounds['slope_tolerance']:g} and two standard errors of {error:.3f}, "
        f"clustered by record, over all fits from {slope_from} steps on",
    )


def _efficiency(summary, bounds):
    """Errors are as small as the information allows, and no smaller."""
    efficiency_from = int(summary.attrs["efficiency_from"])
    if not (summary["n_steps"].values >= efficiency_from).any():
        return not_judged("recovery_efficiency", "6", f"no records of {efficiency_from} steps")
    error = float(summary["pooled_efficiency_standard_error"])
    reach = bounds["efficiency_tolerance"] + 2.0 * error
    return within(
        "recovery_efficiency",
        "6",
        float(summary["pooled_efficiency"]),
        1.0 - reach,
        1.0 + reach,
        f"squared Cramer-Rao bound over mean squared error, mean over parameters; theory: 1; "
        f"{bounds['efficiency_tolerance']:g} and two standard errors of {error:.3f}, clustered "
        f"by record and with the bound's own, over all fits from {efficiency_from} steps on",
    )


def _at_one_length(summary, bounds):
    """Likelihood ratio and coverage at the length for which the theory of long records is asked."""
    judged, names = bounds["likelihood_ratio_n_steps"], ("likelihood_ratio", "coverage")
    if judged not in summary["n_steps"].values:
        return [
            not_judged(f"recovery_{each}", "6", f"no records of {judged} steps") for each in names
        ]
    part = summary.sel(n_steps=judged)
    ratio = part["likelihood_ratio"].values
    ratio = ratio[part["status"].values.astype(str) != ""]
    mean, error = mean_and_error(ratio, nan_policy="propagate")
    n_parameters = summary.sizes["parameter"]
    # The range is for the ten parameters; theory adds one for each extra one.
    low, high = (end + n_parameters - N_PARAMETERS for end in bounds["likelihood_ratio_range"])
    level = float(summary.attrs["confidence_level"])
    coverage_error = float(part["coverage_standard_error"])
    reach = bounds["coverage_standard_errors"] * coverage_error
    return [
        within(
            "recovery_likelihood_ratio",
            "6",
            mean,
            low,
            high,
            f"theory: {n_parameters}, one per parameter; standard error {error:.2f} over {ratio.size} "
            f"records of {judged} steps",
        ),
        within(
            "recovery_coverage",
            "6",
            float(part["coverage"]),
            level - reach,
            min(1.0, level + reach),
            f"{100 * level:g} % intervals of all fits at {judged} steps; standard error "
            f"{coverage_error:.3f} over records",
        ),
    ]
