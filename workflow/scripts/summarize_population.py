"""Collect the drawn agents' fits and fixed points: recovery, coverage, z-scores, multiplicity."""

import numpy as np
import pandas as pd
import xarray as xr

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import names, read_batches
from inverse_rational_control.statistics import coverage_over_seeds
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.population.analysis import (
    coverage_band,
    interval_covers,
    recovery_statistics,
    z_scores,
)
from inverse_rational_control.studies.population.dataset import FIXED_POINTS, POPULATION
from inverse_rational_control.workflow import rule_log, written_whole

BAND = 0.95  # probability of the binomial bands
FROM_FITS = (
    "truth",
    "estimate",
    "standard_error",
    "information",
    "information_positive_definite",
    "log_likelihood",
    "truth_log_likelihood",
    "status",
    "remarks",
)


def multiplicity_table(points):
    """How many agents have how many fixed points: a row per number of them and of attracting ones."""
    attracting = (points["radius"] < 1).sum("fixed_point").values
    number = points["n_fixed_points"].values
    rows = []
    for n_points, n_attracting in sorted(set(zip(number, attracting, strict=True))):
        chosen = (number == n_points) & (attracting == n_attracting)
        radius = points["radius"].values[chosen]
        other = np.nanmax(points["policy_difference"].values[chosen, 1:], initial=0.0)
        attract, repel = radius[radius < 1], radius[radius >= 1]
        rows.append(
            {
                "fixed points": n_points,
                "attracting": n_attracting,
                "agents": int(chosen.sum()),
                "share": round(chosen.mean(), 4),
                "radius of attracting": spread_in_words(attract),
                "radius of repelling": spread_in_words(repel),
                "largest policy difference": round(float(other), 3) if n_points > 1 else "",
            }
        )
    return pd.DataFrame(rows)


def spread_in_words(values):
    """Smallest to largest."""
    if not values.size:
        return ""
    return f"{values.min():.3f} to {values.max():.3f}"


def main(config, fits, fixed_points, levels, summary, table):
    """Write the summary and the table of fixed points."""
    fits = read_batches(fits, FIT, FROM_FITS)
    points = read_batches(fixed_points, FIXED_POINTS)
    levels = sorted(levels)
    status = fits["status"].values.astype(str)
    truth, estimate = fits["truth"].values, fits["estimate"].values
    identified = (status == "converged") & fits["information_positive_definite"].values.astype(bool)
    z = np.full_like(estimate, np.nan)
    z[identified] = z_scores(
        estimate[identified], truth[identified], fits["information"].values[identified]
    )
    covered = interval_covers(z, levels)
    defined = np.broadcast_to(identified[:, None], z.shape)
    pooled = [coverage_over_seeds(covered[..., k], defined) for k in range(len(levels))]
    band = coverage_band(int(identified.sum()), levels, BAND)
    statistics = recovery_statistics(truth[identified], estimate[identified])
    enough = identified.sum() > 1
    nothing = np.full(z.shape[1], np.nan)
    cells = ("agent", "parameter")
    result = xr.Dataset(
        {
            "truth": (cells, truth),
            "estimate": (cells, estimate),
            "standard_error": (cells, fits["standard_error"].values),
            "z_score": (cells, z),
            "covered": ((*cells, "level"), covered),
            "identified": ("agent", identified),
            "status": ("agent", status.astype(object)),
            "remarks": ("agent", fits["remarks"].values.astype(object)),
            "log_likelihood": ("agent", fits["log_likelihood"].values),
            "likelihood_ratio": (
                "agent",
                2.0 * (fits["log_likelihood"] - fits["truth_log_likelihood"]).values,
            ),
            "n_fixed_points": ("agent", points["n_fixed_points"].values),
            "n_attracting": ("agent", (points["radius"] < 1).sum("fixed_point").values),
            "radius": (("agent", "fixed_point"), points["radius"].values),
            "policy_difference": (("agent", "fixed_point"), points["policy_difference"].values),
            **{name: ("parameter", values) for name, values in statistics.items()},
            "z_mean": ("parameter", z[identified].mean(0) if enough else nothing),
            "z_standard_deviation": (
                "parameter",
                z[identified].std(0, ddof=1) if enough else nothing,
            ),
            "coverage": (
                ("parameter", "level"),
                covered[identified].mean(0) if enough else np.full(covered.shape[1:], np.nan),
            ),
            "coverage_band_lower": ("level", band[:, 0]),
            "coverage_band_upper": ("level", band[:, 1]),
            "pooled_coverage": ("level", np.array([share for share, _ in pooled])),
            "pooled_coverage_standard_error": ("level", np.array([error for _, error in pooled])),
        },
        {"agent": fits["seed"].values, "parameter": names(), "level": levels},
        {"band_probability": BAND},
    )
    write(result.assign_attrs(provenance(config)), summary, POPULATION)
    with written_whole(table) as beside:
        multiplicity_table(points).to_csv(beside, index=False)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.params.config,
            snakemake.input.fits,
            snakemake.input.fixed_points,
            snakemake.params.levels,
            snakemake.output.summary,
            snakemake.output.fixed_points,
        )
