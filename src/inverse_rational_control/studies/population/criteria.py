"""Criteria of the many drawn agents (Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from inverse_rational_control.statistics import binomial_standard_error
from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    not_judged,
    too_few,
    within,
)
from inverse_rational_control.studies.population.dataset import POPULATION
from inverse_rational_control.studies.population.search_again import SEARCH_AGAIN

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": POPULATION, "again": SEARCH_AGAIN, "slow": SEARCH_AGAIN}


def criteria(
    summary: xr.Dataset,
    again: Sequence[xr.Dataset],
    bounds: Mapping,
    slow: Sequence[xr.Dataset] = (),
) -> list[Criterion]:
    """Judge the many drawn agents (Figure 7).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `population`.
    again : sequence of xarray.Dataset
        Kind `search_again`, of the drawn agents.
    bounds : mapping
        The `population.check` section of the configuration.
    slow : sequence of xarray.Dataset
        Kind `search_again`, of the slow agents.
    """
    ratio = summary["likelihood_ratio"].values
    found = [
        at_least(
            "population_likelihood_share",
            "7",
            (ratio >= 0).mean(),
            bounds["likelihood_share_minimum"],
            f"share of {ratio.size} agents whose fit is at least as likely as their true parameters, "
            "as a maximum must be",
        ),
        _maxima("population_maxima", again, bounds),
        *_slow(slow, bounds),
    ]
    found += _coverage(summary, bounds)
    found += _parameters(summary, bounds)
    # No profile lies below the likelihood of the truth, which is one of its points.
    excess = summary["profile_deviance_at_truth"] - ratio[:, None] - 2.0 * summary["profile_rise"]
    profiled = np.isfinite(excess.values)
    if profiled.any():
        found.append(
            at_most(
                "population_profile_below_truth",
                "7",
                float(excess.max()),
                bounds["profile_tolerance"],
                f"nats by which twice the fall of a profile at the truth exceeds that of the "
                f"likelihood there, over {int(profiled.sum())} parameters: more means that a search "
                "with the parameter held ended too low",
            )
        )
    return found


def _coverage(summary, bounds):
    """Coverage of each level, over everyone, two-sided."""
    n_agents, n_parameters = summary.sizes["agent"], summary.sizes["parameter"]
    kind = summary["interval_kind"].values.astype(str)
    said = too_few(n_agents, "agents")
    missing = int((~summary["interval_defined"].values.astype(bool)).sum())
    found = []
    for level in summary["level"].values:
        name = f"population_coverage_{100 * level:g}"
        if said:
            found.append(not_judged(name, "7", said))
            continue
        part = summary.sel(level=level)
        # With few agents the observed error may be zero by chance; that of independent intervals is not.
        independent = binomial_standard_error(level, n_agents * n_parameters)
        error = np.fmax(float(part["pooled_coverage_standard_error"]), independent)
        reach = bounds["coverage_standard_errors"] * error
        found.append(
            within(
                name,
                "7",
                float(part["pooled_coverage"]),
                max(0.0, level - reach),
                min(1.0, level + reach),
                f"theory: {level:g}; {bounds['coverage_standard_errors']:g} standard errors of "
                f"{error:.4f}, clustered by agent, over all {n_agents} agents: "
                f"{int((kind != 'wald').any(1).sum())} with intervals by profile likelihood; "
                f"{missing} of {kind.size} intervals were not found, and count as misses",
            )
        )
    return found


def _parameters(summary, bounds):
    """Each parameter by itself: no bias, and its estimates follow its own truth and no other's."""
    said = too_few(summary.sizes["agent"], "agents")
    if said:
        return [not_judged(name, "7", said) for name in ("population_bias", "population_own_truth")]
    mean, error = summary["z_mean"].values, summary["z_mean_standard_error"].values
    beyond = np.abs(mean) - bounds["bias_standard_errors"] * error
    worst = int(np.argmax(np.where(np.isnan(beyond), np.inf, beyond)))
    names = summary["parameter"].values
    own, other = _own_and_other(summary["truth_correlation"].values)
    closest = int(np.argmin(np.where(np.isnan(own - other), -np.inf, own - other)))
    return [
        at_most(
            "population_bias",
            "7",
            beyond[worst],
            bounds["bias_maximum"],
            f"mean error by standard error, {names[worst]}: |{mean[worst]:.3f}| less "
            f"{bounds['bias_standard_errors']:g} standard errors of {error[worst]:.3f}, over all "
            "agents; the largest over parameters",
        ),
        at_least(
            "population_own_truth",
            "7",
            own[closest] - other[closest],
            bounds["own_truth_margin"],
            f"rank correlation over all agents of {names[closest]} with its own truth, "
            f"{own[closest]:.3f}, less the largest with another parameter's, {other[closest]:.3f}; the "
            "least over parameters",
        ),
    ]


def _own_and_other(correlation):
    """Of each estimate (row) with its own truth, and the largest with another's."""
    own = np.diag(correlation)
    other = np.where(np.eye(len(correlation), dtype=bool), -np.inf, correlation)
    return own, other.max(1)


def _slow(slow: Sequence[xr.Dataset], bounds: Mapping) -> list[Criterion]:
    """Slow agents: no maximum is missed, and nearly every start by itself reaches it."""
    names = ("population_slow_maxima", "population_slow_starts")
    if not slow:
        return [not_judged(name, "7", "no slow agents") for name in names]
    shares = {}
    for searched in slow:
        ends = searched["end_log_likelihood"]
        highest = np.fmax(ends.max("start"), searched["reported_log_likelihood"])
        reached = (ends >= highest - bounds["missed_nats"]).mean("start")
        shares |= dict(zip(searched["agent"].values.tolist(), reached.values.tolist(), strict=True))
    least = min(shares, key=shares.get)
    return [
        _maxima(names[0], slow, bounds),
        at_least(
            names[1],
            "7",
            shares[least],
            bounds["slow_reached_minimum"],
            f"share of starts on the record of {least} that end within {bounds['missed_nats']:g} nats "
            f"of the highest end, the least over {len(shares)} slow agents",
        ),
    ]


def _maxima(name: str, again: Sequence[xr.Dataset], bounds: Mapping) -> Criterion:
    """How many agents that were searched again have a higher maximum than their fit reports."""
    missed, n_starts = {}, 0
    for searched in again:
        n_starts = searched.sizes["start"]
        higher = searched["end_log_likelihood"].max("start") - searched["reported_log_likelihood"]
        missed |= {
            agent: gain
            for agent, gain in zip(searched["agent"].values.tolist(), higher.values, strict=True)
            if not gain <= bounds["missed_nats"]
        }
    named = ", ".join(f"{agent} by {gain:.3g} nats" for agent, gain in missed.items()) or "none"
    return at_most(
        name,
        "7",
        len(missed) if again else np.nan,
        bounds["missed_maxima_maximum"],
        f"agents of {sum(searched.sizes['agent'] for searched in again)} for which {n_starts} "
        f"independent starts end more than {bounds['missed_nats']:g} nats higher: {named}",
    )
