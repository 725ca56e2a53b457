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
    return xr.Dataset(
        {
            "posterior": (("step", "bin_1", "bin_2"), decoding.posterior.astype(np.float32)),
            "marginal": (("step", "box", "bin"), np.moveaxis(decoding.marginals, 0, 1)),
            "posterior_mean": (("step", "box"), decoding.means),
            "most_probable_bin": (("step", "box"), decoding.path.astype(np.int32)),
            "log_likelihood": ((), float(decoding.log_likelihood)),
        },
        {
            "step": np.arange(len(decoding.path)),
            "box": [1, 2],
            "bin": centers,
            "bin_1": centers,
            "bin_2": centers,
        },
        {"task": task_attribute(task)},
    )


def add_score(dataset: xr.Dataset, score: DecodingScore, true_bin: np.ndarray) -> xr.Dataset:
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
    added["true_belief_bin"] = (("step", "box"), np.asarray(true_bin, dtype=np.int32))
    return dataset.assign(added).assign_coords(
        true_bin=centers,
        level=(np.arange(N_LEVELS) + 0.5) / N_LEVELS,
    )
