"""Figure 12: prior and posterior of the paper's agent; calibration of posteriors over many agents."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.calibration.analysis import diagnosis
from inverse_rational_control.studies.calibration.dataset import CALIBRATION
from inverse_rational_control.studies.calibration.panels import (
    panel_beliefs,
    panel_contraction,
    panel_coverage,
    panel_posterior,
    panel_ranks,
    panel_sensitivity,
    panel_z_scores,
)

__all__ = ["INPUTS", "draw", "numbers"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": CALIBRATION}


def draw(summary: xr.Dataset) -> Figure:
    """Draw Figure 12 whole.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `calibration`; without the paper's agent, panels A and G say so.
    """
    shown = "paper_draws" in summary
    with style.styled():
        figure = style.figure(8.4)
        upper, middle, lower, last = figure.subfigures(4, 1, height_ratios=[1.9, 1.1, 1.0, 1.0])
        if shown:
            axes = style.parameter_grid(
                upper,
                list(summary["parameter"].values),
                lambda ax, name: panel_posterior(summary, ax, name),
                "density",
                "parameter of the paper's agent",
            )
            upper.legend(
                [
                    Line2D([], [], color=style.REFERENCE, lw=1.0),
                    Patch(color=style.INFERRED, alpha=0.55, lw=0),
                    Line2D([], [], color=style.TRUE, lw=1.0),
                    Line2D([], [], color=style.WORLD, lw=1.0, ls=(0, (3, 1.5))),
                ],
                ["prior", "posterior", "true value", "maximum likelihood"],
                loc="outside lower center",
                ncols=4,
            )
            first = axes.flat[0]
        else:
            first = _left_out(upper.subplots())
        ranks, beliefs = middle.subplots(1, 2, width_ratios=[2.3, 1])
        coverage, contraction = lower.subplots(1, 2)
        scores, sensitivity = last.subplots(1, 2)
        panel_ranks(summary, ranks)
        panel_beliefs(summary, beliefs)
        panel_coverage(summary, coverage)
        panel_contraction(summary, contraction)
        panel_z_scores(summary, scores)
        if shown:
            panel_sensitivity(summary, sensitivity)
        else:
            _left_out(sensitivity)
        panels = (first, ranks, beliefs, coverage, contraction, scores, sensitivity)
        for ax, letter in zip(panels, "ABCDEFG", strict=True):
            style.panel_letter(ax, letter, left=-30.0 if ax is not first else -18.0, up=3.0)
    return figure


def _left_out(ax: Axes) -> Axes:
    ax.set_axis_off()
    said = "left out: no posterior of the paper's agent (posterior.paper)"
    ax.text(0.5, 0.5, said, ha="center", va="center", transform=ax.transAxes, fontsize=6.5)
    return ax


def numbers(summary: xr.Dataset) -> dict[str, pd.DataFrame]:
    """Tabulate what each panel shows."""

    def table(*names):
        return summary[list(names)].to_dataframe().reset_index()

    tables = {
        "B": table("counts", "band_lower", "band_upper"),
        "C": table(
            *("belief_covered", "belief_mass", "belief_covered_at_mode", "belief_mass_at_mode")
        ),
        "C, mean": table("belief_excess", "belief_excess_standard_error"),
        "D": table("coverage"),
        "D, all": table("pooled_coverage", "pooled_coverage_standard_error"),
        "E, F": table("truth", "contraction", "z_score"),
    }
    if "paper_draws" not in summary:
        return tables
    paper = summary.sel(parameter=summary["parameter"])
    lower, median, upper = np.quantile(paper["paper_draws"].values, [0.025, 0.5, 0.975], axis=0)
    tables["A"] = pd.DataFrame(
        {
            "parameter": paper["parameter"].values,
            "truth": paper["paper_truth"].values,
            "maximum_likelihood": paper["paper_estimate"].values,
            "posterior_median": median,
            "posterior_lower_95": lower,
            "posterior_upper_95": upper,
        }
    )
    sensitivity = table("prior_sensitivity", "likelihood_sensitivity")
    pairs = zip(*(sensitivity[name] for name in sensitivity.columns[1:]), strict=True)
    tables["G"] = sensitivity.assign(informed_by=[diagnosis(*pair) for pair in pairs])
    return dict(sorted(tables.items()))
