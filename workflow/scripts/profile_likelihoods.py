"""Profile likelihoods of one fit: each of a few coordinates held fixed, all others re-optimized."""

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.inference.profiles import trace_profile, wald_standard_deviation
from inverse_rational_control.parameters import unconstrained
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.identifiability.analysis import (
    information_spectrum,
    profile_names,
)
from inverse_rational_control.studies.identifiability.dataset import PROFILES, profiles_dataset
from inverse_rational_control.workflow import UserError, rule_log


def main(config, record, fit, indices, points_per_side, reach, output, log):
    """Trace the profiles of `indices` (the ten parameters, then the weakest direction).

    Each has `points_per_side` points on either side, out to `reach` standard errors of Wald's; where the
    truth is known, one more at it.
    """
    dataset, fitted = read(record, RECORD), read_estimate(fit)
    objective = ForagingObjective(record_from_dataset(dataset), task_from_dataset(dataset))
    settings = FitSettings(**config["fitting"])
    information = fitted["information"].values
    if not np.isfinite(information).all():
        raise UserError(f"{fit}: variable 'information': found no numbers, so nothing is profiled")
    estimate = fitted["estimate"].values
    best = float(fitted["log_likelihood"]), bool(fitted["converged"])
    weakest = information_spectrum(information).directions[0]
    directions = np.vstack([np.eye(estimate.size), weakest])
    fractions = np.arange(1, points_per_side + 1) / points_per_side

    def trace(direction, offsets):
        return trace_profile(objective, estimate, *best, information, direction, offsets, settings)

    profiles, spreads, at_truth = [], [], []
    for index in indices:
        direction = directions[index]
        spread = wald_standard_deviation(information, direction)
        profile = trace(direction, reach * spread * np.concatenate([-fractions, fractions]))
        profiles.append(profile)
        spreads.append(spread)
        if "truth" in fitted:
            apart = unconstrained(fitted["truth"].values) - unconstrained(estimate)
            offset = float(direction @ apart)
            # Straight from the estimate: does not lean on the points in between.
            at_truth.append(trace(direction, [offset] if offset else []))
        log.info(
            "%s: %d of %d points converged, %d E-steps",
            profile_names()[index],
            profile.converged.sum(),
            profile.converged.size,
            profile.n_evaluations.sum(),
        )
        for offset, reason, converged in zip(
            profile.offset, profile.stop_reason, profile.converged, strict=True
        ):
            if not converged:
                log.warning("%s at offset %.4g: %s", profile_names()[index], offset, reason)
    names = [profile_names()[index] for index in indices]
    result = profiles_dataset(names, directions[indices], spreads, profiles, at_truth)
    write(result.assign_attrs(provenance(config)), output, PROFILES)


if __name__ == "__main__":
    with rule_log(snakemake.log) as rule_logger:
        main(
            snakemake.params.config,
            snakemake.input.record,
            snakemake.input.fit,
            snakemake.params.indices,
            snakemake.params.points_per_side,
            snakemake.params.reach,
            snakemake.output[0],
            rule_logger,
        )
