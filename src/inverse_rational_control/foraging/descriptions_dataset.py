"""Descriptions of a record compared, as a dataset and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from inverse_rational_control.storage.contract import Contract, variable

if TYPE_CHECKING:
    from inverse_rational_control.foraging.comparison import Comparison

__all__ = ["COMPARED_DESCRIPTIONS", "descriptions_dataset", "descriptions_table"]

#: Kind `compared_descriptions`.
COMPARED_DESCRIPTIONS = Contract(
    "compared_descriptions",
    "the paper's model, extra parameters and a memoryless baseline, scored on steps held out",
    {
        "n_parameters": variable("description", "i", "1", "free parameters"),
        "held_out_log_likelihood": variable("description", "f", "nat/step", "mean over all steps"),
        "above_best": variable(
            "description",
            "f",
            "nat",
            "log-likelihood of all steps, minus that of the best description",
        ),
        "above_best_error": variable("description", "f", "nat", "its standard error, over parts"),
        "n_converged": variable("description", "i", "1", "of the parts' fits; the baseline's: all"),
        "step_log_likelihood": variable(
            "description step", "f", "nat", "log-probability of each action, fitted to other parts"
        ),
        "part": variable("step", "i", "", "which part each step is of"),
    },
    {},
    ("best", "verdict", "details"),
)


def descriptions_dataset(found: Comparison) -> xr.Dataset:
    """A comparison as a dataset of kind `compared_descriptions`."""
    n_parts = int(found.part.max()) + 1
    best = found.best
    above = np.array([found.difference(name, best) for name in found.names])
    converged = [
        sum(status == "converged" for status in found.statuses[name])
        if name in found.statuses
        else n_parts
        for name in found.names
    ]
    return xr.Dataset(
        {
            "n_parameters": ("description", found.n_parameters),
            "held_out_log_likelihood": ("description", found.mean),
            "above_best": ("description", above[:, 0]),
            "above_best_error": ("description", above[:, 1]),
            "n_converged": ("description", converged),
            "step_log_likelihood": (("description", "step"), found.step_log_likelihood),
            "part": ("step", found.part),
        },
        {"description": list(found.names), "step": np.arange(found.part.size)},
        {"best": best, "verdict": found.verdict(), "details": found.details()},
    )


def descriptions_table(dataset: xr.Dataset) -> pd.DataFrame:
    """One row per description, the most likely first."""
    columns = {
        name: dataset[name].values
        for name in (
            *("description", "n_parameters", "held_out_log_likelihood"),
            *("above_best", "above_best_error", "n_converged"),
        )
    }
    table = pd.DataFrame(columns)
    table.insert(1, "best", table["description"] == dataset.attrs["best"])
    return table.sort_values("held_out_log_likelihood", ascending=False, kind="stable")
