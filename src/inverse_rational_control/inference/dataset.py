"""Fits as datasets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.storage.contract import Contract, DatasetError, read, variable

if TYPE_CHECKING:
    from inverse_rational_control.inference.fit import Fit

__all__ = ["FIT", "by_parameter", "fit_dataset", "read_estimate"]

_FIT = {
    "estimate": variable("parameter", "f", "natural", "best estimate over starts"),
    "standard_error": variable(
        "parameter",
        "f",
        "natural",
        "from the observed information, delta method; NaN where intervals are by profile",
    ),
    "interval_lower": variable("parameter", "f", "natural", "lower end of the confidence interval"),
    "interval_upper": variable("parameter", "f", "natural", "upper end of the confidence interval"),
    "interval_kind": variable(
        "parameter",
        "U",
        "",
        "wald, profile (likelihood), none (not found), fixed, or absent (no such parameter: its "
        "estimate means nothing)",
    ),
    "interval_evaluations": variable("", "i", "", "E-steps of the profile intervals"),
    "profile_rise": variable(
        "", "f", "nat", "how far above the estimate profiles came: 0 at a maximum; NaN without"
    ),
    "information": variable(
        "parameter parameter_other", "f", "1", "observed information, unconstrained coordinates"
    ),
    "information_positive_definite": variable(
        "", "b", "", "the observed information is positive definite"
    ),
    "log_likelihood": variable("", "f", "nat", "log-likelihood at the estimate"),
    "log_prior": variable(
        "", "f", "nat", "log prior density at the estimate; 0 without a prior (estimator ml)"
    ),
    "parameter_at_bound": variable("parameter", "b", "", "within 1e-3 of a bound"),
    "converged": variable("", "b", "", "the best start met the convergence criterion"),
    "status": variable("", "U", "", "converged, at_bound, not_converged or degenerate_record"),
    "remarks": variable("", "U", "", "what is unusual about the estimate, in words"),
    "planner_residual": variable("", "f", "reward", "Bellman residual at the estimate"),
    "planner_radius": variable(
        "", "f", "1", "spectral radius of the Bellman map without constant mode"
    ),
    "best_start": variable("", "i", "", "index of the best start"),
    "n_agreeing": variable(
        "",
        "i",
        "",
        "searches that ended within 0.01 nat of the highest; below 2 it is not confirmed",
    ),
    "start_parameters": variable("start parameter", "f", "natural", "where a start began"),
    "end_parameters": variable("start parameter", "f", "natural", "where a start ended"),
    "end_log_likelihood": variable(
        "start", "f", "nat", "what a start maximized, where it ended: likelihood and prior"
    ),
    "newton_decrement": variable(
        "start", "f", "nat", "g' I^-1 g / 2 at the end: expected gain left"
    ),
    "whitened_gradient": variable(
        "start parameter", "f", "sqrt(nat)", "gradient by the whitened coordinates"
    ),
    "start_converged": variable("start", "b", "", "this start met the convergence criterion"),
    "stop_reason": variable("start", "U", "", "what stopped this start, in words"),
    "jump_met": variable(
        "start", "b", "", "the likelihood jumped on the optimization path (a fold of the planner)"
    ),
    "em_fall": variable(
        "start", "f", "nat", "largest fall by an EM step, rejected ones included; -inf without EM"
    ),
    "n_evaluations": variable(
        "start", "i", "", "E-steps used, information and the way to the start included"
    ),
    "n_iterations": variable("start", "i", "", "accepted iterations"),
    "seconds": variable("start", "f", "s", "wall time of this start"),
    "history_log_likelihood": variable("start iteration", "f", "nat", "per accepted iteration"),
    "history_parameters": variable(
        "start iteration parameter", "f", "natural", "per accepted iteration"
    ),
    "history_evaluations": variable("start iteration", "f", "", "E-steps used so far"),
    "history_seconds": variable("start iteration", "f", "s", "wall time so far"),
}

#: Kind `fit`.
FIT = Contract(
    "fit",
    "maximum-likelihood fit of one record, with every start's history",
    _FIT,
    {
        "truth": variable(
            "parameter", "f", "natural", "parameters of the simulated agent", finite=True
        ),
        "truth_log_likelihood": variable("", "f", "nat", "log-likelihood at the truth"),
        "profile_deviance_at_truth": variable(
            "parameter", "f", "nat", "2 [l_max - l_profile(truth)]; NaN where intervals are Wald's"
        ),
        "world": variable(
            "world_parameter", "f", "natural", "parameters of the simulated world", finite=True
        ),
        "decoded_correlation": variable(
            "box", "f", "1", "posterior mean at the estimate against true belief"
        ),
        "decoded_rmse": variable("box", "f", "1", "posterior mean at the estimate, true belief"),
    },
    ("task", "method", "confidence_level"),
)


def fit_dataset(fit: Fit) -> xr.Dataset:
    """A fit as a dataset: estimate, intervals, status, and every start's optimization path.

    The attributes that say what was fitted, such as the task, and the truth where it is known, are for
    the caller to add (see `foraging.dataset`).

    Returns
    -------
    xarray.Dataset
        Of kind `fit`; where not every parameter moves by itself, information and whitened gradients have
        the dimension `free`. Of parameters that do not exist both are NaN.
    """
    starts, intervals, parameters = fit.starts, fit.intervals(), fit.space.parameters
    profiles = fit.profiles
    names = [parameter.name for parameter in parameters]
    measures = dict(fit.diagnosis.measures)
    log_prior = float(measures.pop("log_prior", 0.0))
    free = "parameter" if fit.space.is_full else "free"
    there = fit.space.exists if fit.space.is_full else np.ones(fit.space.size, dtype=bool)
    information = np.full((there.size, there.size), np.nan)
    information[np.ix_(there, there)] = fit.information
    gradients = np.full((len(starts), there.size), np.nan)
    gradients[:, there] = [result.whitened_gradient for result in starts]

    def per_start(attribute, kind=None):
        return np.array([getattr(result, attribute) for result in starts], dtype=kind)

    def path(attribute):
        return _padded([getattr(result.path, attribute) for result in starts])

    variables = {
        "estimate": ("parameter", fit.estimate),
        "standard_error": ("parameter", intervals.standard_error),
        "interval_lower": ("parameter", intervals.lower),
        "interval_upper": ("parameter", intervals.upper),
        "interval_kind": ("parameter", np.array([str(kind) for kind in intervals.kind], object)),
        "interval_evaluations": ((), 0 if profiles is None else profiles.n_evaluations),
        "profile_rise": ((), np.nan if profiles is None else profiles.rise),
        "information": ((free, f"{free}_other"), information),
        "information_positive_definite": ((), is_positive_definite(fit.information)),
        "log_likelihood": ((), float(fit.log_likelihood) - log_prior),
        "log_prior": ((), log_prior),
        "parameter_at_bound": ("parameter", fit.at_bound),
        "converged": ((), bool(starts[fit.best].converged)),
        "status": ((), str(fit.status)),
        "remarks": ((), "; ".join((*fit.remarks, *intervals.remarks))),
        **{name: ((), float(value)) for name, value in measures.items()},
        "best_start": ((), fit.best),
        "n_agreeing": ((), fit.n_agreeing),
        "start_parameters": (("start", "parameter"), per_start("start")),
        "end_parameters": (("start", "parameter"), per_start("end")),
        "end_log_likelihood": ("start", per_start("log_likelihood", float)),
        "newton_decrement": ("start", per_start("newton_decrement", float)),
        "whitened_gradient": (("start", free), gradients),
        "start_converged": ("start", per_start("converged")),
        "stop_reason": ("start", per_start("stop_reason", object)),
        "jump_met": ("start", np.array([result.jump_sides is not None for result in starts])),
        "em_fall": ("start", per_start("em_fall", float)),
        "n_evaluations": ("start", per_start("n_evaluations")),
        "n_iterations": ("start", np.array([max(0, len(result.path) - 1) for result in starts])),
        "seconds": ("start", per_start("seconds", float)),
        "history_log_likelihood": (("start", "iteration"), path("log_likelihood")),
        "history_parameters": (("start", "iteration", "parameter"), path("parameters")),
        "history_evaluations": (("start", "iteration"), path("evaluations")),
        "history_seconds": (("start", "iteration"), path("seconds")),
    }
    coordinates = {
        "parameter": names,
        "unit": ("parameter", [parameter.unit for parameter in parameters]),
        "start": np.arange(len(starts)),
        "iteration": np.arange(variables["history_seconds"][1].shape[1]),
    }
    if fit.space.is_full:
        coordinates["parameter_other"] = names
    else:
        variables["free_direction"] = (("parameter", "free"), fit.space.directions)
        coordinates |= {"free": list(fit.space.names), "free_other": list(fit.space.names)}
    settings = fit.settings
    return xr.Dataset(
        variables,
        coordinates,
        {"method": settings.method, "confidence_level": settings.confidence_level},
    )


def by_parameter(dataset: xr.Dataset) -> xr.Dataset:
    """A fit by parameters, of kind `fit`, whichever of them were free.

    What a fit says of free coordinates stands where the first parameter stands that each moves; it is
    NaN for parameters that are held, or tied to one before.
    """
    if "free" not in dataset.dims:
        return dataset
    names = dataset["parameter"].values
    first = np.argmax(dataset["free_direction"].values != 0, axis=0)
    information = np.full((names.size, names.size), np.nan)
    information[np.ix_(first, first)] = dataset["information"].values
    gradient = np.full((dataset.sizes["start"], names.size), np.nan)
    gradient[:, first] = dataset["whitened_gradient"].values
    kept = dataset.drop_dims(["free", "free_other"]).assign_coords(parameter_other=names)
    kept["information"] = (("parameter", "parameter_other"), information)
    kept["whitened_gradient"] = (("start", "parameter"), gradient)
    return kept


def _padded(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Rows of different lengths as one block, NaN where there is nothing."""
    block = np.full((len(rows), max(1, *map(len, rows)), *rows[0].shape[1:]), np.nan)
    for k, row in enumerate(rows):
        block[k, : len(row)] = row
    return block


def read_estimate(path: str | Path) -> xr.Dataset:
    """Read a fit that holds an estimate.

    Raises
    ------
    DatasetError
        As `read`, or if no start of the fit led anywhere.
    """
    fit = read(path, FIT)
    if not np.isfinite(fit["estimate"].values).all():
        raise DatasetError(
            f"{path}: variable 'estimate': found no numbers (status {fit['status'].values}: "
            f"{fit['remarks'].values}), so nothing can be made from this fit"
        )
    return fit
