"""Climbs from single starts as datasets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from inverse_rational_control.inference.start import StartResult
from inverse_rational_control.recordings.dataset import names, task_attribute
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.task import Task

__all__ = ["OPTIMIZATION", "OPTIMIZATION_PATHS", "climbs_dataset"]

#: Kind `optimization_paths`.
OPTIMIZATION_PATHS = Contract(
    "optimization_paths",
    "climbs of one record's likelihood, each from one start by one method, with its history",
    {
        "method": variable("climb", "U", "", "em, squarem or quasi_newton"),
        "start": variable("climb", "i", "", "number of the start"),
        "start_parameters": variable("climb parameter", "f", "natural", "where it began"),
        "end_parameters": variable("climb parameter", "f", "natural", "where it ended"),
        "end_log_likelihood": variable("climb", "f", "nat", "log-likelihood where it ended"),
        "converged": variable("climb", "b", "", "it met the convergence criterion"),
        "stop_reason": variable("climb", "U", "", "what stopped it, in words"),
        "information": variable(
            "climb parameter parameter_other",
            "f",
            "1",
            "observed information at its end to first order, unconstrained coordinates",
        ),
        "n_evaluations": variable("climb", "i", "", "E-steps used, information included"),
        "seconds": variable("climb", "f", "s", "wall time"),
        "history_log_likelihood": variable("climb iteration", "f", "nat", "per accepted iteration"),
        "history_evaluations": variable("climb iteration", "f", "", "E-steps used so far"),
        "history_seconds": variable("climb iteration", "f", "s", "wall time so far"),
    },
    {},
    ("task", "start_from"),
)

#: Kind `optimization`.
OPTIMIZATION = Contract(
    "optimization",
    "ways to the maximum of one likelihood: cost by method, ends by start, EM against sigma",
    {
        "best_log_likelihood": variable("", "f", "nat", "highest end of all climbs of the record"),
        "gap": variable(
            "gap_index", "f", "nat", "distances from the maximum that costs are taken to"
        ),
        "history_log_likelihood": variable(
            "method start iteration", "f", "nat", "per accepted iteration"
        ),
        "history_evaluations": variable("method start iteration", "f", "", "E-steps used so far"),
        "history_seconds": variable("method start iteration", "f", "s", "wall time so far"),
        "evaluations_to_gap": variable(
            "method start gap_index", "f", "", "E-steps until within the gap; inf: never"
        ),
        "end_log_likelihood": variable(
            "choice trial", "f", "nat", "where a quasi-Newton climb ended"
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
            "diffusion", "f", "nat", "highest end of that record's climbs"
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


def climbs_dataset(
    results: Sequence[StartResult],
    methods: Sequence[str],
    starts: Sequence[int],
    task: Task,
    start_from: str,
) -> xr.Dataset:
    """Climbs as a dataset of kind `climbs`: where each began and ended, and its history.

    Parameters
    ----------
    results : sequence of StartResult
        At least one.
    methods : sequence of str
        Of each climb.
    starts : sequence of int
        Number of each climb's start.
    task : Task
    start_from : str
        How the starts were made.
    """
    width = max(1, *(len(result.path) for result in results))

    def per_climb(attribute):
        return np.array([getattr(result, attribute) for result in results])

    def history(attribute):
        block = np.full((len(results), width), np.nan)
        for row, result in zip(block, results, strict=True):
            values = getattr(result.path, attribute)
            row[: len(values)] = values
        return (("climb", "iteration"), block)

    return xr.Dataset(
        {
            "method": ("climb", np.array(methods, dtype=object)),
            "start": ("climb", np.array(starts)),
            "start_parameters": (("climb", "parameter"), per_climb("start")),
            "end_parameters": (("climb", "parameter"), per_climb("end")),
            "end_log_likelihood": ("climb", per_climb("log_likelihood").astype(float)),
            "converged": ("climb", per_climb("converged")),
            "stop_reason": ("climb", per_climb("stop_reason").astype(object)),
            "information": (("climb", "parameter", "parameter_other"), per_climb("information")),
            "n_evaluations": ("climb", per_climb("n_evaluations")),
            "seconds": ("climb", per_climb("seconds").astype(float)),
            "history_log_likelihood": history("log_likelihood"),
            "history_evaluations": history("evaluations"),
            "history_seconds": history("seconds"),
        },
        {"parameter": names(), "parameter_other": names(), "iteration": np.arange(width)},
        {"task": task_attribute(task), "start_from": start_from},
    )
