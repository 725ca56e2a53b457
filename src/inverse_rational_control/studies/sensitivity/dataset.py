"""The sensitivity study's fits as one summary."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.parameters import unconstrained
from inverse_rational_control.recordings.dataset import names, task_attribute
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.sensitivity.analysis import mean_and_error
from inverse_rational_control.task import Task

__all__ = ["DECODERS", "DESIGNS", "SENSITIVITY", "sensitivity_dataset"]

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
        "decoder box level", "f", "1", "sum of P (1 - P) over those pairs: expected spread of hits"
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
        "truth": variable("parameter", "f", "natural", "parameters of the simulated agent"),
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


def sensitivity_dataset(
    tasks: Mapping[str, Task],
    fits: Mapping[tuple[str, str], xr.Dataset],
    n_steps: int,
) -> xr.Dataset:
    """Errors, biases, likelihoods and belief correlations over designs, settings and records.

    Parameters
    ----------
    tasks : mapping of str to Task
        Settings by name, that of the task first.
    fits : mapping of (design, setting) to xarray.Dataset
        Kind fit, over seeds.
    n_steps : int
        Length of every record.
    """
    labels = list(tasks)

    def stacked(name):
        return np.array(
            [[fits[design, label][name].values for label in labels] for design in DESIGNS]
        )

    estimate, information = stacked("estimate"), stacked("information")
    status = stacked("status").astype(str)
    converged = status == "converged"
    truth = fits[DESIGNS[0], labels[0]]["truth"].values[0]
    error = estimate - truth
    error_unconstrained = unconstrained(estimate) - unconstrained(truth)
    spread = np.full_like(error, np.nan)
    for cell in zip(*np.nonzero(converged), strict=True):
        spread[cell] = np.sqrt(np.diag(np.linalg.inv(information[cell])))
    standardized = error_unconstrained / spread
    # On the same records, so that their chance errors cancel.
    shift = (error_unconstrained[1] - error_unconstrained[1, :1]) / spread[1, :1]
    shift = np.where(converged[1][..., None], shift, np.nan)
    mean_shift, error_of_shift = mean_and_error(np.moveaxis(shift, 1, 0))
    log_likelihood = stacked("log_likelihood")
    likelihood_ratio = 2.0 * (log_likelihood - stacked("truth_log_likelihood"))

    def over_records(values):
        used = np.where(converged[..., None], values, np.nan)
        return mean_and_error(np.moveaxis(used, 2, 0))

    cells = ("design", "setting", "seed")
    by_parameter = ("design", "setting", "parameter")
    mean_error, spread_of_mean = over_records(error)
    # Records of different settings are independent, so all matched fits can be pooled.
    pooled, pooled_error = mean_and_error(standardized[0].reshape(-1, standardized.shape[-1]))
    at_bound = status == "at_bound"
    return xr.Dataset(
        {
            "truth": ("parameter", truth),
            "n_bins": ("setting", [task.n_bins for task in tasks.values()]),
            "diffusion": ("setting", [task.sigma for task in tasks.values()]),
            "discount": ("setting", [task.discount for task in tasks.values()]),
            "estimate": ((*cells, "parameter"), estimate),
            "error": ((*cells, "parameter"), error),
            "standard_error": ((*cells, "parameter"), stacked("standard_error")),
            "standardized_error": ((*cells, "parameter"), standardized),
            "status": (cells, status.astype(object)),
            "log_likelihood": (cells, log_likelihood),
            "likelihood_ratio": (cells, likelihood_ratio),
            "decoded_correlation": ((*cells, "box"), stacked("decoded_correlation")),
            "decoded_rmse": ((*cells, "box"), stacked("decoded_rmse")),
            "mean_error": (by_parameter, mean_error),
            "mean_error_standard_error": (by_parameter, spread_of_mean),
            "mean_standard_error": (by_parameter, over_records(stacked("standard_error"))[0]),
            "mean_standardized_error": (by_parameter, over_records(standardized)[0]),
            "mean_shift": (("setting", "parameter"), mean_shift),
            "mean_shift_standard_error": (("setting", "parameter"), error_of_shift),
            "pooled_bias": ("parameter", pooled),
            "pooled_bias_standard_error": ("parameter", pooled_error),
            "converged_count": (cells[:2], converged.sum(2)),
            "at_bound_count": (cells[:2], at_bound.sum(2)),
            "unconverged_count": (cells[:2], (~converged & ~at_bound).sum(2)),
            # All of the mismatched design's records are the same agent's, that of the first setting.
            "log_likelihood_loss": (
                ("setting", "seed"),
                (log_likelihood[0, 0] - log_likelihood[1]) / n_steps,
            ),
        },
        {
            "design": list(DESIGNS),
            "setting": labels,
            "seed": fits[DESIGNS[0], labels[0]]["seed"].values,
            "parameter": names(),
            "box": [1, 2],
        },
        {"task": task_attribute(next(iter(tasks.values()))), "n_steps": n_steps},
    )
