"""The contract of every NetCDF file: kinds, variables, dimensions, units; checked open, atomic save.

Each file has one *kind*. `CONTRACTS` lists, per kind, what must and what may be in it. A file is
written beside its place and then renamed, and carries a marker that is written last; `read` accepts
nothing else, so an interrupted write is never taken for a result.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray as xr

__all__ = [
    "CONTRACTS",
    "VOLATILE",
    "Contract",
    "DatasetError",
    "differences",
    "read",
    "read_estimate",
    "write",
]

#: Attributes and variables that hold times and hosts, and so may differ between identical runs.
VOLATILE = frozenset({"created", "host", "seconds", "history_seconds"})


class DatasetError(ValueError):
    """A file is not what it should be; the message names file and variable in one line."""


@dataclass(frozen=True)
class Variable:
    """Dimensions, kind of number ("f" float, "i" whole, "b" yes/no, "U" text), unit and meaning."""

    dims: tuple[str, ...]
    type: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Contract:
    """What one kind of file holds.

    Attributes
    ----------
    meaning : str
        One line on the kind.
    required, optional : dict of str to Variable
        Variables by name; every file may carry a leading dimension `seed` on all of them.
    attributes : tuple of str
        Global attributes that must be there.
    """

    meaning: str
    required: dict[str, Variable]
    optional: dict[str, Variable] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()


def _v(dims: str, type_: str, unit: str, meaning: str) -> Variable:
    return Variable(tuple(dims.split()), type_, unit, meaning)


_FIT = {
    "estimate": _v("parameter", "f", "natural", "best estimate over starts"),
    "standard_error": _v(
        "parameter", "f", "natural", "from the observed information, delta method"
    ),
    "interval_lower": _v("parameter", "f", "natural", "lower end of the confidence interval"),
    "interval_upper": _v("parameter", "f", "natural", "upper end of the confidence interval"),
    "information": _v(
        "parameter parameter_other", "f", "1", "observed information, unconstrained coordinates"
    ),
    "information_positive_definite": _v(
        "", "b", "", "the observed information is positive definite"
    ),
    "log_likelihood": _v("", "f", "nat", "log-likelihood at the estimate"),
    "parameter_at_bound": _v("parameter", "b", "", "within 1e-3 of a bound"),
    "converged": _v("", "b", "", "the best start met the convergence criterion"),
    "status": _v("", "U", "", "converged, at_bound, not_converged or degenerate_record"),
    "remarks": _v("", "U", "", "what is unusual about the estimate, in words"),
    "planner_residual": _v("", "f", "reward", "Bellman residual at the estimate"),
    "planner_radius": _v("", "f", "1", "spectral radius of the Bellman map without constant mode"),
    "best_start": _v("", "i", "", "index of the best start"),
    "start_parameters": _v("start parameter", "f", "natural", "where a start began"),
    "end_parameters": _v("start parameter", "f", "natural", "where a start ended"),
    "end_log_likelihood": _v("start", "f", "nat", "log-likelihood where a start ended"),
    "newton_decrement": _v("start", "f", "nat", "g' I^-1 g / 2 at the end: expected gain left"),
    "whitened_gradient": _v(
        "start parameter", "f", "sqrt(nat)", "gradient by the whitened coordinates"
    ),
    "start_converged": _v("start", "b", "", "this start met the convergence criterion"),
    "stop_reason": _v("start", "U", "", "what stopped this start, in words"),
    "jump_met": _v("start", "b", "", "the likelihood jumped along the way (a planner fold)"),
    "n_evaluations": _v("start", "i", "", "E-steps used, information included"),
    "n_iterations": _v("start", "i", "", "accepted iterations"),
    "seconds": _v("start", "f", "s", "wall time of this start"),
    "history_log_likelihood": _v("start iteration", "f", "nat", "per accepted iteration"),
    "history_parameters": _v("start iteration parameter", "f", "natural", "per accepted iteration"),
    "history_evaluations": _v("start iteration", "f", "", "E-steps used so far"),
    "history_seconds": _v("start iteration", "f", "s", "wall time so far"),
}

_PROFILES = {
    "direction": _v("profile parameter", "f", "unconstrained", "what is held fixed, of length one"),
    "wald_standard_deviation": _v(
        "profile", "f", "unconstrained", "Wald's standard deviation along it"
    ),
    "offset": _v(
        "profile point", "f", "unconstrained", "fixed distance from the estimate along it"
    ),
    "profile_log_likelihood": _v("profile point", "f", "nat", "maximum under the constraint"),
    "profile_parameters": _v("profile point parameter", "f", "natural", "where that maximum lies"),
    "profile_converged": _v("profile point", "b", "", "met the convergence criterion"),
    "stop_reason": _v("profile point", "U", "", "what stopped the climb, in words"),
    "n_evaluations": _v("profile point", "i", "", "E-steps used"),
}
_PROFILES_AT_TRUTH = {
    "truth_offset": _v("profile", "f", "unconstrained", "of the truth from the estimate"),
    "truth_profile_log_likelihood": _v("profile", "f", "nat", "maximum with the true offset held"),
    "truth_converged": _v("profile", "b", "", "met the convergence criterion"),
}

_DECODERS = {
    "decoder_correlation": _v("decoder box", "f", "1", "posterior mean against true belief"),
    "decoder_rmse": _v("decoder box", "f", "1", "posterior mean against true belief"),
    "decoder_log_score": _v("decoder box", "f", "nat/step", "mean log posterior P(true bin)"),
    "log_score_gain": _v(
        "decoder box", "f", "nat/step", "log score less that of the decoder from cues, step by step"
    ),
    "log_score_gain_standard_error": _v("decoder box", "f", "nat/step", "of the gain, over blocks"),
    "calibration_predicted": _v("decoder box level", "f", "1", "mean posterior P(bin) per level"),
    "calibration_observed": _v("decoder box level", "f", "1", "share of those bins that were true"),
    "calibration_standard_error": _v(
        "decoder box level", "f", "1", "of observed less predicted, over blocks"
    ),
    "calibration_count": _v("decoder box level", "i", "", "(step, bin) pairs per level"),
    "calibration_variance": _v(
        "decoder box level", "f", "1", "sum of P (1 - P) over those pairs: expected spread of hits"
    ),
}

CONTRACTS: dict[str, Contract] = {
    "record": Contract(
        "behavior of one agent, step by step",
        {
            "session": _v("step", "i", "", "session number; sessions are independent"),
            "location": _v("step", "i", "", "0 middle, 1 box 1, 2 box 2"),
            "action": _v("step", "i", "", "0 stay, 1 go to middle, 2/3 go to box 1/2, 4 push"),
            "reward": _v("step", "i", "", "food obtained by the action of the step before"),
            "cue": _v("step box", "i", "", "color index at each box, low = redder"),
        },
        {
            "food": _v("step box", "i", "", "true availability at each box"),
            "belief_bin": _v("step box", "i", "", "the agent's true belief bin of each box"),
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "world": _v("world_parameter", "f", "natural", "parameters of the simulated world"),
        },
        ("task",),
    ),
    "fit": Contract(
        "maximum-likelihood fit of one record, with every start's history",
        _FIT,
        {
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "truth_log_likelihood": _v("", "f", "nat", "log-likelihood at the truth"),
            "world": _v("world_parameter", "f", "natural", "parameters of the simulated world"),
            "decoded_correlation": _v(
                "box", "f", "1", "posterior mean at the estimate against true belief"
            ),
            "decoded_rmse": _v("box", "f", "1", "posterior mean at the estimate, true belief"),
        },
        ("task", "method", "confidence_level"),
    ),
    "posterior": Contract(
        "smoothed posterior over the agent's beliefs",
        {
            "posterior": _v("step bin_1 bin_2", "f", "1", "P(belief bins | whole record)"),
            "marginal": _v("step box bin", "f", "1", "posterior of the belief about each box"),
            "posterior_mean": _v("step box", "f", "1", "posterior mean belief about each box"),
            "most_probable_bin": _v("step box", "i", "", "most probable joint path (Viterbi)"),
            "log_likelihood": _v("", "f", "nat", "log-likelihood of the record"),
        },
        {
            "true_belief_bin": _v("step box", "i", "", "true belief bin of each box"),
            "posterior_given_true": _v(
                "box true_bin bin", "f", "1", "posterior averaged over time given the true bin"
            ),
            "true_bin_steps": _v("box true_bin", "i", "step", "steps spent in each true bin"),
            "correlation": _v("box", "f", "1", "posterior mean against true belief"),
            "rmse": _v("box", "f", "1", "posterior mean against true belief"),
            "path_correlation": _v("box", "f", "1", "most probable path against true belief"),
            "calibration_predicted": _v("box level", "f", "1", "mean posterior P(bin) per level"),
            "calibration_observed": _v("box level", "f", "1", "share of those bins that were true"),
            "calibration_count": _v("box level", "i", "", "(step, bin) pairs per level"),
            "credible_coverage": _v("box", "f", "1", "true bin inside the 90 % credible set"),
            "credible_expected": _v("box", "f", "1", "mean posterior mass of those sets"),
            "log_score": _v("box", "f", "nat/step", "mean log posterior P(true bin)"),
            "true_model_correlation": _v("box", "f", "1", "correlation, decoding with the truth"),
            "true_model_coverage": _v("box", "f", "1", "credible_coverage, with the truth"),
            "true_model_expected": _v("box", "f", "1", "credible_expected, with the truth"),
        },
        ("task",),
    ),
    "behavior": Contract(
        "behavior of the recorded agent and of many resimulations of the inferred one",
        {
            "action_frequency": _v("action", "f", "1", "recorded agent"),
            "location_frequency": _v("location", "f", "1", "recorded agent"),
            "push_interval": _v("interval", "f", "1", "steps between pushes, recorded agent"),
            "travel_interval": _v("interval", "f", "1", "steps between travels, recorded agent"),
            "replicate_action_frequency": _v("replicate action", "f", "1", "inferred agent"),
            "replicate_location_frequency": _v("replicate location", "f", "1", "inferred agent"),
            "replicate_push_interval": _v("replicate interval", "f", "1", "inferred agent"),
            "replicate_travel_interval": _v("replicate interval", "f", "1", "inferred agent"),
            "distance": _v("statistic", "f", "1", "recorded agent to inferred agent's mean"),
            "null_distance": _v("replicate statistic", "f", "1", "same agent simulated twice"),
        },
        {},
        ("null_agent", "distances"),
    ),
    "models": Contract(
        "value function and policy of the true and the inferred agent",
        {
            "true_value": _v("location bin_1 bin_2", "f", "reward", "constant removed"),
            "inferred_value": _v("location bin_1 bin_2", "f", "reward", "constant removed"),
            "policy_divergence": _v("location bin_1 bin_2", "f", "nat", "KL(true || inferred)"),
            "visit_frequency": _v("location bin_1 bin_2", "f", "1", "where the agent truly was"),
            "value_correlation": _v("", "f", "1", "over all states"),
            "value_rmse": _v("", "f", "reward", "over all states, constant removed"),
            "mean_policy_divergence": _v("", "f", "nat", "weighted by visits"),
            "uniform_policy_divergence": _v("", "f", "nat", "KL(true || uniform), for scale"),
        },
    ),
    "surface": Contract(
        "log-likelihood over the plane of a EM trajectory's first two principal components",
        {
            "log_likelihood": _v("u v", "f", "nat", "on the grid; NaN where the planner failed"),
            "direction_u": _v("parameter", "f", "unconstrained", "first principal component"),
            "direction_v": _v("parameter", "f", "unconstrained", "second principal component"),
            "explained_variance": _v("component", "f", "1", "share of the trajectory's variance"),
            "trajectory_u": _v("iteration", "f", "unconstrained", "EM trajectory, projected"),
            "trajectory_v": _v("iteration", "f", "unconstrained", "EM trajectory, projected"),
            "trajectory_log_likelihood": _v("iteration", "f", "nat", "EM, per iteration"),
            "quasi_newton_u": _v("quasi_newton_iteration", "f", "unconstrained", "quasi-Newton"),
            "quasi_newton_v": _v("quasi_newton_iteration", "f", "unconstrained", "quasi-Newton"),
            "quasi_newton_log_likelihood": _v(
                "quasi_newton_iteration", "f", "nat", "per iteration"
            ),
            "end_u": _v(
                "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
            ),
            "end_v": _v(
                "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
            ),
            "end_log_likelihood": _v("", "f", "nat", "at the maximum-likelihood estimate"),
        },
        {
            "truth_u": _v("", "f", "unconstrained", "true parameters, projected"),
            "truth_v": _v("", "f", "unconstrained", "true parameters, projected"),
            "truth_log_likelihood": _v("", "f", "nat", "at the true parameters"),
        },
    ),
    "recovery": Contract(
        "estimates and errors of the recovery study, over seeds and data lengths",
        {
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "estimate": _v("seed n_steps parameter", "f", "natural", "estimates"),
            "error": _v("seed n_steps parameter", "f", "natural", "estimate minus truth"),
            "standard_error": _v("seed n_steps parameter", "f", "natural", "observed information"),
            "covered": _v("seed n_steps parameter", "b", "", "truth inside the interval"),
            "interval_defined": _v("seed n_steps parameter", "b", "", "the interval is finite"),
            "status": _v("seed n_steps", "U", "", "status of each fit"),
            "likelihood_ratio": _v("seed n_steps", "f", "nat", "2 [l(estimate) - l(truth)]"),
            "starts_agreeing": _v("seed n_steps", "f", "1", "share of starts at the best end"),
            "rmse": _v("n_steps parameter", "f", "natural", "over all seeds"),
            "rmse_interior": _v("n_steps parameter", "f", "natural", "over converged fits"),
            "at_bound_count": _v("n_steps", "i", "", "fits at a bound"),
            "unconverged_count": _v("n_steps", "i", "", "fits neither converged nor at a bound"),
            "slope": _v("parameter", "f", "1", "d log RMSE / d log length from slope_from on"),
            "slope_standard_error": _v("parameter", "f", "1", "bootstrap over seeds"),
            "pooled_slope": _v("", "f", "1", "one slope for all parameters"),
            "pooled_slope_standard_error": _v("", "f", "1", "bootstrap over seeds"),
            "coverage": _v("n_steps", "f", "1", "share of intervals that cover, all parameters"),
            "coverage_standard_error": _v("n_steps", "f", "1", "over seeds"),
            "fitted_count": _v("n_steps", "i", "", "seeds fitted at this length"),
            "bound": _v(
                "n_steps parameter", "f", "natural", "Cramer-Rao bound, standard deviation"
            ),
            "bound_standard_error": _v(
                "n_steps parameter", "f", "natural", "jackknife over records"
            ),
            "efficiency": _v(
                "n_steps parameter", "f", "1", "squared bound over mean squared error"
            ),
            "efficiency_standard_error": _v("n_steps parameter", "f", "1", "bootstrap over seeds"),
            "mean_efficiency": _v("n_steps", "f", "1", "over parameters"),
            "mean_efficiency_standard_error": _v("n_steps", "f", "1", "bootstrap over seeds"),
            "outlier_count": _v("n_steps", "i", "", "converged fits with an error over 4 bounds"),
        },
        {},
        ("slope_from", "confidence_level"),
    ),
    "expected_information": Contract(
        "information at the true parameters, averaged over records",
        {
            "information_per_step": _v(
                "parameter parameter_other", "f", "1/step", "mean, unconstrained coordinates"
            ),
            "bound": _v(
                "n_steps parameter", "f", "natural", "Cramer-Rao bound, standard deviation"
            ),
            "bound_standard_error": _v(
                "n_steps parameter", "f", "natural", "jackknife over records"
            ),
        },
        {},
        ("n_records",),
    ),
    "profiles": Contract(
        "profile likelihoods of one fit: an offset from the estimate held fixed, all else re-optimized",
        _PROFILES,
        _PROFILES_AT_TRUTH,
    ),
    "identifiability": Contract(
        "information, weakest directions, profile likelihoods and intervals of one fit",
        {
            **_PROFILES,
            "estimate": _v("parameter", "f", "natural", "maximum-likelihood estimate"),
            "log_likelihood": _v("", "f", "nat", "log-likelihood at the estimate"),
            "information": _v(
                "parameter parameter_other", "f", "1", "observed, unconstrained coordinates"
            ),
            "information_positive_definite": _v("", "b", "", "it defines standard errors"),
            "correlation": _v(
                "parameter parameter_other", "f", "1", "of the estimates, from the information"
            ),
            "eigenvalue": _v("rank", "f", "1", "of the information, weakest first"),
            "loading": _v("rank parameter", "f", "1", "eigenvectors of the information"),
            "sentence": _v("rank", "U", "", "what one standard deviation along it confuses"),
            "standardized_eigenvalue": _v(
                "rank", "f", "1", "of the information scaled to a diagonal of one"
            ),
            "standardized_loading": _v("rank parameter", "f", "1", "eigenvectors of that"),
            "standardized_sentence": _v("rank", "U", "", "the same for that"),
            "value": _v(
                "profile point", "f", "", "natural; for the weakest direction, the offset along it"
            ),
            "signed_root": _v("profile point", "f", "sqrt(nat)", "of 2 [l_max - l_profile]"),
            "profile_lower": _v("profile", "f", "", "of the profile interval; NaN if open"),
            "profile_upper": _v("profile", "f", "", "of the profile interval; NaN if open"),
            "lower_open": _v("profile", "b", "", "the profile does not reach the cut there"),
            "upper_open": _v("profile", "b", "", "the profile does not reach the cut there"),
            "wald_lower": _v("profile", "f", "", "lower end of Wald's interval"),
            "wald_upper": _v("profile", "f", "", "upper end of Wald's interval"),
        },
        {
            **_PROFILES_AT_TRUTH,
            "truth": _v("profile", "f", "", "natural, or the offset along the direction"),
            "truth_likelihood_ratio": _v("profile", "f", "nat", "2 [l_max - l_profile] there"),
        },
        ("confidence_level", "likelihood_cut"),
    ),
    "climbs": Contract(
        "climbs of one record's likelihood, each from one start by one method, with its history",
        {
            "method": _v("climb", "U", "", "em, squarem or quasi_newton"),
            "start": _v("climb", "i", "", "number of the start"),
            "start_parameters": _v("climb parameter", "f", "natural", "where it began"),
            "end_parameters": _v("climb parameter", "f", "natural", "where it ended"),
            "end_log_likelihood": _v("climb", "f", "nat", "log-likelihood where it ended"),
            "converged": _v("climb", "b", "", "it met the convergence criterion"),
            "stop_reason": _v("climb", "U", "", "what stopped it, in words"),
            "information": _v(
                "climb parameter parameter_other",
                "f",
                "1",
                "observed information at its end to first order, unconstrained coordinates",
            ),
            "n_evaluations": _v("climb", "i", "", "E-steps used, information included"),
            "seconds": _v("climb", "f", "s", "wall time"),
            "history_log_likelihood": _v("climb iteration", "f", "nat", "per accepted iteration"),
            "history_evaluations": _v("climb iteration", "f", "", "E-steps used so far"),
            "history_seconds": _v("climb iteration", "f", "s", "wall time so far"),
        },
        {},
        ("task", "start_from"),
    ),
    "optimization": Contract(
        "ways to the maximum of one likelihood: cost by method, ends by start, EM against sigma",
        {
            "best_log_likelihood": _v("", "f", "nat", "highest end of all climbs of the record"),
            "gap": _v(
                "gap_index", "f", "nat", "distances from the maximum that costs are taken to"
            ),
            "history_log_likelihood": _v(
                "method start iteration", "f", "nat", "per accepted iteration"
            ),
            "history_evaluations": _v("method start iteration", "f", "", "E-steps used so far"),
            "history_seconds": _v("method start iteration", "f", "s", "wall time so far"),
            "evaluations_to_gap": _v(
                "method start gap_index", "f", "", "E-steps until within the gap; inf: never"
            ),
            "end_log_likelihood": _v(
                "choice trial", "f", "nat", "where a quasi-Newton climb ended"
            ),
            "end_converged": _v("choice trial", "b", "", "it met the convergence criterion"),
            "end_stop_reason": _v("choice trial", "U", "", "what stopped it, in words"),
            "end_distance": _v(
                "choice trial", "f", "1", "from the best end, in that end's standard deviations"
            ),
            "reached_share": _v("choice", "f", "1", "share of ends within the smallest gap"),
            "reached_lower": _v("choice", "f", "1", "lower end of its exact binomial interval"),
            "reached_upper": _v("choice", "f", "1", "upper end of its exact binomial interval"),
            "diffusion_maximum": _v("diffusion", "f", "nat", "highest end of that record's climbs"),
            "diffusion_history_log_likelihood": _v(
                "diffusion em_iteration", "f", "nat", "plain EM, per iteration"
            ),
            "diffusion_evaluations_to_gap": _v(
                "diffusion gap_index", "f", "", "plain EM: E-steps until within the gap; inf: never"
            ),
        },
        {},
        ("confidence_level", "max_evaluations"),
    ),
    "decoders": Contract(
        "one record's beliefs decoded with the true parameters, the estimate, and from cues alone",
        _DECODERS,
        {},
        ("task", "block_steps", "n_blocks"),
    ),
    "sensitivity": Contract(
        "fits under several numbers of bins, diffusions and discounts, the agent's own or not",
        {
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "n_bins": _v("setting", "i", "", "belief bins per box"),
            "diffusion": _v("setting", "f", "belief", "diffusion of the belief step, sigma"),
            "discount": _v("setting", "f", "1", "discount per step"),
            "estimate": _v("design setting seed parameter", "f", "natural", "estimates"),
            "error": _v("design setting seed parameter", "f", "natural", "estimate minus truth"),
            "standard_error": _v(
                "design setting seed parameter", "f", "natural", "observed information"
            ),
            "standardized_error": _v(
                "design setting seed parameter",
                "f",
                "1",
                "error over standard error, both in unconstrained coordinates",
            ),
            "status": _v("design setting seed", "U", "", "status of each fit"),
            "log_likelihood": _v("design setting seed", "f", "nat", "at the estimate"),
            "likelihood_ratio": _v("design setting seed", "f", "nat", "2 [l(estimate) - l(truth)]"),
            "decoded_correlation": _v(
                "design setting seed box", "f", "1", "posterior mean at the estimate, true belief"
            ),
            "decoded_rmse": _v(
                "design setting seed box", "f", "1", "posterior mean at the estimate, true belief"
            ),
            "mean_error": _v(
                "design setting parameter", "f", "natural", "mean over converged fits: the bias"
            ),
            "mean_error_standard_error": _v(
                "design setting parameter", "f", "natural", "of mean_error, over records"
            ),
            "mean_standard_error": _v(
                "design setting parameter", "f", "natural", "mean standard error of converged fits"
            ),
            "mean_standardized_error": _v(
                "design setting parameter", "f", "1", "mean standardized error of converged fits"
            ),
            "mean_shift": _v(
                "setting parameter",
                *("f", "1", "mismatched estimate less the task's, same record, by its error"),
            ),
            "mean_shift_standard_error": _v("setting parameter", "f", "1", "over records"),
            "pooled_bias": _v(
                "parameter", "f", "1", "mean standardized error of all converged matched fits"
            ),
            "pooled_bias_standard_error": _v("parameter", "f", "1", "of pooled_bias, over fits"),
            "converged_count": _v("design setting", "i", "", "fits that converged"),
            "at_bound_count": _v("design setting", "i", "", "fits at a bound"),
            "unconverged_count": _v("design setting", "i", "", "fits neither converged nor there"),
            "log_likelihood_loss": _v(
                "setting seed", "f", "nat/step", "matched less mismatched analysis, same record"
            ),
            **_DECODERS,
        },
        {},
        ("task", "n_steps", "block_steps", "n_blocks"),
    ),
    "fixed_points": Contract(
        "fixed points of drawn agents' softmax Bellman equations; the agent's own plan first",
        {
            "n_fixed_points": _v("", "i", "", "different fixed points found, a lower bound"),
            "radius": _v("fixed_point", "f", "1", "spectral radius of the Bellman map there"),
            "policy_difference": _v(
                "fixed_point", "f", "1", "largest total variation from the agent's own policy"
            ),
            "n_found": _v("fixed_point", "i", "", "searches that ended there"),
        },
    ),
    "population": Contract(
        "true and estimated parameters of many drawn agents, coverage of their intervals",
        {
            "truth": _v("agent parameter", "f", "natural", "drawn parameters"),
            "estimate": _v("agent parameter", "f", "natural", "estimates"),
            "standard_error": _v("agent parameter", "f", "natural", "observed information"),
            "z_score": _v("agent parameter", "f", "1", "error by standard error, unconstrained"),
            "covered": _v("agent parameter level", "b", "", "truth inside the interval"),
            "identified": _v("agent", "b", "", "the fit converged to an interior maximum"),
            "status": _v("agent", "U", "", "status of each fit"),
            "remarks": _v("agent", "U", "", "what is unusual about each fit, in words"),
            "log_likelihood": _v("agent", "f", "nat", "at the estimate"),
            "likelihood_ratio": _v("agent", "f", "nat", "2 [l(estimate) - l(truth)]"),
            "n_fixed_points": _v("agent", "i", "", "of the true agent's plan, a lower bound"),
            "n_attracting": _v("agent", "i", "", "of these, the ones that attract value iteration"),
            "radius": _v("agent fixed_point", "f", "1", "spectral radius, the own plan's first"),
            "policy_difference": _v(
                "agent fixed_point", "f", "1", "largest total variation from the own policy"
            ),
            "correlation": _v("parameter", "f", "1", "truth with estimate, identified agents"),
            "concordance": _v("parameter", "f", "1", "Lin's coefficient, identified agents"),
            "bias": _v("parameter", "f", "natural", "mean error, identified agents"),
            "bias_standard_error": _v("parameter", "f", "natural", "over identified agents"),
            "rmse": _v("parameter", "f", "natural", "over identified agents"),
            "median_relative_error": _v("parameter", "f", "1", "over identified agents"),
            "z_mean": _v("parameter", "f", "1", "of z_score, identified agents"),
            "z_standard_deviation": _v("parameter", "f", "1", "of z_score, identified agents"),
            "coverage": _v("parameter level", "f", "1", "share of intervals that cover"),
            "coverage_band_lower": _v("level", "f", "1", "binomial band of one parameter's share"),
            "coverage_band_upper": _v("level", "f", "1", "binomial band of one parameter's share"),
            "pooled_coverage": _v("level", "f", "1", "over all parameters"),
            "pooled_coverage_standard_error": _v("level", "f", "1", "clustered by agent"),
        },
        {},
        ("band_probability",),
    ),
    "alternative_fits": Contract(
        "one record fitted by every model, and scored on a record held out",
        {
            "log_likelihood": _v("model", "f", "nat", "at the estimate"),
            "held_out_log_likelihood": _v("model", "f", "nat", "of the record held out, if any"),
            "n_parameters": _v("model", "i", "", "free parameters"),
            "n_evaluations": _v("model", "i", "", "E-steps over all starts"),
            "status": _v("model", "U", "", "status of the fit"),
            "missed": _v("model", "f", "nat", "found only from a reduced model's estimate"),
            "estimate": _v("model parameter", "f", "natural", "held parameters included"),
            "truth": _v("parameter", "f", "natural", "simulated agent; NaN: memoryless policy"),
            "truth_held_out_log_likelihood": _v("", "f", "nat", "held-out record, at the truth"),
            "n_discarded": _v("", "i", "", "agents drawn before whose plan could not be solved"),
        },
        {},
        ("task",),
    ),
    "brute_force": Contract(
        "full model fitted by brute force and by gradients: gap against likelihood evaluations",
        {
            "brute_force_gap": _v("evaluation", "f", "nat", "maximum minus best so far, Sobol"),
            "search_gap": _v("iteration", "f", "nat", "maximum minus best so far, our starts"),
            "search_evaluations": _v("iteration", "i", "", "likelihood evaluations used so far"),
            "maximum_log_likelihood": _v("", "f", "nat", "highest log-likelihood of our starts"),
        },
        {},
        ("task",),
    ),
    "alternatives": Contract(
        "alternatives beside the full model: prediction, criteria, errors, model recovery, brute force",
        {
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "is_free": _v("model parameter", "b", "", "the model estimates this parameter"),
            "well_specified": _v("model", "b", "", "the simulated agent is one of the model's"),
            "n_parameters": _v("model", "i", "", "free parameters"),
            "status": _v("pair model", "U", "", "status of each fit to the paired records"),
            "held_out_difference": _v("pair model", "f", "nat/step", "model minus full, held out"),
            "held_out_mean": _v("model", "f", "nat/step", "its mean over pairs"),
            "held_out_standard_error": _v("model", "f", "nat/step", "of that mean"),
            "held_out_per_step": _v("model", "f", "nat/step", "held-out log-likelihood, mean"),
            "missed": _v("pair", "f", "nat", "by the full model's own starts"),
            "excess_log_likelihood": _v("pair model", "f", "nat", "model minus full, fitted"),
            "relative_error": _v("model parameter", "f", "1", "RMS over pairs by true value"),
            "aic_difference": _v("pair model", "f", "1", "AIC, model minus full"),
            "bic_difference": _v("pair model", "f", "1", "BIC, model minus full"),
            "recovery_status": _v("generating replicate chosen", "U", "", "status of each fit"),
            "recovery_log_likelihood": _v(
                "generating replicate chosen", "f", "nat", "at each estimate"
            ),
            "recovery_missed": _v(
                "generating replicate", "f", "nat", "by the full model's own starts"
            ),
            "n_discarded": _v("generating replicate", "i", "", "draws without a solved plan"),
            "chosen_by_aic": _v("generating replicate", "i", "", "index of the model chosen"),
            "chosen_by_bic": _v("generating replicate", "i", "", "index of the model chosen"),
            "confusion_aic": _v("generating chosen", "f", "1", "P(chosen | generating)"),
            "confusion_bic": _v("generating chosen", "f", "1", "P(chosen | generating)"),
            "inversion_aic": _v("generating chosen", "f", "1", "P(generating | chosen)"),
            "inversion_bic": _v("generating chosen", "f", "1", "P(generating | chosen)"),
            "brute_force_gap": _v("evaluation", "f", "nat", "maximum minus best so far, Sobol"),
            "search_gap": _v("iteration", "f", "nat", "maximum minus best so far, our starts"),
            "search_evaluations": _v("iteration", "i", "", "likelihood evaluations used so far"),
        },
        {},
        ("n_steps", "recovery_steps"),
    ),
}


def _check(dataset: xr.Dataset, kind: str, where: str) -> None:
    contract = CONTRACTS[kind]
    if dataset.attrs.get("kind") != kind:
        found = dataset.attrs.get("kind", "nothing")
        raise DatasetError(f"{where}: attribute kind: found {found!r}, expected {kind!r}")
    for name in contract.attributes:
        if name not in dataset.attrs:
            raise DatasetError(f"{where}: attribute {name!r} is missing ({kind} file)")
    known = contract.required | contract.optional
    for name, variable in known.items():
        if name not in dataset:
            if name in contract.required:
                raise DatasetError(f"{where}: variable {name!r} is missing ({kind} file)")
            continue
        array = dataset[name]
        found = tuple(str(dim) for dim in array.dims)
        if found not in (variable.dims, ("seed", *variable.dims)):
            raise DatasetError(
                f"{where}: variable {name!r} has dimensions {found}, expected {variable.dims}"
            )
        family = {"f": "f", "i": "iu", "b": "biu", "U": "UOST"}[variable.type]
        if array.dtype.kind not in family:
            raise DatasetError(
                f"{where}: variable {name!r} has type {array.dtype}, expected one of {family!r}"
            )
    for name in dataset.data_vars:
        if name not in known:
            raise DatasetError(f"{where}: variable {name!r} is not part of a {kind} file")


def write(dataset: xr.Dataset, path: str | Path, kind: str) -> None:
    """Check a dataset against its contract and write it whole or not at all.

    Parameters
    ----------
    dataset : xarray.Dataset
        Variables of the kind's contract; units and meanings are filled in from it.
    path : str or Path
        Where the file appears, by a rename, once it is complete.
    kind : str
        A key of `CONTRACTS`.

    Raises
    ------
    DatasetError
        If the dataset does not meet the contract, or the file cannot be written.
    """
    path = Path(path)
    contract = CONTRACTS[kind]
    dataset = dataset.assign_attrs(kind=kind, title=contract.meaning)
    known = contract.required | contract.optional
    for name, variable in known.items():
        if name in dataset:
            dataset[name].attrs = {"long_name": variable.meaning, "units": variable.unit}
    _check(dataset, kind, str(path))
    encoding = {
        name: {"zlib": True, "complevel": 1}
        for name, array in dataset.data_vars.items()
        if array.dtype.kind in "fiub" and array.size > 1000
    }
    dataset = dataset.assign_attrs(complete="yes")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        dataset.to_netcdf(beside, engine="netcdf4", encoding=encoding)
        os.chmod(beside, 0o666 & ~_umask())
        with open(beside, "rb") as written:
            os.fsync(written.fileno())
        os.replace(beside, path)
    except (OSError, RuntimeError) as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise DatasetError(f"{path}: could not be written ({error}); is the disk full?") from error
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def read(path: str | Path, kind: str) -> xr.Dataset:
    """Open a file, check it against its contract and load it into memory.

    Raises
    ------
    DatasetError
        If the file is absent, truncated, of another kind, or lacks a variable: one line that names it.
    """
    path = Path(path)
    if not path.exists():
        raise DatasetError(f"{path}: no such file")
    try:
        with xr.open_dataset(path, engine="netcdf4") as opened:
            dataset = opened.load()
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DatasetError(f"{path}: not a readable NetCDF file ({reason})") from None
    _check(dataset, kind, str(path))
    if dataset.attrs.get("complete") != "yes":
        raise DatasetError(f"{path}: the file was not written to its end")
    return dataset


def read_estimate(path: str | Path) -> xr.Dataset:
    """Read a fit that holds an estimate.

    Raises
    ------
    DatasetError
        As `read`, or if no start of the fit led anywhere.
    """
    fit = read(path, "fit")
    if not np.isfinite(fit["estimate"].values).all():
        raise DatasetError(
            f"{path}: variable 'estimate': found no numbers (status {fit['status'].values}: "
            f"{fit['remarks'].values}), so nothing can be made from this fit"
        )
    return fit


def differences(one: xr.Dataset, other: xr.Dataset) -> list[str]:
    """List what differs between two datasets, bit for bit, times and hosts (`VOLATILE`) excepted."""
    found = []
    for name in sorted({*map(str, one.variables), *map(str, other.variables)} - VOLATILE):
        if name not in one.variables or name not in other.variables:
            found.append(f"{name}: only in one of the two")
            continue
        left, right = one[name], other[name]
        same = left.dims == right.dims and left.shape == right.shape
        if same:
            exact = left.dtype.kind == "f"
            same = np.array_equal(left.values, right.values, equal_nan=exact)
        if not same:
            found.append(f"{name}: values differ")
    for name in sorted({*one.attrs, *other.attrs} - VOLATILE):
        if one.attrs.get(name) != other.attrs.get(name):
            found.append(f"attribute {name}: {one.attrs.get(name)!r} / {other.attrs.get(name)!r}")
    return found
