"""Figure 3: the way of the fits over the likelihood, and the estimates beside the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator

from irc.figures import style
from irc.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS

__all__ = ["draw", "numbers", "panel_estimates", "panel_surface"]

#: Contours, in nats below the maximum: dense near the optimum, sparse far from it.
_LEVELS = np.array([1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000])

_BELIEFS = tuple(parameter.name for parameter in WORLD_PARAMETERS)
_REWARDS = tuple(p.name for p in AGENT_PARAMETERS if p.name not in _BELIEFS)


def panel_surface(surface: xr.Dataset, ax: Axes) -> None:
    """Draw log-likelihood contours, the trajectories of both methods, their end and the truth."""
    below = float(surface["end_log_likelihood"]) - surface["log_likelihood"]
    below = below.clip(min=_LEVELS[0] / 10).transpose("v", "u")
    top = _LEVELS[np.searchsorted(_LEVELS, float(below.max())).clip(1, _LEVELS.size - 1)]
    levels = _LEVELS[top >= _LEVELS]
    u, v = surface["u"].values, surface["v"].values
    filled = ax.contourf(
        u,
        v,
        below,
        levels=[_LEVELS[0] / 10, *levels],
        cmap="bone",
        norm=LogNorm(_LEVELS[0] / 3, 8 * top),
        extend="max",
    )
    ax.contour(u, v, below, levels=levels, colors="white", linewidths=0.5, linestyles="solid")
    bar = ax.figure.colorbar(filled, ax=ax, ticks=levels, pad=0.02, aspect=28, location="top")
    bar.ax.tick_params(length=2)
    bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    bar.ax.xaxis.set_minor_locator(LogLocator(subs=[]))
    bar.set_label("log-likelihood below maximum (nat)", labelpad=3)
    ways = (
        ("trajectory", style.WORLD, "o", "EM"),
        ("accelerated", style.ACCELERATED, "s", "quasi-Newton"),
    )
    for name, colour, marker, label in ways:
        ax.plot(
            surface[f"{name}_u"],
            surface[f"{name}_v"],
            color=colour,
            marker=marker,
            markersize=2.2,
            markeredgewidth=0,
            linewidth=0.9,
            label=label,
        )
    point = {"linestyle": "none", "markeredgewidth": 0.8, "zorder": 5}
    ax.plot(
        surface["end_u"],
        surface["end_v"],
        marker="o",
        markersize=6,
        markerfacecolor=style.INFERRED,
        markeredgecolor="white",
        label="estimate",
        **point,
    )
    if "truth_u" in surface:
        ax.plot(
            surface["truth_u"],
            surface["truth_v"],
            marker="*",
            markersize=10,
            markerfacecolor="white",
            markeredgecolor=style.TRUE,
            label="truth (projected)",
            **point,
        )
    # The ways may leave the grid (another start); the grid is what the contours are known on.
    ax.set_xlim(u[0], u[-1])
    ax.set_ylim(v[0], v[-1])
    share = surface["explained_variance"].values
    ax.set_xlabel(f"first component u ({share[0]:.0%} of variance)")
    ax.set_ylabel(f"second component v ({share[1]:.0%})")


def panel_estimates(fit: xr.Dataset, ax: Axes, names: tuple[str, ...]) -> None:
    """Draw estimates with intervals, and beside each its true value and the world's, where known."""
    places = np.arange(len(names))
    chosen = fit.sel(parameter=list(names))
    estimate = chosen["estimate"].values
    lower, upper = chosen["interval_lower"].values, chosen["interval_upper"].values
    bar = {"fmt": "o", "markersize": 4, "elinewidth": 1.1, "capsize": 2.0}
    finite = np.isfinite(lower) & np.isfinite(upper)
    ax.errorbar(
        places[finite],
        estimate[finite],
        yerr=np.maximum([(estimate - lower)[finite], (upper - estimate)[finite]], 0),
        color=style.INFERRED,
        **bar,
    )
    # Without an interval (at a bound, information not positive definite): an open marker.
    ax.plot(
        places[~finite], estimate[~finite], "o", ms=4, mfc="white", mec=style.INFERRED, zorder=3
    )
    if "truth" in fit:
        ax.plot(places - 0.24, chosen["truth"], "*", ms=7, mfc="white", mec=style.TRUE, mew=0.9)
    if "world" in fit:
        known = [name for name in names if name in fit["world_parameter"].values]
        ax.plot(
            [names.index(name) + 0.24 for name in known],
            fit["world"].sel(world_parameter=known),
            "D",
            ms=3.6,
            mfc=style.WORLD,
            mec="none",
        )
    ax.axhline(0, color=style.REFERENCE, linewidth=0.5, zorder=0)
    ax.set_xticks(places, [style.SYMBOLS[name] for name in names])
    ax.tick_params(axis="x", labelsize=9, length=0)
    ax.set_xlim(-0.55, len(names) - 0.45)
    shown = np.concatenate([estimate, lower[finite], upper[finite]])
    if shown.min() >= 0:
        ax.set_ylim(bottom=0)


