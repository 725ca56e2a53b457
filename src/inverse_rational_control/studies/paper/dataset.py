"""Datasets of the paper's one agent: decoded beliefs, behavior, models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.recordings.dataset import task_attribute
from inverse_rational_control.statistics import root_mean_square
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.task import ACTIONS, LOCATIONS, Task

if TYPE_CHECKING:
    from inverse_rational_control.foraging.behavior import BehaviorCounts, ModelComparison
    from inverse_rational_control.foraging.decoding import Decoding
    from inverse_rational_control.foraging.mixture import Decoded
    from inverse_rational_control.foraging.predictive import PredictiveCheck

__all__ = [
    "BEHAVIOR",
    "MODELS",
    "POSTERIOR",
    "behavior_dataset",
    "decoded_steps",
    "models_dataset",
    "posterior_dataset",
]

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
        "credible_error": variable(
            "box", "f", "1", "standard error of their difference, over blocks of steps"
        ),
        "credible_masses": variable(
            "carried box", "f", "1", "mean mass that each draw carried on gives to those sets"
        ),
        "log_score": variable("box", "f", "nat/step", "mean log posterior P(true bin)"),
        "true_model_log_score": variable("box", "f", "nat/step", "log_score, with the truth"),
        "cue_log_score": variable("box", "f", "nat/step", "log_score of a decoder from cues alone"),
        "estimate_correlation": variable("box", "f", "1", "correlation, with the estimate alone"),
        "estimate_coverage": variable("box", "f", "1", "credible_coverage, the estimate alone"),
        "estimate_expected": variable("box", "f", "1", "credible_expected, the estimate alone"),
        "true_model_correlation": variable("box", "f", "1", "correlation, decoding with the truth"),
        "true_model_coverage": variable("box", "f", "1", "credible_coverage, with the truth"),
        "true_model_expected": variable("box", "f", "1", "credible_expected, with the truth"),
    },
    ("task", "parameters_from"),
)


def decoded_steps(decoding: Decoding, true_bin: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """What a decoding says of each step, by the names of kind `posterior`, leading dimension: step.

    Probabilities, which are for pictures, in single precision; what is computed with in double.

    Parameters
    ----------
    decoding : Decoding
        Of all steps, or of a block of them.
    true_bin : ndarray of int, shape (steps, 2), optional
        The agent's belief bins, [step, box].
    """
    found = {
        "posterior": decoding.posterior.astype(np.float32),
        "marginal": np.moveaxis(decoding.marginals, 0, 1).astype(np.float32),
        "posterior_mean": decoding.means,
        "most_probable_bin": decoding.path.astype(np.int32),
    }
    if true_bin is not None:
        found["true_belief_bin"] = np.asarray(true_bin, dtype=np.int32)
    return found


def posterior_dataset(
    decoded: Decoded, n_steps: int, task: Task, parameters_from: str
) -> xr.Dataset:
    """What is left to say of a decoding beside its steps, with its score where the truth is known.

    Parameters
    ----------
    decoded : Decoded
        Its scores are of the decoding ("decoding"), of that with the estimate alone ("estimate") and of
        that with the true parameters ("true_model"), where what is left is the decoder's own error; of
        `decode_from_cues` ("cue"), which learns nothing from actions.
    n_steps : int
    task : Task
    parameters_from : str
        With which parameters, in words.
    """
    centers = decoded.centers
    variables = {"log_likelihood": ((), float(decoded.log_likelihood))}
    coordinates = {
        "step": np.arange(n_steps),
        "box": [1, 2],
        **dict.fromkeys(("bin", "bin_1", "bin_2"), centers),
    }
    scores = dict(decoded.scores)
    if "decoding" in scores:
        score = scores.pop("decoding")
        for name, array in score.__dict__.items():
            variables[name] = (POSTERIOR.variables[name].dims, array)
        n_levels = score.calibration_count.shape[1]
        coordinates |= {"true_bin": centers, "level": (np.arange(n_levels) + 0.5) / n_levels}
    if decoded.masses is not None:
        variables["credible_masses"] = (("carried", "box"), decoded.masses)
    if "cue" in scores:
        variables["cue_log_score"] = ("box", scores.pop("cue").log_score)
    if "true_model" in scores:
        variables["true_model_log_score"] = ("box", scores["true_model"].log_score)
    for name, score in scores.items():
        variables[f"{name}_correlation"] = ("box", score.correlation)
        variables[f"{name}_coverage"] = ("box", score.credible_coverage)
        variables[f"{name}_expected"] = ("box", score.credible_expected)
    attributes = {"task": task_attribute(task), "parameters_from": parameters_from}
    return xr.Dataset(variables, coordinates, attributes)


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
        "observed": variable("checked", "f", "natural", "statistic of the record"),
        "replicated": variable(
            "replicate checked", "f", "natural", "statistic of the inferred agent"
        ),
        "predictive_p": variable("checked", "f", "1", "two-sided posterior predictive p-value"),
        "predictive_distance": variable(
            "", "f", "1", "of the record's statistics from their mean (Mahalanobis)"
        ),
        "replicate_predictive_distance": variable("replicate", "f", "1", "of each replicate's"),
        "predictive_p_together": variable(
            "", "f", "1", "share of record and replicates at least as far away as the record"
        ),
    },
    {
        "held_out_log_likelihood": variable(
            "held_out", "f", "nat", "of the estimate, on further records of the true agent"
        ),
        "truth_held_out_log_likelihood": variable(
            "held_out", "f", "nat", "of the true parameters, on the same records"
        ),
    },
    ("null_agent", "distances", "parameters_from"),
)


def behavior_dataset(
    recorded: BehaviorCounts,
    inferred: BehaviorCounts,
    distance: np.ndarray,
    null_distance: np.ndarray,
    measures: Mapping[str, str],
    null_agent: str,
    check: PredictiveCheck,
    checked: Sequence[str],
    parameters_from: str,
    held_out: np.ndarray | None = None,
    step_width: float | None = None,
) -> xr.Dataset:
    """Behavior of the recorded and of the resimulated agent as a dataset.

    Parameters
    ----------
    recorded, inferred : BehaviorCounts
        Of the record, and of many resimulations (leading dimension: replicate).
    distance : ndarray, shape (statistics,)
        Between the two.
    null_distance : ndarray, shape (replicates, statistics)
        Of resimulations of one agent to their own mean.
    measures : mapping of str to str
        What each statistic's distance is.
    null_agent : str
        Whose resimulations these are, "true" or "inferred".
    check : PredictiveCheck
        Of the record and the same resimulations.
    checked : sequence of str
        Names of its statistics.
    parameters_from : str
        With which parameters the inferred agent was simulated, in words.
    held_out : ndarray, shape (2, records), optional
        Log-likelihood of further records of the true agent, nats: of the estimate, and of the truth.
    step_width : float, optional
        Seconds per step, where the task states it.
    """
    variables = {}
    for name in measures:
        by_interval = name.endswith("_interval")
        label, dim = (name, "interval") if by_interval else (f"{name}_frequency", name)
        variables[label] = (dim, recorded.frequency(name))
        variables[f"replicate_{label}"] = (("replicate", dim), inferred.frequency(name))
    variables["distance"] = ("statistic", distance)
    variables["null_distance"] = (("replicate", "statistic"), null_distance)
    if held_out is not None:
        for name, log_likelihood in zip(BEHAVIOR.optional, held_out, strict=True):
            variables[name] = ("held_out", log_likelihood)
    variables |= {
        "observed": ("checked", check.observed),
        "replicated": (("replicate", "checked"), check.replicates),
        "predictive_p": ("checked", check.p_values),
        "predictive_distance": ((), check.distance),
        "replicate_predictive_distance": ("replicate", check.replicate_distances),
        "predictive_p_together": ((), check.p_value),
    }
    coordinates = {
        "action": list(ACTIONS),
        "location": list(LOCATIONS),
        "interval": np.arange(1, recorded.push_interval.size + 1),
        "replicate": np.arange(len(null_distance)),
        "statistic": list(measures),
        "checked": list(checked),
    }
    attributes = {
        "null_agent": null_agent,
        "distances": json.dumps(measures),
        "parameters_from": parameters_from,
    }
    if step_width is not None:
        attributes["step_width"] = step_width
    return xr.Dataset(variables, coordinates, attributes)


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
        "uniform_policy_divergence": variable("", "f", "nat", "KL(true || uniform), to compare"),
    },
    {
        "value_lower": variable(
            "location bin_1 bin_2", "f", "reward", "lower end of the interval over draws"
        ),
        "value_upper": variable(
            "location bin_1 bin_2", "f", "reward", "upper end of the interval over draws"
        ),
    },
    ("parameters_from",),
)


def models_dataset(
    comparison: ModelComparison,
    visits: np.ndarray,
    centers: np.ndarray,
    parameters_from: str,
    band: np.ndarray | None = None,
) -> xr.Dataset:
    """True and inferred model compared, as a dataset.

    Parameters
    ----------
    comparison : ModelComparison
    visits : ndarray, shape (3, N, N)
        Share of steps in each state.
    centers : ndarray, shape (N,)
        Of the belief bins.
    parameters_from : str
        Over which parameters the band is, in words.
    band : ndarray, shape (2, 3, N, N), optional
        Of the values over draws from the posterior.
    """
    true, inferred = comparison.true_value.ravel(), comparison.inferred_value.ravel()
    states = ("location", "bin_1", "bin_2")
    ends = (
        {} if band is None else {"value_lower": (states, band[0]), "value_upper": (states, band[1])}
    )
    return xr.Dataset(
        {
            "true_value": (states, comparison.true_value),
            "inferred_value": (states, comparison.inferred_value),
            "policy_divergence": (states, comparison.policy_divergence),
            "visit_frequency": (states, visits),
            "value_correlation": ((), np.corrcoef(true, inferred)[0, 1]),
            "value_rmse": ((), float(root_mean_square(inferred - true))),
            "mean_policy_divergence": ((), float((visits * comparison.policy_divergence).sum())),
            "uniform_policy_divergence": (
                (),
                float((visits * comparison.uniform_divergence).sum()),
            ),
            **ends,
        },
        {"location": list(LOCATIONS), "bin_1": centers, "bin_2": centers},
        {"parameters_from": parameters_from},
    )
