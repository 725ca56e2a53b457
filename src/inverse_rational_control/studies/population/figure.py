"""Figure 7: parameters of many drawn agents recovered, and how well their intervals cover."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from scipy.special import chdtr, chdtri

from inverse_rational_control import plotting as style
from inverse_rational_control.statistics import mean_and_error
from inverse_rational_control.studies.population.calibration_panels import (
    panel_correlations,
    panel_coverage,
    panel_z_scores,
)
from inverse_rational_control.studies.population.dataset import POPULATION

__all__ = [
    "INPUTS",
    "draw",
    "numbers",
    "panel_likelihood_ratio",
    "panel_recovery",
    "panel_status",
]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": POPULATION}

_STATISTICS = (
    *("correlation", "concordance", "bias", "bias_standard_error", "rmse"),
    "median_relative_error",
)
_STATUS_WORDS = {
    "converged": "converged",
    "at_bound": "at a bound",
    "not_converged": "not converged",
    "degenerate_record": "degenerate record",
}


def panel_recovery(summary: xr.Dataset, ax: Axes, name: str) -> None:
    """Draw one parameter's estimates against its true values, with standard errors and the identity."""
    chosen = summary.sel(parameter=name)
    truth, estimate = chosen["truth"].values, chosen["estimate"].values
    good = summary["identified"].values.astype(bool)
    margin = 0.12 * np.ptp(truth)
    low, high = truth.min() - margin, truth.max() + margin
    # Estimates that ran away would stretch the axis: they lie on its edge.
    shown = np.clip(estimate, low - 2 * margin, high + 2 * margin)
    ax.plot([low, high], [low, high], zorder=2, **style.DASHED)
    ax.errorbar(
        truth[good],
        shown[good],
        yerr=chosen["standard_error"].values[good],
        fmt="o",
        ms=1.8,
        mew=0,
        elinewidth=0.5,
        color=style.INFERRED,
        alpha=0.7,
        zorder=3,
    )
    bottom, top = low - 2.2 * margin, high + 2.2 * margin
    ax.plot(truth[~good], shown[~good], "x", ms=3, mew=0.8, color=style.WORLD, zorder=1)
    ax.set_xlim(low, high)
    ax.set_ylim(bottom, top)
    concordance = float(chosen["concordance"]), float(chosen["concordance_interior"])
    ax.xaxis.set_major_locator(MaxNLocator(3))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.set_title(
        f"{style.parameter_title(name)}\n"
        rf"$\rho_c$ {style.number(concordance[0], 2)} ({style.number(concordance[1], 2)})",
        pad=3,
        fontsize=7.5,
    )
    bias, error = float(chosen["bias"]), float(chosen["bias_standard_error"])
    ax.text(
        0.98,
        0.03,
        style.typeset(f"bias {bias:.3f} ± {error:.3f}"),
        transform=ax.transAxes,
        ha="right",
        va="bottom",
        fontsize=6,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
        zorder=4,
    )


