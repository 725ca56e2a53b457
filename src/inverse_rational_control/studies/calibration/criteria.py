"""Criteria of the posterior's calibration (Figure 12)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from inverse_rational_control.statistics import binomial_standard_error
from inverse_rational_control.studies.calibration.analysis import band_of_counts
from inverse_rational_control.studies.calibration.dataset import CALIBRATION
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
INPUTS = {"summary": CALIBRATION}

_USABLE = ("converged", "rough")
#: What each agent says by itself, or with a band that knows how few they are.
_OF_ANY_NUMBER = ("calibration_ranks", "calibration_gradient_error")


def criteria(summary: xr.Dataset, bounds: Mapping) -> list[Criterion]:
    """Judge the posteriors of agents drawn from the prior (Figure 12).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `calibration`.
    bounds : mapping
        The `calibration.check` section of the configuration.
    """
    status = summary["status"].values.astype(str)
    found = [
        at_least(
            "calibration_usable_share",
            "12",
            np.isin(status, _USABLE).mean(),
            bounds["usable_share_minimum"],
            f"share of {status.size} posteriors that converged or are rough; the others stay in all "
            "that follows, if they have draws",
        ),
        _ranks(summary, bounds["family_wise_level"]),
        _spread(summary, bounds["standard_errors"]),
        *_coverage(summary, bounds["standard_errors"]),
        _beliefs(summary, bounds["standard_errors"]),
        at_most(
            "calibration_gradient_error",
            "12",
            _median(summary["gradient_error"].values),
            bounds["gradient_error_maximum"],
            "median over agents, of the gradient against central differences of the log density; "
            "median and not maximum, because differences across a jump are none",
        ),
    ]
    said = too_few(status.size, "agents")
    if not said:
        return found
    return [
        found_one if found_one.name in _OF_ANY_NUMBER else not_judged(found_one.name, "12", said)
        for found_one in found
    ]


def _ranks(summary, level):
    n_agents = int((summary["rank"] >= 0).all("quantity").sum())
    n_draws, n_quantities = summary.sizes["place"], summary.sizes["quantity"]
    outside, said = np.nan, ""
    if n_agents:
        lower, upper = band_of_counts(n_agents, n_draws, level / n_quantities)
        counts = summary["counts"].transpose("quantity", "place").values
        out = ((counts < lower) | (counts > upper)).any(1)
        outside = out.sum()
        said = ", ".join(summary["quantity"].values[out])
    return at_most(
        "calibration_ranks",
        "12",
        outside,
        0,
        f"rank distributions that leave their simultaneous band{said and f': {said}'}; over "
        f"{n_agents} agents, one of {n_quantities} does so by chance with probability {level:g}",
    )


def _around(name, found, theory, reach, why):
    return within(f"calibration_{name}", "12", found, theory - reach, theory + reach, why)


def _spread(summary, standard_errors):
    error = float(summary["spread_standard_error"])
    return _around(
        "rank_spread",
        summary["spread"],
        1.0,
        standard_errors * error,
        f"variance of the parameters' ranks by that of uniform ones; {standard_errors:g} standard "
        f"errors of {error:.4f}, clustered by agent; above: posteriors too narrow",
    )


def _coverage(summary, standard_errors):
    n_intervals = int((summary["rank"] >= 0).all("quantity").sum()) * summary.sizes["parameter"]
    for level in summary["level"].values:
        part = summary.sel(level=level)
        # With few agents the observed error may be zero by chance; that of independent intervals is not.
        independent = binomial_standard_error(level, max(n_intervals, 1))
        error = np.fmax(float(part["pooled_coverage_standard_error"]), independent)
        reach = standard_errors * error
        yield within(
            f"calibration_coverage_{100 * level:g}",
            "12",
            part["pooled_coverage"],
            max(0.0, level - reach),
            min(1.0, level + reach),
            f"central intervals that hold the truth; {standard_errors:g} standard errors of "
            f"{error:.4f}, clustered by agent",
        )


def _beliefs(summary, standard_errors):
    part = summary.sel(decoder="mixture")
    error = float(part["belief_excess_standard_error"])
    return _around(
        "belief_sets",
        part["belief_excess"],
        0.0,
        standard_errors * error,
        "share of true beliefs in credible sets under all draws together, less the mass of these "
        f"sets; {standard_errors:g} standard errors of {error:.4f}, over agents",
    )


def _median(values):
    """Median of what is known; NaN if nothing is."""
    known = values[np.isfinite(values)]
    return np.median(known) if known.size else np.nan
