"""Figure 11 F: three decoders of one record, how reliable they are and their scores."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.lines import Line2D

from inverse_rational_control import plotting as style

__all__ = ["legend_of_decoders", "panel_reliability", "panel_scores"]

_DECODERS = {
    "truth": ("true parameters", style.TRUE, "o"),
    "estimate": ("estimate", style.INFERRED, "s"),
    "cues": ("cues alone", style.REFERENCE, "^"),
}


def panel_reliability(summary: xr.Dataset, ax: Axes, box: int) -> None:
    """Draw how often bins were the true one against the probability a decoder gave them."""
    ax.plot([0, 1], [0, 1], zorder=0, **style.DASHED)
    for name, (_, color, marker) in _DECODERS.items():
        part = summary.sel(decoder=name, box=box)
        ax.errorbar(
            part["calibration_predicted"],
            part["calibration_observed"],
            yerr=2.0 * part["calibration_standard_error"],
            fmt=f"{marker}-",
            ms=3,
            mew=0,
            lw=0.9,
            elinewidth=0.8,
            color=color,
        )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_aspect("equal")
    ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_xlabel("P(bin)")
    ax.set_title(f"box {box}", pad=3)


def panel_scores(summary: xr.Dataset, ax: Axes) -> None:
    """Write the decoders' scores, both boxes, beside their colors."""
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    columns = (
        ("correlation", "correlation", 2, 0.50),
        ("rmse", "RMSE", 2, 0.72),
        ("log_score", "log score\n(nat/step)", 2, 0.92),
    )
    for _, title, _, x in columns:
        ax.text(x, 0.86, title, ha="center", va="bottom", fontsize=7)
    rows = [(name, box) for box in summary["box"].values for name in _DECODERS]
    heights = np.linspace(0.74, 0.08, len(rows))
    for (name, box), y in zip(rows, heights, strict=True):
        title, color, marker = _DECODERS[name]
        ax.plot([0.02], [y], marker=marker, color=color, ms=4, mew=0, clip_on=False)
        ax.text(0.06, y, f"{title}, box {box}", va="center", fontsize=7)
        for variable, _, digits, x in columns:
            value = float(summary[f"decoder_{variable}"].sel(decoder=name, box=box))
            ax.text(x, y, style.number(value, digits), ha="center", va="center", fontsize=7)


def legend_of_decoders(part: SubFigure) -> None:
    """Name the decoders below their panels."""
    part.legend(
        [
            Line2D([], [], color=color, marker=marker, ms=3, mew=0, lw=0.9)
            for _, color, marker in _DECODERS.values()
        ],
        [title for title, _, _ in _DECODERS.values()],
        loc="outside lower center",
        ncols=3,
    )