def draw(fit: xr.Dataset, surface: xr.Dataset) -> Figure:
    """Draw Figure 3 whole; true values and the world's appear where the fit holds them.

    Parameters
    ----------
    fit : xarray.Dataset
        Kind fit.
    surface : xarray.Dataset
        Kind surface.
    """
    confidence = float(fit.attrs["confidence_level"])
    with style.styled():
        figure = style.figure(3.3)
        left, middle, right = figure.subplots(1, 3, width_ratios=[3.1, 2.5, 1.7])
        panel_surface(surface, left)
        panel_estimates(fit, middle, _BELIEFS)
        panel_estimates(fit, right, _REWARDS)
        middle.set_title("beliefs about the world", pad=4)
        right.set_title("rewards, costs, noise", pad=4)
        middle.set_ylabel("probability (rates: per step)")
        right.set_ylabel("value (reward)")
        ways, names = left.get_legend_handles_labels()
        marks = [
            Line2D([], [], color=style.INFERRED, marker="o", ms=4),
            Line2D([], [], ls="none", marker="*", ms=7, mfc="white", mec=style.TRUE),
            Line2D([], [], ls="none", marker="D", ms=3.6, color=style.WORLD),
        ]
        labels = [f"estimate, {confidence:.0%} interval", "agent's true value", "world's value"]
        shown = [True, "truth" in fit, "world" in fit]
        left.legend(
            ways,
            names,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.2),
            ncols=2,
            columnspacing=1.0,
            handlelength=1.6,
        )
        middle.legend(
            [mark for mark, show in zip(marks, shown, strict=True) if show],
            [label for label, show in zip(labels, shown, strict=True) if show],
            loc="upper left",
            handlelength=1.4,
            borderaxespad=0.1,
        )
        # Room for the legend above the highest mark.
        middle.set_ylim(top=1.0)
        style.panel_letter(left, "A", up=46.0)
        style.panel_letter(middle, "B", up=6.0)
    return figure


def numbers(fit: xr.Dataset, surface: xr.Dataset) -> dict[str, pd.DataFrame]:
    """Tabulate both panels: grid, trajectories and points of A; one row per parameter of B."""
    grid = surface["log_likelihood"].to_series().reset_index()
    tables = [grid.assign(item="surface")]
    for item, name in (("em", "trajectory"), ("quasi_newton", "accelerated")):
        columns = {key: surface[f"{name}_{key}"].values for key in ("u", "v", "log_likelihood")}
        way = pd.DataFrame(columns)
        tables.append(way.assign(item=item, iteration=np.arange(len(way))).dropna())
    for item in ("end", "truth"):
        if f"{item}_u" in surface:
            point = {key: [float(surface[f"{item}_{key}"])] for key in ("u", "v", "log_likelihood")}
            tables.append(pd.DataFrame(point).assign(item=item))
    estimates = {
        "item": fit["parameter"].values,
        "estimate": fit["estimate"].values,
        "standard_error": fit["standard_error"].values,
        "interval_lower": fit["interval_lower"].values,
        "interval_upper": fit["interval_upper"].values,
        "at_bound": fit["parameter_at_bound"].values.astype(bool),
    }
    if "truth" in fit:
        estimates["truth"] = fit["truth"].values
    table = pd.DataFrame(estimates)
    if "world" in fit:
        table["world"] = table["item"].map(fit["world"].to_series())
    return {"A": pd.concat(tables, ignore_index=True), "B": table}
