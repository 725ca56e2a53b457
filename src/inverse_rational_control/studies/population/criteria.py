"""Criteria of the many drawn agents (Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.statistics import binomial_standard_error
from inverse_rational_control.studies.criterion import Criterion, at_least, not_judged, within
from inverse_rational_control.studies.population.dataset import POPULATION

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"summary": POPULATION}

_LEAST_AGENTS = 20  # fewer say too little about a share


def criteria(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Judge the many drawn agents (Figure 7).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `population`.
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
        )
    ]
    n_identified = int(summary["identified"].sum())
    n_parameters = summary.sizes["parameter"]
    for level in summary["level"].values:
        name = f"population_coverage_{100 * level:g}"
        if summary.sizes["agent"] < _LEAST_AGENTS:
            said = f"{summary.sizes['agent']} agents; judged from {_LEAST_AGENTS} on"
            found.append(not_judged(name, "7", said))
            continue
        part = summary.sel(level=level)
        # With few agents the observed error may be zero by chance; that of independent intervals is not.
        independent = binomial_standard_error(level, max(n_identified * n_parameters, 1))
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
                f"{error:.4f}, clustered by agent, over {n_identified} agents whose fit converged, of "
                f"{summary.sizes['agent']}",
            )
        )
    return found
