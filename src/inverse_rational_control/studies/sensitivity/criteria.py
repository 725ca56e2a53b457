"""Criteria of the sensitivity study and of the decoders (Figure 11)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy.special import chdtr, chdtrc, stdtrit

from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    not_judged,
    too_few,
)
from inverse_rational_control.studies.sensitivity.dataset import SENSITIVITY

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": SENSITIVITY}


def criteria(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Judge matched fits and the decoders (Figure 11); mismatched fits are shown, not judged.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `sensitivity`.
    bounds : mapping
        The `check` part of the section `sensitivity` of the configuration.
    """
    level = bounds["family_wise_level"]
    matched = summary.sel(design="matched")
    n_settings, n_parameters = summary.sizes["setting"], summary.sizes["parameter"]
    converged = matched["status"].values.astype(str) == "converged"
    ratio = matched["likelihood_ratio"].values
    total = np.where(converged, ratio, 0.0).sum(1)
    freedom = np.maximum(n_parameters * converged.sum(1), 1)
    two_sided = 2.0 * np.minimum(chdtr(freedom, total), chdtrc(freedom, total))
    # A setting without a converged fit says nothing.
    two_sided = np.where(converged.any(1), two_sided, np.nan)
    n_converged = int(converged.sum())
    quantile = stdtrit(max(n_converged - 1, 1), 1.0 - level / (2 * n_parameters))
    beyond = np.abs(summary["pooled_bias"].values)
    beyond = beyond - quantile * summary["pooled_bias_standard_error"].values
    family = f"family-wise level {level:g} over {n_settings} settings (Bonferroni)"
    share, few = "sensitivity_matched_converged_share", too_few(converged.size, "fits")
    found = [
        at_least(
            share,
            "11",
            converged.mean(),
            bounds["converged_share_minimum"],
            f"of {converged.size} fits with the agent's own setting; at a bound: "
            f"{int(matched['at_bound_count'].sum())}",
        )
        if not few
        else not_judged(share, "11", few),
        at_most(
            "sensitivity_likelihood_below_truth",
            "11",
            int((~(ratio >= 0)).sum()),
            0,
            f"matched fits less likely than the truth, of {ratio.size}",
        ),
        at_least(
            "sensitivity_matched_likelihood_ratio",
            "11",
            two_sided.min(),
            level / n_settings,
            f"smallest two-sided probability of a setting's sum of 2 [l(estimate) - l(truth)], "
            f"chi-square with one degree of freedom per parameter and record; {family}; mean "
            f"{ratio[converged].mean() if converged.any() else np.nan:.2f} per record",
        ),
        at_most(
            "sensitivity_matched_bias",
            "11",
            beyond.max(),
            bounds["bias_maximum"],
            "largest mean error of a parameter in standard errors, all matched fits together, less "
            f"its own Monte-Carlo error ({quantile:.2f} standard errors over {n_converged} fits: "
            f"Student's t, family-wise level {level:g} over {n_parameters} parameters); what may be "
            "left is the estimate's own bias of order 1/T",
        ),
    ]
    part, freedom = summary.sel(decoder="truth"), int(summary.attrs["n_blocks"]) - 1
    gain, error = part["log_score_gain"].values, part["log_score_gain_standard_error"].values
    n_boxes = gain.size
    found.append(
        at_least(
            "decoder_log_score_gain",
            "11",
            (gain / error).min(),
            float(stdtrit(freedom, 1.0 - level / n_boxes)) if freedom > 0 else np.nan,
            f"standard errors by which decoding with the true parameters beats decoding from cues, in "
            f"the worse box ({gain.min():.3g} nats per step): no decoder beats the true posterior; "
            f"over blocks of {int(summary.attrs['block_steps'])} steps; Student's t, family-wise level "
            f"{level:g} over {n_boxes} boxes",
        )
    )
    found.append(_calibrated(summary, bounds))
    return found


def _calibrated(summary: xr.Dataset, bounds: Mapping) -> Criterion:
    """Reliability diagram at the truth inside its Monte-Carlo band."""
    part = summary.sel(decoder="truth")
    judged = part["calibration_variance"].values >= bounds["calibration_variance_minimum"]
    difference = (part["calibration_observed"] - part["calibration_predicted"]).values
    error = part["calibration_standard_error"].values
    n_judged, freedom = int(judged.sum()), int(summary.attrs["n_blocks"]) - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        distance = np.abs(difference / error)[judged]
    tail = bounds["family_wise_level"] / (2 * max(n_judged, 1))
    return at_most(
        "decoder_calibration",
        "11",
        distance.max() if n_judged else np.nan,
        float(stdtrit(freedom, 1.0 - tail)) if freedom > 0 else np.nan,
        "largest distance of observed from predicted share, decoding with the true parameters, in "
        f"standard errors over blocks; Student's t with {freedom} degrees of freedom, family-wise "
        f"level {bounds['family_wise_level']:g} over {n_judged} levels of both boxes (Bonferroni)",
    )
