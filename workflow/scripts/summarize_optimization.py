"""Collect the climbs: cost by method, ends by start, plain EM's speed by diffusion."""

import numpy as np
import xarray as xr

from inverse_rational_control.recordings.dataset import task_from_dataset
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.optimization.analysis import (
    binomial_interval,
    cost_to_gap,
    distance,
)
from inverse_rational_control.studies.optimization.dataset import OPTIMIZATION, OPTIMIZATION_PATHS
from inverse_rational_control.workflow import rule_log

METHODS = ("em", "squarem", "quasi_newton")
CHOICES = ("drawn", "chosen")


def _read(paths):
    """All climbs of some files, ordered by start."""
    parts = [read(path, OPTIMIZATION_PATHS) for path in paths]
    climbs = xr.concat(parts, "climb", join="outer", combine_attrs="override")
    return climbs.sortby("start")


def main(config, drawn, chosen, diffused, n_curve_starts, gaps, max_evaluations, level, output):
    """Write the summary.

    `drawn` and `chosen` are the files of climbs of the paper's record from either kind of start,
    `diffused` those of the records of agents with another diffusion, one file each.
    """
    gaps = np.sort(gaps)[::-1]
    ends = {"drawn": _read(drawn), "chosen": _read(chosen)}
    curves = ends["chosen"]
    curves = curves.isel(climb=np.isin(curves["start"], np.arange(n_curve_starts)))
    by_method = [curves.isel(climb=curves["method"].values == method) for method in METHODS]
    ends = [part.isel(climb=part["method"].values == "quasi_newton") for part in ends.values()]
    everything = xr.concat([*ends, *by_method], "climb", join="outer", combine_attrs="override")
    heights = np.nan_to_num(everything["end_log_likelihood"].values, nan=-np.inf)
    top = everything.isel(climb=int(np.argmax(heights)))
    best = float(top["end_log_likelihood"])

    def stacked(name):
        return np.array([part[name].values for part in by_method])

    def of_ends(name):
        return np.array([part[name].values for part in ends])

    end_log_likelihood = of_ends("end_log_likelihood")
    n_starts = end_log_likelihood.shape[1]
    counts = (best - end_log_likelihood <= gaps[-1]).sum(1)
    intervals = [binomial_interval(int(count), n_starts, level) for count in counts]

    em, maximum, widths = [], [], []
    for path in diffused:
        climbs = read(path, OPTIMIZATION_PATHS)
        task = task_from_dataset(climbs)
        widths.append(task.sigma * task.n_bins)
        em.append(climbs.isel(climb=climbs["method"].values == "em").isel(climb=0))
        maximum.append(np.nanmax(climbs["end_log_likelihood"].values))
    order = np.argsort(widths)
    em = xr.concat([em[k] for k in order], "diffusion", join="outer", combine_attrs="override")
    maximum = np.array(maximum)[order]
    history = em["history_log_likelihood"].values
    cost_of_em = [
        cost_to_gap(*each, gaps=gaps)
        for each in zip(history, em["history_evaluations"].values, maximum, strict=True)
    ]
    runs, trials = ("method", "start"), ("choice", "trial")
    summary = xr.Dataset(
        {
            "best_log_likelihood": ((), best),
            "gap": ("gap_index", gaps),
            "history_log_likelihood": ((*runs, "iteration"), stacked("history_log_likelihood")),
            "history_evaluations": ((*runs, "iteration"), stacked("history_evaluations")),
            "history_seconds": ((*runs, "iteration"), stacked("history_seconds")),
            "evaluations_to_gap": (
                (*runs, "gap_index"),
                cost_to_gap(
                    stacked("history_log_likelihood"), stacked("history_evaluations"), best, gaps
                ),
            ),
            "end_log_likelihood": (trials, end_log_likelihood),
            "end_converged": (trials, of_ends("converged")),
            "end_stop_reason": (trials, of_ends("stop_reason").astype(object)),
            "end_distance": (
                trials,
                distance(
                    of_ends("end_parameters"),
                    top["end_parameters"].values,
                    top["information"].values,
                ),
            ),
            "reached_share": ("choice", counts / n_starts),
            "reached_lower": ("choice", np.array([lower for lower, _ in intervals])),
            "reached_upper": ("choice", np.array([upper for _, upper in intervals])),
            "diffusion_maximum": ("diffusion", maximum),
            "diffusion_history_log_likelihood": (("diffusion", "em_iteration"), history),
            "diffusion_evaluations_to_gap": (("diffusion", "gap_index"), np.array(cost_of_em)),
        },
        {
            "method": list(METHODS),
            "choice": list(CHOICES),
            "start": np.arange(n_curve_starts),
            "trial": np.arange(n_starts),
            "diffusion": np.array(widths)[order],
        },
        {"confidence_level": level, "max_evaluations": max_evaluations},
    )
    write(summary.assign_attrs(provenance(config)), output, OPTIMIZATION)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.params.config,
            snakemake.input.drawn,
            snakemake.input.chosen,
            snakemake.input.diffused,
            snakemake.params.n_curve_starts,
            snakemake.params.gaps,
            snakemake.params.max_evaluations,
            snakemake.params.level,
            snakemake.output[0],
        )
