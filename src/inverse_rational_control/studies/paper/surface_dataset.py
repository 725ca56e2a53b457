"""Dataset of the log-likelihood surface of Figure 3A: contract and assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.recordings.dataset import coordinates_of_dataset
from inverse_rational_control.storage.contract import Contract, variable

if TYPE_CHECKING:
    from inverse_rational_control.studies.paper.analysis import Surface

__all__ = [
    "SURFACE",
    "optimization_path",
    "surface_dataset",
]

#: Kind `surface`.
SURFACE = Contract(
    "surface",
    "log-likelihood over the plane of an EM trajectory's first two principal components",
    {
        "log_likelihood": variable("u v", "f", "nat", "on the grid; NaN where the planner failed"),
        "direction_u": variable("parameter", "f", "unconstrained", "first principal component"),
        "direction_v": variable("parameter", "f", "unconstrained", "second principal component"),
        "explained_variance": variable("component", "f", "1", "share of the trajectory's variance"),
        "trajectory_u": variable("iteration", "f", "unconstrained", "EM trajectory, projected"),
        "trajectory_v": variable("iteration", "f", "unconstrained", "EM trajectory, projected"),
        "trajectory_log_likelihood": variable("iteration", "f", "nat", "EM, per iteration"),
        "quasi_newton_u": variable("quasi_newton_iteration", "f", "unconstrained", "quasi-Newton"),
        "quasi_newton_v": variable("quasi_newton_iteration", "f", "unconstrained", "quasi-Newton"),
        "quasi_newton_log_likelihood": variable(
            "quasi_newton_iteration", "f", "nat", "per iteration"
        ),
        "end_u": variable(
            "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
        ),
        "end_v": variable(
            "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
        ),
        "end_log_likelihood": variable("", "f", "nat", "at the maximum-likelihood estimate"),
    },
    {
        "truth_u": variable("", "f", "unconstrained", "true parameters, projected"),
        "truth_v": variable("", "f", "unconstrained", "true parameters, projected"),
        "truth_log_likelihood": variable("", "f", "nat", "at the true parameters"),
    },
)


def optimization_path(fit: xr.Dataset, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Where one start of a fit went.

    Parameters
    ----------
    fit : xarray.Dataset
        Kind fit.
    start : int

    Returns
    -------
    parameters : ndarray, shape (iterations, 10)
        Unconstrained coordinates.
    log_likelihood : ndarray, shape (iterations,)
        Nats.
    """
    part = fit.isel(start=start)
    part = part.isel(iteration=slice(0, int(part["history_log_likelihood"].notnull().sum())))
    eta = coordinates_of_dataset(fit).unconstrained(part["history_parameters"].values)
    return eta, part["history_log_likelihood"].values


def surface_dataset(
    surface: Surface,
    directions: np.ndarray,
    explained: np.ndarray,
    projected: Mapping[str, np.ndarray],
    log_likelihoods: Mapping[str, np.ndarray],
    parameters: Sequence[str],
) -> xr.Dataset:
    """The likelihood's surface and what is shown on it, as a dataset.

    Parameters
    ----------
    surface : Surface
    directions : ndarray, shape (2, 10)
        Of the plane, unconstrained coordinates.
    explained : ndarray, shape (2,)
        Share of the EM trajectory's variance.
    projected : mapping of str to ndarray, shape (..., 2)
        Offsets (u, v) of the paths `trajectory` and `quasi_newton` and of the points `end` and, where
        it is known, `truth`.
    log_likelihoods : mapping of str to ndarray, shape (...)
        At each of them, nats.
    parameters : sequence of str
        Names, of the directions' entries.
    """
    variables = {
        "log_likelihood": (("u", "v"), surface.log_likelihood),
        "direction_u": ("parameter", directions[0]),
        "direction_v": ("parameter", directions[1]),
        "explained_variance": ("component", explained),
    }
    for name, offsets in projected.items():
        dims = SURFACE.variables[f"{name}_u"].dims
        variables[f"{name}_u"] = (dims, offsets[..., 0])
        variables[f"{name}_v"] = (dims, offsets[..., 1])
        variables[f"{name}_log_likelihood"] = (dims, log_likelihoods[name])
    return xr.Dataset(variables, {"u": surface.u, "v": surface.v, "parameter": list(parameters)})
