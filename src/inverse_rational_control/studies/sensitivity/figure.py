"""Figure 11: what number of bins, diffusion and discount change, and whether decoders are calibrated."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.sensitivity.dataset import SENSITIVITY

__all__ = [
    "INPUTS",
    "draw",
    "labels",
    "numbers",
    "panel_correlation",
    "panel_loss",
    "panel_matrix",
    "panel_reliability",
    "panel_scores",
]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": SENSITIVITY}

# Purple and orange stay apart for color-blind readers, and mean nothing else here.
_DIVERGING = matplotlib.colormaps["PuOr_r"]
_DECODERS = {
    "truth": ("true parameters", style.TRUE, "o"),
    "estimate": ("estimate", style.INFERRED, "s"),
    "cues": ("cues alone", style.REFERENCE, "^"),
}
_FAMILIES = ("bins", "diffusion", "discount")


def labels(summary: xr.Dataset) -> list[str]:
    """What is different about each setting, in symbols; the first is the task's own."""
    first = summary.isel(setting=0)
    said = ["task"]
    for name in summary["setting"].values[1:]:
        setting = summary.sel(setting=name)
        parts = []
        if setting["n_bins"] != first["n_bins"]:
            parts.append(f"N {int(setting['n_bins'])}")
        if not np.isclose(setting["diffusion"], first["diffusion"], rtol=1e-9):
            parts.append(f"σ {float(setting['diffusion']):.3g}")
        if setting["discount"] != first["discount"]:
            parts.append(f"discount {float(setting['discount']):g}")
        said.append(", ".join(parts))
    return said


def _boundaries(summary: xr.Dataset) -> np.ndarray:
    """Places between settings that change different things."""
    families = [
        next((k for k, family in enumerate(_FAMILIES) if str(name).startswith(family)), -1)
        for name in summary["setting"].values
    ]
    return np.flatnonzero(np.diff(families)) + 0.5


def _setting_axis(summary: xr.Dataset, ax: Axes, show: bool = True) -> None:
    places = np.arange(summary.sizes["setting"])
    ax.set_xlim(-0.5, places.size - 0.5)
    ax.set_xticks(places, labels(summary) if show else [""] * places.size, rotation=90)
    ax.tick_params(axis="x", length=0 if show else 2)


def _shown(value: float, digits: int) -> str:
    if not np.isfinite(value):
        return "–"
    return style.typeset(f"{value:.{digits}f}")


def panel_matrix(
    summary: xr.Dataset,
    ax: Axes,
    values: np.ndarray,
    reach: float,
    digits: int,
    left_out: np.ndarray,
    shade: np.ndarray | None = None,
) -> None:
    """Draw a matrix [setting, parameter], a number in each cell, parameters downwards.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind sensitivity.
    ax : Axes
    values : ndarray, shape (settings, parameters)
        Written in the cells.
    reach : float
        Shade at which the colors end, to both sides of 0.
    digits : int
        After the point.
    left_out : ndarray of int, shape (settings,)
        Fits that did not converge, said above the columns.
    shade : ndarray, optional
        What gives the color; default the values themselves.
    """
    shade = values if shade is None else shade
    scaled = np.clip(0.5 + 0.5 * shade.T / reach, 0.0, 1.0)
    colors = _DIVERGING(np.ma.masked_invalid(scaled))
    colors[~np.isfinite(shade.T)] = (0.9, 0.9, 0.9, 1.0)
    ax.imshow(colors, aspect="auto", interpolation="nearest")
    for (setting, parameter), value in np.ndenumerate(values):
        dark = (
            np.isfinite(shade[setting, parameter]) and abs(shade[setting, parameter]) > 0.7 * reach
        )
        ax.text(
            setting,
            parameter,
            _shown(value, digits),
            ha="center",
            va="center",
            fontsize=5.6,
            color="white" if dark else style.TRUE,
        )
    for place in _boundaries(summary):
        ax.axvline(place, color="white", lw=2.5)
    for setting in np.flatnonzero(left_out):
        ax.annotate(
            f"−{left_out[setting]}",
            (setting, -0.5),
            (0, 1),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=6,
            color=style.REFERENCE,
        )
    names = summary["parameter"].values
    ax.set_yticks(np.arange(names.size), [style.SYMBOLS[name] for name in names])
    ax.tick_params(axis="y", length=0)
    _setting_axis(summary, ax)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _left_out(summary: xr.Dataset, design: str) -> np.ndarray:
    part = summary.sel(design=design)
    return (part["at_bound_count"] + part["unconverged_count"]).values


