"""Decode the beliefs at every step, over draws from the posterior; score them by a known truth."""

from inverse_rational_control.foraging.decoding import tables_from_cues
from inverse_rational_control.foraging.likelihood import chain_inputs
from inverse_rational_control.foraging.mixture import decode_in_blocks, tables_of
from inverse_rational_control.inference.carried import read_carried
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    seen_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.blocks import read_in_blocks, written_in_blocks
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import (
    POSTERIOR,
    decoded_steps,
    posterior_dataset,
)
from inverse_rational_control.workflow import run


def main(config, record, fit, parameter_posterior, n_carried, posterior, log):
    """Write the smoothed posterior of `record`; under the estimate alone if there are no draws."""
    fitted = read_estimate(fit)
    extras = extras_of_dataset(fitted)
    carried = read_carried(parameter_posterior, n_carried)
    log.info("decoded with %s", carried.said)
    with read_in_blocks(record, RECORD) as dataset:
        task, own = task_from_dataset(dataset), extras_of_dataset(dataset)
        # The action before matters to one of the two agents, so to the indices that both share.
        inputs = chain_inputs(
            seen_from_dataset(dataset),
            (*extras, *own),
            n_cues=task.n_cues,
        )

        def true_bin(begin, end):
            return dataset["belief_bin"][begin:end].values.astype(int)

        def take(begin, end, decoding, true):
            for name, values in decoded_steps(decoding, true).items():
                file.put(name, begin, values)

        known, others = true_bin if "belief_bin" in dataset else None, {}
        if known is not None and "truth" in dataset:
            (others["true_model"],) = tables_of([dataset["truth"].values], inputs, task, own)
            others["cue"] = tables_from_cues(fitted["world"].values, task, inputs.n_kernels)
        (estimate,) = tables_of([fitted["estimate"].values], inputs, task, extras)
        draws = carried.draws
        if draws is not None:
            draws = tables_of(draws, inputs, task, extras)
        with written_in_blocks(posterior, POSTERIOR, inputs.n_steps) as file:
            decoded = decode_in_blocks(estimate, draws, inputs, take, known, others)
            rest = posterior_dataset(decoded, inputs.n_steps, task, carried.said)
            file.add(rest.assign_attrs(provenance(config)))


if __name__ == "__main__":
    run(main, snakemake)
