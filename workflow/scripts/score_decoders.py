"""Decode the paper's record with the true parameters, the estimate, and from cues alone; score them."""

from inverse_rational_control.foraging.decoding import decode, decode_from_cues
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.sensitivity.analysis import compare_decoders
from inverse_rational_control.studies.sensitivity.dataset import DECODERS, decoders_dataset
from inverse_rational_control.workflow import run


def main(config, record, fit, block_steps, decoders):
    """Write scores and reliability diagrams of the three decoders."""
    dataset = read(record, RECORD)
    task, behavior = task_from_dataset(dataset), record_from_dataset(dataset)
    fitted = read_estimate(fit)
    decodings = {
        "truth": decode(dataset["truth"].values, behavior, task, extras_of_dataset(dataset)),
        "estimate": decode(fitted["estimate"].values, behavior, task, extras_of_dataset(fitted)),
        "cues": decode_from_cues(dataset["world"].values, behavior, task),
    }
    scores = compare_decoders(decodings, behavior.belief_bin, block_steps)
    result = decoders_dataset(scores, list(decodings), task, behavior.n_steps, block_steps)
    write(result.assign_attrs(provenance(config)), decoders, DECODERS)


if __name__ == "__main__":
    run(main, snakemake)