def panel_likelihood_ratio(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the distribution of 2[l(estimate) - l(truth)] beside chi-square."""
    freedom = summary.sizes["parameter"]
    ratio = summary["likelihood_ratio"].values
    good = summary["identified"].values.astype(bool)
    known = np.sort(ratio[good])
    top = max(chdtri(freedom, 1e-3), *known, 0.0) * 1.03
    grid = np.linspace(0.0, top, 200)
    ax.plot(grid, chdtr(freedom, grid), color=style.TRUE, lw=0.9, ls=(0, (4, 2)))
    if known.size:
        ax.step(
            [0.0, *known, top],
            [*np.arange(known.size + 1), known.size] / np.float64(known.size),
            where="post",
            color=style.INFERRED,
        )
        mean, error = mean_and_error(known, nan_policy="propagate")
        ax.set_title(f"likelihood ratio\nmean {mean:.1f} ± {error:.1f}", pad=3)
    ax.set_xlim(0.0, top)
    ax.set_ylim(0.0, 1.02)
    ax.set_xlabel(r"$2\,[\ell(\hat\theta)-\ell(\theta)]$ (nat)")
    ax.set_ylabel("share of agents below")
    ax.legend(
        [
            Line2D([], [], color=style.INFERRED),
            Line2D([], [], color=style.TRUE, lw=0.9, ls=(0, (4, 2))),
        ],
        ["converged fits", rf"$\chi^2_{{{freedom}}}$"],
        loc="lower right",
        handlelength=1.4,
        borderaxespad=0.2,
    )


def _statuses(summary: xr.Dataset) -> pd.DataFrame:
    status = summary["status"].values.astype(str)
    below = summary["likelihood_ratio"].values < 0
    kinds = [*_STATUS_WORDS, *sorted(set(status) - set(_STATUS_WORDS))]
    return pd.DataFrame(
        {
            "status": kinds,
            "agents": [int((status == kind).sum()) for kind in kinds],
            "below_truth": [int((below & (status == kind)).sum()) for kind in kinds],
        }
    )


def panel_status(summary: xr.Dataset, ax: Axes) -> None:
    """Draw how many agents' fits ended how."""
    table = _statuses(summary)
    places = np.arange(len(table))[::-1]
    colors = [style.INFERRED] + [style.WORLD] * (len(table) - 1)
    ax.barh(places, table["agents"], color=colors, height=0.65)
    for place, count in zip(places, table["agents"], strict=True):
        ax.annotate(
            f"{count}", (count, place), (2, 0), textcoords="offset points", va="center", fontsize=7
        )
    words = [_STATUS_WORDS.get(kind, kind) for kind in table["status"]]
    ax.set_yticks(places, words)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0, 1.2 * summary.sizes["agent"])
    ax.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    ax.set_xlabel("agents")
    ax.set_title(
        f"how fits ended\n({int(table['below_truth'].sum())} below the truth)",
        pad=3,
    )


def draw(summary: xr.Dataset) -> Figure:
    """Draw Figure 7 whole.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `population`.
    """
    with style.styled():
        figure = style.figure(8.2)
        upper, middle, lower = figure.subfigures(3, 1, height_ratios=[2.3, 1.15, 1.15])
        names = list(summary["parameter"].values)
        axes = style.parameter_grid(
            upper,
            names,
            lambda ax, name: panel_recovery(summary, ax, name),
            "estimate",
            "true value",
        )
        upper.legend(
            [
                Line2D([], [], ls="none", marker="o", ms=3, color=style.INFERRED),
                Line2D([], [], ls="none", marker="x", ms=3, mew=0.8, color=style.WORLD),
                Line2D([], [], **style.DASHED),
            ],
            [
                "converged fit ± standard error",
                "other fit",
                "estimate = true value",
            ],
            loc="outside lower center",
            ncols=3,
        )
        coverage, likelihood = middle.subplots(1, 2, width_ratios=[1.9, 1])
        scores, status, correlations = lower.subplots(1, 3, width_ratios=[1.6, 0.8, 0.95])
        panel_coverage(summary, coverage)
        panel_likelihood_ratio(summary, likelihood)
        panel_z_scores(summary, scores)
        panel_status(summary, status)
        panel_correlations(summary, correlations)
        panels = (axes.flat[0], coverage, likelihood, scores, status, correlations)
        for ax, letter in zip(panels, "ABCDEF", strict=True):
            style.panel_letter(ax, letter, left=-30.0, up=3.0)
    return figure


def numbers(summary: xr.Dataset) -> dict[str, pd.DataFrame]:
    """Tabulate what each panel shows, estimates (A) to correlations (F)."""

    def table(*names):
        return summary[list(names)].to_dataframe().reset_index()

    pooled = table("pooled_coverage", "pooled_coverage_standard_error").rename(
        columns={
            "pooled_coverage": "coverage",
            "pooled_coverage_standard_error": "coverage_standard_error",
        }
    )
    return {
        "A": table(
            *("truth", "estimate", "standard_error", "interval_lower", "interval_upper"),
            *("interval_kind", "identified"),
        ),
        "A, statistics": table(
            *(f"{name}{whom}" for whom in ("", "_interior") for name in _STATISTICS)
        ),
        "B": pd.concat(
            [
                table("coverage", "coverage_band_lower", "coverage_band_upper"),
                pooled.assign(parameter="all"),
            ],
            ignore_index=True,
        ),
        "C": table("likelihood_ratio", "identified"),
        "D": table("z_score", "z_mean", "z_mean_standard_error", "z_standard_deviation"),
        "E": _statuses(summary),
        "F": table("estimate_correlation", "truth_correlation"),
    }
