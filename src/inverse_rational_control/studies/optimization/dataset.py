"""Datasets of the study of optimization paths: the paths by themselves, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.recordings.dataset import names, task_attribute, task_from_dataset
from inverse_rational_control.statistics import binomial_interval
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.optimization.analysis import cost_to_gap, distance
from inverse_rational_control.task import Task

if TYPE_CHECKING:
    from inverse_rational_control.inference.start import StartResult

__all__ = [
    "OPTIMIZATION",
    "OPTIMIZATION_PATHS",
    "optimization_dataset",
    "optimization_paths_dataset",
]

_METHODS = ("em", "squarem", "quasi_newton")

#: Kind `optimization_paths`.
OPTIMIZATION_PATHS = Contract(
    "optimization_paths",
    "optimization paths over one record's likelihood, each from one start by one method",
    {
        "method": variable("path", "U", "", "em, squarem or quasi_newton"),
        "start": variable("path", "i", "", "number of the start"),
        "start_parameters": variable("path parameter", "f", "natural", "where it began"),
        "end_parameters": variable("path parameter", "f", "natural", "where it ended"),
        "end_log_likelihood": variable("path", "f", "nat", "log-likelihood where it ended"),
        "converged": variable("path", "b", "", "it met the convergence criterion"),
        "stop_reason": variable("path", "U", "", "what stopped it, in words"),
        "information": variable(
            "path parameter parameter_other",
            "f",
            "1",
            "observed information at its end to first order, unconstrained coordinates",
        ),
        "em_fall": variable(
            "path",
            "f",
            "nat",
            "largest fall by an EM step, rejected ones included; -inf without EM",
        ),
        "n_evaluations": variable("path", "i", "", "E-steps used, information included"),
        "seconds": variable("path", "f", "s", "wall time"),
        "history_log_likelihood": variable("path iteration", "f", "nat", "per accepted iteration"),
        "history_evaluations": variable("path iteration", "f", "", "E-steps used so far"),
        "history_seconds": variable("path iteration", "f", "s", "wall time so far"),
    },
    {},
    ("task", "start_from"),
)


def optimization_paths_dataset(
    followed: Sequence[tuple[str, int, StartResult]], task: Task, start_from: str
) -> xr.Dataset:
    """Optimization paths as a dataset of kind `optimization_paths`: beginning, end and history.

    Parameters
    ----------
    followed : sequence of (str, int, StartResult)
        Method, number of the start and result of each path, at least one.
    task : Task
    start_from : str
        How the starts were made.
    """
    methods, starts, results = zip(*followed, strict=True)
    width = max(1, *(len(result.path) for result in results))

    def per_path(attribute):
        return np.array([getattr(result, attribute) for result in results])

    def history(attribute):
        block = np.full((len(results), width), np.nan)
        for row, result in zip(block, results, strict=True):
            values = getattr(result.path, attribute)
            row[: len(values)] = values
        return (("path", "iteration"), block)

    return xr.Dataset(
        {
            "method": ("path", np.array(methods, dtype=object)),
            "start": ("path", np.array(starts)),
            "start_parameters": (("path", "parameter"), per_path("start")),
            "end_parameters": (("path", "parameter"), per_path("end")),
            "end_log_likelihood": ("path", per_path("log_likelihood").astype(float)),
            "converged": ("path", per_path("converged")),
            "stop_reason": ("path", per_path("stop_reason").astype(object)),
            "information": (("path", "parameter", "parameter_other"), per_path("information")),
            "em_fall": ("path", per_path("em_fall").astype(float)),
            "n_evaluations": ("path", per_path("n_evaluations")),
            "seconds": ("path", per_path("seconds").astype(float)),
            "history_log_likelihood": history("log_likelihood"),
            "history_evaluations": history("evaluations"),
            "history_seconds": history("seconds"),
        },
        {"parameter": names(), "parameter_other": names(), "iteration": np.arange(width)},
        {"task": task_attribute(task), "start_from": start_from},
    )


#: Kind `optimization`.
OPTIMIZATION = Contract(
    "optimization",
    "optimization paths over one likelihood: cost by method, ends by start, EM against sigma",
    {
        "best_log_likelihood": variable("", "f", "nat", "highest end of all paths of the record"),
        "gap": variable(
            "gap_index", "f", "nat", "distances from the maximum that costs are taken to"
        ),
        "history_log_likelihood": variable(
            "method start iteration", "f", "nat", "per accepted iteration"
        ),
        "history_evaluations": variable("method start iteration", "f", "", "E-steps used so far"),
        "history_seconds": variable("method start iteration", "f", "s", "wall time so far"),
        "em_fall": variable(
            "method start", "f", "nat", "largest fall by an EM step, rejected ones included"
        ),
        "evaluations_to_gap": variable(
            "method start gap_index", "f", "", "E-steps until within the gap; inf: never"
        ),
        "end_log_likelihood": variable(
            "choice trial", "f", "nat", "where a quasi-Newton path ended"
        ),
        "end_converged": variable("choice trial", "b", "", "it met the convergence criterion"),
        "end_stop_reason": variable("choice trial", "U", "", "what stopped it, in words"),
        "end_distance": variable(
            "choice trial", "f", "1", "from the best end, in that end's standard deviations"
        ),
        "reached_share": variable("choice", "f", "1", "share of ends within the smallest gap"),
        "reached_lower": variable("choice", "f", "1", "lower end of its exact binomial interval"),
        "reached_upper": variable("choice", "f", "1", "upper end of its exact binomial interval"),
        "diffusion_maximum": variable(
            "diffusion", "f", "nat", "highest end of that record's paths"
        ),
        "diffusion_history_log_likelihood": variable(
            "diffusion em_iteration", "f", "nat", "plain EM, per iteration"
        ),
        "diffusion_evaluations_to_gap": variable(
            "diffusion gap_index", "f", "", "plain EM: E-steps until within the gap; inf: never"
        ),
    },
    {},
    ("confidence_level", "max_evaluations"),
)


def optimization_dataset(
    drawn: Sequence[xr.Dataset],
    chosen: Sequence[xr.Dataset],
    diffused: Sequence[xr.Dataset],
    n_curve_starts: int,
    gaps: Sequence[float],
    max_evaluations: int,
    confidence_level: float,
) -> xr.Dataset:
    """What the optimization paths say together, as a dataset of kind `optimization`.

    Parameters
    ----------
    drawn, chosen : sequence of xarray.Dataset
        Kind `optimization_paths`: over one record, from raw draws (quasi-Newton alone) and from the most
        likely of some draws (the first starts by every method).
    diffused : sequence of xarray.Dataset
        The same over the record of an agent with another diffusion each: plain EM among others.
    n_curve_starts : int
        Starts whose histories are kept, from every method.
    gaps : sequence of float
        Distances from the best log-likelihood, nats.
    max_evaluations : int
        E-steps that plain EM and SQUAREM were allowed.
    confidence_level : float
        Of the shares' binomial intervals, in (0, 1).
    """
    gaps = np.sort(gaps)[::-1]
    drawn, chosen = _joined(drawn), _joined(chosen)
    curves = chosen.isel(path=np.isin(chosen["start"], np.arange(n_curve_starts)))
    by_method = [_by(method, curves) for method in _METHODS]
    by_choice = [_by("quasi_newton", paths) for paths in (drawn, chosen)]
    everything = xr.concat([*by_choice, *by_method], "path", join="outer", combine_attrs="override")
    heights = np.nan_to_num(everything["end_log_likelihood"].values, nan=-np.inf)
    top = everything.isel(path=int(np.argmax(heights)))
    best = float(top["end_log_likelihood"])

    def histories(name):
        return np.array([part[name].values for part in by_method])

    def ends(name):
        return np.array([part[name].values for part in by_choice])

    end_log_likelihood = ends("end_log_likelihood")
    n_starts = end_log_likelihood.shape[1]
    counts = (best - end_log_likelihood <= gaps[-1]).sum(1)
    intervals = [binomial_interval(int(count), n_starts, confidence_level) for count in counts]
    height, cost = histories("history_log_likelihood"), histories("history_evaluations")
    away = distance(ends("end_parameters"), top["end_parameters"].values, top["information"].values)
    runs, trials = ("method", "start"), ("choice", "trial")
    summary = xr.Dataset(
        {
            "best_log_likelihood": ((), best),
            "gap": ("gap_index", gaps),
            "history_log_likelihood": ((*runs, "iteration"), height),
            "history_evaluations": ((*runs, "iteration"), cost),
            "history_seconds": ((*runs, "iteration"), histories("history_seconds")),
            "em_fall": (runs, histories("em_fall")),
            "evaluations_to_gap": ((*runs, "gap_index"), cost_to_gap(height, cost, best, gaps)),
            "end_log_likelihood": (trials, end_log_likelihood),
            "end_converged": (trials, ends("converged")),
            "end_stop_reason": (trials, ends("stop_reason").astype(object)),
            "end_distance": (trials, away),
            "reached_share": ("choice", counts / n_starts),
            "reached_lower": ("choice", np.array([lower for lower, _ in intervals])),
            "reached_upper": ("choice", np.array([upper for _, upper in intervals])),
        },
        {
            "method": list(_METHODS),
            "choice": ["drawn", "chosen"],
            "start": np.arange(n_curve_starts),
            "trial": np.arange(n_starts),
        },
        {"confidence_level": confidence_level, "max_evaluations": max_evaluations},
    )
    return summary.merge(_by_diffusion(diffused, gaps))


def _joined(parts):
    """All paths of some files, ordered by start."""
    joined = xr.concat(parts, "path", join="outer", combine_attrs="override")
    return joined.sortby("start")


def _by(method, paths):
    return paths.isel(path=paths["method"].values == method)


def _by_diffusion(diffused, gaps):
    """Plain EM over the records of agents with several diffusions, narrowest first."""
    tasks = [task_from_dataset(paths) for paths in diffused]
    widths = np.array([task.sigma * task.n_bins for task in tasks])
    order = np.argsort(widths)
    em = [_by("em", paths).isel(path=0) for paths in diffused]
    em = xr.concat([em[k] for k in order], "diffusion", join="outer", combine_attrs="override")
    maximum = np.array([np.nanmax(paths["end_log_likelihood"].values) for paths in diffused])[order]
    height, cost = em["history_log_likelihood"].values, em["history_evaluations"].values
    to_gap = [cost_to_gap(*each, gaps=gaps) for each in zip(height, cost, maximum, strict=True)]
    return xr.Dataset(
        {
            "diffusion_maximum": ("diffusion", maximum),
            "diffusion_history_log_likelihood": (("diffusion", "em_iteration"), height),
            "diffusion_evaluations_to_gap": (("diffusion", "gap_index"), np.array(to_gap)),
        },
        {"diffusion": widths[order]},
    )
