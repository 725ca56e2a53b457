"""Figure 5: behavior of the recorded and of the inferred agent, and how alike their models are."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from inverse_rational_control import plotting as style
from inverse_rational_control.seconds import axis_of_time
from inverse_rational_control.studies.paper.dataset import BEHAVIOR, MODELS
from inverse_rational_control.studies.paper.predictive_panel import (
    panel_predictive,
    table_predictive,
)
from inverse_rational_control.task import LOCATIONS

__all__ = [
    "BAND",
    "INPUTS",
    "draw",
    "numbers",
    "panel_divergence",
    "panel_frequencies",
    "panel_intervals",
    "panel_values",
]

#: The datasets it takes, and their contracts.
INPUTS = {"behavior": BEHAVIOR, "models": MODELS}

#: Percentiles of the replicates between which the bands lie.
BAND = (2.5, 97.5)

#: Interval panels end where fewer intervals than this share lie beyond, for both agents.
_SMALLEST_TAIL = 0.005

#: Panel, statistic, variable, dimension and axis label.
_PANELS = (
    ("A", "action", "action_frequency", "action", "action"),
    ("B", "location", "location_frequency", "location", "location"),
    ("C", "push_interval", "push_interval", "interval", "interval between pushes"),
    ("D", "travel_interval", "travel_interval", "interval", "interval between travels"),
)
_MARKERS = ("o", "s", "^")
_LOCATION_COLORS = (style.REFERENCE, style.INFERRED, style.QUASI_NEWTON)


def _band(behavior: xr.Dataset, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    replicates = behavior[f"replicate_{name}"].transpose("replicate", ...).values
    # A replicate without a single push or travel has no distribution of intervals.
    replicates = replicates[~np.isnan(replicates).any(axis=1)]
    if not replicates.size:
        nothing = np.full(replicates.shape[1], np.nan)
        return nothing, nothing, nothing
    lower, upper = np.percentile(replicates, BAND, axis=0)
    return replicates.mean(axis=0), lower, upper


def _null_percentile(behavior: xr.Dataset, statistic: str) -> float:
    distance = float(behavior["distance"].sel(statistic=statistic))
    null = behavior["null_distance"].sel(statistic=statistic).values
    null = null[~np.isnan(null)]
    if np.isnan(distance) or not null.size:
        return np.nan
    return float(100 * np.mean(null < distance))


def _print_distance(behavior: xr.Dataset, ax: Axes, statistic: str) -> None:
    distance = float(behavior["distance"].sel(statistic=statistic))
    percentile = _null_percentile(behavior, statistic)
    measure = json.loads(behavior.attrs["distances"])[statistic]
    known = f"{measure} {distance:.3f}\nnull percentile {percentile:.0f}"
    ax.text(
        0.98,
        0.97,
        "distance undefined" if np.isnan(percentile) else known,
        transform=ax.transAxes,
        ha="right",
        va="top",
        fontsize=7,
    )


def panel_frequencies(behavior: xr.Dataset, ax: Axes, name: str, dim: str) -> None:
    """Draw shares of time per action or location: recorded as bars, inferred with its band."""
    places = np.arange(behavior.sizes[dim])
    ax.bar(places, behavior[name], width=0.62, color="#cfcac2", edgecolor=style.TRUE, linewidth=0.7)
    replicates = behavior[f"replicate_{name}"].transpose("replicate", dim)
    sns.pointplot(
        pd.DataFrame(replicates.values, columns=places),
        errorbar=("pi", BAND[1] - BAND[0]),
        ax=ax,
        color=style.INFERRED,
        linestyle="none",
        marker="o",
        markersize=3.6,
        markeredgewidth=1.0,
        err_kws={"linewidth": 1.2},
        capsize=0.14,
    )
    labels = [str(label).replace("go to ", "go to\n") for label in behavior[dim].values]
    ax.set_xticks(places, labels)
    ax.tick_params(axis="x", length=0)
    # A third above the highest mark is for the printed distance.
    upper = np.percentile(replicates, BAND[1], axis=0)
    ax.set_ylim(0, 1.3 * max(float(behavior[name].max()), float(upper.max())))


def panel_intervals(behavior: xr.Dataset, ax: Axes, name: str) -> None:
    """Draw the distribution of intervals, up to where hardly any are longer."""
    width, unit = axis_of_time(behavior.attrs)
    interval = behavior["interval"].values * width
    recorded = behavior[name].values
    mean, lower, upper = _band(behavior, name)
    tails = [np.cumsum(np.nan_to_num(share[::-1]))[::-1] for share in (recorded, mean)]
    held = np.flatnonzero(np.maximum(*tails) > _SMALLEST_TAIL)
    last = interval[held[-1]] if held.size else interval[-1]
    ax.fill_between(interval, lower, upper, step="mid", color=style.INFERRED, alpha=0.25, lw=0)
    ax.step(interval, mean, where="mid", color=style.INFERRED)
    ax.plot(interval, recorded, ls="none", marker="o", ms=2.6, color=style.TRUE, mew=0)
    ax.set_xlim(0, last + width)
    ax.xaxis.set_major_locator(MaxNLocator(7, integer=unit == "step"))
    ax.set_ylim(bottom=0)


def panel_values(models: xr.Dataset, ax: Axes) -> None:
    """Draw the inferred against the true value of every state, the mean of each removed.

    Behind them, where the parameters' posterior was drawn from, each state's interval over draws.
    """
    if "value_lower" in models:
        ends = [models[name].values.ravel() for name in ("value_lower", "value_upper")]
        ax.vlines(models["true_value"].values.ravel(), *ends, color="#d9d5ce", lw=0.6, zorder=0)
    for index, location in enumerate(LOCATIONS):
        ax.plot(
            models["true_value"].isel(location=index).values.ravel(),
            models["inferred_value"].isel(location=index).values.ravel(),
            ls="none",
            marker=_MARKERS[index],
            ms=2.4,
            mew=0,
            alpha=0.7,
            color=_LOCATION_COLORS[index],
            label=location,
        )
    ends = [
        min(float(models["true_value"].min()), float(models["inferred_value"].min())),
        max(float(models["true_value"].max()), float(models["inferred_value"].max())),
    ]
    ax.plot(ends, ends, color=style.TRUE, lw=0.7, ls=(0, (4, 3)), zorder=0)
    ax.set_xlabel("true value (reward)")
    ax.set_ylabel("inferred value")
    ax.legend(loc="lower right", handletextpad=0.1, borderaxespad=0.1, markerscale=1.8)
    ax.text(
        0.03,
        0.97,
        f"correlation {float(models['value_correlation']):.3f}\n"
        f"RMSE {float(models['value_rmse']):.2g}",
        transform=ax.transAxes,
        va="top",
        fontsize=7,
    )


def panel_divergence(models: xr.Dataset, ax: Axes) -> None:
    """Draw the share of the agent's steps spent in states of at most a given policy divergence."""
    visits = models["visit_frequency"]
    divergence = models["policy_divergence"].transpose(*visits.dims)
    visited = visits.values > 0
    sns.ecdfplot(
        x=divergence.values[visited], weights=visits.values[visited], ax=ax, color=style.INFERRED
    )
    mean, uniform = (float(models[f"{name}_policy_divergence"]) for name in ("mean", "uniform"))
    ax.axvline(mean, color=style.INFERRED, ls=(0, (4, 2)), lw=1.0)
    ax.axvline(uniform, color=style.REFERENCE, ls=(0, (4, 2)), lw=1.0)
    ax.set_title(f"mean {mean:.2g} nat (uniform policy: {uniform:.2g} nat)", pad=4)
    ax.set_xscale("log")
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("policy divergence, true to inferred (nat)")
    ax.set_ylabel("share of steps")


