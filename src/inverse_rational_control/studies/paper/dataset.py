"""Decoded beliefs as datasets."""

from __future__ import annotations

import numpy as np
import xarray as xr

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.foraging.decoding import N_LEVELS, Decoding, DecodingScore
from inverse_rational_control.recordings.dataset import task_attribute
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.task import Task

__all__ = ["BEHAVIOR", "MODELS", "POSTERIOR", "SURFACE", "add_score", "posterior_dataset"]

#: Kind `posterior`.
POSTERIOR = Contract(
    "posterior",
    "smoothed posterior over the agent's beliefs",
    {
        "posterior": variable("step bin_1 bin_2", "f", "1", "P(belief bins | whole record)"),
        "marginal": variable("step box bin", "f", "1", "posterior of the belief about each box"),
        "posterior_mean": variable("step box", "f", "1", "posterior mean belief about each box"),
        "most_probable_bin": variable("step box", "i", "", "most probable joint path (Viterbi)"),
        "log_likelihood": variable("", "f", "nat", "log-likelihood of the record"),
    },
    {
        "true_belief_bin": variable("step box", "i", "", "true belief bin of each box"),
        "posterior_given_true": variable(
            "box true_bin bin", "f", "1", "posterior averaged over time given the true bin"
        ),
        "true_bin_steps": variable("box true_bin", "i", "step", "steps spent in each true bin"),
        "correlation": variable("box", "f", "1", "posterior mean against true belief"),
        "rmse": variable("box", "f", "1", "posterior mean against true belief"),
        "path_correlation": variable("box", "f", "1", "most probable path against true belief"),
        "calibration_predicted": variable("box level", "f", "1", "mean posterior P(bin) per level"),
        "calibration_observed": variable(
            "box level", "f", "1", "share of those bins that were true"
        ),
        "calibration_count": variable("box level", "i", "", "(step, bin) pairs per level"),
        "credible_coverage": variable("box", "f", "1", "true bin inside the 90 % credible set"),
        "credible_expected": variable("box", "f", "1", "mean posterior mass of those sets"),
        "log_score": variable("box", "f", "nat/step", "mean log posterior P(true bin)"),
        "true_model_correlation": variable("box", "f", "1", "correlation, decoding with the truth"),
        "true_model_coverage": variable("box", "f", "1", "credible_coverage, with the truth"),
        "true_model_expected": variable("box", "f", "1", "credible_expected, with the truth"),
    },
    ("task",),
)

#: Kind `behavior`.
BEHAVIOR = Contract(
    "behavior",
    "behavior of the recorded agent and of many resimulations of the inferred one",
    {
        "action_frequency": variable("action", "f", "1", "recorded agent"),
        "location_frequency": variable("location", "f", "1", "recorded agent"),
        "push_interval": variable("interval", "f", "1", "steps between pushes, recorded agent"),
        "travel_interval": variable("interval", "f", "1", "steps between travels, recorded agent"),
        "replicate_action_frequency": variable("replicate action", "f", "1", "inferred agent"),
        "replicate_location_frequency": variable("replicate location", "f", "1", "inferred agent"),
        "replicate_push_interval": variable("replicate interval", "f", "1", "inferred agent"),
        "replicate_travel_interval": variable("replicate interval", "f", "1", "inferred agent"),
        "distance": variable("statistic", "f", "1", "recorded agent to inferred agent's mean"),
        "null_distance": variable("replicate statistic", "f", "1", "same agent simulated twice"),
    },
    {},
    ("null_agent", "distances"),
)

#: Kind `models`.
MODELS = Contract(
    "models",
    "value function and policy of the true and the inferred agent",
    {
        "true_value": variable("location bin_1 bin_2", "f", "reward", "constant removed"),
        "inferred_value": variable("location bin_1 bin_2", "f", "reward", "constant removed"),
        "policy_divergence": variable("location bin_1 bin_2", "f", "nat", "KL(true || inferred)"),
        "visit_frequency": variable("location bin_1 bin_2", "f", "1", "where the agent truly was"),
        "value_correlation": variable("", "f", "1", "over all states"),
        "value_rmse": variable("", "f", "reward", "over all states, constant removed"),
        "mean_policy_divergence": variable("", "f", "nat", "weighted by visits"),
        "uniform_policy_divergence": variable("", "f", "nat", "KL(true || uniform), for scale"),
    },
)

