"""Regressors as a dataset, and as a table whose rows are those of the person's recording."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from inverse_rational_control.foraging.regressors import Regressors
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.task import ACTIONS, LOCATIONS

__all__ = ["REGRESSORS", "regressors_dataset", "regressors_steps", "regressors_table"]

#: Kind `regressors`.
REGRESSORS = Contract(
    "regressors",
    "what the agent believes, expects and is surprised by at every step of a record",
    {
        "session": variable("step", "i", "", "session number; sessions are independent"),
        "location": variable("step", "i", "", "0 middle, 1 box 1, 2 box 2"),
        "action": variable(
            "step", "i", "", "0 stay, 1 go to middle, 2 to box 1, 3 to box 2, 4 push"
        ),
        "reward": variable("step", "i", "", "1 if the action of the step before brought food"),
        "belief_mean": variable("step box", "f", "1", "mean of the agent's belief in food"),
        "belief_sd": variable("step box", "f", "1", "SD of what is known of that belief"),
        "confidence": variable(
            "step box", "f", "1", "mean of max(b, 1 - b), the agent's certainty"
        ),
        "value": variable("step", "f", "reward", "expected value of the agent's state"),
        "prediction_error": variable(
            "step", "f", "reward", "reward - costs + discounted next value - value; NaN at the end"
        ),
    },
    {
        "row": variable("step", "i", "", "row of the person's file, its header being row 1"),
        "file": variable("step", "i", "", "which of the person's files, from 0"),
        "time": variable("step", "f", "s", "time in the person's file"),
    },
    ("parameters_from",),
)

#: What a record's dataset may know of each step, carried on so that rows can be aligned.
_ALIGNED = ("file", "row", "time")


def regressors_steps(found: Regressors, record: xr.Dataset) -> dict[str, np.ndarray]:
    """Regressors with the steps that they belong to, by the names of kind `regressors`.

    Parameters
    ----------
    found : Regressors
        Of all steps, or of a block of them.
    record : xarray.Dataset
        Kind record, the same steps.
    """
    names = ("session", "location", "action", "reward", *_ALIGNED)
    return {name: record[name].values for name in names if name in record} | vars(found)


def regressors_dataset(n_steps: int, parameters_from: str) -> xr.Dataset:
    """What is left to say of regressors beside their steps.

    Parameters
    ----------
    n_steps : int
    parameters_from : str
        With which parameters, in words.
    """
    coordinates = {"step": np.arange(n_steps), "box": [1, 2]}
    return xr.Dataset(coords=coordinates, attrs={"parameters_from": parameters_from})


def regressors_table(dataset: xr.Dataset) -> pd.DataFrame:
    """The same as a table for people: a row per step, places and actions in words."""
    columns = {name: dataset[name].values for name in _ALIGNED if name in dataset}
    columns["session"] = dataset["session"].values
    columns["location"] = np.array(LOCATIONS)[dataset["location"].values]
    columns["action"] = np.array(ACTIONS)[dataset["action"].values]
    columns["reward"] = dataset["reward"].values
    for name in ("belief_mean", "belief_sd", "confidence"):
        columns |= {f"{name}_{box}": dataset[name].sel(box=box).values for box in (1, 2)}
    columns |= {name: dataset[name].values for name in ("value", "prediction_error")}
    return pd.DataFrame(columns)