def draw(behavior: xr.Dataset, models: xr.Dataset | None = None) -> Figure:
    """Draw Figure 5 whole; without a true model (`models` None) panel E is left out, F stays F.

    Parameters
    ----------
    behavior : xarray.Dataset
        Kind behavior.
    models : xarray.Dataset, optional
        Kind models.
    """
    n_rows = 2 if models is None else 3
    with style.styled():
        figure = style.figure(2.6 + 1.9 * n_rows)
        grid = figure.add_gridspec(
            n_rows + 1, 2, width_ratios=[1.2, 1], height_ratios=[*[1.0] * n_rows, 0.85]
        )
        axes = [figure.add_subplot(grid[row, side]) for row in range(n_rows) for side in (0, 1)]
        for ax, (letter, statistic, name, dim, label) in zip(axes, _PANELS, strict=False):
            if dim == "interval":
                panel_intervals(behavior, ax, name)
                ax.set_xlabel(f"{label} ({axis_of_time(behavior.attrs)[1]})")
                ax.set_ylabel("share of intervals")
            else:
                panel_frequencies(behavior, ax, name, dim)
                ax.set_ylabel("share of steps")
            _print_distance(behavior, ax, statistic)
            style.panel_letter(ax, letter, left=-32.0)
        if models is not None:
            panel_values(models, axes[4])
            panel_divergence(models, axes[5])
            style.panel_letter(axes[4], "E", left=-32.0)
        last = figure.add_subplot(grid[n_rows, :])
        panel_predictive(behavior, last)
        style.panel_letter(last, "F", left=-32.0, up=13.0)
        figure.legend(
            [
                Patch(facecolor="#cfcac2", edgecolor=style.TRUE, linewidth=0.7),
                Line2D([], [], ls="none", marker="o", ms=3.5, color=style.TRUE),
                Line2D([], [], color=style.INFERRED, marker="o", ms=3.6),
                Patch(color=style.INFERRED, alpha=0.25, linewidth=0),
            ],
            [
                "recorded agent (A, B)",
                "recorded agent (C, D, F)",
                "inferred agent, mean",
                f"{BAND[1] - BAND[0]:.0f}% of its resimulations",
            ],
            loc="outside lower center",
            ncols=4,
            title=f"inferred agent: {behavior.attrs['parameters_from']}",
            title_fontsize=7,
        )
    return figure


def numbers(behavior: xr.Dataset, models: xr.Dataset | None = None) -> dict[str, pd.DataFrame]:
    """Tabulate panels A to D, a row per bar or interval, E, a row per state, F, one per statistic."""
    tables, (width, unit) = {}, axis_of_time(behavior.attrs)
    for letter, statistic, name, dim, _ in _PANELS:
        mean, lower, upper = _band(behavior, name)
        tables[letter] = pd.DataFrame(
            {
                "item": behavior[dim].values,
                "recorded": behavior[name].values,
                "inferred_mean": mean,
                "inferred_lower": lower,
                "inferred_upper": upper,
                "distance_measure": json.loads(behavior.attrs["distances"])[statistic],
                "distance": float(behavior["distance"].sel(statistic=statistic)),
                "null_percentile": _null_percentile(behavior, statistic),
            }
        )
        if dim == "interval" and unit == "s":
            tables[letter].insert(1, "item_in_seconds", behavior[dim].values * width)
    if models is not None:
        names = ["true_value", "inferred_value", "policy_divergence", "visit_frequency"]
        names += [name for name in ("value_lower", "value_upper") if name in models]
        states = models[names].to_dataframe().reset_index()
        tables["E"] = states.rename(columns={"location": "item"})
    tables["F"] = table_predictive(behavior)
    return tables
