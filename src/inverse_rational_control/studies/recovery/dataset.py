"""Datasets of the recovery study: the information at the truth, and the summary of all fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

from inverse_rational_control.recordings.dataset import names
from inverse_rational_control.statistics import coverage_over_records, root_mean_square
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.recovery.analysis import (
    cramer_rao_bound,
    efficiency,
    error_scaling,
)

__all__ = [
    "EXPECTED_INFORMATION",
    "FROM_FITS",
    "RECOVERY",
    "expected_information_dataset",
    "recovery_dataset",
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
    },
    {},
    ("n_records",),
)


def expected_information_dataset(
    per_step: np.ndarray, truth: np.ndarray, lengths: Sequence[int]
) -> xr.Dataset:
    """The expected information and the Cramer-Rao bound at every length, as a dataset.

    Parameters
    ----------
    per_step : ndarray, shape (records, 10, 10)
        Observed information of each record at the truth by its number of steps.
    truth : ndarray, shape (10,)
    lengths : sequence of int
        In steps.
    """
    bounds = [cramer_rao_bound(length * per_step, truth) for length in lengths]
    cells = ("n_steps", "parameter")
    return xr.Dataset(
        {
            "information_per_step": (("parameter", "parameter_other"), per_step.mean(0)),
            "bound": (cells, np.array([bound for bound, _ in bounds])),
            "bound_standard_error": (cells, np.array([error for _, error in bounds])),
        },
        {"n_steps": list(lengths), "parameter": names(), "parameter_other": names()},
        {"n_records": len(per_step)},
    )


#: Kind `recovery`.
RECOVERY = Contract(
    "recovery",
    "estimates and errors of the recovery study, over records and data lengths",
    {
        "truth": variable("parameter", "f", "natural", "parameters of the simulated agent"),
        "estimate": variable("seed n_steps parameter", "f", "natural", "estimates"),
        "error": variable("seed n_steps parameter", "f", "natural", "estimate minus truth"),
        "standard_error": variable(
            "seed n_steps parameter", "f", "natural", "observed information"
        ),
        "covered": variable("seed n_steps parameter", "b", "", "truth inside the interval"),
        "interval_defined": variable("seed n_steps parameter", "b", "", "the interval is finite"),
        "status": variable("seed n_steps", "U", "", "status of each fit"),
        "likelihood_ratio": variable("seed n_steps", "f", "nat", "2 [l(estimate) - l(truth)]"),
        "starts_agreeing": variable("seed n_steps", "f", "1", "share of starts at the best end"),
        "rmse": variable("n_steps parameter", "f", "natural", "over all records"),
        "rmse_interior": variable("n_steps parameter", "f", "natural", "over converged fits"),
        "at_bound_count": variable("n_steps", "i", "", "fits at a bound"),
        "unconverged_count": variable("n_steps", "i", "", "fits neither converged nor at a bound"),
        "slope": variable("parameter", "f", "1", "d log RMSE / d log length from slope_from on"),
        "slope_standard_error": variable("parameter", "f", "1", "bootstrap over records"),
        "pooled_slope": variable("", "f", "1", "one slope for all parameters"),
        "pooled_slope_standard_error": variable("", "f", "1", "bootstrap over records"),
        "coverage": variable("n_steps", "f", "1", "share of intervals that cover, all parameters"),
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
            "n_steps parameter", "f", "1", "bootstrap over records"
        ),
        "mean_efficiency": variable("n_steps", "f", "1", "over parameters"),
        "mean_efficiency_standard_error": variable("n_steps", "f", "1", "bootstrap over records"),
        "outlier_count": variable("n_steps", "i", "", "converged fits with an error over 4 bounds"),
    },
    {},
    ("slope_from", "confidence_level"),
)

#: What the summary takes of each fit.
FROM_FITS = (
    *("estimate", "standard_error", "interval_lower", "interval_upper", "truth"),
    *("truth_log_likelihood", "log_likelihood", "status", "end_log_likelihood"),
)


def recovery_dataset(
    fits: Sequence[xr.Dataset],
    information: xr.Dataset,
    slope_from: int,
    agreement_nats: float,
    confidence_level: float,
    random: Callable[[str], np.random.Generator],
) -> xr.Dataset:
    """Errors, their slopes, coverage and efficiency over records and lengths, as a dataset.

    Where a record was not fitted at a length, numbers are NaN and the status is empty.

    Parameters
    ----------
    fits : sequence of xarray.Dataset
        `FROM_FITS` of all records, one dataset per length, in the order of `information`.
    information : xarray.Dataset
        Kind expected_information.
    slope_from : int
        Shorter records do not enter the slopes, steps.
    agreement_nats : float
        Starts that end this close to the best one agree with it.
    confidence_level : float
        Of the fits' intervals.
    random : callable
        Generator of random numbers for a purpose, "bootstrap" or "efficiency".
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
    defined = np.isfinite(lower) & np.isfinite(upper) & converged[..., None]
    covered = defined & (lower <= truth) & (truth <= upper)
    best, ends = joined["log_likelihood"].values, joined["end_log_likelihood"].values
    agreeing = (ends >= best[..., None] - agreement_nats).sum(-1)
    bound = information["bound"].values
    with np.errstate(invalid="ignore"):
        outlying = (np.abs(interior) > _OUTLIER * bound).any(-1)
    long = lengths >= slope_from
    scaling = error_scaling(interior[:, long], lengths[long], random("bootstrap"))
    rng = random("efficiency")
    each_length = range(lengths.size)
    efficiencies = [efficiency(interior[:, k], bound[k], rng) for k in each_length]
    efficiencies = [np.array(values) for values in zip(*efficiencies, strict=True)]
    coverage = [coverage_over_records(covered[:, k], defined[:, k]) for k in each_length]
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
            "efficiency": (by_length, efficiencies[0]),
            "efficiency_standard_error": (by_length, efficiencies[1]),
            "mean_efficiency": ("n_steps", efficiencies[2]),
            "mean_efficiency_standard_error": ("n_steps", efficiencies[3]),
            "slope": ("parameter", scaling.slope),
            "slope_standard_error": ("parameter", scaling.slope_standard_error),
            "pooled_slope": ((), scaling.pooled_slope),
            "pooled_slope_standard_error": ((), scaling.pooled_slope_standard_error),
            "coverage": ("n_steps", shares),
            "coverage_standard_error": ("n_steps", share_errors),
        },
        {"seed": joined["seed"].values, "n_steps": lengths, "parameter": names()},
        {"slope_from": slope_from, "confidence_level": confidence_level},
    )
