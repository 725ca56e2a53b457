"""Collect the recovery study's fits: errors, slopes, coverage over seeds and data lengths."""

from itertools import islice

import numpy as np
import xarray as xr

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import names, read_batches
from inverse_rational_control.statistics import coverage_over_seeds, root_mean_square
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.recovery.analysis import efficiency, error_scaling
from inverse_rational_control.studies.recovery.dataset import EXPECTED_INFORMATION, RECOVERY
from inverse_rational_control.workflow import run

_OUTLIER = 4.0  # Cramer-Rao bounds
_FROM_FITS = (
    *("estimate", "standard_error", "interval_lower", "interval_upper", "truth"),
    *("truth_log_likelihood", "log_likelihood", "status", "end_log_likelihood"),
)


def main(config, fits, information, lengths, n_files, slope_from, agreement_nats, summary):
    """Write the summary.

    `fits` are batch files, `n_files` of them for each length. Where a seed was not fitted at a length,
    numbers are NaN and the status is empty.
    """
    files = iter(fits)
    batches = [read_batches(islice(files, number), FIT, _FROM_FITS) for number in n_files]
    fits = xr.concat(
        batches, xr.Variable("n_steps", lengths), join="outer", fill_value={"status": ""}
    ).transpose("seed", "n_steps", ...)
    truth = fits["truth"].values[0, 0]
    status = fits["status"].values.astype(str)
    at_bound = status == "at_bound"
    estimate = fits["estimate"].values
    error = estimate - truth
    lower, upper = fits["interval_lower"].values, fits["interval_upper"].values
    defined = np.isfinite(lower) & np.isfinite(upper) & (status == "converged")[..., None]
    covered = defined & (lower <= truth) & (truth <= upper)
    interior = np.where((status == "converged")[..., None], error, np.nan)
    long_enough = np.array(lengths) >= slope_from
    scaling = error_scaling(
        interior[:, long_enough],
        np.array(lengths)[long_enough],
        stream(config["root_seed"], "recovery", "bootstrap"),
    )
    best = fits["log_likelihood"].values[..., None]
    ends = fits["end_log_likelihood"].values
    agreeing = (ends >= best - agreement_nats).sum(-1) / np.maximum(np.isfinite(ends).sum(-1), 1)
    fitted = status != ""
    bound = read(information, EXPECTED_INFORMATION)
    rng = stream(config["root_seed"], "recovery", "efficiency")
    efficiencies = [
        efficiency(interior[:, k], bound["bound"].values[k], rng) for k in range(len(lengths))
    ]
    with np.errstate(invalid="ignore"):
        outlying = (np.abs(interior) > _OUTLIER * bound["bound"].values).any(-1)
    coverage = [coverage_over_seeds(covered[:, k], defined[:, k]) for k in range(len(lengths))]
    cells = ("seed", "n_steps")
    result = xr.Dataset(
        {
            "truth": ("parameter", truth),
            "estimate": ((*cells, "parameter"), estimate),
            "error": ((*cells, "parameter"), error),
            "standard_error": ((*cells, "parameter"), fits["standard_error"].values),
            "covered": ((*cells, "parameter"), covered),
            "interval_defined": ((*cells, "parameter"), defined),
            "status": (cells, status.astype(object)),
            "likelihood_ratio": (
                cells,
                2.0 * (fits["log_likelihood"] - fits["truth_log_likelihood"]).values,
            ),
            "starts_agreeing": (cells, agreeing),
            "rmse": (("n_steps", "parameter"), root_mean_square(error)),
            "rmse_interior": (("n_steps", "parameter"), root_mean_square(interior)),
            "at_bound_count": ("n_steps", at_bound.sum(0)),
            "unconverged_count": ("n_steps", (fitted & ~at_bound & (status != "converged")).sum(0)),
            "fitted_count": ("n_steps", fitted.sum(0)),
            "outlier_count": ("n_steps", outlying.sum(0)),
            "bound": (("n_steps", "parameter"), bound["bound"].values),
            "bound_standard_error": (
                ("n_steps", "parameter"),
                bound["bound_standard_error"].values,
            ),
            "efficiency": (("n_steps", "parameter"), np.array([e[0] for e in efficiencies])),
            "efficiency_standard_error": (
                ("n_steps", "parameter"),
                np.array([e[1] for e in efficiencies]),
            ),
            "mean_efficiency": ("n_steps", np.array([e[2] for e in efficiencies])),
            "mean_efficiency_standard_error": ("n_steps", np.array([e[3] for e in efficiencies])),
            "slope": ("parameter", scaling.slope),
            "slope_standard_error": ("parameter", scaling.slope_standard_error),
            "pooled_slope": ((), scaling.pooled_slope),
            "pooled_slope_standard_error": ((), scaling.pooled_slope_standard_error),
            "coverage": ("n_steps", np.array([share for share, _ in coverage])),
            "coverage_standard_error": ("n_steps", np.array([error for _, error in coverage])),
        },
        {"seed": fits["seed"].values, "n_steps": lengths, "parameter": names()},
        {"slope_from": slope_from, "confidence_level": config["fitting"]["confidence_level"]},
    )
    write(result.assign_attrs(provenance(config)), summary, RECOVERY)


if __name__ == "__main__":
    run(main, snakemake)
