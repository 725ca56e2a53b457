"""Figure 9: what the data tell about each parameter and about combinations of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator

from inverse_rational_control import plotting as style
from inverse_rational_control.recordings.dataset import coordinates_of_dataset
from inverse_rational_control.studies.identifiability.dataset import IDENTIFIABILITY

__all__ = [
    "INPUTS",
    "draw",
    "numbers",
    "panel_correlation",
    "panel_loadings",
    "panel_profile",
    "panel_spectrum",
]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": IDENTIFIABILITY}

_COLUMNS = 4


def _symbols(summary: xr.Dataset) -> list[str]:
    return [style.SYMBOLS[name] for name in summary["parameter"].values]


def panel_spectrum(summary: xr.Dataset, ax: Axes, n_directions: int) -> None:
    """Draw the eigenvalues of the information, weakest first; filled: those with loadings shown."""
    ranks = summary["rank"].values + 1
    for name, marker, color, label in (
        ("eigenvalue", "o", style.INFERRED, "logit, log, food units"),
        ("standardized_eigenvalue", "D", style.WORLD, "diagonal scaled to 1"),
    ):
        values = summary[name].values
        with np.errstate(invalid="ignore"):
            values = np.where(values > 0, values, np.nan)
        ax.plot(ranks, values, color=color, lw=0.8, zorder=1)
        for shown, face in ((ranks <= n_directions, color), (ranks > n_directions, "white")):
            ax.plot(
                ranks[shown],
                values[shown],
                ls="none",
                marker=marker,
                ms=3.6,
                mfc=face,
                mec=color,
                mew=0.8,
                label=label if face == color else None,
            )
    ax.set_yscale("log")
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_xticks(range(1, summary.sizes["rank"] + 1, 3))
    ax.set_xlabel("direction, weakest first")
    ax.set_ylabel("eigenvalue of the information")
    ax.legend(loc="upper left", borderaxespad=0.1, handlelength=0.8, fontsize=6.5)
    # Room for the legend above the weakest directions.
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.28)


def panel_loadings(
    summary: xr.Dataset, ax: Axes, n_directions: int, name: str, title: str
) -> AxesImage:
    """Draw the loadings of the weakest directions as a matrix, a row each."""
    loadings = summary[name].transpose("rank", "parameter").values[:n_directions]
    image = ax.imshow(loadings, cmap=style.SIGNED, vmin=-1, vmax=1, aspect="auto")
    ax.set_xticks(np.arange(loadings.shape[1]), _symbols(summary))
    ax.set_yticks(np.arange(n_directions), np.arange(1, n_directions + 1))
    ax.tick_params(length=0)
    ax.set_ylabel("direction")
    ax.set_title(title, pad=3, fontsize=7.5)
    return image


def panel_correlation(summary: xr.Dataset, ax: Axes) -> AxesImage:
    """Draw the correlations of the estimates as a matrix, numbers in it."""
    matrix = summary["correlation"].transpose("parameter", "parameter_other").values
    image = ax.imshow(matrix, cmap=style.SIGNED, vmin=-1, vmax=1, aspect="equal")
    places = np.arange(len(matrix))
    for row in places:
        for column in places[:row]:
            value = matrix[row, column]
            if np.isfinite(value):
                ax.text(
                    column,
                    row,
                    style.typeset(f"{100 * value:.0f}"),
                    ha="center",
                    va="center",
                    fontsize=5.2,
                    color="white" if abs(value) > 0.6 else style.TRUE,
                )
    ax.set_xticks(places, _symbols(summary))
    ax.set_yticks(places, _symbols(summary))
    ax.tick_params(length=0)
    ax.set_title("correlation of the estimates (%)", pad=3)
    return image


def _wald_curve(
    summary: xr.Dataset, name: str, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values and Wald's parabola at offsets along one profile."""
    height = (offsets / float(summary["wald_standard_deviation"].sel(profile=name))) ** 2
    if name not in summary["parameter"].values:
        return offsets, height
    k = list(summary["parameter"].values).index(name)
    coordinates = coordinates_of_dataset(summary)
    eta = np.tile(coordinates.unconstrained(summary["estimate"].values), (offsets.size, 1))
    eta[:, k] += offsets
    return coordinates.natural(eta)[:, k], height


