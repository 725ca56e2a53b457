"""Figure 11: what number of bins, diffusion and discount change, and whether decoders are calibrated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.sensitivity.dataset import SENSITIVITY
from inverse_rational_control.studies.sensitivity.decoder_panels import (
    legend_of_decoders,
    panel_reliability,
    panel_scores,
)
from inverse_rational_control.studies.sensitivity.setting_panels import (
    panel_correlation,
    panel_loss,
    panel_matrix,
)

__all__ = ["INPUTS", "draw", "numbers"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": SENSITIVITY}


def _left_out(summary: xr.Dataset, design: str) -> np.ndarray:
    part = summary.sel(design=design)
    return (part["at_bound_count"] + part["unconverged_count"]).values


def _relative_standard_error(summary: xr.Dataset) -> np.ndarray:
    standard_error = summary["mean_standard_error"].sel(design="matched")
    standard_error = standard_error.transpose("setting", "parameter").values
    with np.errstate(invalid="ignore", divide="ignore"):
        return standard_error / standard_error[0]


def draw(summary: xr.Dataset) -> Figure:
    """Draw Figure 11 whole.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind sensitivity.
    """
    with style.styled():
        figure = style.figure(8.4)
        upper, middle, lower = figure.subfigures(3, 1, height_ratios=[1.15, 1.15, 0.8])
        errors, own = upper.subplots(1, 2)
        relative = _relative_standard_error(summary)
        with np.errstate(divide="ignore", invalid="ignore"):
            shade = np.log2(relative)
        matched, mismatched = (_left_out(summary, name) for name in ("matched", "mismatched"))
        panel_matrix(summary, errors, relative, 1.5, 2, matched, shade)
        errors.set_title("matched: standard error\nrelative to the task's", pad=9)
        bias = summary["mean_standardized_error"].sel(design="matched")
        bias = bias.transpose("setting", "parameter").values
        panel_matrix(summary, own, bias, 3.0, 1, matched)
        own.set_title("matched: mean error\n(standard errors of one fit)", pad=9)
        grid = middle.add_gridspec(2, 2)
        other = middle.add_subplot(grid[:, 0])
        loss, correlation = middle.add_subplot(grid[0, 1]), middle.add_subplot(grid[1, 1])
        shift = summary["mean_shift"].transpose("setting", "parameter").values
        panel_matrix(summary, other, shift, 3.0, 1, mismatched)
        other.set_title("mismatched: shift of the estimate\n(standard errors of one fit)", pad=9)
        panel_loss(summary, loss)
        panel_correlation(summary, correlation)
        first, second, scores = lower.subplots(1, 3, width_ratios=[1, 1, 2.1])
        panel_reliability(summary, first, 1)
        panel_reliability(summary, second, 2)
        first.set_ylabel("share that were true")
        second.set_yticklabels([])
        panel_scores(summary, scores)
        legend_of_decoders(lower)
        for ax, letter in (
            (errors, "A"),
            (own, "B"),
            (other, "C"),
            (loss, "D"),
            (correlation, "E"),
            (first, "F"),
        ):
            style.panel_letter(ax, letter, left=-30.0, up=5.0)
    return figure


def numbers(summary: xr.Dataset) -> dict[str, pd.DataFrame]:
    """Tabulate matched fits (A, B), mismatched fits (C), losses (D), correlations (E), decoders (F)."""
    settings = summary[["n_bins", "diffusion", "discount"]].to_dataframe().reset_index()

    def by_setting(names, design=None):
        chosen = summary[list(names)]
        chosen = chosen if design is None else chosen.sel(design=design, drop=True)
        return settings.merge(chosen.to_dataframe().reset_index(), on="setting")

    biases = (
        *("mean_error", "mean_error_standard_error", "mean_standard_error"),
        *("mean_standardized_error", "converged_count", "at_bound_count", "unconverged_count"),
    )
    own = by_setting(biases, "matched")
    relative = summary[[]].assign(
        relative_standard_error=(("setting", "parameter"), _relative_standard_error(summary))
    )
    scores = summary[[name for name in summary.data_vars if str(name).startswith("decoder_")]]
    gains = summary[["log_score_gain", "log_score_gain_standard_error"]]
    diagrams = summary[[name for name in summary.data_vars if str(name).startswith("calibration_")]]
    return {
        "A": relative.to_dataframe().reset_index(),
        "B": own,
        "C": by_setting([*biases, "mean_shift", "mean_shift_standard_error"], "mismatched"),
        "D": by_setting(["log_likelihood_loss"]),
        "E": by_setting(["decoded_correlation", "decoded_rmse"]),
        "F": pd.concat(
            [
                scores.merge(gains).to_dataframe().reset_index(),
                diagrams.to_dataframe().reset_index(),
            ],
            ignore_index=True,
        ),
    }
