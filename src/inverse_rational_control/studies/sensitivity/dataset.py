"""Datasets of the study: contracts and their assembly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.parameters import unconstrained
from inverse_rational_control.recordings.dataset import names, task_attribute
from inverse_rational_control.statistics import mean_and_error, standard_deviations
from inverse_rational_control.storage.contract import Contract, variable

if TYPE_CHECKING:
    from inverse_rational_control.task import Task

__all__ = ["DECODERS", "DESIGNS", "SENSITIVITY", "decoders_dataset", "sensitivity_dataset"]

_DECODERS = {
    "decoder_correlation": variable("decoder box", "f", "1", "posterior mean against true belief"),
    "decoder_rmse": variable("decoder box", "f", "1", "posterior mean against true belief"),
    "decoder_log_score": variable("decoder box", "f", "nat/step", "mean log posterior P(true bin)"),
    "log_score_gain": variable(
        "decoder box", "f", "nat/step", "log score less that of the decoder from cues, step by step"
    ),
    "log_score_gain_standard_error": variable(
        "decoder box", "f", "nat/step", "of the gain, over blocks"
    ),
    "calibration_predicted": variable(
        "decoder box level", "f", "1", "mean posterior P(bin) per level"
    ),
    "calibration_observed": variable(
        "decoder box level", "f", "1", "share of those bins that were true"
    ),
    "calibration_standard_error": variable(
        "decoder box level", "f", "1", "of observed less predicted, over blocks"
    ),
    "calibration_count": variable("decoder box level", "i", "", "(step, bin) pairs per level"),
    "calibration_variance": variable(
        "decoder box level",
        "f",
        "1",
        "sum of P (1 - P) over those pairs: expected variance of hits",
    ),
}

#: Kind `decoders`.
DECODERS = Contract(
    "decoders",
    "one record's beliefs decoded with the true parameters, the estimate, and from cues alone",
    _DECODERS,
    {},
    ("task", "block_steps", "n_blocks"),
)

#: Kind `sensitivity`.
SENSITIVITY = Contract(
    "sensitivity",
    "fits under several numbers of bins, diffusions and discounts, the agent's own or not",
    {
        "truth": variable(
            "parameter", "f", "natural", "parameters of the simulated agent", finite=True
        ),
        "n_bins": variable("setting", "i", "", "belief bins per box"),
        "diffusion": variable("setting", "f", "belief", "diffusion of the belief step, sigma"),
        "discount": variable("setting", "f", "1", "discount per step"),
        "estimate": variable("design setting seed parameter", "f", "natural", "estimates"),
        "error": variable("design setting seed parameter", "f", "natural", "estimate minus truth"),
        "standard_error": variable(
            "design setting seed parameter", "f", "natural", "observed information"
        ),
        "standardized_error": variable(
            "design setting seed parameter",
            "f",
            "1",
            "error over standard error, both in unconstrained coordinates",
        ),
        "status": variable("design setting seed", "U", "", "status of each fit"),
        "log_likelihood": variable("design setting seed", "f", "nat", "at the estimate"),
        "likelihood_ratio": variable(
            "design setting seed", "f", "nat", "2 [l(estimate) - l(truth)]"
        ),
        "decoded_correlation": variable(
            "design setting seed box", "f", "1", "posterior mean at the estimate, true belief"
        ),
        "decoded_rmse": variable(
            "design setting seed box", "f", "1", "posterior mean at the estimate, true belief"
        ),
        "mean_error": variable(
            "design setting parameter", "f", "natural", "mean over converged fits: the bias"
        ),
        "mean_error_standard_error": variable(
            "design setting parameter", "f", "natural", "of mean_error, over records"
        ),
        "mean_standard_error": variable(
            "design setting parameter", "f", "natural", "mean standard error of converged fits"
        ),
        "mean_standardized_error": variable(
            "design setting parameter", "f", "1", "mean standardized error of converged fits"
        ),
        "mean_shift": variable(
            "setting parameter",
            *("f", "1", "mismatched estimate less the task's, same record, by its error"),
        ),
        "mean_shift_standard_error": variable("setting parameter", "f", "1", "over records"),
        "pooled_bias": variable(
            "parameter", "f", "1", "mean standardized error of all converged matched fits"
        ),
        "pooled_bias_standard_error": variable("parameter", "f", "1", "of pooled_bias, over fits"),
        "converged_count": variable("design setting", "i", "", "fits that converged"),
        "at_bound_count": variable("design setting", "i", "", "fits at a bound"),
        "unconverged_count": variable(
            "design setting", "i", "", "fits neither converged nor there"
        ),
        "log_likelihood_loss": variable(
            "setting seed", "f", "nat/step", "matched less mismatched analysis, same record"
        ),
        **_DECODERS,
    },
    {},
    ("task", "n_steps", "block_steps", "n_blocks"),
)


#: Whose record was fitted: that of an agent with the analyst's setting, or of the agent of the task.
DESIGNS = ("matched", "mismatched")


def decoders_dataset(
    scores: Mapping[str, np.ndarray],
    decoders: list[str],
    task: Task,
    n_steps: int,
    block_steps: int,
) -> xr.Dataset:
    """Scores and reliability diagrams of several decoders of one record.

    Parameters
    ----------
    scores : mapping of str to ndarray
        The contract's variables, as of `analysis.compare_decoders`.
    decoders : list of str
        Their names, in order.
    task : Task
    n_steps, block_steps : int
        Length of the record, and of the blocks over which standard errors are taken.
    """
    n_levels = scores["calibration_count"].shape[-1]
    return xr.Dataset(
        {name: (DECODERS.required[name].dims, values) for name, values in scores.items()},
        {
            "decoder": decoders,
            "box": [1, 2],
            "level": (np.arange(n_levels) + 0.5) / n_levels,
        },
        {
            "task": task_attribute(task),
            "block_steps": block_steps,
            "n_blocks": max(1, n_steps // block_steps),
        },
    )


def sensitivity_dataset(
    tasks: Mapping[str, Task],
    fits: Mapping[tuple[str, str], xr.Dataset],
    decoders: xr.Dataset,
    n_steps: int,
) -> xr.Dataset:
    """Errors, biases, likelihoods and belief correlations over designs, settings and records.

    Parameters
    ----------
    tasks : mapping of str to Task
        Settings by name, that of the task first.
    fits : mapping of (design, setting) to xarray.Dataset
        Kind fit, over seeds.
    decoders : xarray.Dataset
        Kind decoders.
    n_steps : int
        Length of every record.
    """
    labels = list(tasks)
    # Everything is [design, setting, seed, ...].
    fitted = {
        name: np.array(
            [[fits[design, label][name].values for label in labels] for design in DESIGNS]
        )
        for name in fits[DESIGNS[0], labels[0]].data_vars
    }
    status = fitted["status"].astype(str)
    values = {
        "truth": fitted["truth"][0, 0, 0],
        "n_bins": [task.n_bins for task in tasks.values()],
        "diffusion": [task.sigma for task in tasks.values()],
        "discount": [task.discount for task in tasks.values()],
        "status": status.astype(object),
        **{name: fitted[name] for name in ("estimate", "standard_error", "log_likelihood")},
        **{name: fitted[name] for name in ("decoded_correlation", "decoded_rmse")},
        **_likelihoods(fitted["log_likelihood"], fitted["truth_log_likelihood"], n_steps),
        **_errors(fitted, status == "converged"),
        "converged_count": (status == "converged").sum(2),
        "at_bound_count": (status == "at_bound").sum(2),
        "unconverged_count": (~np.isin(status, ("converged", "at_bound"))).sum(2),
    }
    return xr.Dataset(
        {
            **{name: (SENSITIVITY.required[name].dims, found) for name, found in values.items()},
            **{name: decoders[name] for name in DECODERS.required},
        },
        {
            "design": list(DESIGNS),
            "setting": labels,
            "seed": fits[DESIGNS[0], labels[0]]["seed"].values,
            "parameter": names(),
            "box": [1, 2],
        },
        {
            "task": task_attribute(next(iter(tasks.values()))),
            "n_steps": n_steps,
            **{name: decoders.attrs[name] for name in ("block_steps", "n_blocks")},
        },
    )


def _likelihoods(fitted: np.ndarray, at_truth: np.ndarray, n_steps: int) -> dict[str, np.ndarray]:
    """Log-likelihoods, [design, setting, seed], against the truth and against the right setting."""
    return {
        "likelihood_ratio": 2.0 * (fitted - at_truth),
        # All of the mismatched design's records are the same agent's, that of the first setting.
        "log_likelihood_loss": (fitted[0, 0] - fitted[1]) / n_steps,
    }


def _errors(fitted: Mapping[str, np.ndarray], converged: np.ndarray) -> dict[str, np.ndarray]:
    """Errors of the estimates, [design, setting, seed, parameter], and their means over records."""
    truth = fitted["truth"][0, 0, 0]
    error = fitted["estimate"] - truth
    error_unconstrained = unconstrained(fitted["estimate"]) - unconstrained(truth)
    deviation = np.full_like(error, np.nan)
    deviation[converged] = standard_deviations(fitted["information"][converged])
    standardized = error_unconstrained / deviation
    # On the same records, so that their chance errors cancel.
    shift = (error_unconstrained[1] - error_unconstrained[1, :1]) / deviation[1, :1]
    shift = np.where(converged[1][..., None], shift, np.nan)

    def over_records(values):
        used = np.where(converged[..., None], values, np.nan)
        return mean_and_error(np.moveaxis(used, 2, 0))

    mean_error, error_of_mean = over_records(error)
    mean_shift, error_of_shift = mean_and_error(np.moveaxis(shift, 1, 0))
    # Records of different settings are independent, so all matched fits can be pooled.
    pooled, error_of_pooled = mean_and_error(standardized[0].reshape(-1, standardized.shape[-1]))
    return {
        "error": error,
        "standardized_error": standardized,
        "mean_error": mean_error,
        "mean_error_standard_error": error_of_mean,
        "mean_standard_error": over_records(fitted["standard_error"])[0],
        "mean_standardized_error": over_records(standardized)[0],
        "mean_shift": mean_shift,
        "mean_shift_standard_error": error_of_shift,
        "pooled_bias": pooled,
        "pooled_bias_standard_error": error_of_pooled,
    }
