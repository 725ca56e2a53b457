"""Criteria of the many drawn agents (Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from inverse_rational_control.statistics import binomial_standard_error
from inverse_rational_control.studies.criterion import Criterion, at_least, at_most, within
from inverse_rational_control.studies.population.dataset import POPULATION
from inverse_rational_control.studies.population.search_again import SEARCH_AGAIN

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": POPULATION, "again": SEARCH_AGAIN}


def criteria(summary: xr.Dataset, again: Sequence[xr.Dataset], bounds: Mapping) -> list[Criterion]:
    """Judge the many drawn agents (Figure 7).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `population`.
    again : sequence of xarray.Dataset
        Kind `search_again`, of the drawn agents.
    bounds : mapping
        The `population.check` section of the configuration.
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
        _maxima(again, bounds),
    ]
    n_identified = int(summary["identified"].sum())
    n_parameters = summary.sizes["parameter"]
    for level in summary["level"].values:
        part = summary.sel(level=level)
        # With few agents the observed error may be zero by chance; that of independent intervals is not.
        independent = binomial_standard_error(level, max(n_identified * n_parameters, 1))
        error = np.fmax(float(part["pooled_coverage_standard_error"]), independent)
        reach = bounds["coverage_standard_errors"] * error
        found.append(
            within(
                f"population_coverage_{100 * level:g}",
                "7",
                float(part["pooled_coverage"]),
                max(0.0, level - reach),
                min(1.0, level + reach),
                f"theory: {level:g}; {bounds['coverage_standard_errors']:g} standard errors of "
                f"{error:.4f}, clustered by agent, over {n_identified} agents whose fit converged, of "
                f"{summary.sizes['agent']}",
            )
        )
    return found


def _maxima(again: Sequence[xr.Dataset], bounds: Mapping) -> Criterion:
    """How many drawn agents have a higher maximum than their fit reports."""
    missed, n_starts = {}, 0
    for searched in again:
        n_starts = searched.sizes["start"]
        higher = searched["end_log_likelihood"].max("start") - searched["reported_log_likelihood"]
        missed |= {
            int(agent): float(gain)
            for agent, gain in zip(searched["agent"].values, higher.values, strict=True)
            if not gain <= bounds["missed_nats"]
        }
    named = ", ".join(f"{agent} by {gain:.3g} nats" for agent, gain in missed.items()) or "none"
    return at_most(
        "population_maxima",
        "7",
        len(missed) if again else np.nan,
        bounds["missed_maxima_maximum"],
        f"agents of {sum(searched.sizes['agent'] for searched in again)} drawn for which {n_starts} "
        f"independent starts end more than {bounds['missed_nats']:g} nats higher: {named}",
    )
