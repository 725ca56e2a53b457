"""Figure 6: how the error of each estimate falls with the length of the record."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.recovery.dataset import RECOVERY

__all__ = [
    "INPUTS",
    "draw",
    "numbers",
    "panel_coverage",
    "panel_efficiency",
    "panel_error",
    "panel_marked_fits",
    "panel_slopes",
]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": RECOVERY}


def _steps(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _slope(value: float, error: float) -> str:
    if not np.isfinite(value):
        return "slope undefined"
    return style.typeset(f"slope {value:.2f} ± {error:.2f}")


def _length_axis(summary: xr.Dataset, ax: Axes) -> None:
    lengths = summary["n_steps"].values
    ax.set_xscale("log")
    ax.set_xlim(lengths[0] / 1.35, lengths[-1] * 1.35)
    # At most three labels: in a small panel more would touch.
    chosen = lengths[np.unique(np.linspace(0, lengths.size - 1, 3).round().astype(int))]
    ax.set_xticks(chosen, [_steps(length) for length in chosen])
    ax.xaxis.set_minor_locator(NullLocator())


def _at_bound(summary: xr.Dataset) -> np.ndarray:
    return summary["status"].transpose("seed", "n_steps").values.astype(str) == "at_bound"


def panel_error(summary: xr.Dataset, ax: Axes, name: str) -> None:
    """Draw one parameter's absolute errors, their RMSE and the Cramer-Rao bound, log-log."""
    lengths = summary["n_steps"].values.astype(float)
    chosen = summary.sel(parameter=name)
    error = np.abs(chosen["error"].transpose("seed", "n_steps").values)
    rmse = chosen["rmse"].values
    bound = _at_bound(summary)
    # Errors that are small by chance would stretch the axis: they lie on its lower edge.
    some = np.isfinite(rmse).any()
    lowest = np.nanmin(rmse if some else error[error > 0]) / 10
    error = np.maximum(error, lowest)
    x = np.broadcast_to(lengths, error.shape)
    point = {"ls": "none", "ms": 1.8, "zorder": 1, "rasterized": True}
    rest = ~bound & np.isfinite(error)
    ax.plot(x[rest], error[rest], marker="o", mew=0, color=style.REFERENCE, alpha=0.25, **point)
    ax.plot(x[bound], error[bound], marker="x", mew=0.7, color=style.WORLD, **point)
    ax.plot(lengths, rmse, marker="o", ms=3, color=style.INFERRED, zorder=3)
    ax.plot(lengths, chosen["bound"], zorder=2, **style.DASHED)
    ax.set_yscale("log")
    ax.set_ylim(bottom=0.85 * lowest)
    _length_axis(summary, ax)
    ax.yaxis.set_minor_locator(NullLocator())
    slope, error_of_slope = float(chosen["slope"]), float(chosen["slope_standard_error"])
    ax.set_title(
        f"{style.parameter_title(name)}\n{_slope(slope, error_of_slope)}",
        pad=3,
        fontsize=7.5,
    )


def panel_slopes(summary: xr.Dataset, ax: Axes) -> None:
    """Draw each parameter's fitted slope and the pooled one, with standard errors."""
    names = list(summary["parameter"].values)
    places = np.arange(len(names))
    bar = {"fmt": "o", "ms": 3.4, "elinewidth": 1.1, "capsize": 2, "color": style.INFERRED}
    ax.errorbar(places, summary["slope"], yerr=summary["slope_standard_error"], **bar)
    pooled = float(summary["pooled_slope"]), float(summary["pooled_slope_standard_error"])
    ax.errorbar([len(names) + 0.3], [pooled[0]], yerr=[pooled[1]], **bar | {"color": style.TRUE})
    ax.axhline(-0.5, zorder=0, **style.DASHED)
    ax.set_xticks([*places, len(names) + 0.3], [*(style.SYMBOLS[n] for n in names), "all"])
    ax.tick_params(axis="x", length=0)
    ax.set_ylabel("slope of log error")
    ax.set_title(f"pooled {_slope(*pooled)}", pad=3)


def _over_lengths(summary: xr.Dataset, ax: Axes, name: str) -> None:
    """Draw a number per length with its standard error."""
    ax.errorbar(
        summary["n_steps"],
        summary[name],
        yerr=summary[f"{name}_standard_error"],
        fmt="o-",
        ms=3.4,
        elinewidth=1.1,
        capsize=2,
        color=style.INFERRED,
    )
    _length_axis(summary, ax)


