"""Collect the sensitivity study's fits and the decoders' scores."""

import numpy as np

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import read_batches
from inverse_rational_control.storage.contract import CONTRACTS, read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.sensitivity.dataset import (
    DECODERS,
    SENSITIVITY,
    sensitivity_dataset,
)
from inverse_rational_control.task import Task
from inverse_rational_control.workflow import rule_log

USED = (
    *("estimate", "standard_error", "information", "log_likelihood", "status"),
    *("truth", "truth_log_likelihood", "decoded_correlation", "decoded_rmse"),
)


def main(config, tasks, n_steps, fits, decoders, output):
    """Write the summary; `fits` maps designs to files, all batches of a setting after another."""
    tasks = {name: Task(**values) for name, values in tasks.items()}
    collected = {}
    for design, paths in fits.items():
        for name, batches in zip(tasks, np.reshape(paths, (len(tasks), -1)), strict=True):
            collected[design, name] = read_batches(batches, FIT, USED)
    scores = read(decoders, DECODERS)
    result = sensitivity_dataset(tasks, collected, n_steps)
    result = result.assign({name: scores[name] for name in CONTRACTS["decoders"].required})
    result = result.assign_attrs({name: scores.attrs[name] for name in ("block_steps", "n_blocks")})
    write(result.assign_attrs(provenance(config)), output, SENSITIVITY)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.params.config,
            snakemake.params.tasks,
            snakemake.params.n_steps,
            {
                design: np.atleast_1d(getattr(snakemake.input, design))
                for design in ("matched", "mismatched")
            },
            snakemake.input.decoders,
            snakemake.output[0],
        )