#: Kind `surface`.
SURFACE = Contract(
    "surface",
    "log-likelihood over the plane of a EM trajectory's first two principal components",
    {
        "log_likelihood": variable("u v", "f", "nat", "on the grid; NaN where the planner failed"),
        "direction_u": variable("parameter", "f", "unconstrained", "first principal component"),
        "direction_v": variable("parameter", "f", "unconstrained", "second principal component"),
        "explained_variance": variable("component", "f", "1", "share of the trajectory's variance"),
        "trajectory_u": variable("iteration", "f", "unconstrained", "EM trajectory, projected"),
        "trajectory_v": variable("iteration", "f", "unconstrained", "EM trajectory, projected"),
        "trajectory_log_likelihood": variable("iteration", "f", "nat", "EM, per iteration"),
        "quasi_newton_u": variable("quasi_newton_iteration", "f", "unconstrained", "quasi-Newton"),
        "quasi_newton_v": variable("quasi_newton_iteration", "f", "unconstrained", "quasi-Newton"),
        "quasi_newton_log_likelihood": variable(
            "quasi_newton_iteration", "f", "nat", "per iteration"
        ),
        "end_u": variable(
            "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
        ),
        "end_v": variable(
            "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
        ),
        "end_log_likelihood": variable("", "f", "nat", "at the maximum-likelihood estimate"),
    },
    {
        "truth_u": variable("", "f", "unconstrained", "true parameters, projected"),
        "truth_v": variable("", "f", "unconstrained", "true parameters, projected"),
        "truth_log_likelihood": variable("", "f", "nat", "at the true parameters"),
    },
)


def posterior_dataset(decoding: Decoding, task: Task) -> xr.Dataset:
    """A decoding as a dataset, without comparison to a truth."""
    centers = bin_centers(task.n_bins)
    return xr.Dataset(
        {
            "posterior": (("step", "bin_1", "bin_2"), decoding.posterior.astype(np.float32)),
            "marginal": (("step", "box", "bin"), np.moveaxis(decoding.marginals, 0, 1)),
            "posterior_mean": (("step", "box"), decoding.means),
            "most_probable_bin": (("step", "box"), decoding.path.astype(np.int32)),
            "log_likelihood": ((), float(decoding.log_likelihood)),
        },
        {
            "step": np.arange(len(decoding.path)),
            "box": [1, 2],
            "bin": centers,
            "bin_1": centers,
            "bin_2": centers,
        },
        {"task": task_attribute(task)},
    )


def add_score(dataset: xr.Dataset, score: DecodingScore, true_bin: np.ndarray) -> xr.Dataset:
    """Add the true beliefs and the decoding's score to a posterior dataset."""
    dims = {
        "posterior_given_true": ("box", "true_bin", "bin"),
        "true_bin_steps": ("box", "true_bin"),
        "correlation": ("box",),
        "rmse": ("box",),
        "path_correlation": ("box",),
        "calibration_predicted": ("box", "level"),
        "calibration_observed": ("box", "level"),
        "calibration_count": ("box", "level"),
        "credible_coverage": ("box",),
        "credible_expected": ("box",),
        "log_score": ("box",),
    }
    centers = dataset["bin_1"].values
    added = {name: (dims[name], array) for name, array in score.__dict__.items()}
    added["true_belief_bin"] = (("step", "box"), np.asarray(true_bin, dtype=np.int32))
    return dataset.assign(added).assign_coords(
        true_bin=centers,
        level=(np.arange(N_LEVELS) + 0.5) / N_LEVELS,
    )
