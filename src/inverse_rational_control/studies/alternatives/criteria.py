"""Criteria of the alternatives beside the full model (Figure 10)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.alternative_models import BASELINES, FULL
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
    return [
        *_prediction(summary, bounds),
        *_maxima(summary, bounds),
        *_recovery_by_aic(summary, bounds),
        *_recovery_by_bic(summary, bounds),
        _brute_force(summary),
    ]


def _sizes(summary: xr.Dataset) -> dict[str, int]:
    """Number of free parameters of every model."""
    return dict(
        zip(summary["model"].values.astype(str), summary["n_parameters"].values, strict=True)
    )


def _reduced(names: np.ndarray) -> list[str]:
    """Those of some models that are the agent's, held or tied in some parameters."""
    return [name for name in names.astype(str) if name not in (FULL, *BASELINES)]


def _prediction(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """A true model may predict better by what its fewer parameters save, a wrong one may not."""
    sizes = _sizes(summary)
    n_steps, n_pairs = int(summary.attrs["n_steps"]), summary.sizes["pair"]
    reach = float(bounds["standard_errors"])
    found, wrong = [], []
    for name in sizes:
        if name == FULL:
            continue
        part = summary.sel(model=name)
        # Of the full model over the alternative, on the whole held-out record.
        gain = -n_steps * float(part["held_out_mean"])
        error = n_steps * float(part["held_out_standard_error"])
        surplus = max(0, int(sizes[FULL] - sizes[name]))
        found.append(
            at_least(
                f"alternatives_held_out_gain_over_{name}",
                "10",
                gain,
                -0.5 * surplus - reach * error,
                f"nats of a held-out record; theory: a true model with {surplus} fewer parameters is "
                f"better by at most {0.5 * surplus:g}, half a nat for each; {reach:g} standard errors "
                f"of {error:.2g} over {n_pairs} pairs",
            )
        )
        # Tied parameters can average: only held values, or none of the agent's, are wrong for sure.
        if not part["well_specified"] and not part["is_free"].all():
            wrong.append(name)
    if wrong:
        gains = -n_steps * summary["held_out_mean"].sel(model=wrong).values
        found.append(
            at_least(
                "alternatives_wrong_ones_predict_worse",
                "10",
                gains.min(),
                0.0,
                "nats of a held-out record, smallest over models that hold wrong values or have no "
                f"memory: {', '.join(wrong)}",
            )
        )
    return found


def _maxima(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Fits to the paired records ended where they should: the full model's above all reduced ones'."""
    over = float(bounds["nested_tolerance"])
    missed = summary["recovery_missed"].values
    n_over = int((missed > over).sum())
    # A baseline is none of the agent's models: it may be above.
    reduced = _reduced(summary["model"].values)
    excess = summary["excess_log_likelihood"].sel(model=reduced).values
    settled = np.isin(summary["status"].values.astype(str), ("converged", "at_bound"))
    return [
        at_most(
            "alternatives_full_maximum_missed",
            "10",
            summary["missed"].values.max(),
            over,
            "nats by which the full model's own starts fell short of what was then found from a reduced "
            f"model's estimate, largest over pairs; in the model recovery {n_over} of {missed.size} "
            f"records fell short, by up to {missed.max():.3g}",
        ),
        at_most(
            "alternatives_reduced_not_above_full",
            "10",
            excess.max() if excess.size else -np.inf,
            over,
            "nats; a maximum over more parameters cannot be lower",
        ),
        at_least(
            "alternatives_settled_share",
            "10",
            settled.mean(),
            bounds["settled_share_minimum"],
            f"{int((~settled).sum())} of {settled.size} fits to the paired records neither converged "
            "nor ended at a bound",
        ),
    ]


def _recovery_by_aic(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """AIC gives more records of every model to it than choosing at random would."""
    from scipy.stats import binom  # slow to import

    n_models, n_replicates = summary.sizes["generating"], summary.sizes["replicate"]
    least = binom.ppf(1.0 - float(bounds["chance_level"]), n_replicates, 1.0 / n_models) + 1
    return [
        at_least(
            f"alternatives_recovered_{name}",
            "10",
            float(summary["confusion_aic"].sel(generating=name, chosen=name)),
            least / n_replicates,
            f"share of its {n_replicates} records for which AIC chooses it; choosing at random "
            f"reaches this with probability below {bounds['chance_level']:g}",
        )
        for name in summary["generating"].values.astype(str)
    ]


def _recovery_by_bic(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """BIC gives the full model no more records of a reduced one than Wilks's theorem lets it."""
    from scipy.stats import binom, chi2  # slow to import

    sizes, n_replicates = _sizes(summary), summary.sizes["replicate"]
    log_steps = np.log(int(summary.attrs["recovery_steps"]))
    reduced = _reduced(summary["generating"].values)
    found = []
    for name in reduced:
        fewer = sizes[FULL] - sizes[name]
        wrong = chi2.sf(fewer * log_steps, fewer)
        most = binom.isf(float(bounds["family_wise_level"]) / len(reduced), n_replicates, wrong)
        found.append(
            at_most(
                f"alternatives_bic_spares_{name}",
                "10",
                float(summary["confusion_bic"].sel(generating=name, chosen=FULL)),
                most / n_replicates,
                f"share of its {n_replicates} records for which BIC chooses the full model; in theory "
                f"each does with probability {wrong:.1g}, and more in any reduced model with "
                f"probability below {bounds['family_wise_level']:g}",
            )
        )
    return found


def _brute_force(summary: xr.Dataset) -> Criterion:
    """No point of the start ranges is more likely than the fit's maximum."""
    return at_least(
        "alternatives_brute_force_finds_nothing_higher",
        "10",
        float(summary["brute_force_gap"].values[-1]),
        0.0,
        f"nats below the fit's maximum, after {summary.sizes['evaluation']} evaluations; the fit "
        f"used {int(summary['search_evaluations'].values[-1])}",
    )
