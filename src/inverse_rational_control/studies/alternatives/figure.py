"""Figure 10: reduced models, a memoryless baseline and brute force beside the full model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.alternatives.comparison_panels import (
    panel_criteria,
    panel_errors,
    panel_held_out,
    readable,
)
from inverse_rational_control.studies.alternatives.dataset import ALTERNATIVES
from inverse_rational_control.studies.alternatives.model_recovery import CRITERIA

__all__ = ["INPUTS", "draw", "numbers", "panel_brute_force", "panel_matrix"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": ALTERNATIVES}

_CRITERION_LABELS = {"aic": "AIC", "bic": "BIC", "evidence": "evidence"}
_SMALLEST_GAP = 1e-3  # nats; smaller ones are drawn there


def panel_matrix(
    summary: xr.Dataset, ax: Axes, name: str, criterion: str, title: str, labeled: bool
) -> None:
    """Draw a confusion or inversion matrix: rows generating, columns chosen, in percent.

    Under a confusion matrix's diagonal stand the ends of its binomial interval, under that of an
    inversion matrix its standard error.
    """
    matrix = summary[f"{name}_{criterion}"].transpose("generating", "chosen").values
    labels = [readable(model) for model in summary["generating"].values]
    ax.imshow(matrix, cmap=style.MASS, vmin=0, vmax=1, aspect="auto")
    for row, column in np.ndindex(*matrix.shape):
        value = matrix[row, column]
        color = "white" if value > 0.45 else style.TRUE
        said = style.number(100 * value, 0)
        ax.text(column, row, said, ha="center", va="center", fontsize=6.5, color=color)
        if row == column and np.isfinite(value):
            said = _uncertainty(summary, name, criterion, row)
            ax.text(column, row + 0.33, said, ha="center", va="center", fontsize=4.8, color=color)
    ax.set_xticks(range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(labels)), labels if labeled else [""] * len(labels))
    ax.tick_params(length=0)
    if labeled:
        ax.set_ylabel("generating model")
    ax.set_xlabel(f"chosen by {_CRITERION_LABELS[criterion]}")
    ax.set_title(title, pad=3)


def _uncertainty(summary, name, criterion, row):
    """In percent, what is known of an element of a matrix's diagonal."""
    if name == "inversion":
        error = summary[f"inversion_standard_error_{criterion}"].values[row, row]
        return f"±{style.number(100 * error, 0)}"
    lower, upper = (
        summary[f"confusion_interval_{criterion}"]
        .transpose("end", "generating", "chosen")
        .values[:, row, row]
    )
    return f"{style.number(100 * lower, 0)}–{style.number(100 * upper, 0)}"


def panel_brute_force(summary: xr.Dataset, ax: Axes) -> None:
    """Draw how far below the maximum each search is, against likelihood evaluations."""
    evaluations = summary["evaluation"].values
    gap = np.where(np.isfinite(summary["brute_force_gap"]), summary["brute_force_gap"], np.nan)
    ax.plot(evaluations, gap, color=style.WORLD, drawstyle="steps-post")
    own, used = summary["search_gap"].values, summary["search_evaluations"].values
    ax.plot(used, np.maximum(own, _SMALLEST_GAP), color=style.INFERRED, drawstyle="steps-post")
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
    ax.set_ylim(bottom=0.6 * _SMALLEST_GAP)
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
        matrices = lower.subplots(1, 4)
        for ax, (name, of, criterion) in zip(
            matrices,
            (
                ("confusion", "row", "aic"),
                ("confusion", "row", "bic"),
                ("confusion", "row", "evidence"),
                ("inversion", "column", "evidence"),
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
    criteria = summary[["aic_difference", "bic_difference", "evidence_difference", "n_parameters"]]
    errors = summary[["relative_error", "is_free"]]
    names = [
        f"{what}_{criterion}"
        for criterion in CRITERIA
        for what in ("confusion", "inversion", "inversion_standard_error")
    ]
    ends = {
        f"confusion_{end}_{criterion}": summary[f"confusion_interval_{criterion}"].isel(
            end=place, drop=True
        )
        for criterion in CRITERIA
        for place, end in enumerate(("lower", "upper"))
    }
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
        "E": summary[names].assign(ends).to_dataframe().reset_index(),
    }
