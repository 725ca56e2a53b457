"""Datasets of the study: contracts and their assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.alternative_models import FULL
from inverse_rational_control.recordings.dataset import names, task_attribute
from inverse_rational_control.statistics import paired_difference
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.alternatives.analysis import (
    akaike,
    bayesian,
    running_gap,
)
from inverse_rational_control.studies.alternatives.model_recovery import (
    MODEL_RECOVERY,
    model_recovery,
)

if TYPE_CHECKING:
    from inverse_rational_control.parameter_space import ParameterSpace
    from inverse_rational_control.studies.alternatives.models import ModelFit
    from inverse_rational_control.task import Task

__all__ = [
    "ALTERNATIVES",
    "ALTERNATIVE_FITS",
    "BRUTE_FORCE",
    "alternatives_dataset",
    "brute_force_dataset",
    "model_fits_dataset",
]

#: Kind `alternative_fits`.
ALTERNATIVE_FITS = Contract(
    "alternative_fits",
    "one record fitted by every model, and scored on a record held out",
    {
        "log_likelihood": variable("model", "f", "nat", "at the estimate"),
        "held_out_log_likelihood": variable("model", "f", "nat", "of the record held out, if any"),
        "n_parameters": variable("model", "i", "", "free parameters"),
        "n_charged": variable(
            "model", "i", "", "free parameters not at a bound, which AIC charges"
        ),
        "n_evaluations": variable("model", "i", "", "E-steps over all starts"),
        "log_evidence": variable("model", "f", "nat", "log probability of the record"),
        "log_evidence_error": variable(
            "model", "f", "nat", "its standard error; NaN: by Laplace's approximation"
        ),
        "status": variable("model", "U", "", "status of the fit"),
        "missed": variable("model", "f", "nat", "found only from a reduced model's estimate"),
        "estimate": variable("model parameter", "f", "natural", "held parameters included"),
        "truth": variable("parameter", "f", "natural", "simulated agent; NaN: a baseline"),
        "truth_held_out_log_likelihood": variable("", "f", "nat", "held-out record, at the truth"),
        "n_discarded": variable("", "i", "", "agents drawn before whose plan could not be solved"),
    },
    {},
    ("task",),
)

_SEARCHES = {
    "brute_force_gap": variable("evaluation", "f", "nat", "maximum minus best so far, Sobol"),
    "search_gap": variable("iteration", "f", "nat", "maximum minus best so far, our starts"),
    "search_evaluations": variable("iteration", "i", "", "likelihood evaluations used so far"),
    "polished_gap": variable("", "f", "nat", "maximum minus the end of a climb from Sobol's best"),
}

#: Kind `brute_force`.
BRUTE_FORCE = Contract(
    "brute_force",
    "full model fitted by brute force and by gradients: gap against likelihood evaluations",
    {
        **_SEARCHES,
        "maximum_log_likelihood": variable("", "f", "nat", "highest log-likelihood of our starts"),
    },
    {},
    ("task",),
)

#: Kind `alternatives`.
ALTERNATIVES = Contract(
    "alternatives",
    "alternatives beside the full model: prediction, criteria, errors, model recovery, brute force",
    {
        "truth": variable(
            "parameter", "f", "natural", "parameters of the simulated agent", finite=True
        ),
        "is_free": variable("model parameter", "b", "", "the model estimates this parameter"),
        "well_specified": variable("model", "b", "", "the simulated agent is one of the model's"),
        "n_parameters": variable("model", "i", "", "free parameters"),
        "status": variable("pair model", "U", "", "status of each fit to the paired records"),
        "held_out_difference": variable(
            "pair model", "f", "nat/step", "model minus full, held out"
        ),
        "held_out_mean": variable("model", "f", "nat/step", "its mean over pairs"),
        "held_out_standard_error": variable("model", "f", "nat/step", "of that mean"),
        "held_out_per_step": variable("model", "f", "nat/step", "held-out log-likelihood, mean"),
        "missed": variable("pair", "f", "nat", "by the full model's own starts"),
        "excess_log_likelihood": variable("pair model", "f", "nat", "model minus full, fitted"),
        "relative_error": variable("model parameter", "f", "1", "RMS over pairs by true value"),
        "aic_difference": variable("pair model", "f", "1", "AIC, model minus full"),
        "bic_difference": variable("pair model", "f", "1", "BIC, model minus full"),
        "evidence_difference": variable(
            "pair model", "f", "1", "-2 log evidence, model minus full"
        ),
        **MODEL_RECOVERY,
        **_SEARCHES,
    },
    {},
    ("n_steps", "recovery_steps"),
)


def model_fits_dataset(
    fits: Sequence[ModelFit],
    task: Task,
    truth: np.ndarray,
    n_discarded: int,
    truth_held_out_log_likelihood: float = np.nan,
) -> xr.Dataset:
    """All models' fits to one record.

    Parameters
    ----------
    fits : sequence of ModelFit
    task : Task
    truth : ndarray, shape (10,)
        The simulated agent; NaN where the record is of no agent.
    n_discarded : int
        Agents drawn and set aside because their plan could not be solved.
    truth_held_out_log_likelihood : float
        Nats.
    """

    def per_model(attribute, kind=float):
        return "model", np.array([getattr(fit, attribute) for fit in fits], dtype=kind)

    return xr.Dataset(
        {
            "log_likelihood": per_model("log_likelihood"),
            "held_out_log_likelihood": per_model("held_out_log_likelihood"),
            "n_parameters": per_model("n_parameters", np.int64),
            "n_charged": per_model("n_charged", np.int64),
            "n_evaluations": per_model("n_evaluations", np.int64),
            "log_evidence": ("model", np.array([fit.evidence.log_evidence for fit in fits])),
            "log_evidence_error": (
                "model",
                np.array([fit.evidence.standard_error for fit in fits]),
            ),
            "status": per_model("status", object),
            "missed": per_model("missed"),
            "estimate": (("model", "parameter"), np.stack([fit.estimate for fit in fits])),
            "truth": ("parameter", truth),
            "truth_held_out_log_likelihood": ((), float(truth_held_out_log_likelihood)),
            "n_discarded": ((), n_discarded),
        },
        {"model": [fit.name for fit in fits], "parameter": names()},
        {"task": task_attribute(task)},
    )


def brute_force_dataset(
    log_likelihoods: np.ndarray,
    path: tuple[np.ndarray, np.ndarray],
    maximum: float,
    polished: float,
    task: Task,
) -> xr.Dataset:
    """Gaps to the maximum against likelihood evaluations, of brute force and of the fit's own search.

    Parameters
    ----------
    log_likelihoods : ndarray, shape (evaluations,)
        Of brute force, nats.
    path : pair of ndarray, shape (points,)
        Evaluations and log-likelihoods, as of `brute_force.optimization_path`.
    maximum : float
        The fit's highest log-likelihood, nats.
    polished : float
        Where a climb from the best point of brute force ended, nats.
    task : Task
    """
    evaluations, values = path
    return xr.Dataset(
        {
            "brute_force_gap": ("evaluation", running_gap(log_likelihoods, maximum)),
            "search_gap": ("iteration", running_gap(values, maximum)),
            "search_evaluations": ("iteration", evaluations),
            "polished_gap": ((), float(maximum - polished)),
            "maximum_log_likelihood": ((), float(maximum)),
        },
        {"evaluation": np.arange(1, log_likelihoods.size + 1)},
        {"task": task_attribute(task)},
    )


def alternatives_dataset(
    spaces: Mapping[str, ParameterSpace],
    truth: np.ndarray,
    pairs: xr.Dataset,
    recovered: Mapping[str, xr.Dataset],
    searches: xr.Dataset,
    n_steps: int,
    recovery_steps: int,
) -> xr.Dataset:
    """What the fits say, all models beside the full one.

    Parameters
    ----------
    spaces : mapping of str to ParameterSpace
        Of the agent's models; what `pairs` holds beyond them is a baseline.
    truth : ndarray, shape (10,)
        The agent of the paired records, natural coordinates.
    pairs : xarray.Dataset
        Kind alternative_fits, over seeds, models in the order of the figure.
    recovered : mapping of str to xarray.Dataset
        By generating model, in the order of the models: kind alternative_fits, over seeds.
    searches : xarray.Dataset
        Kind brute_force.
    n_steps, recovery_steps : int
        Length of each paired record, and of each record of the model recovery.
    """
    models = [str(name) for name in pairs["model"].values]
    spaces = [spaces.get(name) for name in models]
    is_free = np.array(
        [np.zeros(truth.size, dtype=bool) if space is None else space.is_free for space in spaces]
    )
    well_specified = [
        space is not None and bool(np.allclose(space.admit(truth), truth)) for space in spaces
    ]
    return xr.Dataset(
        {
            "is_free": (("model", "parameter"), is_free),
            "well_specified": ("model", np.array(well_specified)),
            **_comparison(pairs, is_free, n_steps),
            **model_recovery(recovered, recovery_steps),
            **{name: searches[name].variable for name in _SEARCHES},
        },
        {
            "model": models,
            "generating": list(recovered),
            "chosen": list(recovered),
            "parameter": names(),
            "pair": pairs["seed"].values,
            "end": ["lower", "upper"],
            "evaluation": searches["evaluation"].values,
        },
        {"n_steps": n_steps, "recovery_steps": recovery_steps},
    )


def _comparison(pairs: xr.Dataset, is_free: np.ndarray, n_steps: int) -> dict:
    """Held-out likelihood, information criteria and errors of every model on the paired records."""
    full = list(pairs["model"].values).index(FULL)
    n_parameters = pairs["n_parameters"].values[0]
    log_likelihood = pairs["log_likelihood"].transpose("seed", "model").values
    held_out = pairs["held_out_log_likelihood"].transpose("seed", "model").values
    nats = held_out - held_out[:, [full]]
    mean, error = paired_difference(held_out, held_out[:, [full]])
    charged, log_evidence = (
        pairs[name].transpose("seed", "model").values for name in ("n_charged", "log_evidence")
    )
    criteria = {
        "aic_difference": akaike(log_likelihood, charged),
        "bic_difference": bayesian(log_likelihood, n_parameters, n_steps),
        "evidence_difference": -2.0 * log_evidence,
    }
    truth = pairs["truth"].values[0]
    error_of_estimates = pairs["estimate"].transpose("seed", "model", "parameter").values - truth
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.sqrt((error_of_estimates**2).mean(0)) / np.abs(truth)
    cells = ("pair", "model")
    return {
        "truth": ("parameter", truth),
        "n_parameters": ("model", n_parameters),
        "status": (cells, pairs["status"].transpose("seed", "model").values.astype(object)),
        "held_out_difference": (cells, nats / n_steps),
        "held_out_mean": ("model", mean / n_steps),
        "held_out_standard_error": ("model", error / n_steps),
        "held_out_per_step": ("model", held_out.mean(0) / n_steps),
        "missed": ("pair", pairs["missed"].transpose("seed", "model").values[:, full]),
        "excess_log_likelihood": (cells, log_likelihood - log_likelihood[:, [full]]),
        "relative_error": (
            ("model", "parameter"),
            np.where(is_free & np.isfinite(relative), relative, np.nan),
        ),
        **{name: (cells, each - each[:, [full]]) for name, each in criteria.items()},
    }
