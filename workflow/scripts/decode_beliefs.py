"""Decode the beliefs at every step under the fit; score them where the truth is known."""

from inverse_rational_control.foraging.decoding import decode, score_decoding
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import POSTERIOR, add_score, posterior_dataset
from inverse_rational_control.workflow import run


def main(config, record, fit, posterior):
    """Write the smoothed posterior of `record` under the estimate in `fit`."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    behavior = record_from_dataset(dataset)
    decoding = decode(read_estimate(fit)["estimate"].values, behavior, task)
    result = posterior_dataset(decoding, task)
    true_bin = behavior.belief_bin
    if true_bin is not None:
        result = add_score(result, score_decoding(decoding, true_bin), true_bin)
        if "truth" in dataset:
            # The same with the true parameters: what is left is the decoder's own error.
            best = score_decoding(decode(dataset["truth"].values, behavior, task), true_bin)
            result["true_model_correlation"] = ("box", best.correlation)
            result["true_model_coverage"] = ("box", best.credible_coverage)
            result["true_model_expected"] = ("box", best.credible_expected)
    write(result.assign_attrs(provenance(config)), posterior, POSTERIOR)


if __name__ == "__main__":
    run(main, snakemake)
