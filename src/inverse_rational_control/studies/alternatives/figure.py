"""Figure 10: reduced models, a memoryless floor and brute force beside the full model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.alternatives.dataset import ALTERNATIVES

__all__ = [
    "INPUTS",
    "draw",
    "numbers",
    "panel_brute_force",
    "panel_criteria",
    "panel_errors",
    "panel_held_out",
    "panel_matrix",
]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": ALTERNATIVES}

_BAR = {"fmt": "o", "ms": 3.6, "elinewidth": 1.1, "capsize": 2}


def _label(name: str) -> str:
    return str(name).replace("_", " ")


def _model_axis(summary: xr.Dataset, ax: Axes, models: list[str], labeled: bool) -> None:
    count = dict(zip(summary["model"].values.tolist(), summary["n_parameters"].values, strict=True))
    labels = [f"{_label(name)} ({count[name]})" for name in models] if labeled else []
    ax.set_yticks(range(len(models)), labels if labeled else [""] * len(models))
    ax.set_ylim(len(models) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def panel_held_out(summary: xr.Dataset, ax: Axes) -> None:
    """Draw each alternative's held-out log-likelihood per step minus the full model's, over pairs."""
    models = summary["model"].values.tolist()
    alternatives = [name for name in models if name != "full"]
    scale = 1000.0
    for place, name in enumerate(alternatives):
        part = summary.sel(model=name)
        each = scale * part["held_out_difference"].values
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
            [scale * float(part["held_out_mean"])],
            [place],
            xerr=[scale * float(part["held_out_standard_error"])],
            color=style.INFERRED,
            **_BAR,
        )
    ax.axvline(0.0, zorder=0, **style.DASHED)
    # The smallest differences are a nat over a whole record, the largest some hundred.
    ax.set_xscale("symlog", linthresh=1.0, linscale=0.7)
    ax.set_xticks([-100, -10, -1, 0, 1], ["−100", "−10", "−1", "0", "1"])
    lowest = min(-1.0, scale * float(summary["held_out_difference"].min()))
    ax.set_xlim(1.5 * lowest, 2.5)
    _model_axis(summary, ax, alternatives, labeled=True)
    ax.set_xlabel("held-out log-likelihood, minus that of\nthe full model (nat per 1000 steps)")


def panel_criteria(summary: xr.Dataset, ax: Axes) -> None:
    """Draw AIC and BIC of each alternative minus the full model's: mean over pairs, range of pairs."""
    alternatives = [name for name in summary["model"].values.tolist() if name != "full"]
    for criterion, color, shift in (
        ("aic_difference", style.QUASI_NEWTON, -0.15),
        ("bic_difference", style.WORLD, 0.15),
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
            for c in (style.QUASI_NEWTON, style.WORLD)
        ],
        ["AIC", "BIC"],
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        handletextpad=0.2,
        borderaxespad=0.0,
    )


def panel_errors(summary: xr.Dataset, ax: Axes) -> None:
    """Draw the relative error of every free parameter of every model; hatched where it is not free."""
    models = [name for name in summary["model"].values.tolist() if name != "memoryless"]
    part = summary.sel(model=models).transpose("model", "parameter", ...)
    error, free = part["relative_error"].values, part["is_free"].values
    top = 1.0
    ax.imshow(np.where(free, error, np.nan), cmap=style.MASS, vmin=0, vmax=top, aspect="auto")
    for row, column in np.ndindex(*error.shape):
        if free[row, column]:
            value = error[row, column]
            said = "–" if not np.isfinite(value) else f"{100 * value:.0f}"
            dark = np.isfinite(value) and value > 0.45
            ax.text(
                *(column, row, said),
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


def panel_matrix(
    summary: xr.Dataset, ax: Axes, name: str, criterion: str, title: str, labeled: bool
) -> None:
    """Draw a confusion or inversion matrix: rows generating, columns chosen, in percent."""
    matrix = summary[f"{name}_{criterion}"].transpose("generating", "chosen").values
    labels = [_label(model) for model in summary["generating"].values]
    ax.imshow(matrix, cmap=style.MASS, vmin=0, vmax=1, aspect="auto")
    for row, column in np.ndindex(*matrix.shape):
        value = matrix[row, column]
        said = "–" if not np.isfinite(value) else f"{100 * value:.0f}"
        color = "white" if value > 0.45 else style.TRUE
        ax.text(column, row, said, ha="center", va="center", fontsize=6.5, color=color)
    ax.set_xticks(range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(labels)), labels if labeled else [""] * len(labels))
    ax.tick_params(length=0)
    if labeled:
        ax.set_ylabel("generating model")
    ax.set_xlabel(f"model chosen by {criterion.upper()}")
    ax.set_title(title, pad=3)


