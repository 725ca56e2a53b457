"""Criteria of the alternatives beside the full model (Figure 10)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy.stats import binom, chi2

from inverse_rational_control.studies.alternatives.dataset import ALTERNATIVES
from inverse_rational_control.studies.criterion import Criterion, at_least, at_most

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": ALTERNATIVES}


def criteria(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Judge the alternatives.

    Parameters
    ----------
    summary : xarray.Dataset
        Kind alternatives.
    bounds : mapping
        The `check` part of the section `alternatives` of the configuration.
    """
    models = [str(name) for name in summary["model"].values]
    n_parameters = dict(zip(models, summary["n_parameters"].values, strict=True))
    n_steps, n_pairs = int(summary.attrs["n_steps"]), summary.sizes["pair"]
    reach = float(bounds["standard_errors"])
    found = []
    for name in models[1:]:
        part = summary.sel(model=name)
        # Of the full model over the alternative, on the whole held-out record.
        gain = -n_steps * float(part["held_out_mean"])
        error = n_steps * float(part["held_out_standard_error"])
        surplus = max(0, int(n_parameters["full"] - n_parameters[name]))
        found.append(
            at_least(
                f"alternatives_held_out_gain_over_{name}",
                "10",
                gain,
                -0.5 * surplus - reach * error,
                f"nats of a held-out record; theory: a true alternative with {surplus} parameters fewer is "
                f"better by {0.5 * surplus:g}, half a nat each, at most; {reach:g} standard errors of "
                f"{error:.2g} over {n_pairs} pairs",
            )
        )
    held_wrong = [
        name
        for name in models[1:]
        if not summary["well_specified"].sel(model=name) and _holds_a_value(summary, name)
    ]
    if held_wrong:
        gains = -n_steps * summary["held_out_mean"].sel(model=held_wrong).values
        found.append(
            at_least(
                "alternatives_wrong_ones_predict_worse",
                "10",
                gains.min(),
                0.0,
                "nats of a held-out record, smallest over models that hold wrong values or have no "
                f"memory: {', '.join(held_wrong)}",
            )
        )
    over = float(bounds["nested_tolerance"])
    missed = summary["recovery_missed"].values
    n_over = int((missed > over).sum())
    found.append(
        at_most(
            "alternatives_full_maximum_missed",
            "10",
            summary["missed"].values.max(),
            over,
            "nats by which the full model's own starts fell short of what was then found from a reduced "
            f"model's estimate, largest over pairs; in the model recovery {n_over} of {missed.size} "
            f"records fell short, by up to {missed.max():.3g}",
        )
    )
    # The memoryless model is none of the agent's: it may be above.
    reduced = [name for name in models if name not in ("full", "memoryless")]
    excess = summary["excess_log_likelihood"].sel(model=reduced).values
    found.append(
        at_most(
            "alternatives_reduced_not_above_full",
            "10",
            excess.max() if excess.size else -np.inf,
            over,
            "nats; a maximum over more parameters cannot be lower",
        )
    )
    settled = np.isin(summary["status"].values.astype(str), ("converged", "at_bound"))
    found.append(
        at_least(
            "alternatives_settled_share",
            "10",
            settled.mean(),
            bounds["settled_share_minimum"],
            f"{int((~settled).sum())} of {settled.size} fits to the paired records neither converged "
            "nor ended at a bound",
        )
    )
    n_models, n_replicates = summary.sizes["generating"], summary.sizes["replicate"]
    least = binom.ppf(1.0 - float(bounds["chance_level"]), n_replicates, 1.0 / n_models) + 1
    for name in summary["generating"].values.astype(str):
        found.append(
            at_least(
                f"alternatives_recovered_{name}",
                "10",
                float(summary["confusion_aic"].sel(generating=name, chosen=name)),
                least / n_replicates,
                f"share of its {n_replicates} records that AIC gives to it; random choice gets there "
                f"with probability below {bounds['chance_level']:g}",
            )
        )
    log_steps = np.log(int(summary.attrs["recovery_steps"]))
    recovered = [name for name in summary["generating"].values.astype(str) if name in reduced]
    for name in recovered:
        fewer = n_parameters["full"] - n_parameters[name]
        wrong = chi2.sf(fewer * log_steps, fewer)
        most = binom.isf(float(bounds["family_wise_level"]) / len(recovered), n_replicates, wrong)
        found.append(
            at_most(
                f"alternatives_bic_spares_{name}",
                "10",
                float(summary["confusion_bic"].sel(generating=name, chosen="full")),
                most / n_replicates,
                f"share of its {n_replicates} records that BIC gives to the full model; theory: "
                f"{wrong:.1g} each, more of any reduced model with probability below "
                f"{bounds['family_wise_level']:g}",
            )
        )
    found.append(
        at_least(
            "alternatives_brute_force_finds_nothing_higher",
            "10",
            float(summary["brute_force_gap"].values[-1]),
            0.0,
            f"nats below the fit's maximum, after {summary.sizes['evaluation']} evaluations; the fit "
            f"used {int(summary['search_evaluations'].values[-1])}",
        )
    )
    return found


def _holds_a_value(summary: xr.Dataset, name: str) -> bool:
    """Whether a model holds some parameter, or has none of the agent's: tied ones can average."""
    return not bool(summary["is_free"].sel(model=name).all())
