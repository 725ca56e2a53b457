"""Figure 8: cost by method, ends by start, plain EM's rate of convergence by diffusion."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.optimization.dataset import OPTIMIZATION

__all__ = ["INPUTS", "draw", "gap_at", "numbers", "panel_diffusion", "panel_ends", "panel_gaps"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": OPTIMIZATION}

# Smallest gap drawn, nats; fits stop at about this distance from their maximum.
_SMALLEST = 1e-6

_METHODS = {
    "em": ("plain EM", style.INFERRED, "-"),
    "squarem": ("SQUAREM", style.WORLD, (0, (5, 1.5))),
    "quasi_newton": ("quasi-Newton", style.QUASI_NEWTON, (0, (1.5, 1))),
}
_CHOICES = {
    "drawn": ("raw draws", "o", style.REFERENCE),
    "chosen": ("most likely of some draws", "D", style.QUASI_NEWTON),
}
_UNIT_OF = {"history_evaluations": "E-steps", "history_seconds": "time (s)"}


def gap_at(gap: np.ndarray, cost: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Gap that a path has reached by a cost; NaN before its first point, its last gap after the end.

    Parameters
    ----------
    gap, cost : ndarray, shape (iterations,)
        NaN after the path's end; cost rises.
    at : ndarray, shape (points,)
    """
    known = np.isfinite(gap) & np.isfinite(cost)
    if not known.any():
        return np.full(at.shape, np.nan)
    place = np.searchsorted(cost[known], at, side="right") - 1
    return np.where(place >= 0, gap[known][np.maximum(place, 0)], np.nan)


def _gap(summary: xr.Dataset, name: str) -> np.ndarray:
    gap = float(summary["best_log_likelihood"]) - summary[name].values
    return np.maximum(gap, _SMALLEST)


def panel_gaps(summary: xr.Dataset, ax: Axes, cost_name: str) -> None:
    """Draw each method's gap against its cost: thin each start, thick the median over starts."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    gaps = _gap(summary, "history_log_likelihood")
    costs = summary[cost_name].values
    first = np.nanmin(costs)
    for row, method in enumerate(summary["method"].values):
        _, color, dashes = _METHODS[method]
        gap, cost = gaps[row], costs[row]
        for one_gap, one_cost in zip(gap, cost, strict=True):
            ax.plot(one_cost, one_gap, color=color, lw=0.6, alpha=0.45, drawstyle="steps-post")
        # Only as far as every start has a known gap: behind that the median would mix ends.
        end = np.nanmax(cost)
        at = np.geomspace(first, end, 400)
        median = np.median([gap_at(*each, at) for each in zip(gap, cost, strict=True)], axis=0)
        ax.plot(at, median, color=color, lw=1.8, ls=dashes, zorder=3)
    target = float(summary["gap"].values[-1])
    ax.axhline(target, color=style.TRUE, lw=0.7, ls=(0, (4, 2)), zorder=0)
    ax.set_ylim(_SMALLEST / 2, 2 * np.nanmax(gaps))
    ax.set_xlabel(_UNIT_OF[cost_name])
    ax.set_ylabel("gap to the best (nat)")


def panel_ends(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the sorted final gaps of quasi-Newton over starts, crosses where it did not converge."""
    gaps = _gap(summary, "end_log_likelihood")
    ax.set_yscale("log")
    handles = []
    for row, choice in enumerate(summary["choice"].values):
        label, marker, color = _CHOICES[choice]
        order = np.argsort(gaps[row])
        gap = gaps[row][order]
        # Starts at which the planner failed have no end: they stand at the top, last.
        gap = np.where(np.isfinite(gap), gap, np.nanmax(gaps))
        converged = summary["end_converged"].values[row][order].astype(bool)
        place = 1 + np.arange(gap.size)
        ax.plot(place, gap, color=color, lw=0.6, zorder=1)
        point = {"ls": "none", "color": color, "zorder": 2}
        ax.plot(place[converged], gap[converged], marker=marker, ms=2.6, mew=0, **point)
        ax.plot(place[~converged], gap[~converged], marker="x", ms=3.6, mew=0.9, **point)
        part = summary.isel(choice=row)
        share = f"{float(part['reached_share']):.0%}"
        interval = f"{float(part['reached_lower']):.0%} to {float(part['reached_upper']):.0%}"
        handles.append(Line2D([], [], color=color, marker=marker, ms=3, mew=0, lw=0.6))
        handles[-1].set_label(f"{label}: {share} ({interval})")
    handles.append(Line2D([], [], color=style.TRUE, marker="x", ms=3.6, mew=0.9, ls="none"))
    handles[-1].set_label("not converged")
    target = float(summary["gap"].values[-1])
    ax.axhline(target, color=style.TRUE, lw=0.7, ls=(0, (4, 2)), zorder=0)
    # Room above for the legend.
    ax.set_ylim(_SMALLEST / 2, 1e4 * max(1.0, np.nanmax(gaps)))
    ax.set_xlabel("starts, in order of their ends")
    ax.set_ylabel("gap to the best (nat)")
    ax.legend(
        handles=handles,
        loc="upper left",
        borderaxespad=0.1,
        handlelength=1.4,
        title=f"ends within {target:g} nat",
        title_fontsize=7,
        alignment="left",
    )


