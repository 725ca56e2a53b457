"""Datasets of the recovery study: the information at the truth, and the summary of all fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import chdtri

from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.parameter_space import FULL_SPACE
from inverse_rational_control.parameters import agent_parameters
from inverse_rational_control.recordings.dataset import extras_of_dataset
from inverse_rational_control.statistics import coverage_over_records, root_mean_square
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.recovery.analysis import (
    cramer_rao_bound,
    efficiency,
    error_scaling,
    steps_needed,
)

__all__ = [
    "EXPECTED_INFORMATION",
    "FROM_FITS",
    "RECOVERY",
    "expected_information_dataset",
    "recovery_dataset",
    "steps_needed_table",
]

_OUTLIER = 4.0  # Cramer-Rao bounds

#: Kind `expected_information`.
EXPECTED_INFORMATION = Contract(
    "expected_information",
    "information at the true parameters, averaged over records",
    {
        "information_per_step": variable(
            "parameter parameter_other", "f", "1/step", "mean, unconstrained coordinates"
        ),
        "bound": variable(
            "n_steps parameter", "f", "natural", "Cramer-Rao bound, standard deviation"
        ),
        "bound_standard_error": variable(
            "n_steps parameter", "f", "natural", "jackknife over records"
        ),
        "bound_left_out": variable(
            "left_out n_steps parameter", "f", "natural", "the bound without each record"
        ),
    },
    {},
    ("n_records",),
)


def expected_information_dataset(
    per_step: np.ndarray,
    truth: np.ndarray,
    lengths: Sequence[int],
    coordinates: Coordinates = FULL_SPACE,
) -> xr.Dataset:
    """The expected information and the Cramer-Rao bound at every length, as a dataset.

    Parameters
    ----------
    per_step : ndarray, shape (records, n, n)
        Observed information of each record at the truth by its number of steps.
    truth : ndarray, shape (n,)
    lengths : sequence of int
        In steps.
    coordinates : Coordinates
        Of the n parameters; the ten's if not given.
    """
    bounds = [cramer_rao_bound(length * per_step, truth, coordinates) for length in lengths]
    names = [parameter.name for parameter in coordinates.parameters]
    cells = ("n_steps", "parameter")
    return xr.Dataset(
        {
            "information_per_step": (("parameter", "parameter_other"), per_step.mean(0)),
            "bound": (cells, np.array([bound for bound, _, _ in bounds])),
            "bound_standard_error": (cells, np.array([error for _, error, _ in bounds])),
            "bound_left_out": (
                ("left_out", *cells),
                np.stack([left_out for _, _, left_out in bounds], axis=1),
            ),
        },
        {
            "n_steps": list(lengths),
            "parameter": names,
            "parameter_other": names,
            "left_out": np.arange(len(per_step)),
        },
        {"n_records": len(per_step)},
    )


#: Kind `recovery`.
RECOVERY = Contract(
    "recovery",
    "estimates and errors of the recovery study, over records and data lengths",
    {
        "truth": variable(
            "parameter", "f", "natural", "parameters of the simulated agent", finite=True
        ),
        "estimate": variable("seed n_steps parameter", "f", "natural", "estimates"),
        "error": variable("seed n_steps parameter", "f", "natural", "estimate minus truth"),
        "standard_error": variable(
            "seed n_steps parameter", "f", "natural", "observed information"
        ),
        "covered": variable(
            "seed n_steps parameter", "b", "", "truth inside the interval, Wald's or by profile"
        ),
        "interval_defined": variable(
            "seed n_steps parameter", "b", "", "the truth could be judged"
        ),
        "status": variable("seed n_steps", "U", "", "status of each fit"),
        "likelihood_ratio": variable("seed n_steps", "f", "nat", "2 [l(estimate) - l(truth)]"),
        "starts_agreeing": variable("seed n_steps", "f", "1", "share of starts at the best end"),
        "rmse": variable("n_steps parameter", "f", "natural", "over all records"),
        "rmse_interior": variable("n_steps parameter", "f", "natural", "over converged fits"),
        "at_bound_count": variable("n_steps", "i", "", "fits at a bound"),
        "unconverged_count": variable("n_steps", "i", "", "fits neither converged nor at a bound"),
        "slope": variable("parameter", "f", "1", "d log RMSE / d log length from slope_from on"),
        "slope_standard_error": variable("parameter", "f", "1", "clustered by record"),
        "pooled_slope": variable("", "f", "1", "one slope for all parameters"),
        "pooled_slope_standard_error": variable("", "f", "1", "clustered by record"),
        "coverage": variable(
            "n_steps", "f", "1", "share of intervals that cover, all parameters of all fits"
        ),
        "coverage_standard_error": variable("n_steps", "f", "1", "over records"),
        "fitted_count": variable("n_steps", "i", "", "records fitted at this length"),
        "bound": variable(
            "n_steps parameter", "f", "natural", "Cramer-Rao bound, standard deviation"
        ),
        "bound_standard_error": variable(
            "n_steps parameter", "f", "natural", "jackknife over records"
        ),
        "efficiency": variable(
            "n_steps parameter", "f", "1", "squared bound over mean squared error"
        ),
        "efficiency_standard_error": variable(
            "n_steps parameter", "f", "1", "clustered by record, and of the bound"
        ),
        "mean_efficiency": variable("n_steps", "f", "1", "over parameters"),
        "mean_efficiency_standard_error": variable(
            "n_steps", "f", "1", "clustered by record, and of the bound"
        ),
        "pooled_efficiency": variable("", "f", "1", "over lengths from efficiency_from on"),
        "pooled_efficiency_standard_error": variable(
            "", "f", "1", "clustered by record, and of the bound"
        ),
        "outlier_count": variable("n_steps", "i", "", "fits with an error over 4 bounds"),
    },
    {},
    ("slope_from", "efficiency_from", "confidence_level"),
)

#: What the summary takes of each fit.
FROM_FITS = (
    *("estimate", "standard_error", "interval_lower", "interval_upper", "truth"),
    *("interval_kind", "profile_deviance_at_truth"),
    *("truth_log_likelihood", "log_likelihood", "status", "end_log_likelihood"),
)


def recovery_dataset(
    fits: Sequence[xr.Dataset],
    information: xr.Dataset,
    slope_from: int,
    efficiency_from: int,
    agreement_nats: float,
    confidence_level: float,
) -> xr.Dataset:
    """Errors, their slopes, coverage and efficiency over records and lengths, as a dataset.

    All fits enter, also those at a bound: to leave these out would choose the records whose errors are
    small. Whether a fit's interval holds the truth is known by its profile where Wald's does not hold.

    Where a record was not fitted at a length, numbers are NaN and the status is empty.

    Parameters
    ----------
    fits : sequence of xarray.Dataset
        `FROM_FITS` of all records, one dataset per length, in the order of `information`.
    information : xarray.Dataset
        Kind expected_information.
    slope_from : int
        Shorter records do not enter the slopes, steps.
    efficiency_from : int
        Shorter records do not enter the pooled efficiency, steps.
    agreement_nats : float
        Starts that end this close to the best one agree with it.
    confidence_level : float
        Of the fits' intervals.
    """
    lengths = information["n_steps"].values
    joined = xr.concat(
        fits, xr.Variable("n_steps", lengths), join="outer", fill_value={"status": ""}
    ).transpose("seed", "n_steps", ...)
    truth, estimate = joined["truth"].values[0, 0], joined["estimate"].values
    status = joined["status"].values.astype(str)
    fitted, at_bound, converged = status != "", status == "at_bound", status == "converged"
    error = estimate - truth
    interior = np.where(converged[..., None], error, np.nan)
    lower, upper = joined["interval_lower"].values, joined["interval_upper"].values
    wald = joined["interval_kind"].values.astype(str) == "wald"
    deviance = joined["profile_deviance_at_truth"].values
    defined = np.where(wald, np.isfinite(lower) & np.isfinite(upper), np.isfinite(deviance))
    inside = np.where(
        wald,
        (lower <= truth) & (truth <= upper),
        deviance <= chdtri(1, 1.0 - confidence_level),
    )
    covered = defined & inside
    # A fit without an interval counts, as one whose interval does not hold the truth.
    everyone = np.broadcast_to(fitted[..., None], defined.shape)
    best, ends = joined["log_likelihood"].values, joined["end_log_likelihood"].values
    agreeing = (ends >= best[..., None] - agreement_nats).sum(-1)
    bound, left_out = information["bound"].values, information["bound_left_out"].values
    with np.errstate(invalid="ignore"):
        outlying = (np.abs(error) > _OUTLIER * bound).any(-1)
    long = lengths >= slope_from
    scaling = error_scaling(error[:, long], lengths[long])
    each_length = range(lengths.size)
    efficiencies = [efficiency(error[:, [k]], bound[[k]], left_out[:, [k]]) for k in each_length]
    late = lengths >= efficiency_from
    pooled = efficiency(error[:, late], bound[late], left_out[:, late])
    coverage = [coverage_over_records(covered[:, k], everyone[:, k]) for k in each_length]
    shares, share_errors = np.array(coverage).T
    ratio = 2.0 * (best - joined["truth_log_likelihood"].values)
    cells, by_length = ("seed", "n_steps"), ("n_steps", "parameter")
    return xr.Dataset(
        {
            "truth": ("parameter", truth),
            "estimate": ((*cells, "parameter"), estimate),
            "error": ((*cells, "parameter"), error),
            "standard_error": ((*cells, "parameter"), joined["standard_error"].values),
            "covered": ((*cells, "parameter"), covered),
            "interval_defined": ((*cells, "parameter"), defined),
            "status": (cells, status.astype(object)),
            "likelihood_ratio": (cells, ratio),
            "starts_agreeing": (cells, agreeing / np.maximum(np.isfinite(ends).sum(-1), 1)),
            "rmse": (by_length, root_mean_square(error)),
            "rmse_interior": (by_length, root_mean_square(interior)),
            "at_bound_count": ("n_steps", at_bound.sum(0)),
            "unconverged_count": ("n_steps", (fitted & ~at_bound & ~converged).sum(0)),
            "fitted_count": ("n_steps", fitted.sum(0)),
            "outlier_count": ("n_steps", outlying.sum(0)),
            "bound": (by_length, bound),
            "bound_standard_error": (by_length, information["bound_standard_error"].values),
            "efficiency": (by_length, np.array([one.each for one in efficiencies])),
            "efficiency_standard_error": (
                by_length,
                np.array([one.standard_error for one in efficiencies]),
            ),
            "mean_efficiency": ("n_steps", [one.mean for one in efficiencies]),
            "mean_efficiency_standard_error": (
                "n_steps",
                [one.mean_standard_error for one in efficiencies],
            ),
            "pooled_efficiency": ((), pooled.mean),
            "pooled_efficiency_standard_error": ((), pooled.mean_standard_error),
            "slope": ("parameter", scaling.slope),
            "slope_standard_error": ("parameter", scaling.slope_standard_error),
            "pooled_slope": ((), scaling.pooled_slope),
            "pooled_slope_standard_error": ((), scaling.pooled_slope_standard_error),
            "coverage": ("n_steps", shares),
            "coverage_standard_error": ("n_steps", share_errors),
        },
        {
            "seed": joined["seed"].values,
            "n_steps": lengths,
            "parameter": joined["parameter"].values,
        },
        {
            "slope_from": slope_from,
            "efficiency_from": efficiency_from,
            "confidence_level": confidence_level,
        },
    )


def steps_needed_table(
    information: xr.Dataset,
    truth: np.ndarray,
    precisions: Sequence[float],
    confidence_level: float,
) -> pd.DataFrame:
    """Steps that a wanted precision of each parameter takes: a row per parameter and precision.

    Parameters
    ----------
    information : xarray.Dataset
        Kind expected_information.
    truth : ndarray, shape (10,)
        Natural coordinates; precision is relative to it.
    precisions : sequence of float
        Half widths of the interval, in units of the true value.
    confidence_level : float
        Of the interval.
    """
    longest = information.sel(n_steps=information["n_steps"].max())
    bound, error = longest["bound"].values, longest["bound_standard_error"].values
    rows = []
    for precision in precisions:
        half_width = precision * np.abs(truth)
        steps, steps_error = steps_needed(
            bound, error, int(longest["n_steps"]), half_width, confidence_level
        )
        for k, parameter in enumerate(agent_parameters(extras_of_dataset(information))):
            rows.append(
                {
                    "parameter": parameter.name,
                    "unit": parameter.unit,
                    "true value": float(truth[k]),
                    "confidence level": confidence_level,
                    "relative half width": precision,
                    "half width": float(f"{half_width[k]:.3g}"),
                    "steps": float(f"{steps[k]:.3g}"),
                    "standard error": float(f"{steps_error[k]:.2g}"),
                }
            )
    return pd.DataFrame(rows)
