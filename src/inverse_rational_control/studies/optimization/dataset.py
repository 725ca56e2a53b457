"""Climbs from single starts as datasets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from inverse_rational_control.inference.fitting import StartResult
from inverse_rational_control.recordings.dataset import names, task_attribute
from inverse_rational_control.task import Task

__all__ = ["climbs_dataset"]


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
    width = max(1, *(len(result.history.log_likelihood) for result in results))

    def per_climb(attribute):
        return np.array([getattr(result, attribute) for result in results])

    def history(attribute):
        block = np.full((len(results), width), np.nan)
        for row, result in zip(block, results, strict=True):
            values = getattr(result.history, attribute)
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
