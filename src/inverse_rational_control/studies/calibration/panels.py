"""Panels of Figure 12: prior and posterior, ranks, coverage, contraction, sensitivity, beliefs."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.calibration.analysis import WEIGHTY

__all__ = [
    "panel_beliefs",
    "panel_contraction",
    "panel_coverage",
    "panel_posterior",
    "panel_ranks",
    "panel_sensitivity",
    "panel_z_scores",
]

_BINS = 24
_ONE_SD = (0.1587, 0.5, 0.8413)  # of a normal: its mean and one standard deviation each way


def panel_posterior(summary: xr.Dataset, ax: Axes, name: str) -> None:
    """Draw one parameter's prior and posterior of the paper's agent, its truth and its estimate."""
    part = summary.sel(parameter=name)
    draws = part["paper_draws"].values
    counts, edges = np.histogram(draws, _BINS, density=True)
    ax.stairs(counts, edges, fill=True, color=style.INFERRED, alpha=0.55)
    ax.plot(part["prior_theta"], part["prior_density"], color=style.REFERENCE, lw=1.0)
    truth, estimate = float(part["paper_truth"]), float(part["paper_estimate"])
    ax.axvline(truth, color=style.TRUE, lw=1.0)
    ax.axvline(estimate, color=style.WORLD, lw=1.0, ls=(0, (3, 1.5)))
    shown = [draws.min(), draws.max(), truth]
    low, high = min(shown), max(shown)
    margin = 0.35 * (high - low)
    low, high = low - margin, high + margin
    if part["prior_theta"].min() >= 0.0:
        low = max(low, 0.0)
    ax.set_xlim(low, high)
    ax.set_ylim(0.0, 1.15 * max(counts.max(), float(part["prior_density"].min())))
    ax.set_yticks([])
    ax.xaxis.set_major_locator(MaxNLocator(3))
    ax.set_title(style.parameter_title(name), pad=2)


def panel_ranks(summary: xr.Dataset, ax: Axes) -> None:
    """Draw every quantity's rank distribution less the uniform one, and the simultaneous band."""
    place = summary["place"].values / (summary.sizes["place"] + 1)
    n_agents = max(1, int((summary["rank"] >= 0).all("quantity").sum()))
    lower = summary["band_lower"].values / n_agents - place
    upper = summary["band_upper"].values / n_agents - place
    ax.fill_between(place, lower, upper, step="mid", color=style.REFERENCE, alpha=0.3, lw=0)
    ax.axhline(0.0, **style.DASHED)
    for quantity in summary["quantity"].values:
        difference = summary["counts"].sel(quantity=quantity).values / n_agents - place
        extra = quantity not in style.SYMBOLS
        ax.plot(
            place,
            difference,
            color=style.WORLD if extra else style.INFERRED,
            lw=1.1 if extra else 0.6,
            alpha=1.0 if extra else 0.7,
            drawstyle="steps-mid",
        )
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("rank of the truth / number of draws")
    ax.set_ylabel("share below less\nuniform share")
    ax.set_title(f"ranks over {n_agents} agents", pad=3)
    ax.legend(
        [
            Line2D([], [], color=style.INFERRED, lw=0.8),
            Line2D([], [], color=style.WORLD, lw=1.1),
            Patch(color=style.REFERENCE, alpha=0.3, lw=0),
        ],
        ["parameters", "log-likelihood, mean beliefs", "95 % of all together"],
        loc="lower center",
        ncols=3,
        columnspacing=0.9,
        handlelength=1.2,
        fontsize=6,
        borderaxespad=0.1,
    )
    reach = 1.45 * max(np.abs(ax.get_ylim()))
    ax.set_ylim(-reach, reach)


