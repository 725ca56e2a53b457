"""Collect the sensitivity study's fits and the decoders' scores."""

import numpy as np

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import read_batches
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.sensitivity.dataset import (
    DECODERS,
    SENSITIVITY,
    sensitivity_dataset,
)
from inverse_rational_control.task import Task
from inverse_rational_control.workflow import run

_USED = (
    *("estimate", "standard_error", "information", "log_likelihood", "status"),
    *("truth", "truth_log_likelihood", "decoded_correlation", "decoded_rmse"),
)


def main(config, tasks, n_steps, matched, mismatched, decoders, summary):
    """Write the summary; fits are files, all batches of one setting after those of another."""
    tasks = {name: Task(**values) for name, values in tasks.items()}
    fits = {}
    for design, paths in (("matched", matched), ("mismatched", mismatched)):
        for name, batches in zip(tasks, np.reshape(paths, (len(tasks), -1)), strict=True):
            fits[design, name] = read_batches(batches, FIT, _USED)
    result = sensitivity_dataset(tasks, fits, read(decoders, DECODERS), n_steps)
    write(result.assign_attrs(provenance(config)), summary, SENSITIVITY)


if __name__ == "__main__":
    run(main, snakemake)
