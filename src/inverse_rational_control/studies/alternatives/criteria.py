"""Criteria of the alternatives beside the full model (Figure 10)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.alternative_models import BASELINES, FULL
from inverse_rational_control.studies.alternatives.dataset import ALTERNATIVES
from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    not_judged,
    too_few,
    within,
)

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": ALTERNATIVES}

#: Fewer say too little.
_LEAST_PAIRS, _LEAST_REPLICATES = 5, 10


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
        *_recovery(summary, bounds),
    ]


def _sizes(summary: xr.Dataset) -> dict[str, int]:
    """Number of free parameters of every model."""
    return dict(
        zip(summary["model"].values.astype(str), summary["n_parameters"].values, strict=True)
    )


def _reduced(names: np.ndarray) -> list[str]:
    """Those of some models that are the agent's, held or tied in some parameters."""
    return [name for name in names.astype(str) if name not in (FULL, *BASELINES)]


def _too_short(n_steps: int, bounds: Mapping) -> str:
    least = bounds["asymptotic_from"]
    said = f"records of {n_steps} steps; judged from {least} on, since theory is of long records"
    return said if n_steps < least else ""


def _prediction(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """A true model predicts better by what its fewer parameters save, a wrong one predicts worse."""
    sizes = _sizes(summary)
    n_steps, n_pairs = int(summary.attrs["n_steps"]), summary.sizes["pair"]
    reach = float(bounds["standard_errors"])
    reason = too_few(n_pairs, "pairs of records", _LEAST_PAIRS) or _too_short(n_steps, bounds)
    found, wrong = [], {}
    for name in sizes:
        if name == FULL:
            continue
        part = summary.sel(model=name)
        # Of the full model over the alternative, on the whole held-out record.
        gain = -n_steps * float(part["held_out_mean"])
        error = n_steps * float(part["held_out_standard_error"])
        saved = 0.5 * max(0, int(sizes[FULL] - sizes[name]))
        if part["well_specified"]:
            label = f"alternatives_held_out_gain_over_{name}"
            why = (
                f"nats of a held-out record; theory: of a true model {-saved:g}, half a nat for each "
                f"of its {2 * saved:g} fewer parameters; {reach:g} standard errors of {error:.2g} over "
                f"{n_pairs} pairs"
            )
            low, high = -saved - reach * error, -saved + reach * error
            found.append(
                not_judged(label, "10", reason)
                if reason
                else within(label, "10", gain, low, high, why)
            )
        elif not part["is_free"].all():
            # Tied parameters can average: only held values, or none of the agent's, are wrong for sure.
            wrong[name] = gain / error if error > 0 else np.nan
    if wrong:
        label = "alternatives_wrong_ones_predict_worse"
        why = (
            "standard errors by which the full model predicts held-out records better; smallest over "
            "models that hold wrong values or have no memory: "
            f"{', '.join(f'{name} {value:.3g}' for name, value in wrong.items())}"
        )
        found.append(
            not_judged(label, "10", reason)
            if reason
            else at_least(label, "10", min(wrong.values()), reach, why)
        )
    return found


def _maxima(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Fits ended where they should: the full model's above all reduced ones', and nothing is higher."""
    over = float(bounds["nested_tolerance"])
    # A baseline is none of the agent's models: it may be above.
    reduced = _reduced(summary["model"].values)
    excess = summary["excess_log_likelihood"].sel(model=reduced).values
    missed = summary["missed"].values
    recovery_missed = summary["recovery_missed"].values
    short = _too_short(int(summary.attrs["n_steps"]), bounds)
    return [
        not_judged("alternatives_full_maximum_missed", "10", short)
        if short
        else at_most(
            "alternatives_full_maximum_missed",
            "10",
            np.max([missed.max(), excess.max(initial=-np.inf)]),
            over,
            "nats by which the full model's own starts fell short of what was then found from a reduced "
            "model's estimate, or a reduced model ends above the full one; largest over pairs",
        ),
        _share(
            "alternatives_recovery_maxima_missed",
            recovery_missed <= over,
            1.0 - bounds["missed_share_maximum"],
            _too_short(int(summary.attrs["recovery_steps"]), bounds),
            f"of the model recovery's {recovery_missed.size} records: the full model's own starts came "
            f"within {over:g} nats of what was then found; at most {np.max(recovery_missed):.3g} short",
        ),
        _settled(summary, bounds),
        at_least(
            "alternatives_independent_search_finds_nothing_higher",
            "10",
            float(summary["polished_gap"]),
            -over,
            f"nats by which the fit's maximum exceeds where a climb from the best of "
            f"{summary.sizes['evaluation']} points over the start ranges ends; the best point itself "
            f"is {float(summary['brute_force_gap'].values[-1]):.3g} nats below the maximum",
        ),
    ]


def _share(name, good, least, reason, why) -> Criterion:
    if reason:
        return not_judged(name, "10", reason)
    return at_least(name, "10", np.mean(good), least, f"share {why}")


def _settled(summary: xr.Dataset, bounds: Mapping) -> Criterion:
    """Fits of the paired records, and of the model that made a record of the model recovery."""
    paired, recovered = summary["status"].values, summary["recovery_status"].values
    # Wrong models creep along ridges: stated, not judged.
    own = [recovered[k, :, k] for k in range(len(recovered))]
    judged = np.concatenate([paired.ravel(), *own]).astype(str)
    words = "converged", "at_bound"
    settled, all_recovered = np.isin(judged, words), np.isin(recovered.astype(str), words)
    return _share(
        "alternatives_settled_share",
        settled,
        bounds["settled_share_minimum"],
        "",
        f"of {settled.size} fits that converged or ended at a bound: to the paired records, and to "
        "those of the model recovery of the model that made them; of all fits of the model recovery "
        f"{int((~all_recovered).sum())} of {all_recovered.size} did not",
    )


_IN_WORDS = {"aic": "AIC", "evidence": "the evidence"}


def _recovery(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """AIC and evidence give records to the model that made them; BIC spares reduced models."""
    from scipy.stats import binom, chi2  # slow to import

    names, n_replicates = summary["generating"].values.astype(str), summary.sizes["replicate"]
    aic, bic = "alternatives_aic_recovers_every_model", "alternatives_bic_spares_reduced_models"
    evidence = "alternatives_evidence_recovers_every_agents_model"
    reason = too_few(n_replicates, "records per model", _LEAST_REPLICATES)
    if reason:
        return [not_judged(name, "10", reason) for name in (aic, bic, evidence)]
    own = {
        by: np.array(
            [float(summary[f"confusion_{by}"].sel(generating=name, chosen=name)) for name in names]
        )
        for by in ("aic", "bic", "evidence")
    }
    # A baseline's prior is its own, so that its evidence is not compared but stated.
    of_agent = ~np.isin(names, BASELINES)
    found = []
    for label, by, judged in (
        (aic, "aic", np.ones(names.size, dtype=bool)),
        (evidence, "evidence", of_agent),
    ):
        each = bounds["chance_level"] / judged.sum()
        least = binom.isf(each, n_replicates, 1.0 / names.size) + 1
        found.append(
            at_least(
                label,
                "10",
                own[by][judged].min(),
                least / n_replicates,
                f"share of a model's {n_replicates} records for which {_IN_WORDS[by]} chooses it, "
                f"smallest over {_listed(names[judged], own[by][judged])}; choosing at random reaches "
                f"this for any of them with probability below {bounds['chance_level']:g}. In all: "
                f"{_listed(names, own[by])}",
            )
        )
    sizes, reduced = _sizes(summary), _reduced(summary["generating"].values)
    if not reduced:
        return [*found, not_judged(bic, "10", "there is no reduced model")]
    probability = []
    for name in reduced:
        fewer = sizes[FULL] - sizes[name]
        wrong = chi2.sf(fewer * np.log(int(summary.attrs["recovery_steps"])), fewer)
        share = float(summary["confusion_bic"].sel(generating=name, chosen=FULL))
        probability.append(binom.sf(np.round(share * n_replicates) - 1, n_replicates, wrong))
    found.append(
        at_least(
            bic,
            "10",
            min(probability),
            bounds["family_wise_level"] / len(reduced),
            "smallest probability, by Wilks's theorem, that BIC gives so many records of a reduced "
            f"model to the full one: {_listed(reduced, probability)}. BIC recovers "
            f"{_listed(names, own['bic'])}",
        )
    )
    return found


def _listed(names, values) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in zip(names, values, strict=True))
