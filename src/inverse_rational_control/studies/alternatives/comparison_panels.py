"""Figure 10 A to C: prediction, criteria and errors of all models, on the paired records."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from inverse_rational_control import plotting as style
from inverse_rational_control.alternative_models import BASELINES, FULL

__all__ = ["panel_criteria", "panel_errors", "panel_held_out", "readable"]

_BAR = {"fmt": "o", "ms": 3.6, "elinewidth": 1.1, "capsize": 2}
_PER_STEPS = 1000.0  # nats are shown per so many steps


def readable(name: str) -> str:
    """A model's name in words."""
    return str(name).replace("_", " ")


def _model_axis(summary: xr.Dataset, ax: Axes, models: list[str], labeled: bool) -> None:
    count = dict(zip(summary["model"].values.tolist(), summary["n_parameters"].values, strict=True))
    labels = [f"{readable(name)} ({count[name]})" for name in models] if labeled else []
    ax.set_yticks(range(len(models)), labels if labeled else [""] * len(models))
    ax.set_ylim(len(models) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def panel_held_out(summary: xr.Dataset, ax: Axes) -> None:
    """Draw each alternative's held-out log-likelihood per step minus the full model's, over pairs."""
    models = summary["model"].values.tolist()
    alternatives = [name for name in models if name != FULL]
    for place, name in enumerate(alternatives):
        part = summary.sel(model=name)
        each = _PER_STEPS * part["held_out_difference"].values
        ax.plot(
            each,
            np.full(each.size, place) + 0.22,
            "o",
            ms=2,
            mew=0,
            alpha=0.6,
            color=style.REFERENCE,
        )
        ax.errorbar(
            [_PER_STEPS * float(part["held_out_mean"])],
            [place],
            xerr=[_PER_STEPS * float(part["held_out_standard_error"])],
            color=style.INFERRED,
            **_BAR,
        )
    ax.axvline(0.0, zorder=0, **style.DASHED)
    # The smallest differences are a nat over a whole record, the largest some hundred.
    ax.set_xscale("symlog", linthresh=1.0, linscale=0.7)
    ticks = [-100, -10, -1, 0, 1, 10, 100]
    ax.set_xticks(ticks, [style.number(tick, 0) for tick in ticks])
    lowest, highest = (
        _PER_STEPS * float(end)
        for end in (summary["held_out_difference"].min(), summary["held_out_difference"].max())
    )
    ax.set_xlim(1.5 * min(-1.0, lowest), max(2.5, 1.1 * highest))
    _model_axis(summary, ax, alternatives, labeled=True)
    ax.set_xlabel("held-out log-likelihood, minus that of\nthe full model (nat per 1000 steps)")


def panel_criteria(summary: xr.Dataset, ax: Axes) -> None:
    """Draw AIC, BIC and -2 log evidence of each alternative minus the full model's: mean and range."""
    alternatives = [name for name in summary["model"].values.tolist() if name != FULL]
    for criterion, color, shift in (
        ("aic_difference", style.QUASI_NEWTON, -0.24),
        ("bic_difference", style.WORLD, 0.0),
        ("evidence_difference", style.INFERRED, 0.24),
    ):
        each = summary[criterion].sel(model=alternatives).transpose("pair", "model").values
        mean = each.mean(0)
        ax.errorbar(
            mean,
            np.arange(len(alternatives)) + shift,
            xerr=np.maximum(np.stack([mean - each.min(0), each.max(0) - mean]), 0.0),  # rounding
            color=color,
            **_BAR,
        )
    ax.axvline(0.0, zorder=0, **style.DASHED)
    ax.set_xscale("symlog", linthresh=10.0, linscale=0.7)
    ax.set_xticks([-100, -10, 0, 10, 100, 1000], ["−100", "−10", "0", "10", "100", "1000"])
    _model_axis(summary, ax, alternatives, labeled=False)
    ax.set_xlabel("criterion minus that of the full model\n(above 0: the full model is preferred)")
    ax.legend(
        [
            Line2D([], [], marker="o", ms=3.6, ls="none", color=c)
            for c in (style.QUASI_NEWTON, style.WORLD, style.INFERRED)
        ],
        ["AIC", "BIC", "−2 log evidence"],
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=3,
        columnspacing=0.8,
        handletextpad=0.2,
        borderaxespad=0.0,
    )


def panel_errors(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the relative error of every free parameter of every model; hatched where it is not free."""
    models = [name for name in summary["model"].values.tolist() if name not in BASELINES]
    part = summary.sel(model=models).transpose("model", "parameter", ...)
    error, free = part["relative_error"].values, part["is_free"].values
    top = 1.0
    ax.imshow(np.where(free, error, np.nan), cmap=style.MASS, vmin=0, vmax=top, aspect="auto")
    for row, column in np.ndindex(*error.shape):
        if free[row, column]:
            value = error[row, column]
            dark = np.isfinite(value) and value > 0.45
            ax.text(
                *(column, row, style.number(100 * value, 0)),
                ha="center",
                va="center",
                fontsize=6.5,
                color="white" if dark else style.TRUE,
            )
        else:
            ax.text(
                column, row, "held", ha="center", va="center", fontsize=6, color=style.REFERENCE
            )
    ax.set_xticks(range(error.shape[1]), [style.SYMBOLS[n] for n in part["parameter"].values])
    _model_axis(summary, ax, models, labeled=True)
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel("root-mean-square error over pairs (% of the true value)")