def panel_profile(summary: xr.Dataset, ax: Axes, name: str) -> None:
    """Draw one profile likelihood, Wald's parabola, the cut, both intervals, estimate and truth."""
    chosen = summary.sel(profile=name)
    cut = float(summary.attrs["likelihood_cut"])
    value = chosen["value"].values
    height = 2.0 * (float(summary["log_likelihood"]) - chosen["profile_log_likelihood"].values)
    good = chosen["profile_converged"].values & np.isfinite(height)
    limit = 3.0 * cut
    ax.axhline(cut, color=style.REFERENCE, lw=0.7, zorder=0)
    offsets = chosen["offset"].values
    smooth = np.linspace(offsets.min(), offsets.max(), 200)
    if bool(summary["information_positive_definite"]):
        ax.plot(
            *_wald_curve(summary, name, smooth),
            color=style.WORLD,
            lw=1.0,
            ls=(0, (3, 1.5)),
            zorder=2,
        )
    ax.plot(value, height, color=style.INFERRED, zorder=3)
    ax.plot(value[good], height[good], ls="none", marker="o", ms=2.2, mew=0, color=style.INFERRED)
    ax.plot(value[~good], height[~good], ls="none", marker="x", ms=4, mew=1, color=style.TRUE)
    # Both intervals as bars below zero; an open one ends in an arrow where the profile ends.
    for method, place, color in (
        ("profile", -0.1, style.INFERRED),
        ("wald", -0.2, style.WORLD),
    ):
        ends = [float(chosen[f"{method}_{side}"]) for side in ("lower", "upper")]
        if method == "wald" and not np.isfinite(ends).all():
            continue
        shown = [
            end if np.isfinite(end) else edge
            for end, edge in zip(ends, (value.min(), value.max()), strict=True)
        ]
        ax.plot(shown, [place * limit] * 2, color=color, lw=2.2, solid_capstyle="butt")
        for end, edge, marker in zip(ends, shown, "<>", strict=True):
            if not np.isfinite(end):
                ax.plot([edge], [place * limit], marker=marker, ms=4, mew=0, color=color)
    center = value[int(np.argmin(np.abs(offsets)))]
    ax.plot([center], [0.0], marker="o", ms=5, mfc=style.INFERRED, mec="white", mew=0.8, zorder=5)
    if "truth" in summary:
        ax.plot(
            [float(chosen["truth"])],
            [min(float(chosen["truth_likelihood_ratio"]), limit)],
            marker="*",
            ms=7.5,
            mfc="white",
            mec=style.TRUE,
            mew=0.8,
            zorder=6,
        )
    ax.set_ylim(-0.28 * limit, limit)
    # What lies within the frame sets the width.
    inside = value[np.isfinite(height) & (height <= 1.3 * limit)]
    edges = [*inside, *(float(chosen[f"wald_{side}"]) for side in ("lower", "upper"))]
    if "truth" in summary:
        edges.append(float(chosen["truth"]))
    edges = np.array(edges)[np.isfinite(edges)]
    if np.ptp(edges) > 0:
        margin = 0.03 * np.ptp(edges)
        ax.set_xlim(edges.min() - margin, edges.max() + margin)
    ax.set_yticks([0, cut, 2 * cut, limit], ["0", f"{cut:.2f}", f"{2 * cut:.1f}", f"{limit:.1f}"])
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    if name in summary["parameter"].values:
        ax.set_title(style.parameter_title(name), pad=2, fontsize=7.5)
    else:
        ax.set_title("weakest direction (offset)", pad=2, fontsize=7.5)


