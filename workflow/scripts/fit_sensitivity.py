"""Fit with one setting: records of the agent that has it, and records of the agent of the task."""

from dataclasses import replace

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.dataset import record_fit_dataset
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
from inverse_rational_control.studies.sensitivity.analysis import decoded_accuracy
from inverse_rational_control.task import Task
from inverse_rational_control.workflow import run


def main(
    config,
    task,
    seeds,
    n_starts,
    n_reserve_starts,
    matched_record,
    mismatched_record,
    matched_fit,
    mismatched_fit,
):
    """Write the fits of both designs, with the accuracy of the beliefs decoded at each estimate."""
    task = Task(**task)
    settings = FitSettings(**config["fitting"])
    whitening = generic_whitening(settings, task)

    def one(part):
        record = record_from_dataset(part)
        true_beliefs = bin_centers(task_from_dataset(part).n_bins)[record.belief_bin]
        # True bins are the agent's; the analyst's number of bins may be another.
        objective = ForagingObjective(replace(record, belief_bin=None), task)

        def generator(k):
            return stream(config["root_seed"], "sensitivity", "start", int(part["seed"]), k)

        fit = fit_from_random_starts(
            objective, settings, generator, n_starts, n_reserve_starts, whitening
        )
        dataset = record_fit_dataset(fit, objective, part["truth"].values, part["world"].values)
        correlation, rmse = decoded_accuracy(fit, objective.record, task, true_beliefs)
        return dataset.assign(
            decoded_correlation=("box", correlation), decoded_rmse=("box", rmse)
        ).assign_coords(box=[1, 2])

    results = {}
    for path, output in ((matched_record, matched_fit), (mismatched_record, mismatched_fit)):
        # For the task's own setting the two designs are one.
        if path not in results:
            records = read(path, RECORD)
            fits = [one(records.sel(seed=seed)) for seed in seeds]
            results[path] = stack(fits, seeds, FIT).assign_attrs(provenance(config))
        write(results[path], output, FIT)


if __name__ == "__main__":
    run(main, snakemake)