def panel_coverage(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the share of intervals that hold the truth, with its standard error over records."""
    nominal = float(summary.attrs["confidence_level"])
    ax.axhline(nominal, zorder=0, **style.DASHED)
    _over_lengths(summary, ax, "coverage")
    lower_ends = (summary["coverage"] - summary["coverage_standard_error"]).values
    lowest = np.floor(10 * np.append(lower_ends[np.isfinite(lower_ends)], 0.5).min()) / 10
    ax.set_ylim(lowest, 1.02)
    style.percent(ax.yaxis)
    ax.set_xlabel("record length (step)")
    ax.set_title(f"{nominal:.0%} coverage", pad=3)


def panel_efficiency(summary: xr.Dataset, ax: Axes) -> None:
    """Draw squared Cramer-Rao bound over mean squared error: each parameter, and their mean."""
    lengths = summary["n_steps"].values
    ax.axhline(1.0, zorder=0, **style.DASHED)
    each = summary["efficiency"].transpose("n_steps", "parameter").values
    ax.plot(lengths, each, color=style.REFERENCE, lw=0.7, alpha=0.7, zorder=1)
    _over_lengths(summary, ax, "mean_efficiency")
    ax.set_ylim(bottom=0.0)
    if not np.isfinite(each).any():
        ax.text(0.5, 0.4, "bound undefined", ha="center", transform=ax.transAxes)
    ax.set_xlabel("record length (step)")
    ax.set_title("efficiency", pad=3)


def panel_marked_fits(summary: xr.Dataset, ax: Axes) -> None:
    """Draw, per length, the share of fits at a bound or not converged, with their numbers."""
    places = np.arange(summary.sizes["n_steps"])
    bound, open_ended = summary["at_bound_count"].values, summary["unconverged_count"].values
    fitted = summary["fitted_count"].values
    ax.bar(places, bound / fitted, color=style.WORLD, width=0.7, label="at a bound")
    ax.bar(
        places,
        open_ended / fitted,
        bottom=bound / fitted,
        color=style.TRUE,
        width=0.7,
        label="not converged",
    )
    for place, count, whole in zip(places, bound + open_ended, fitted, strict=True):
        ax.annotate(
            f"{count}\n/{whole}",
            (place, count / whole),
            (0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=5.5,
        )
    ax.set_xticks(places, [_steps(length) for length in summary["n_steps"].values])
    ax.tick_params(axis="x", length=0)
    # Room above the highest possible bar, for its number and the legend.
    ax.set_ylim(0, 1.75)
    ax.set_yticks([0, 0.5, 1])
    style.percent(ax.yaxis)
    ax.set_xlabel("record length (step)")
    ax.set_title("fits at a bound or\nnot converged", pad=3)
    ax.legend(loc="upper right", borderaxespad=0.1, handlelength=1.0)


def draw(summary: xr.Dataset) -> Figure:
    """Draw Figure 6 whole.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind recovery.
    """
    with style.styled():
        figure = style.figure(5.6)
        upper, lower = figure.subfigures(2, 1, height_ratios=[2.1, 1])
        names = list(summary["parameter"].values)
        errors = style.parameter_grid(
            upper,
            names,
            lambda ax, name: panel_error(summary, ax, name),
            "absolute error",
            "record length (step)",
            sharex=True,
        )
        upper.legend(
            [
                Line2D([], [], color=style.INFERRED, marker="o", ms=3),
                Line2D([], [], **style.DASHED),
                Line2D([], [], ls="none", marker="o", ms=3, color=style.REFERENCE, alpha=0.6),
                Line2D([], [], ls="none", marker="x", ms=3, mew=0.8, color=style.WORLD),
            ],
            [
                "root mean square over records",
                "Cramér–Rao bound",
                "one record",
                "one record, fit at a bound",
            ],
            loc="outside lower center",
            ncols=4,
        )
        slopes, efficiencies, coverage, marked = lower.subplots(
            1, 4, width_ratios=[1.5, 0.85, 0.85, 1.5]
        )
        panel_slopes(summary, slopes)
        panel_efficiency(summary, efficiencies)
        panel_coverage(summary, coverage)
        panel_marked_fits(summary, marked)
        panels = (errors.flat[0], slopes, efficiencies, coverage, marked)
        for ax, letter in zip(panels, "ABCDE", strict=True):
            style.panel_letter(ax, letter, left=-30.0, up=3.0)
    return figure


def numbers(summary: xr.Dataset) -> dict[str, pd.DataFrame]:
    """Tabulate errors with RMSE and bound (A), slopes (B), efficiency (C), coverage (D), counts (E)."""
    errors = summary[["error", "standard_error", "status"]].to_dataframe().reset_index()
    rmse = (
        summary[["rmse", "rmse_interior", "bound", "bound_standard_error"]]
        .to_dataframe()
        .reset_index()
    )
    slopes = summary[["slope", "slope_standard_error"]].to_dataframe().reset_index()
    pooled = {
        "parameter": ["all"],
        "slope": [float(summary["pooled_slope"])],
        "slope_standard_error": [float(summary["pooled_slope_standard_error"])],
    }
    coverage = summary[["coverage", "coverage_standard_error"]].to_dataframe().reset_index()
    counts = ["fitted_count", "at_bound_count", "unconverged_count", "outlier_count"]
    marked = summary[counts].to_dataframe().reset_index()
    efficient = summary[["efficiency", "efficiency_standard_error"]].to_dataframe().reset_index()
    over_parameters = summary[["mean_efficiency", "mean_efficiency_standard_error"]]
    over_parameters = over_parameters.to_dataframe().reset_index()
    return {
        "A": errors.merge(rmse, on=["n_steps", "parameter"]),
        "B": pd.concat([slopes, pd.DataFrame(pooled)], ignore_index=True),
        "C": efficient.merge(over_parameters, on="n_steps"),
        "D": coverage,
        "E": marked,
    }
