"""Figure 3: the paths of the fits over the likelihood, and the estimates beside the truth."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from inverse_rational_control import plotting as style
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.posterior_dataset import POSTERIOR
from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    EXTRA_PARAMETERS,
    WORLD_PARAMETERS,
)
from inverse_rational_control.studies.paper.estimates_panel import (
    exists,
    panel_estimates,
    usable,
)
from inverse_rational_control.studies.paper.surface_dataset import SURFACE

__all__ = ["INPUTS", "draw", "numbers", "panel_surface"]

#: The datasets it takes, and their contracts; the posterior may be left out.
INPUTS = {"fit": FIT, "surface": SURFACE, "parameter_posterior": POSTERIOR}

#: Contours, in nats below the maximum: dense near the optimum, sparse far from it.
_LEVELS = np.array([1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000])

#: The neighborhood of the maximum is what lies at most this many nats below it.
_NEAR = 10.0

_BELIEFS = tuple(parameter.name for parameter in WORLD_PARAMETERS)
_REWARDS = tuple(p.name for p in AGENT_PARAMETERS if p.name not in _BELIEFS)
_EXTRAS = tuple(parameter.name for parameter in EXTRA_PARAMETERS)


def panel_surface(surface: xr.Dataset, ax: Axes, *, near: bool = False) -> ContourSet:
    """Draw log-likelihood contours, the paths of both methods, their end and the truth.

    Parameters
    ----------
    surface : xarray.Dataset
        Kind surface.
    ax : matplotlib.axes.Axes
        Where to draw.
    near : bool
        Show only the neighborhood of the maximum, and the truth.

    Returns
    -------
    matplotlib.contour.ContourSet
        For a color bar.
    """
    below = _below(surface)
    levels = _levels(below)
    u, v = surface["u"].values, surface["v"].values
    shades = matplotlib.colormaps["bone"](np.linspace(1.0, 0.35, levels.size))
    filled = ax.contourf(u, v, below, levels=[0.0, *levels], colors=shades)
    ax.contour(u, v, below, levels=levels, colors=[style.REFERENCE], linewidths=0.4)
    ax.set_facecolor(shades[-1])
    for name, color, marker, label, zorder in (
        ("trajectory", style.WORLD, "o", "EM", 3),
        ("quasi_newton", style.QUASI_NEWTON, "s", "quasi-Newton", 2.5),
    ):
        ax.plot(
            surface[f"{name}_u"],
            surface[f"{name}_v"],
            color=color,
            marker=marker,
            markersize=2.2,
            markeredgewidth=0,
            linewidth=0.9,
            label=label,
            zorder=zorder,
        )
    point = {"linestyle": "none", "markeredgewidth": 0.8, "zorder": 5}
    ax.plot(
        surface["end_u"],
        surface["end_v"],
        marker="o",
        markersize=4.5,
        markerfacecolor=style.INFERRED,
        markeredgecolor="white",
        **point,
    )
    if "truth_u" in surface:
        ax.plot(
            surface["truth_u"],
            surface["truth_v"],
            marker="*",
            markersize=8,
            markerfacecolor="white",
            markeredgecolor=style.TRUE,
            **point,
        )
    # Paths may leave the grid (another start); the grid is what the contours are known on.
    left, right, bottom, top = _neighborhood(surface, below) if near else (u[0], u[-1], v[0], v[-1])
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    share = surface["explained_variance"].values
    ax.set_xlabel(f"first component u ({share[0]:.0%} of variance)")
    ax.set_ylabel(f"second component v ({share[1]:.0%})")
    return filled


def _below(surface: xr.Dataset) -> xr.DataArray:
    """Log-likelihood below the maximum, nats, [v, u]."""
    below = float(surface["end_log_likelihood"]) - surface["log_likelihood"]
    return below.clip(min=0.0).transpose("v", "u")


def _levels(below: xr.DataArray) -> np.ndarray:
    n_levels = int(np.searchsorted(_LEVELS, float(below.max()))) + 1
    return _LEVELS[: max(n_levels, 2)]


def _neighborhood(surface: xr.Dataset, below: xr.DataArray) -> tuple[float, ...]:
    """Limits (u, then v) of what is at most `_NEAR` below the maximum, and of end and truth."""
    inside = below <= _NEAR
    limits = []
    for name, other in (("u", "v"), ("v", "u")):
        grid = surface[name].values
        points = [
            float(surface[f"{item}_{name}"]) for item in ("end", "truth") if f"{item}_u" in surface
        ]
        points += list(grid[inside.any(other).values])
        low, high = np.searchsorted(grid, [min(points), max(points)])
        limits += [grid[max(low - 1, 0)], grid[min(high + 1, grid.size - 1)]]
    return tuple(limits)


def draw(
    fit: xr.Dataset, surface: xr.Dataset, parameter_posterior: xr.Dataset | None = None
) -> Figure:
    """Draw Figure 3 whole; true values and the world's appear where the fit holds them.

    Parameters
    ----------
    fit : xarray.Dataset
        Kind fit.
    surface : xarray.Dataset
        Kind surface.
    parameter_posterior : xarray.Dataset, optional
        Kind parameter_posterior; shown if it has converged.
    """
    drawn = usable(parameter_posterior)
    confidence = float(fit.attrs["confidence_level"])
    with style.styled():
        figure = style.figure(5.4)
        upper, lower = figure.subfigures(2, 1, height_ratios=[1.0, 1.05])
        left, right = upper.subplots(1, 2)
        filled = panel_surface(surface, left)
        panel_surface(surface, right, near=True)
        left.set_title("whole paths", pad=4)
        right.set_title("around the maximum", pad=4)
        bar = upper.colorbar(filled, ax=[left, right], pad=0.015, aspect=26, spacing="uniform")
        levels = _levels(_below(surface))
        bar.ax.set_yticks(levels, [f"{level:,}" for level in levels])
        bar.ax.yaxis.set_minor_locator(NullLocator())
        bar.ax.tick_params(length=2)
        bar.set_label("log-likelihood below maximum (nat)")
        extras = [name for name in fit["parameter"].values if name in _EXTRAS]
        widths = [1.5, 1.0, *([0.3 + 0.2 * len(extras)] if extras else [])]
        beliefs, rewards, *more = np.atleast_1d(lower.subplots(1, len(widths), width_ratios=widths))
        for ax in more:
            panel_estimates(fit, ax, tuple(extras), drawn)
            ax.set_title("beyond the ten", pad=4)
        panel_estimates(fit, beliefs, _BELIEFS, drawn)
        panel_estimates(fit, rewards, _REWARDS, drawn)
        status = str(fit["status"].values)
        warning = "" if status == "converged" else f" (fit {status.replace('_', ' ')})"
        without = "" if exists(fit).all() else "; the task has no cues"
        beliefs.set_title(f"beliefs about the world{without}{warning}", pad=4)
        rewards.set_title("rewards, costs and temperature", pad=4)
        beliefs.set_ylabel("probability (rates: per step)")
        rewards.set_ylabel("value (reward)")
        paths, names = left.get_legend_handles_labels()
        marks = [
            *paths[:2],
            Line2D([], [], color=style.INFERRED, marker="o", ms=4),
            Line2D([], [], color=style.REFERENCE, marker="s", ms=3.4),
            Line2D([], [], ls="none", marker="*", ms=7, mfc="white", mec=style.TRUE),
            Line2D([], [], ls="none", marker="D", ms=3.6, color=style.WORLD),
        ]
        labels = [
            *names[:2],
            f"estimate, {confidence:.0%} interval",
            "posterior median and interval",
            "agent's true value",
            "world's value",
        ]
        shown = [True, True, True, drawn is not None, "truth" in fit, "world" in fit]
        lower.legend(
            [mark for mark, show in zip(marks, shown, strict=True) if show],
            [label for label, show in zip(labels, shown, strict=True) if show],
            loc="outside lower center",
            ncols=len(marks),
            handlelength=1.6,
        )
        style.panel_letter(left, "A", up=5.0)
        style.panel_letter(beliefs, "B", up=5.0)
    return figure


def numbers(
    fit: xr.Dataset, surface: xr.Dataset, parameter_posterior: xr.Dataset | None = None
) -> dict[str, pd.DataFrame]:
    """Tabulate both panels: grid, paths and points of A; one row per parameter of B."""
    grid = surface["log_likelihood"].to_series().reset_index()
    tables = [grid.assign(item="surface")]
    for item, name in (("em", "trajectory"), ("quasi_newton", "quasi_newton")):
        columns = {key: surface[f"{name}_{key}"].values for key in ("u", "v", "log_likelihood")}
        path = pd.DataFrame(columns)
        tables.append(path.assign(item=item, iteration=np.arange(len(path))).dropna())
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
    drawn = usable(parameter_posterior)
    for name in ("median", "interval_lower", "interval_upper") if drawn is not None else ():
        estimates[f"posterior_{name}"] = drawn[name].values
    if "truth" in fit:
        estimates["truth"] = fit["truth"].values
    table = pd.DataFrame(estimates)[exists(fit).values].reset_index(drop=True)
    if "world" in fit:
        table["world"] = table["item"].map(fit["world"].to_series())
    return {"A": pd.concat(tables, ignore_index=True), "B": table}
