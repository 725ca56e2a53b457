"""Decode the beliefs at every step, over draws from the posterior; score them by a known truth."""

from inverse_rational_control.foraging.decoding import decode, decode_from_cues, score_decoding
from inverse_rational_control.foraging.mixture import credible_masses, decode_mixture
from inverse_rational_control.inference.carried import read_carried
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import POSTERIOR, posterior_dataset
from inverse_rational_control.workflow import run


def main(config, record, fit, parameter_posterior, n_carried, posterior, log):
    """Write the smoothed posterior of `record`; under the estimate alone if there are no draws."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    behavior = record_from_dataset(dataset)
    fitted = read_estimate(fit)
    estimate, extras = fitted["estimate"].values, extras_of_dataset(fitted)
    carried = read_carried(parameter_posterior, n_carried)
    log.info("decoded with %s", carried.said)
    with_estimate = decode(estimate, behavior, task, extras)
    decoding = with_estimate
    if carried.draws is not None:
        decoding = decode_mixture(carried.draws, behavior, task, estimate, extras)
    true_bin, scores, masses = behavior.belief_bin, {}, None
    if true_bin is not None:
        decodings = {"decoding": decoding, "estimate": with_estimate}
        if "truth" in dataset:
            truth, own = dataset["truth"].values, extras_of_dataset(dataset)
            decodings["true_model"] = decode(truth, behavior, task, own)
            decodings["cue"] = decode_from_cues(fitted["world"].values, behavior, task)
        scores = {name: score_decoding(each, true_bin) for name, each in decodings.items()}
        if carried.draws is not None:
            masses = credible_masses(carried.draws, decoding, behavior, task, extras)
    result = posterior_dataset(decoding, task, carried.said, true_bin, scores, masses)
    write(result.assign_attrs(provenance(config)), posterior, POSTERIOR)


if __name__ == "__main__":
    run(main, snakemake)
