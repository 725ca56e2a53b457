"""Decode the beliefs at every step under the fit; score them where the truth is known."""

from inverse_rational_control.foraging.decoding import decode, decode_from_cues, score_decoding
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import POSTERIOR, posterior_dataset
from inverse_rational_control.workflow import run


def main(config, record, fit, posterior):
    """Write the smoothed posterior of `record` under the estimate in `fit`."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    behavior = record_from_dataset(dataset)
    true_bin = behavior.belief_bin
    fitted = read_estimate(fit)
    decoding = decode(fitted["estimate"].values, behavior, task)
    score = score_of_truth = score_from_cues = None
    if true_bin is not None:
        score = score_decoding(decoding, true_bin)
        if "truth" in dataset:
            with_truth = decode(dataset["truth"].values, behavior, task)
            score_of_truth = score_decoding(with_truth, true_bin)
            from_cues = decode_from_cues(fitted["world"].values, behavior, task)
            score_from_cues = score_decoding(from_cues, true_bin)
    scores = score, score_of_truth, score_from_cues
    result = posterior_dataset(decoding, task, *scores, true_bin)
    write(result.assign_attrs(provenance(config)), posterior, POSTERIOR)


if __name__ == "__main__":
    run(main, snakemake)