def _relative_standard_error(summary: xr.Dataset) -> np.ndarray:
    standard_error = summary["mean_standard_error"].sel(design="matched")
    standard_error = standard_error.transpose("setting", "parameter").values
    with np.errstate(invalid="ignore", divide="ignore"):
        return standard_error / standard_error[0]


def _per_record(ax: Axes, places, values, color: str, marker: str, label: str) -> None:
    """Each record as a pale point, their mean as a full one."""
    x = np.broadcast_to(places[:, None], values.shape)
    ax.plot(
        x.ravel(), values.ravel(), ls="none", marker=marker, ms=2.2, mew=0, color=color, alpha=0.4
    )
    some = np.isfinite(values).any(1)
    mean = np.array(
        [np.nanmean(row) if any_ else np.nan for row, any_ in zip(values, some, strict=True)]
    )
    ax.plot(places, mean, ls="none", marker=marker, ms=4, mew=0, color=color, label=label)


def panel_loss(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the log-likelihood that an analyst with another setting loses, record by record."""
    loss = 1000.0 * summary["log_likelihood_loss"].transpose("setting", "seed").values
    ax.axhline(0.0, zorder=0, **style.DASHED)
    _per_record(ax, np.arange(len(loss)), loss, style.WORLD, "s", "mismatched")
    for place in _boundaries(summary):
        ax.axvline(place, color=style.REFERENCE, lw=0.4, zorder=0)
    _setting_axis(summary, ax, show=False)
    ax.set_ylabel("nat/1000 steps")
    ax.set_title("mismatched: log-likelihood lost", pad=3, loc="left")


def panel_correlation(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the correlation of decoded with true beliefs, mean over boxes, of both designs."""
    correlation = summary["decoded_correlation"].mean("box", skipna=False)
    places = np.arange(summary.sizes["setting"])
    shown = (
        ("matched", style.INFERRED, "o", -0.13),
        ("mismatched", style.WORLD, "s", 0.13),
    )
    for design, color, marker, aside in shown:
        values = correlation.sel(design=design).transpose("setting", "seed").values
        _per_record(ax, places + aside, values, color, marker, design)
    for place in _boundaries(summary):
        ax.axvline(place, color=style.REFERENCE, lw=0.4, zorder=0)
    _setting_axis(summary, ax)
    ax.set_ylabel("correlation")
    ax.set_title("decoded belief", pad=3, loc="left")
    ax.legend(
        loc="lower right",
        bbox_to_anchor=(1.03, 0.98),
        ncols=2,
        borderaxespad=0.0,
        handletextpad=0.0,
        columnspacing=0.5,
    )


def panel_reliability(summary: xr.Dataset, ax: Axes, box: int) -> None:
    """Draw how often bins were the true one against the probability a decoder gave them."""
    ax.plot([0, 1], [0, 1], zorder=0, **style.DASHED)
    for name, (_, color, marker) in _DECODERS.items():
        part = summary.sel(decoder=name, box=box)
        ax.errorbar(
            part["calibration_predicted"],
            part["calibration_observed"],
            yerr=2.0 * part["calibration_standard_error"],
            fmt=f"{marker}-",
            ms=3,
            mew=0,
            lw=0.9,
            elinewidth=0.8,
            color=color,
        )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_aspect("equal")
    ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_xlabel("P(bin)")
    ax.set_title(f"box {box}", pad=3)


def panel_scores(summary: xr.Dataset, ax: Axes) -> None:
    """Write the decoders' scores, both boxes, beside their colors."""
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    columns = (
        ("correlation", "correlation", 2, 0.50),
        ("rmse", "RMSE", 2, 0.72),
        ("log_score", "log score\n(nat/step)", 2, 0.92),
    )
    for _, title, _, x in columns:
        ax.text(x, 0.86, title, ha="center", va="bottom", fontsize=7)
    rows = [(name, box) for box in summary["box"].values for name in _DECODERS]
    heights = np.linspace(0.74, 0.08, len(rows))
    for (name, box), y in zip(rows, heights, strict=True):
        title, color, marker = _DECODERS[name]
        ax.plot([0.02], [y], marker=marker, color=color, ms=4, mew=0, clip_on=False)
        ax.text(0.06, y, f"{title}, box {box}", va="center", fontsize=7)
        for variable, _, digits, x in columns:
            value = float(summary[f"decoder_{variable}"].sel(decoder=name, box=box))
            ax.text(x, y, _shown(value, digits), ha="center", va="center", fontsize=7)


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
        lower.legend(
            [
                Line2D([], [], color=color, marker=marker, ms=3, mew=0, lw=0.9)
                for _, color, marker in _DECODERS.values()
            ],
            [title for title, _, _ in _DECODERS.values()],
            loc="outside lower center",
            ncols=3,
        )
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
