"""Fit with one setting: records of the agent that has it, and records of the agent of the task."""

from dataclasses import replace

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.dataset import record_fit_dataset
from inverse_rational_control.foraging.decoding import decode
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts, generic_whitening
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    stack,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.sensitivity.analysis import belief_accuracy
from inverse_rational_control.task import Task
from inverse_rational_control.workflow import rule_log


def main(
    config, task, matched_record, mismatched_record, seeds, n_starts, n_reserve_starts, outputs
):
    """Write the fits of both designs, with the accuracy of the beliefs decoded at each estimate.

    `outputs` are the files of matched and mismatched fits.
    """
    task = Task(**task)
    settings = FitSettings(**config["fitting"])
    whitening = generic_whitening(settings, task)
    results = {}
    for path, output in zip((matched_record, mismatched_record), outputs, strict=True):
        # For the task's own setting the two designs are one.
        if path not in results:
            records = read(path, RECORD)
            fits = [
                fitted(
                    config,
                    records.sel(seed=seed),
                    task,
                    settings,
                    whitening,
                    n_starts,
                    n_reserve_starts,
                )
                for seed in seeds
            ]
            results[path] = stack(fits, seeds, FIT).assign_attrs(provenance(config))
        write(results[path], output, FIT)


def fitted(config, part, task, settings, whitening, n_starts, n_reserve_starts):
    """One record's fit with the analyst's `task`, and its beliefs against the agent's own."""
    record = record_from_dataset(part)
    true_bins = record.belief_bin
    # True bins are the agent's; the analyst's number of bins may be another.
    objective = ForagingObjective(replace(record, belief_bin=None), task)
    seed = int(part["seed"])

    def generator(k):
        return stream(config["root_seed"], "sensitivity", "start", seed, k)

    fit = fit_from_random_starts(
        objective, settings, generator, n_starts, n_reserve_starts, whitening
    )
    dataset = record_fit_dataset(fit, objective, part["truth"].values, part["world"].values)
    accuracy = np.full(2, np.nan), np.full(2, np.nan)
    if np.isfinite(fit.estimate).all() and np.isfinite(fit.log_likelihood):
        means = decode(fit.estimate, objective.record, task).means
        accuracy = belief_accuracy(means, true_bins, task_from_dataset(part).n_bins)
    return dataset.assign(
        decoded_correlation=("box", accuracy[0]), decoded_rmse=("box", accuracy[1])
    ).assign_coords(box=[1, 2])


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.params.config,
            snakemake.params.task,
            snakemake.input.matched,
            snakemake.input.mismatched,
            snakemake.params.seeds,
            snakemake.params.n_starts,
            snakemake.params.n_reserve_starts,
            (snakemake.output.matched, snakemake.output.mismatched),
        )