def panel_coverage(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the share of central intervals that hold the truth, per parameter and over all."""
    style.coverage_points(ax, summary)
    ax.set_ylabel("intervals that\nhold the truth")
    ax.set_title("coverage", pad=3)


def panel_contraction(summary: xr.Dataset, ax: Axes) -> None:
    """Draw every agent's contraction per parameter, and their median."""
    names = list(summary["parameter"].values)
    contraction = summary["contraction"].transpose("agent", "parameter").values
    # A posterior may be wider than the prior by chance: it lies on the edge.
    shown = np.clip(contraction, -0.25, 1.0)
    for place, values in enumerate(shown.T):
        style.points_aside(ax, place, values)
    known = shown[np.isfinite(shown).all(1)]
    if len(known):
        median = np.median(known, axis=0)
        ax.plot(np.arange(len(names)), median, "_", ms=9, mew=1.6, color=style.INFERRED)
    ax.axhline(0.0, zorder=0, **style.DASHED)
    ax.set_ylim(-0.3, 1.05)
    style.parameter_axis(ax, names)
    ax.set_ylabel("1 − variance\nposterior / prior")
    ax.set_title("contraction", pad=3)


def panel_z_scores(summary: xr.Dataset, ax: Axes) -> None:
    """Draw every agent's z-score per parameter, their median and the middle 68 %."""
    names = list(summary["parameter"].values)
    z = summary["z_score"].transpose("agent", "parameter").values
    ax.axhspan(-1, 1, color=style.REFERENCE, alpha=0.25, lw=0)
    ax.axhline(0, zorder=0, **style.DASHED)
    for place, values in enumerate(np.clip(z.T, -4.0, 4.0)):
        style.points_aside(ax, place, values)
    known = z[np.isfinite(z).all(1)]
    if len(known):
        lower, median, upper = np.quantile(known, _ONE_SD, axis=0)
        ax.errorbar(
            np.arange(len(names)),
            median,
            yerr=[median - lower, upper - median],
            fmt="o",
            ms=3.4,
            elinewidth=1.2,
            capsize=2.5,
            color=style.INFERRED,
            zorder=3,
        )
    ax.set_ylim(-4.2, 4.2)
    style.parameter_axis(ax, names)
    ax.set_ylabel("(mean − truth) / SD")
    ax.set_title("z-scores", pad=3)


def panel_sensitivity(summary: xr.Dataset, ax: Axes) -> None:
    """Draw how fast the paper's posterior changes with the power of prior and of likelihood."""
    names = list(summary["parameter"].values)
    places = np.arange(len(names))
    shown = (
        ("prior_sensitivity", "prior", style.REFERENCE, -0.18),
        ("likelihood_sensitivity", "likelihood", style.INFERRED, 0.18),
    )
    for variable, label, color, aside in shown:
        ax.bar(places + aside, summary[variable], 0.34, color=color, label=label)
    ax.axhline(WEIGHTY, **style.DASHED)
    top = max(float(summary[variable].max()) for variable, *_ in shown)
    ax.set_ylim(0.0, 1.35 * max(top, WEIGHTY))
    style.parameter_axis(ax, names)
    ax.set_ylabel("sensitivity")
    ax.set_title("power scaling", pad=3)
    ax.legend(loc="upper right", ncols=2, handlelength=0.9, borderaxespad=0.1)


def panel_beliefs(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the coverage of credible sets of beliefs less their mass, agent by agent."""
    for place, at in enumerate(("", "_at_mode")):
        excess = (summary[f"belief_covered{at}"] - summary[f"belief_mass{at}"]).values
        style.points_aside(ax, place, excess, 0.2)
        ax.errorbar(
            [place],
            [float(summary["belief_excess"][place])],
            yerr=[float(summary["belief_excess_standard_error"][place])],
            fmt="o",
            ms=3.6,
            elinewidth=1.2,
            capsize=2.5,
            color=style.INFERRED,
        )
    ax.axhline(0.0, zorder=0, **style.DASHED)
    ax.set_xlim(-0.5, 1.5)
    ax.set_xticks([0, 1], ["all draws", "mode alone"])
    ax.tick_params(axis="x", length=0)
    style.percent(ax.yaxis)
    ax.set_ylabel("coverage less mass")
    ax.set_title("sets of beliefs", pad=3)