def panel_diffusion(summary: xr.Dataset, ax: Axes) -> None:
    """Draw plain EM's gap against E-steps for agents of several diffusions, each to its own best."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    widths = summary["diffusion"].values
    height = summary["diffusion_history_log_likelihood"].values
    gaps = np.maximum(summary["diffusion_maximum"].values[:, None] - height, _SMALLEST)
    shades = style.MASS(np.linspace(0.4, 1.0, widths.size))
    dashes = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1, 1)))
    for row, width in enumerate(widths):
        place = 1 + np.arange(gaps.shape[1])
        ax.plot(
            place,
            gaps[row],
            color=shades[row],
            ls=dashes[row % len(dashes)],
            lw=1.6,
            label=f"σ = {width:g} bins",
        )
    ax.set_ylim(0.5 * np.nanmin(gaps), 2 * np.nanmax(gaps))
    ax.set_xlabel("E-steps of plain EM")
    ax.set_ylabel("below each record's\nbest (nat)")
    ax.legend(loc="lower left", borderaxespad=0.1, handlelength=2.2)


def draw(summary: xr.Dataset) -> Figure:
    """Draw Figure 8 whole.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `optimization`.
    """
    with style.styled():
        figure = style.figure(5.4)
        (steps, seconds), (ends, diffusion) = figure.subplots(2, 2)
        panel_gaps(summary, steps, "history_evaluations")
        panel_gaps(summary, seconds, "history_seconds")
        methods = [_METHODS[method] for method in summary["method"].values]
        steps.legend(
            [Line2D([], [], color=color, lw=1.8, ls=dashes) for _, color, dashes in methods],
            [label for label, _, _ in methods],
            loc="lower left",
            borderaxespad=0.1,
            handlelength=2.2,
        )
        panel_ends(summary, ends)
        panel_diffusion(summary, diffusion)
        for ax, letter in ((steps, "A"), (seconds, "B"), (ends, "C"), (diffusion, "D")):
            style.panel_letter(ax, letter, left=-36.0)
    return figure


def numbers(summary: xr.Dataset) -> dict[str, pd.DataFrame]:
    """Tabulate histories (A, B), costs to each gap (A), ends over starts (C), plain EM by sigma (D)."""
    best = float(summary["best_log_likelihood"])
    names = ["history_log_likelihood", "history_evaluations", "history_seconds"]
    paths = summary[names].to_dataframe().dropna().reset_index()
    paths["gap"] = best - paths["history_log_likelihood"]
    costs = summary[["evaluations_to_gap", "gap"]].to_dataframe().reset_index()
    ends = summary[["end_log_likelihood", "end_converged", "end_stop_reason", "end_distance"]]
    ends = ends.to_dataframe().reset_index()
    ends["gap"] = best - ends["end_log_likelihood"]
    shares = summary[["reached_share", "reached_lower", "reached_upper"]]
    diffusion = summary["diffusion_history_log_likelihood"].to_dataframe().dropna()
    diffusion = diffusion.reset_index().merge(
        summary["diffusion_maximum"].to_dataframe().reset_index(), on="diffusion"
    )
    diffusion["gap"] = (
        diffusion["diffusion_maximum"] - diffusion["diffusion_history_log_likelihood"]
    )
    cost_of_em = summary[["diffusion_evaluations_to_gap", "gap"]].to_dataframe().reset_index()
    return {
        "A and B": paths,
        "A": costs.drop(columns="gap_index"),
        "C": ends.merge(shares.to_dataframe().reset_index(), on="choice"),
        "D": pd.concat([diffusion, cost_of_em.drop(columns="gap_index")], ignore_index=True),
    }
