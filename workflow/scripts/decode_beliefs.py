"""Decode the beliefs at every step, over draws from the posterior; score them by a known truth."""

from contextlib import ExitStack

import numpy as np

from inverse_rational_control.foraging.decoding import tables_from_cues
from inverse_rational_control.foraging.likelihood import chain_inputs
from inverse_rational_control.foraging.mixture import decode_in_blocks, tables_of
from inverse_rational_control.foraging.regressors import RegressorSums, tables_and_agents
from inverse_rational_control.foraging.regressors_dataset import (
    REGRESSORS,
    regressors_dataset,
    regressors_steps,
    regressors_table,
)
from inverse_rational_control.inference.carried import read_carried
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    seen_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.atomic import written_text
from inverse_rational_control.storage.blocks import read_in_blocks, written_in_blocks
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import (
    POSTERIOR,
    decoded_steps,
    posterior_dataset,
)
from inverse_rational_control.workflow import run

ROWS = 50_000  # of the table, written at once


def main(
    config,
    record,
    fit,
    parameter_posterior,
    n_carried,
    posterior,
    log,
    regressors=None,
    table=None,
):
    """Write the smoothed posterior of `record`; under the estimate alone if there are no draws.

    Of animals also what they believe, expect and are surprised by, as NetCDF and as CSV: both are made
    of the same posteriors.
    """
    fitted = read_estimate(fit)
    extras = extras_of_dataset(fitted)
    carried = read_carried(parameter_posterior, n_carried)
    log.info("decoded with %s", carried.said)
    with read_in_blocks(record, RECORD) as dataset:
        task, own = task_from_dataset(dataset), extras_of_dataset(dataset)
        steps = seen_from_dataset(dataset)
        # The action before matters to one of the two agents, so to the indices that both share.
        inputs = chain_inputs(steps, (*extras, *own), n_cues=task.n_cues)

        def true_bin(begin, end):
            return dataset["belief_bin"][begin:end].values.astype(int)

        def take(begin, end, decoding, true):
            for name, values in decoded_steps(decoding, true).items():
                file.put(name, begin, values)

        def take_regressors(begin, end, found):
            here = dataset.isel(step=slice(begin, end))
            for name, values in regressors_steps(found, here).items():
                tabulated.put(name, begin, values)

        def watcher():
            return RegressorSums(agents, steps, task, take_regressors)

        known, others = true_bin if "belief_bin" in dataset else None, {}
        if known is not None and "truth" in dataset:
            (others["true_model"],) = tables_of([dataset["truth"].values], inputs, task, own)
            others["cue"] = tables_from_cues(fitted["world"].values, task, inputs.n_kernels)
        thetas = fitted["estimate"].values[None]
        if carried.draws is not None:
            thetas = np.concatenate([thetas, carried.draws])
        (estimate, *draws), agents = tables_and_agents(thetas, inputs, task, extras)
        agents = agents[1:] or agents
        with ExitStack() as files:
            n_steps, origin = inputs.n_steps, provenance(config)
            file = files.enter_context(written_in_blocks(posterior, POSTERIOR, n_steps))
            watch = None
            if regressors:
                watch = watcher
                tabulated = files.enter_context(written_in_blocks(regressors, REGRESSORS, n_steps))
            decoded = decode_in_blocks(
                estimate, draws or None, inputs, take, known, others, watcher=watch
            )
            file.add(posterior_dataset(decoded, n_steps, task, carried.said).assign_attrs(origin))
            if regressors:
                tabulated.add(regressors_dataset(n_steps, carried.said).assign_attrs(origin))
    if table:
        tabulate(regressors, table)


def tabulate(regressors, table):
    """Write regressors as a table for people, rows at a time."""
    with read_in_blocks(regressors, REGRESSORS) as result, written_text(table) as rows:
        for begin in range(0, result.sizes["step"], ROWS):
            part = regressors_table(result.isel(step=slice(begin, begin + ROWS)).load())
            text = part.round(6).to_csv(index=False)
            rows.write(text.split("\n", 1)[1] if begin else text)


if __name__ == "__main__":
    run(main, snakemake)