def _legend(summary: xr.Dataset, ax: Axes) -> None:
    level = float(summary.attrs["confidence_level"])
    entries = [
        (Line2D([], [], color=style.INFERRED, marker="o", ms=2.2), "profile likelihood"),
        (Line2D([], [], color=style.WORLD, lw=1.0, ls=(0, (3, 1.5))), "Wald's parabola"),
        (Line2D([], [], color=style.REFERENCE, lw=0.7), f"{100 * level:g} % of $\\chi^2_1$"),
        (Line2D([], [], color=style.INFERRED, lw=2.2), "profile interval"),
        (Line2D([], [], color=style.WORLD, lw=2.2), "Wald's interval"),
        (
            Line2D([], [], ls="none", marker="o", ms=5.5, mfc=style.INFERRED, mec="white"),
            "estimate",
        ),
    ]
    if "truth" in summary:
        star = {"marker": "*", "ms": 7, "mfc": "white", "mec": style.TRUE, "mew": 0.8}
        entries.append((Line2D([], [], ls="none", **star), "truth"))
    if not summary["profile_converged"].values.all():
        cross = {"marker": "x", "ms": 4, "mew": 1, "color": style.TRUE}
        entries.append((Line2D([], [], ls="none", **cross), "not converged"))
    ax.axis("off")
    ax.legend(*zip(*entries, strict=True), loc="center", borderaxespad=0.0, labelspacing=0.35)


def draw(summary: xr.Dataset, n_directions: int) -> Figure:
    """Draw Figure 9 whole.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `identifiability`.
    n_directions : int
        Weakest directions to show the loadings of.
    """
    with style.styled():
        figure = style.figure(7.4)
        upper, lower = figure.subfigures(2, 1, height_ratios=[1, 1.75])
        left, middle, right = upper.subfigures(1, 3, width_ratios=[0.95, 1.05, 1.35])
        spectrum = left.subplots()
        panel_spectrum(summary, spectrum, n_directions)
        least, confounded = middle.subplots(2, 1, sharex=True)
        panel_loadings(summary, least, n_directions, "loading", "loadings: least known")
        image = panel_loadings(
            summary, confounded, n_directions, "standardized_loading", "loadings: most confounded"
        )
        least.tick_params(labelbottom=False)
        correlations = right.subplots()
        panel_correlation(summary, correlations)
        bar = right.colorbar(image, ax=correlations, shrink=0.85, aspect=25, pad=0.02)
        bar.set_ticks([-1, 0, 1], labels=["−1", "0", "1"])
        bar.set_label("loading or correlation", labelpad=0)
        bar.ax.tick_params(length=2)
        bar.outline.set_visible(False)

        profiles = list(summary["profile"].values)
        rows = -(-(len(profiles) + 1) // _COLUMNS)
        axes = lower.subplots(rows, _COLUMNS)
        for index, (ax, name) in enumerate(zip(axes.flat, profiles, strict=False)):
            panel_profile(summary, ax, name)
            if index % _COLUMNS:
                ax.tick_params(labelleft=False)
            else:
                ax.set_ylabel(r"$2\,[\ell_{max} - \ell\,]$ (nat)")
        _legend(summary, axes.flat[len(profiles)])
        for ax in axes.flat[len(profiles) + 1 :]:
            ax.axis("off")
        style.panel_letter(spectrum, "A")
        style.panel_letter(least, "B", left=-24.0)
        style.panel_letter(correlations, "C", left=-20.0)
        style.panel_letter(axes.flat[0], "D", left=-36.0)
    return figure


def numbers(summary: xr.Dataset, n_directions: int) -> dict[str, pd.DataFrame]:
    """Tabulate eigenvalues, all loadings, correlations, profiles and intervals (A to D)."""
    summary = summary.drop_vars("unit", errors="ignore")
    spectrum = summary[
        ["eigenvalue", "standardized_eigenvalue", "sentence", "standardized_sentence"]
    ]
    loadings = summary[["loading", "standardized_loading"]]
    curves = ["offset", "value", "profile_log_likelihood", "signed_root", "profile_converged"]
    ends = ["profile_lower", "profile_upper", "lower_open", "upper_open", "wald_lower"]
    ends += ["wald_upper", "wald_standard_deviation"]
    ends += [name for name in ("truth", "truth_likelihood_ratio") if name in summary]
    return {
        "A": spectrum.to_dataframe().reset_index(),
        "B": loadings.to_dataframe().reset_index(),
        "C": summary[["correlation"]].to_dataframe().reset_index(),
        "D": summary[curves].to_dataframe().reset_index(),
        "D intervals": summary[ends].to_dataframe().reset_index(),
    }