def panel_brute_force(summary: xr.Dataset, ax: Axes) -> None:
    """Draw how far below the maximum each search is, against likelihood evaluations."""
    evaluations = summary["evaluation"].values
    gap = np.where(np.isfinite(summary["brute_force_gap"]), summary["brute_force_gap"], np.nan)
    ax.plot(evaluations, gap, color=style.WORLD, drawstyle="steps-post")
    own, used = summary["search_gap"].values, summary["search_evaluations"].values
    floor = 1e-3
    ax.plot(used, np.maximum(own, floor), color=style.INFERRED, drawstyle="steps-post")
    for levels in (2, 3):
        cost = levels ** summary.sizes["parameter"]
        ax.axvline(cost, color=style.REFERENCE, lw=0.8, ls=(0, (1, 2)), zorder=0)
        ax.annotate(
            f"grid of {levels} values each",
            (cost, 0.08),
            (-2, 0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="right",
            rotation=90,
            fontsize=6,
            color="#5a5a5a",
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(1, 1.6 * max(3 ** summary.sizes["parameter"], evaluations[-1]))
    ax.set_ylim(bottom=0.6 * floor)
    ax.set_xlabel("likelihood evaluations")
    ax.set_ylabel("gap to the\nmaximum (nat)")
    ax.legend(
        [Line2D([], [], color=style.WORLD), Line2D([], [], color=style.INFERRED)],
        ["brute force", "this project's fit"],
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        handlelength=1.2,
        columnspacing=1.0,
        borderaxespad=0.0,
    )


def draw(summary: xr.Dataset) -> Figure:
    """Draw Figure 10 whole.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind alternatives.
    """
    with style.styled():
        figure = style.figure(6.8)
        upper, middle, lower = figure.subfigures(3, 1, height_ratios=[1.0, 0.95, 1.2])
        held_out, criteria = upper.subplots(1, 2, width_ratios=[1.15, 1])
        panel_held_out(summary, held_out)
        panel_criteria(summary, criteria)
        errors, search = middle.subplots(1, 2, width_ratios=[1.75, 1])
        panel_errors(summary, errors)
        panel_brute_force(summary, search)
        matrices = lower.subplots(1, 3)
        for ax, (name, of, criterion) in zip(
            matrices,
            (
                ("confusion", "row", "aic"),
                ("confusion", "row", "bic"),
                ("inversion", "column", "aic"),
            ),
            strict=True,
        ):
            panel_matrix(summary, ax, name, criterion, f"% of {of}'s records", ax is matrices[0])
        for ax, letter, left in (
            (held_out, "A", -100.0),
            (criteria, "B", -14.0),
            (errors, "C", -100.0),
            (search, "D", -46.0),
            (matrices[0], "E", -78.0),
        ):
            style.panel_letter(ax, letter, left=left, up=3.0)
    return figure


def numbers(summary: xr.Dataset) -> dict[str, pd.DataFrame]:
    """Tabulate held-out differences (A), criteria (B), errors (C), searches (D), matrices (E)."""
    held_out = summary[
        [
            "held_out_difference",
            "held_out_mean",
            "held_out_standard_error",
            "held_out_per_step",
            "status",
        ]
    ]
    criteria = summary[["aic_difference", "bic_difference", "n_parameters"]]
    errors = summary[["relative_error", "is_free"]]
    names = ["confusion_bic", "inversion_bic", "confusion_aic", "inversion_aic"]
    searches = pd.concat(
        [
            summary["brute_force_gap"].to_dataframe().reset_index().assign(search="brute force"),
            pd.DataFrame(
                {
                    "evaluation": summary["search_evaluations"].values,
                    "search_gap": summary["search_gap"].values,
                    "search": "fit",
                }
            ),
        ],
        ignore_index=True,
    )
    return {
        "A": held_out.to_dataframe().reset_index(),
        "B": criteria.to_dataframe().reset_index(),
        "C": errors.to_dataframe().reset_index(),
        "D": searches,
        "E": summary[names].to_dataframe().reset_index(),
    }
