"""Datasets of the study: contracts and their assembly."""

from __future__ import annotations

from inverse_rational_control.storage.contract import Contract, variable

#: Kind `recovery`.
RECOVERY = Contract(
    "recovery",
    "estimates and errors of the recovery study, over seeds and data lengths",
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
        "rmse": variable("n_steps parameter", "f", "natural", "over all seeds"),
        "rmse_interior": variable("n_steps parameter", "f", "natural", "over converged fits"),
        "at_bound_count": variable("n_steps", "i", "", "fits at a bound"),
        "unconverged_count": variable("n_steps", "i", "", "fits neither converged nor at a bound"),
        "slope": variable("parameter", "f", "1", "d log RMSE / d log length from slope_from on"),
        "slope_standard_error": variable("parameter", "f", "1", "bootstrap over seeds"),
        "pooled_slope": variable("", "f", "1", "one slope for all parameters"),
        "pooled_slope_standard_error": variable("", "f", "1", "bootstrap over seeds"),
        "coverage": variable("n_steps", "f", "1", "share of intervals that cover, all parameters"),
        "coverage_standard_error": variable("n_steps", "f", "1", "over seeds"),
        "fitted_count": variable("n_steps", "i", "", "seeds fitted at this length"),
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
            "n_steps parameter", "f", "1", "bootstrap over seeds"
        ),
        "mean_efficiency": variable("n_steps", "f", "1", "over parameters"),
        "mean_efficiency_standard_error": variable("n_steps", "f", "1", "bootstrap over seeds"),
        "outlier_count": variable("n_steps", "i", "", "converged fits with an error over 4 bounds"),
    },
    {},
    ("slope_from", "confidence_level"),
)

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
