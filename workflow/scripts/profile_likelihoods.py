"""Profile likelihoods of one fit: each of a few coordinates held fixed, all others re-optimized."""

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.inference.profiles import trace_profile, wald_standard_deviation
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.recordings.dataset import (
    RECORD,
    coordinates_of_dataset,
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
from inverse_rational_control.workflow import UserError, run


def main(config, record, fit, indices, points_per_side, reach, profiles, log):
    """Trace the profiles of `indices` into `profile_names`.

    Each has `points_per_side` points on either side, out to `reach` standard errors of Wald's; where the
    truth is known, one more at it.
    """
    dataset, fitted = read(record, RECORD), read_estimate(fit)
    space = parameter_space(parameters=coordinates_of_dataset(fitted).parameters)
    objective = ForagingObjective(record_from_dataset(dataset), task_from_dataset(dataset), space)
    settings = FitSettings(**config["fitting"])
    information = fitted["information"].values
    if not np.isfinite(information).all():
        raise UserError(f"{fit}: variable 'information': found no numbers, so nothing is profiled")
    estimate = fitted["estimate"].values
    best = float(fitted["log_likelihood"]), bool(fitted["converged"])
    weakest = information_spectrum(information).directions[0]
    directions = np.vstack([np.eye(estimate.size), weakest])[indices]
    fractions = np.arange(1, points_per_side + 1) / points_per_side

    def trace(direction, offsets):
        return trace_profile(objective, estimate, *best, information, direction, offsets, settings)

    def log_profile(name, profile):
        log.info(
            "%s: %d of %d points converged, %d E-steps",
            name,
            profile.converged.sum(),
            profile.converged.size,
            profile.n_evaluations.sum(),
        )
        for place in np.flatnonzero(~profile.converged):
            log.warning(
                "%s at offset %.4g: %s", name, profile.offset[place], profile.stop_reason[place]
            )

    every = profile_names(space.parameter_names)
    names = [every[index] for index in indices]
    deviations = [wald_standard_deviation(information, direction) for direction in directions]
    traced, at_truth = [], []
    for name, direction, deviation in zip(names, directions, deviations, strict=True):
        offsets = reach * deviation * np.concatenate([-fractions, fractions])
        traced.append(trace(direction, offsets))
        log_profile(name, traced[-1])
        if "truth" in fitted:
            apart = space.unconstrained(fitted["truth"].values) - space.unconstrained(estimate)
            offset = float(direction @ apart)
            # Straight from the estimate: does not lean on the points in between.
            at_truth.append(trace(direction, [offset] if offset else []))
    result = profiles_dataset(
        names, directions, deviations, traced, at_truth, space.parameter_names
    )
    write(result.assign_attrs(provenance(config)), profiles, PROFILES)


if __name__ == "__main__":
    run(main, snakemake)
