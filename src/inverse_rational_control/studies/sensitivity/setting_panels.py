"""Figure 11 A to E: estimates, likelihoods and decoded beliefs under every setting."""

from __future__ import annotations

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from inverse_rational_control import plotting as style

__all__ = ["labels", "panel_correlation", "panel_loss", "panel_matrix"]

# Purple and orange stay apart for color-blind readers, and mean nothing else here.
_DIVERGING = matplotlib.colormaps["PuOr_r"]
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
            style.number(value, digits),
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
