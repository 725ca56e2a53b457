"""Fits of records as datasets: the fit, its task, and the simulated agent and world where known."""

from __future__ import annotations

import numpy as np
import xarray as xr

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.dataset import fit_dataset
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.parameters import WORLD_PARAMETERS
from inverse_rational_control.recordings.dataset import names, task_attribute

__all__ = ["record_fit_dataset"]


def record_fit_dataset(
    fit: Fit,
    objective: ForagingObjective,
    truth: np.ndarray | None = None,
    world: np.ndarray | None = None,
) -> xr.Dataset:
    """A fit of a record as a dataset of kind `fit`; see `fit_dataset` for a reduced space.

    Parameters
    ----------
    fit : Fit
    objective : ForagingObjective
        What was fitted.
    truth : ndarray, shape (10,), optional
        Parameters of the simulated agent; their log-likelihood is kept too.
    world : ndarray, shape (6,), optional
        Parameters of the simulated world.
    """
    dataset = fit_dataset(fit).assign_attrs(task=task_attribute(objective.task))
    if truth is not None:
        dataset["truth"] = ("parameter", truth)
        dataset["truth_log_likelihood"] = ((), float(objective.log_likelihood(truth)))
        unknown = np.full(len(truth), np.nan)
        deviance = fit.profiles.deviance if fit.profiles else unknown
        dataset["profile_deviance_at_truth"] = ("parameter", deviance)
    if world is not None:
        dataset = dataset.assign_coords(world_parameter=names(WORLD_PARAMETERS))
        dataset["world"] = ("world_parameter", world)
    return dataset
