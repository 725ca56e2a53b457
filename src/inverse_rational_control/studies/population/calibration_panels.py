"""Panels of Figure 7 that say how well intervals cover, and what is recovered together."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from inverse_rational_control import plotting as style

__all__ = ["panel_correlations", "panel_coverage", "panel_z_scores"]


def panel_coverage(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the share of intervals that hold the truth, per parameter and level, with its bands."""
    names = list(summary["parameter"].values)
    for level in summary["level"].values:
        part = summary.sel(level=level)
        ax.fill_between(
            [-0.5, len(names) - 0.5],
            float(part["coverage_band_lower"]),
            float(part["coverage_band_upper"]),
            color=style.REFERENCE,
            alpha=0.25,
            lw=0,
        )
    style.coverage_points(ax, summary)
    ax.set_ylabel("share of intervals\nthat hold the truth")
    ax.set_title("coverage, all agents", pad=3)


def panel_z_scores(summary: xr.Dataset, ax: Axes) -> None:
    """Draw every agent's z-score per parameter, their mean and standard deviation."""
    names = list(summary["parameter"].values)
    places = np.arange(len(names))
    ax.axhspan(-1, 1, color=style.REFERENCE, alpha=0.25, lw=0)
    ax.axhline(0, zorder=0, **style.DASHED)
    z = summary["z_score"].transpose("agent", "parameter").values
    for place in places:
        style.points_aside(ax, place, z[:, place])
    ax.errorbar(
        places,
        summary["z_mean"],
        yerr=summary["z_standard_deviation"],
        fmt="o",
        ms=3.4,
        elinewidth=1.2,
        capsize=2.5,
        color=style.INFERRED,
        zorder=3,
    )
    style.parameter_axis(ax, names)
    ax.set_ylabel("error / standard error\nor signed root")
    ax.set_title("z-scores, all agents", pad=3)


def panel_correlations(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the rank correlations of the estimates over agents: what is recovered as one, not as two."""
    names = list(summary["parameter"].values)
    matrix = summary["estimate_correlation"].transpose("parameter", "parameter_other").values
    ax.imshow(matrix, cmap=style.SIGNED, vmin=-1, vmax=1)
    for row, column in np.ndindex(matrix.shape):
        value = matrix[row, column]
        # Two digits fit no cell: tenths, where there is anything to say.
        if row != column and np.isfinite(value) and abs(value) >= 0.15:
            said = style.typeset(f"{10 * value:.0f}")
            ax.text(column, row, said, ha="center", va="center", fontsize=4.5)
    symbols = [style.SYMBOLS[name] for name in names]
    ax.set_xticks(range(len(names)), symbols, fontsize=5.5)
    ax.set_yticks(range(len(names)), symbols, fontsize=5.5)
    ax.tick_params(length=0)
    ax.set_title("correlation of\nestimates (tenths)", pad=3)
