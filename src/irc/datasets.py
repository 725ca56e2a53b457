"""The contract of every NetCDF file: kinds, variables, dimensions, units; checked open, atomic save.

Each file has one *kind*. `CONTRACTS` lists, per kind, what must and what may be in it. A file is
written beside its place and then renamed, and carries a marker that is written last; `read` accepts
nothing else, so an interrupted write is never taken for a result.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray as xr

__all__ = [
    "CONTRACTS",
    "VOLATILE",
    "Contract",
    "DatasetError",
    "differences",
    "read",
    "read_estimate",
    "write",
]

#: Attributes and variables that hold times and hosts, and so may differ between identical runs.
VOLATILE = frozenset({"created", "host", "seconds", "history_seconds"})


class DatasetError(ValueError):
    """A file is not what it should be; the message names file and variable in one line."""


@dataclass(frozen=True)
class Variable:
    """Dimensions, kind of number ("f" float, "i" whole, "b" yes/no, "U" text), unit and meaning."""

    dims: tuple[str, ...]
    type: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Contract:
    """What one kind of file holds.

    Attributes
    ----------
    meaning : str
        One line on the kind.
    required, optional : dict of str to Variable
        Variables by name; every file may carry a leading dimension `seed` on all of them.
    attributes : tuple of str
        Global attributes that must be there.
    """

    meaning: str
    required: dict[str, Variable]
    optional: dict[str, Variable] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()


def _v(dims: str, type_: str, unit: str, meaning: str) -> Variable:
    return Variable(tuple(dims.split()), type_, unit, meaning)


_FIT = {
    "estimate": _v("parameter", "f", "natural", "best estimate over starts"),
    "standard_error": _v(
        "parameter", "f", "natural", "from the observed information, delta method"
    ),
    "interval_lower": _v("parameter", "f", "natural", "lower end of the confidence interval"),
    "interval_upper": _v("parameter", "f", "natural", "upper end of the confidence interval"),
    "information": _v(
        "parameter parameter_other", "f", "1", "observed information, unconstrained coordinates"
    ),
    "information_positive_definite": _v(
        "", "b", "", "the observed information is positive definite"
    ),
    "log_likelihood": _v("", "f", "nat", "log-likelihood at the estimate"),
    "parameter_at_bound": _v("parameter", "b", "", "within 1e-3 of a bound"),
    "converged": _v("", "b", "", "the best start met the convergence criterion"),
    "status": _v("", "U", "", "converged, at_bound, not_converged or degenerate_record"),
    "remarks": _v("", "U", "", "what is unusual about the estimate, in words"),
    "planner_residual": _v("", "f", "reward", "Bellman residual at the estimate"),
    "planner_radius": _v("", "f", "1", "spectral radius of the Bellman map without constant mode"),
    "best_start": _v("", "i", "", "index of the best start"),
    "start_parameters": _v("start parameter", "f", "natural", "where a start began"),
    "end_parameters": _v("start parameter", "f", "natural", "where a start ended"),
    "end_log_likelihood": _v("start", "f", "nat", "log-likelihood where a start ended"),
    "newton_decrement": _v("start", "f", "nat", "g' I^-1 g / 2 at the end: expected gain left"),
    "scaled_gradient": _v(
        "start parameter", "f", "sqrt(nat)", "gradient by the whitened coordinates"
    ),
    "start_converged": _v("start", "b", "", "this start met the convergence criterion"),
    "stop_reason": _v("start", "U", "", "what stopped this start, in words"),
    "jump_met": _v("start", "b", "", "the likelihood jumped along the way (a planner fold)"),
    "n_evaluations": _v("start", "i", "", "E-steps used, information included"),
    "n_iterations": _v("start", "i", "", "accepted iterations"),
    "seconds": _v("start", "f", "s", "wall time of this start"),
    "history_log_likelihood": _v("start iteration", "f", "nat", "per accepted iteration"),
    "history_parameters": _v("start iteration parameter", "f", "natural", "per accepted iteration"),
    "history_evaluations": _v("start iteration", "f", "", "E-steps used so far"),
    "history_seconds": _v("start iteration", "f", "s", "wall time so far"),
}

CONTRACTS: dict[str, Contract] = {
    "record": Contract(
        "behaviour of one agent, step by step",
        {
            "session": _v("step", "i", "", "session number; sessions are independent"),
            "location": _v("step", "i", "", "0 middle, 1 box 1, 2 box 2"),
            "action": _v("step", "i", "", "0 stay, 1 go to middle, 2/3 go to box 1/2, 4 push"),
            "reward": _v("step", "i", "", "food obtained by the action of the step before"),
            "cue_1": _v("step", "i", "", "colour index at box 1, low = redder"),
            "cue_2": _v("step", "i", "", "colour index at box 2, low = redder"),
        },
        {
            "food_1": _v("step", "i", "", "true availability at box 1"),
            "food_2": _v("step", "i", "", "true availability at box 2"),
            "belief_bin_1": _v("step", "i", "", "the agent's true belief bin, box 1"),
            "belief_bin_2": _v("step", "i", "", "the agent's true belief bin, box 2"),
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "world": _v("world_parameter", "f", "natural", "parameters of the simulated world"),
        },
        ("task",),
    ),
    "fit": Contract(
        "maximum-likelihood fit of one record, with every start's history",
        _FIT,
        {
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "truth_log_likelihood": _v("", "f", "nat", "log-likelihood at the truth"),
            "world": _v("world_parameter", "f", "natural", "parameters of the simulated world"),
        },
        ("task", "method", "confidence_level"),
    ),
    "posterior": Contract(
        "smoothed posterior over the agent's beliefs",
        {
            "posterior": _v("step bin_1 bin_2", "f", "1", "P(belief bins | whole record)"),
            "marginal_1": _v("step bin_1", "f", "1", "posterior of the belief about box 1"),
            "marginal_2": _v("step bin_2", "f", "1", "posterior of the belief about box 2"),
            "posterior_mean_1": _v("step", "f", "1", "posterior mean belief, box 1"),
            "posterior_mean_2": _v("step", "f", "1", "posterior mean belief, box 2"),
            "most_probable_bin_1": _v("step", "i", "", "most probable joint path (Viterbi), box 1"),
            "most_probable_bin_2": _v("step", "i", "", "most probable joint path (Viterbi), box 2"),
            "log_likelihood": _v("", "f", "nat", "log-likelihood of the record"),
        },
        {
            "true_bin_1": _v("step", "i", "", "true belief bin, box 1"),
            "true_bin_2": _v("step", "i", "", "true belief bin, box 2"),
            "posterior_given_true": _v(
                "box true_bin bin", "f", "1", "posterior averaged over time given the true bin"
            ),
            "true_bin_steps": _v("box true_bin", "i", "step", "steps spent in each true bin"),
            "correlation": _v("box", "f", "1", "posterior mean against true belief"),
            "rmse": _v("box", "f", "1", "posterior mean against true belief"),
            "path_correlation": _v("box", "f", "1", "most probable path against true belief"),
            "calibration_predicted": _v("box level", "f", "1", "mean posterior P(bin) per level"),
            "calibration_observed": _v("box level", "f", "1", "share of those bins that were true"),
            "calibration_count": _v("box level", "i", "", "(step, bin) pairs per level"),
            "credible_coverage": _v("box", "f", "1", "true bin inside the 90 % credible set"),
            "credible_expected": _v("box", "f", "1", "mean posterior mass of those sets"),
            "true_model_correlation": _v("box", "f", "1", "correlation, decoding with the truth"),
            "true_model_coverage": _v("box", "f", "1", "credible_coverage, with the truth"),
            "true_model_expected": _v("box", "f", "1", "credible_expected, with the truth"),
        },
        ("task",),
    ),
    "behavior": Contract(
        "behaviour of the recorded agent and of many resimulations of the inferred one",
        {
            "action_frequency": _v("action", "f", "1", "recorded agent"),
            "location_frequency": _v("location", "f", "1", "recorded agent"),
            "push_interval": _v("interval", "f", "1", "steps between pushes, recorded agent"),
            "travel_interval": _v("interval", "f", "1", "steps between travels, recorded agent"),
            "replicate_action_frequency": _v("replicate action", "f", "1", "inferred agent"),
            "replicate_location_frequency": _v("replicate location", "f", "1", "inferred agent"),
            "replicate_push_interval": _v("replicate interval", "f", "1", "inferred agent"),
            "replicate_travel_interval": _v("replicate interval", "f", "1", "inferred agent"),
            "distance": _v("statistic", "f", "1", "recorded agent to inferred agent's mean"),
            "null_distance": _v("replicate statistic", "f", "1", "same agent simulated twice"),
        },
        {},
        ("null_agent", "distances"),
    ),
    "models": Contract(
        "value function and policy of the true and the inferred agent",
        {
            "true_value": _v("location bin_1 bin_2", "f", "reward", "constant removed"),
            "inferred_value": _v("location bin_1 bin_2", "f", "reward", "constant removed"),
            "policy_divergence": _v("location bin_1 bin_2", "f", "nat", "KL(true || inferred)"),
            "visit_frequency": _v("location bin_1 bin_2", "f", "1", "where the agent truly was"),
            "value_correlation": _v("", "f", "1", "over all states"),
            "value_rmse": _v("", "f", "reward", "over all states, constant removed"),
            "mean_policy_divergence": _v("", "f", "nat", "weighted by visits"),
            "uniform_policy_divergence": _v("", "f", "nat", "KL(true || uniform), for scale"),
        },
    ),
    "surface": Contract(
        "log-likelihood over the plane of a learning trajectory's first two principal components",
        {
            "log_likelihood": _v("u v", "f", "nat", "on the grid; NaN where the planner failed"),
            "direction_u": _v("parameter", "f", "unconstrained", "first principal component"),
            "direction_v": _v("parameter", "f", "unconstrained", "second principal component"),
            "explained_variance": _v("component", "f", "1", "share of the trajectory's variance"),
            "trajectory_u": _v("iteration", "f", "unconstrained", "EM trajectory, projected"),
            "trajectory_v": _v("iteration", "f", "unconstrained", "EM trajectory, projected"),
            "trajectory_log_likelihood": _v("iteration", "f", "nat", "EM, per iteration"),
            "accelerated_u": _v("accelerated_iteration", "f", "unconstrained", "quasi-Newton"),
            "accelerated_v": _v("accelerated_iteration", "f", "unconstrained", "quasi-Newton"),
            "accelerated_log_likelihood": _v("accelerated_iteration", "f", "nat", "per iteration"),
            "end_u": _v(
                "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
            ),
            "end_v": _v(
                "", "f", "unconstrained", "maximum-likelihood estimate, the plane's origin"
            ),
            "end_log_likelihood": _v("", "f", "nat", "at the maximum-likelihood estimate"),
        },
        {
            "truth_u": _v("", "f", "unconstrained", "true parameters, projected"),
            "truth_v": _v("", "f", "unconstrained", "true parameters, projected"),
            "truth_log_likelihood": _v("", "f", "nat", "at the true parameters"),
        },
    ),
    "recovery": Contract(
        "estimates and errors of the recovery study, over seeds and data lengths",
        {
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "estimate": _v("seed n_steps parameter", "f", "natural", "estimates"),
            "error": _v("seed n_steps parameter", "f", "natural", "estimate minus truth"),
            "standard_error": _v("seed n_steps parameter", "f", "natural", "observed information"),
            "covered": _v("seed n_steps parameter", "b", "", "truth inside the interval"),
            "interval_defined": _v("seed n_steps parameter", "b", "", "the interval is finite"),
            "status": _v("seed n_steps", "U", "", "status of each fit"),
            "likelihood_ratio": _v("seed n_steps", "f", "nat", "2 [l(estimate) - l(truth)]"),
            "starts_agreeing": _v("seed n_steps", "f", "1", "share of starts at the best end"),
            "rmse": _v("n_steps parameter", "f", "natural", "over all seeds"),
            "rmse_interior": _v("n_steps parameter", "f", "natural", "over converged fits"),
            "at_bound_count": _v("n_steps", "i", "", "fits at a bound"),
            "unconverged_count": _v("n_steps", "i", "", "fits neither converged nor at a bound"),
            "slope": _v("parameter", "f", "1", "d log RMSE / d log length from slope_from on"),
            "slope_standard_error": _v("parameter", "f", "1", "bootstrap over seeds"),
            "pooled_slope": _v("", "f", "1", "one slope for all parameters"),
            "pooled_slope_standard_error": _v("", "f", "1", "bootstrap over seeds"),
            "coverage": _v("n_steps", "f", "1", "share of intervals that cover, all parameters"),
            "coverage_standard_error": _v("n_steps", "f", "1", "over seeds"),
        },
        {},
        ("slope_from", "confidence_level"),
    ),
    "rival_fits": Contract(
        "one record fitted by every model, and scored on a record held out",
        {
            "log_likelihood": _v("model", "f", "nat", "at the estimate"),
            "held_out_log_likelihood": _v("model", "f", "nat", "of the record held out, if any"),
            "n_parameters": _v("model", "i", "", "free parameters"),
            "n_evaluations": _v("model", "i", "", "E-steps over all starts"),
            "status": _v("model", "U", "", "status of the fit"),
            "estimate": _v("model parameter", "f", "natural", "held parameters included"),
            "truth": _v("parameter", "f", "natural", "simulated agent; NaN: memoryless policy"),
            "truth_held_out_log_likelihood": _v("", "f", "nat", "held-out record, at the truth"),
            "n_discarded": _v("", "i", "", "agents drawn before whose plan could not be solved"),
        },
        {},
        ("task",),
    ),
    "brute_force": Contract(
        "full model fitted by brute force and by gradients: gap against likelihood evaluations",
        {
            "brute_force_gap": _v("evaluation", "f", "nat", "maximum minus best so far, Sobol"),
            "search_gap": _v("iteration", "f", "nat", "maximum minus best so far, our starts"),
            "search_evaluations": _v("iteration", "i", "", "likelihood evaluations used so far"),
            "maximum_log_likelihood": _v("", "f", "nat", "highest log-likelihood of our starts"),
        },
        {},
        ("task",),
    ),
    "rivals": Contract(
        "rivals beside the full model: prediction, criteria, errors, model recovery, brute force",
        {
            "truth": _v("parameter", "f", "natural", "parameters of the simulated agent"),
            "is_free": _v("model parameter", "b", "", "the model estimates this parameter"),
            "well_specified": _v("model", "b", "", "the simulated agent is one of the model's"),
            "n_parameters": _v("model", "i", "", "free parameters"),
            "status": _v("pair model", "U", "", "status of each fit to the paired records"),
            "held_out_difference": _v("pair model", "f", "nat/step", "model minus full, held out"),
            "held_out_mean": _v("model", "f", "nat/step", "its mean over pairs"),
            "held_out_standard_error": _v("model", "f", "nat/step", "of that mean"),
            "held_out_per_step": _v("model", "f", "nat/step", "held-out log-likelihood, mean"),
            "excess_log_likelihood": _v("pair model", "f", "nat", "model minus full, fitted"),
            "relative_error": _v("model parameter", "f", "1", "RMS over pairs by true value"),
            "aic_difference": _v("pair model", "f", "1", "AIC, model minus full"),
            "bic_difference": _v("pair model", "f", "1", "BIC, model minus full"),
            "recovery_status": _v("generating replicate chosen", "U", "", "status of each fit"),
            "recovery_log_likelihood": _v(
                "generating replicate chosen", "f", "nat", "at each estimate"
            ),
            "recovery_excess": _v(
                "generating replicate", "f", "nat", "best reduced model minus full, fitted"
            ),
            "n_discarded": _v("generating replicate", "i", "", "draws without a solved plan"),
            "chosen_by_aic": _v("generating replicate", "i", "", "index of the model chosen"),
            "chosen_by_bic": _v("generating replicate", "i", "", "index of the model chosen"),
            "confusion_aic": _v("generating chosen", "f", "1", "P(chosen | generating)"),
            "confusion_bic": _v("generating chosen", "f", "1", "P(chosen | generating)"),
            "inversion_aic": _v("generating chosen", "f", "1", "P(generating | chosen)"),
            "inversion_bic": _v("generating chosen", "f", "1", "P(generating | chosen)"),
            "brute_force_gap": _v("evaluation", "f", "nat", "maximum minus best so far, Sobol"),
            "search_gap": _v("iteration", "f", "nat", "maximum minus best so far, our starts"),
            "search_evaluations": _v("iteration", "i", "", "likelihood evaluations used so far"),
        },
        {},
        ("n_steps", "recovery_steps"),
    ),
}


def _check(dataset: xr.Dataset, kind: str, where: str) -> None:
    contract = CONTRACTS[kind]
    if dataset.attrs.get("kind") != kind:
        found = dataset.attrs.get("kind", "nothing")
        raise DatasetError(f"{where}: attribute kind: found {found!r}, expected {kind!r}")
    for name in contract.attributes:
        if name not in dataset.attrs:
            raise DatasetError(f"{where}: attribute {name!r} is missing ({kind} file)")
    known = contract.required | contract.optional
    for name, variable in known.items():
        if name not in dataset:
            if name in contract.required:
                raise DatasetError(f"{where}: variable {name!r} is missing ({kind} file)")
            continue
        array = dataset[name]
        found = tuple(str(dim) for dim in array.dims)
        if found not in (variable.dims, ("seed", *variable.dims)):
            raise DatasetError(
                f"{where}: variable {name!r} has dimensions {found}, expected {variable.dims}"
            )
        family = {"f": "f", "i": "iu", "b": "biu", "U": "UOST"}[variable.type]
        if array.dtype.kind not in family:
            raise DatasetError(
                f"{where}: variable {name!r} has type {array.dtype}, expected one of {family!r}"
            )
    for name in dataset.data_vars:
        if name not in known:
            raise DatasetError(f"{where}: variable {name!r} is not part of a {kind} file")


def write(dataset: xr.Dataset, path: str | Path, kind: str) -> None:
    """Check a dataset against its contract and write it whole or not at all.

    Parameters
    ----------
    dataset : xarray.Dataset
        Variables of the kind's contract; units and meanings are filled in from it.
    path : str or Path
        Where the file appears, by a rename, once it is complete.
    kind : str
        A key of `CONTRACTS`.

    Raises
    ------
    DatasetError
        If the dataset does not meet the contract, or the file cannot be written.
    """
    path = Path(path)
    contract = CONTRACTS[kind]
    dataset = dataset.assign_attrs(kind=kind, title=contract.meaning)
    known = contract.required | contract.optional
    for name, variable in known.items():
        if name in dataset:
            dataset[name].attrs = {"long_name": variable.meaning, "units": variable.unit}
    _check(dataset, kind, str(path))
    encoding = {
        name: {"zlib": True, "complevel": 1}
        for name, array in dataset.data_vars.items()
        if array.dtype.kind in "fiub" and array.size > 1000
    }
    dataset = dataset.assign_attrs(complete="yes")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        dataset.to_netcdf(beside, engine="netcdf4", encoding=encoding)
        os.chmod(beside, 0o666 & ~_umask())
        with open(beside, "rb") as written:
            os.fsync(written.fileno())
        os.replace(beside, path)
    except (OSError, RuntimeError) as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise DatasetError(f"{path}: could not be written ({error}); is the disk full?") from error
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def read(path: str | Path, kind: str) -> xr.Dataset:
    """Open a file, check it against its contract and load it into memory.

    Raises
    ------
    DatasetError
        If the file is absent, truncated, of another kind, or lacks a variable: one line that names it.
    """
    path = Path(path)
    if not path.exists():
        raise DatasetError(f"{path}: no such file")
    try:
        with xr.open_dataset(path, engine="netcdf4") as opened:
            dataset = opened.load()
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DatasetError(f"{path}: not a readable NetCDF file ({reason})") from None
    _check(dataset, kind, str(path))
    if dataset.attrs.get("complete") != "yes":
        raise DatasetError(f"{path}: the file was not written to its end")
    return dataset


def read_estimate(path: str | Path) -> xr.Dataset:
    """Read a fit that holds an estimate.

    Raises
    ------
    DatasetError
        As `read`, or if no start of the fit led anywhere.
    """
    fit = read(path, "fit")
    if not np.isfinite(fit["estimate"].values).all():
        raise DatasetError(
            f"{path}: variable 'estimate': found no numbers (status {fit['status'].values}: "
            f"{fit['remarks'].values}), so nothing can be made from this fit"
        )
    return fit


def differences(one: xr.Dataset, other: xr.Dataset) -> list[str]:
    """List what differs between two datasets, bit for bit, times and hosts (`VOLATILE`) excepted."""
    found = []
    for name in sorted({*map(str, one.variables), *map(str, other.variables)} - VOLATILE):
        if name not in one.variables or name not in other.variables:
            found.append(f"{name}: only in one of the two")
            continue
        left, right = one[name], other[name]
        same = left.dims == right.dims and left.shape == right.shape
        if same:
            exact = left.dtype.kind == "f"
            same = np.array_equal(left.values, right.values, equal_nan=exact)
        if not same:
            found.append(f"{name}: values differ")
    for name in sorted({*one.attrs, *other.attrs} - VOLATILE):
        if one.attrs.get(name) != other.attrs.get(name):
            found.append(f"attribute {name}: {one.attrs.get(name)!r} / {other.attrs.get(name)!r}")
    return found
