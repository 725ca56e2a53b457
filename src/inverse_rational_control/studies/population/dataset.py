"""Datasets of the study of many agents: fixed points of their plans, and the summary of their fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from inverse_rational_control.recordings.dataset import names
from inverse_rational_control.statistics import coverage_over_records, mean_and_error
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.population.analysis import (
    coverage_band,
    interval_covers,
    rank_correlations,
    recovery_statistics,
    scores,
)

if TYPE_CHECKING:
    from inverse_rational_control.studies.population.fixed_points import FixedPoint

__all__ = [
    "FIXED_POINTS",
    "FROM_FITS",
    "POPULATION",
    "calibration",
    "fixed_points_dataset",
    "multiplicity_table",
    "population_dataset",
]

_BAND = 0.95  # probability of the binomial bands
#: What the summary shows of the fits as it is.
_AS_FITTED = (
    *("truth", "estimate", "standard_error", "interval_lower", "interval_upper", "interval_kind"),
    *("interval_evaluations", "profile_deviance_at_truth", "profile_rise"),
)

#: What the summary takes from the fits.
FROM_FITS = (
    *("truth", "estimate", "standard_error", "information", "information_positive_definite"),
    *("interval_lower", "interval_upper", "interval_kind", "interval_evaluations"),
    *("profile_deviance_at_truth", "profile_rise", "n_evaluations"),
    *("log_likelihood", "truth_log_likelihood", "status", "remarks"),
)

#: Kind `fixed_points`.
FIXED_POINTS = Contract(
    "fixed_points",
    "fixed points of drawn agents' softmax Bellman equations; the agent's own plan first",
    {
        "n_fixed_points": variable("agent", "i", "", "different fixed points found, a lower bound"),
        "radius": variable(
            "agent fixed_point", "f", "1", "spectral radius of the Bellman map there"
        ),
        "policy_difference": variable(
            "agent fixed_point", "f", "1", "largest total variation from the agent's own policy"
        ),
        "n_found": variable("agent fixed_point", "i", "", "searches that ended there"),
    },
)


def fixed_points_dataset(found: Sequence[list[FixedPoint]], agents: Sequence[int]) -> xr.Dataset:
    """Fixed points as a dataset of kind `fixed_points`.

    Parameters
    ----------
    found : sequence of list of FixedPoint
        Of each agent, at least one, its own plan first.
    agents : sequence of int
        The agents' numbers.
    """
    shape = (len(agents), max(map(len, found)))
    radius, difference = np.full((2, *shape), np.nan)
    n_found = np.zeros(shape, dtype=int)
    for k, points in enumerate(found):
        for j, point in enumerate(points):
            radius[k, j], n_found[k, j] = point.radius, point.n_found
            # Total variation between the two policies, where they differ most.
            difference[k, j] = 0.5 * np.abs(point.policy - points[0].policy).sum(1).max()
    cells = ("agent", "fixed_point")
    return xr.Dataset(
        {
            "n_fixed_points": ("agent", np.array([len(points) for points in found])),
            "radius": (cells, radius),
            "policy_difference": (cells, difference),
            "n_found": (cells, n_found),
        },
        {"agent": agents, "fixed_point": np.arange(shape[1])},
    )


def multiplicity_table(points: xr.Dataset) -> pd.DataFrame:
    """How many agents have how many fixed points: a row per number of them and of attracting ones.

    Parameters
    ----------
    points : xarray.Dataset
        Kind `fixed_points`.
    """
    attracting = (points["radius"] < 1).sum("fixed_point").values
    number = points["n_fixed_points"].values
    rows = []
    for n_points, n_attracting in sorted(set(zip(number, attracting, strict=True))):
        chosen = (number == n_points) & (attracting == n_attracting)
        radius = points["radius"].values[chosen]
        other = np.nanmax(points["policy_difference"].values[chosen, 1:], initial=0.0)
        rows.append(
            {
                "fixed points": n_points,
                "attracting": n_attracting,
                "agents": int(chosen.sum()),
                "share": round(chosen.mean(), 4),
                "radius of attracting": _range_in_words(radius[radius < 1]),
                "radius of repelling": _range_in_words(radius[radius >= 1]),
                "largest policy difference": round(float(other), 3) if n_points > 1 else "",
            }
        )
    return pd.DataFrame(rows)


def _range_in_words(values):
    return f"{values.min():.3f} to {values.max():.3f}" if values.size else ""


def _statistics(suffix, whom):
    """Variables of `recovery_statistics` over some agents."""
    return {
        f"correlation{suffix}": variable("parameter", "f", "1", f"truth with estimate, {whom}"),
        f"concordance{suffix}": variable("parameter", "f", "1", f"Lin's coefficient, {whom}"),
        f"bias{suffix}": variable("parameter", "f", "natural", f"mean error, {whom}"),
        f"bias_standard_error{suffix}": variable("parameter", "f", "natural", f"over {whom}"),
        f"rmse{suffix}": variable("parameter", "f", "natural", f"over {whom}"),
        f"median_relative_error{suffix}": variable("parameter", "f", "1", f"over {whom}"),
    }


#: Kind `population`.
POPULATION = Contract(
    "population",
    "true and estimated parameters of many drawn agents, coverage of their intervals",
    {
        "truth": variable("agent parameter", "f", "natural", "drawn parameters", finite=True),
        "estimate": variable("agent parameter", "f", "natural", "estimates"),
        "standard_error": variable("agent parameter", "f", "natural", "observed information"),
        "interval_lower": variable("agent parameter", "f", "natural", "of the fit"),
        "interval_upper": variable("agent parameter", "f", "natural", "of the fit"),
        "interval_kind": variable("agent parameter", "U", "", "wald, profile or none"),
        "profile_deviance_at_truth": variable(
            "agent parameter", "f", "nat", "2 [l_max - l_profile(truth)], NaN for Wald's intervals"
        ),
        "profile_rise": variable("agent", "f", "nat", "how far profiles came above the estimate"),
        "fit_evaluations": variable("agent", "i", "", "E-steps of the fit's starts"),
        "interval_evaluations": variable("agent", "i", "", "E-steps of profiles"),
        "z_score": variable(
            "agent parameter",
            "f",
            "1",
            "error by standard error, unconstrained; signed root of the profile deviance at the truth "
            "where intervals are by profile",
        ),
        "interval_defined": variable("agent parameter", "b", "", "the truth could be judged"),
        "covered": variable("agent parameter level", "b", "", "truth inside the interval"),
        "identified": variable("agent", "b", "", "the fit converged to an interior maximum"),
        "status": variable("agent", "U", "", "status of each fit"),
        "remarks": variable("agent", "U", "", "what is unusual about each fit, in words"),
        "log_likelihood": variable("agent", "f", "nat", "at the estimate"),
        "likelihood_ratio": variable("agent", "f", "nat", "2 [l(estimate) - l(truth)]"),
        "n_fixed_points": variable("agent", "i", "", "of the true agent's plan, a lower bound"),
        "n_attracting": variable(
            "agent", "i", "", "of these, the ones that attract value iteration"
        ),
        "radius": variable("agent fixed_point", "f", "1", "spectral radius, the own plan's first"),
        "policy_difference": variable(
            "agent fixed_point", "f", "1", "largest total variation from the own policy"
        ),
        **_statistics("", "all agents"),
        **_statistics("_interior", "agents whose fit converged"),
        "truth_correlation": variable(
            "parameter parameter_other",
            "f",
            "1",
            "rank correlation of estimates with truths (other)",
        ),
        "estimate_correlation": variable(
            "parameter parameter_other", "f", "1", "rank correlation of estimates over agents"
        ),
        "z_mean": variable("parameter", "f", "1", "of z_score, all agents that have one"),
        "z_mean_standard_error": variable("parameter", "f", "1", "over agents"),
        "z_standard_deviation": variable("parameter", "f", "1", "of z_score, all agents"),
        "coverage": variable("parameter level", "f", "1", "share of agents whose interval covers"),
        "coverage_band_lower": variable("level", "f", "1", "binomial band of a parameter's share"),
        "coverage_band_upper": variable("level", "f", "1", "binomial band of a parameter's share"),
        "pooled_coverage": variable("level", "f", "1", "over all parameters"),
        "pooled_coverage_standard_error": variable("level", "f", "1", "clustered by agent"),
    },
    {},
    ("band_probability",),
)


def population_dataset(fits: xr.Dataset, points: xr.Dataset, levels: Sequence[float]) -> xr.Dataset:
    """Recovery, coverage and z-scores of all agents as a dataset of kind `population`.

    Parameters
    ----------
    fits : xarray.Dataset
        `FROM_FITS` of every agent's fit, along the dimension `agent`.
    points : xarray.Dataset
        Kind `fixed_points`, the same agents.
    levels : sequence of float
        Confidence levels, in (0, 1).
    """
    levels = sorted(levels)
    truth, estimate = fits["truth"].values, fits["estimate"].values
    status = fits["status"].values.astype(str)
    definite = fits["information_positive_definite"].values.astype(bool)
    identified = (status == "converged") & definite
    wald = (fits["interval_kind"].values.astype(str) == "wald").all(1)
    deviance = fits["profile_deviance_at_truth"].values
    z = scores(truth, estimate, fits["information"].values, wald, deviance)
    ratio = 2.0 * (fits["log_likelihood"] - fits["truth_log_likelihood"]).values
    found = np.isfinite(estimate).all(1)
    statistics = recovery_statistics(truth[found], estimate[found])
    interior = recovery_statistics(truth[identified], estimate[identified])
    statistics |= {f"{name}_interior": values for name, values in interior.items()}
    return xr.Dataset(
        {
            **{name: fits[name].variable for name in _AS_FITTED},
            "fit_evaluations": (
                "agent",
                fits["n_evaluations"].fillna(0).sum("start").values.astype(int),
            ),
            "identified": ("agent", identified),
            "status": ("agent", status.astype(object)),
            "remarks": ("agent", fits["remarks"].values.astype(object)),
            "log_likelihood": fits["log_likelihood"].variable,
            "likelihood_ratio": ("agent", ratio),
            **{name: points[name].variable for name in ("n_fixed_points", "radius")},
            "n_attracting": ("agent", (points["radius"] < 1).sum("fixed_point").values),
            "policy_difference": points["policy_difference"].variable,
            **{name: ("parameter", values) for name, values in statistics.items()},
            "truth_correlation": (
                ("parameter", "parameter_other"),
                rank_correlations(estimate, truth),
            ),
            "estimate_correlation": (
                ("parameter", "parameter_other"),
                rank_correlations(estimate, estimate),
            ),
            **calibration(z, levels),
        },
        {
            "agent": fits["agent"].values,
            "parameter": names(),
            "parameter_other": names(),
            "level": levels,
        },
        {"band_probability": _BAND},
    )


def calibration(z: np.ndarray, levels: Sequence[float]) -> dict[str, tuple]:
    """Variables of kind `population` that say how well the intervals of everyone cover.

    Parameters
    ----------
    z : ndarray, shape (agents, parameters)
        NaN where there is no interval: it counts as one that does not hold the truth.
    levels : sequence of float
    """
    covered, everyone = interval_covers(z, levels), np.ones(z.shape, dtype=bool)
    pooled = [coverage_over_records(covered[..., k], everyone) for k in range(len(levels))]
    pooled = np.array(pooled)
    band = coverage_band(len(z), levels, _BAND)
    z_mean, z_error = mean_and_error(z)
    count = np.isfinite(z).sum(0)
    return {
        "z_score": (("agent", "parameter"), z),
        "interval_defined": (("agent", "parameter"), np.isfinite(z)),
        "z_mean": ("parameter", z_mean),
        "z_mean_standard_error": ("parameter", z_error),
        "z_standard_deviation": ("parameter", z_error * np.sqrt(count)),
        "covered": (("agent", "parameter", "level"), covered),
        "coverage": (("parameter", "level"), covered.mean(0)),
        "coverage_band_lower": ("level", band[:, 0]),
        "coverage_band_upper": ("level", band[:, 1]),
        "pooled_coverage": ("level", pooled[:, 0]),
        "pooled_coverage_standard_error": ("level", pooled[:, 1]),
    }
