"""Decoded beliefs as datasets."""

from __future__ import annotations

import numpy as np
import xarray as xr

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.foraging.decoding import N_LEVELS, Decoding, DecodingScore
from inverse_rational_control.recordings.dataset import task_attribute
from inverse_rational_control.task import Task

__all__ = ["add_score", "posterior_dataset"]


def posterior_dataset(decoding: Decoding, task: Task) -> xr.Dataset:
    """A decoding as a dataset, without comparison to a truth."""
    centers = bin_centers(task.n_bins)
    first, second = decoding.marginals
    mean_1, mean_2 = decoding.means
    return xr.Dataset(
        {
            "posterior": (("step", "bin_1", "bin_2"), decoding.posterior.astype(np.float32)),
            "marginal_1": (("step", "bin_1"), first),
            "marginal_2": (("step", "bin_2"), second),
            "posterior_mean_1": ("step", mean_1),
            "posterior_mean_2": ("step", mean_2),
            "most_probable_bin_1": ("step", decoding.path_1.astype(np.int32)),
            "most_probable_bin_2": ("step", decoding.path_2.astype(np.int32)),
            "log_likelihood": ((), float(decoding.log_likelihood)),
        },
        {
            "step": np.arange(first.shape[0]),
            "bin_1": centers,
            "bin_2": centers,
        },
        {"task": task_attribute(task)},
    )


def add_score(
    dataset: xr.Dataset, score: DecodingScore, true_1: np.ndarray, true_2: np.ndarray
) -> xr.Dataset:
    """Add the true beliefs and the decoding's score to a posterior dataset."""
    dims = {
        "posterior_given_true": ("box", "true_bin", "bin"),
        "true_bin_steps": ("box", "true_bin"),
        "correlation": ("box",),
        "rmse": ("box",),
        "path_correlation": ("box",),
        "calibration_predicted": ("box", "level"),
        "calibration_observed": ("box", "level"),
        "calibration_count": ("box", "level"),
        "credible_coverage": ("box",),
        "credible_expected": ("box",),
        "log_score": ("box",),
    }
    centers = dataset["bin_1"].values
    added = {name: (dims[name], array) for name, array in score.__dict__.items()}
    added["true_bin_1"] = ("step", np.asarray(true_1, dtype=np.int32))
    added["true_bin_2"] = ("step", np.asarray(true_2, dtype=np.int32))
    return dataset.assign(added).assign_coords(
        box=[1, 2],
        true_bin=centers,
        bin=centers,
        level=(np.arange(N_LEVELS) + 0.5) / N_LEVELS,
    )
