"""Datasets of the study: contracts and their assembly."""

from __future__ import annotations

from inverse_rational_control.storage.contract import Contract, variable

#: Kind `fixed_points`.
FIXED_POINTS = Contract(
    "fixed_points",
    "fixed points of drawn agents' softmax Bellman equations; the agent's own plan first",
    {
        "n_fixed_points": variable("", "i", "", "different fixed points found, a lower bound"),
        "radius": variable("fixed_point", "f", "1", "spectral radius of the Bellman map there"),
        "policy_difference": variable(
            "fixed_point", "f", "1", "largest total variation from the agent's own policy"
        ),
        "n_found": variable("fixed_point", "i", "", "searches that ended there"),
    },
)

#: Kind `population`.
POPULATION = Contract(
    "population",
    "true and estimated parameters of many drawn agents, coverage of their intervals",
    {
        "truth": variable("agent parameter", "f", "natural", "drawn parameters"),
        "estimate": variable("agent parameter", "f", "natural", "estimates"),
        "standard_error": variable("agent parameter", "f", "natural", "observed information"),
        "z_score": variable("agent parameter", "f", "1", "error by standard error, unconstrained"),
        "covered": variable("agent parameter level", "b", "", "truth inside the interval"),
        "identified": variable("agent", "b", "", "the fit converged to an interior maximum"),
        "status": variable("agent", "U", "", "status of each fit"),
        "remarks": variable("agent", "U", "", "what is unusual about each fit, in words"),
        "log_likelihood": variable("agent", "f", "nat", "at the estimate"),
        "likelihood_ratio": variable("agent", "f", "nat", "2 [l(estimate) - l(truth)]"),
        "n_fixed_points": variable("agent", "i", "", "of the true agent's plan, a lower bound"),
        "n_attracting": variable(
            "agent", "i", "", "of these, the ones that attract value iteration"
        ),
        "radius": variable("agent fixed_point", "f", "1", "spectral radius, the own plan's first"),
        "policy_difference": variable(
            "agent fixed_point", "f", "1", "largest total variation from the own policy"
        ),
        "correlation": variable("parameter", "f", "1", "truth with estimate, identified agents"),
        "concordance": variable("parameter", "f", "1", "Lin's coefficient, identified agents"),
        "bias": variable("parameter", "f", "natural", "mean error, identified agents"),
        "bias_standard_error": variable("parameter", "f", "natural", "over identified agents"),
        "rmse": variable("parameter", "f", "natural", "over identified agents"),
        "median_relative_error": variable("parameter", "f", "1", "over identified agents"),
        "z_mean": variable("parameter", "f", "1", "of z_score, identified agents"),
        "z_standard_deviation": variable("parameter", "f", "1", "of z_score, identified agents"),
        "coverage": variable("parameter level", "f", "1", "share of intervals that cover"),
        "coverage_band_lower": variable(
            "level", "f", "1", "binomial band of one parameter's share"
        ),
        "coverage_band_upper": variable(
            "level", "f", "1", "binomial band of one parameter's share"
        ),
        "pooled_coverage": variable("level", "f", "1", "over all parameters"),
        "pooled_coverage_standard_error": variable("level", "f", "1", "clustered by agent"),
    },
    {},
    ("band_probability",),
)
