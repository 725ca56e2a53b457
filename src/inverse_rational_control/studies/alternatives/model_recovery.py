"""Model recovery: which model AIC, BIC and the evidence choose for records of each model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.alternative_models import FULL
from inverse_rational_control.storage.contract import variable
from inverse_rational_control.studies.alternatives.analysis import (
    akaike,
    bayesian,
    choose,
    confusion_matrix,
    inversion_matrix,
    inversion_standard_error,
    share_intervals,
)

__all__ = ["CRITERIA", "INTERVAL_LEVEL", "MODEL_RECOVERY", "model_recovery"]

#: What chooses a model: the lowest AIC or BIC, the highest evidence.
CRITERIA = ("aic", "bic", "evidence")

#: Of the intervals of shares.
INTERVAL_LEVEL = 0.95

_CELLS = "generating chosen"


def _of_criterion(name):
    return {
        f"chosen_by_{name}": variable("generating replicate", "i", "", "index of the model chosen"),
        f"confusion_{name}": variable(_CELLS, "f", "1", "P(chosen | generating)"),
        f"confusion_interval_{name}": variable(
            f"end {_CELLS}", "f", "1", "exact binomial 95 % interval, lower and upper end"
        ),
        f"inversion_{name}": variable(_CELLS, "f", "1", "P(generating | chosen)"),
        f"inversion_standard_error_{name}": variable(_CELLS, "f", "1", "by the delta method"),
    }


#: Variables of the model recovery in the study's summary.
MODEL_RECOVERY = {
    "recovery_status": variable("generating replicate chosen", "U", "", "status of each fit"),
    "recovery_log_likelihood": variable(
        "generating replicate chosen", "f", "nat", "at each estimate"
    ),
    "recovery_missed": variable(
        "generating replicate", "f", "nat", "by the full model's own starts"
    ),
    "n_discarded": variable("generating replicate", "i", "", "draws without a solved plan"),
    "recovery_log_evidence": variable(
        "generating replicate chosen", "f", "nat", "log probability of the record"
    ),
    "recovery_log_evidence_error": variable(
        "generating replicate chosen",
        "f",
        "nat",
        "its standard error; NaN: Laplace's approximation",
    ),
    **{key: value for name in CRITERIA for key, value in _of_criterion(name).items()},
}


def model_recovery(recovered: Mapping[str, xr.Dataset], n_steps: int) -> dict:
    """Which model each criterion chooses for records of each model; confusion and inversion.

    Parameters
    ----------
    recovered : mapping of str to xarray.Dataset
        By generating model, in the order of the models: kind alternative_fits, over seeds.
    n_steps : int
        Of each record.
    """
    models = list(recovered)
    stack = {
        name: np.stack(
            [
                part[name].sel(model=models).transpose("seed", "model").values
                for part in recovered.values()
            ]
        )
        for name in (
            *("log_likelihood", "n_parameters", "n_charged"),
            *("log_evidence", "log_evidence_error", "status", "missed"),
        )
    }
    log_likelihood, n_parameters = stack["log_likelihood"], stack["n_parameters"]
    found = {
        "recovery_status": (("generating", "replicate", "chosen"), stack["status"].astype(object)),
        "recovery_log_likelihood": (("generating", "replicate", "chosen"), log_likelihood),
        "recovery_log_evidence": (("generating", "replicate", "chosen"), stack["log_evidence"]),
        "recovery_log_evidence_error": (
            ("generating", "replicate", "chosen"),
            stack["log_evidence_error"],
        ),
        "recovery_missed": (
            ("generating", "replicate"),
            stack["missed"][..., models.index(FULL)],
        ),
        "n_discarded": (
            ("generating", "replicate"),
            np.stack([part["n_discarded"].values for part in recovered.values()]),
        ),
    }
    criteria = {
        "aic": akaike(log_likelihood, stack["n_charged"]),
        "bic": bayesian(log_likelihood, n_parameters, n_steps),
        "evidence": -2.0 * stack["log_evidence"],
    }
    for name, criterion in criteria.items():
        chosen = choose(criterion)
        confusion = confusion_matrix(chosen, len(models))
        found |= {
            f"chosen_by_{name}": (("generating", "replicate"), chosen),
            f"confusion_{name}": (("generating", "chosen"), confusion),
            f"confusion_interval_{name}": (
                ("end", "generating", "chosen"),
                share_intervals(chosen, len(models), INTERVAL_LEVEL),
            ),
            f"inversion_{name}": (("generating", "chosen"), inversion_matrix(confusion)),
            f"inversion_standard_error_{name}": (
                ("generating", "chosen"),
                inversion_standard_error(chosen, len(models)),
            ),
        }
    return found
