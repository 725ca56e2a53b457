"""Simulate the inferred agent many times and compare its behavior with the recorded agent's."""

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.behavior import (
    STATISTICS,
    behavior_counts,
    behavior_distances,
    null_distances,
    resimulate,
    resimulated_records,
    stacked_counts,
)
from inverse_rational_control.foraging.predictive import (
    PREDICTIVE_STATISTICS,
    predictive_check,
    predictive_statistics,
)
from inverse_rational_control.inference.carried import read_carried
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.analysis import held_out_log_likelihoods
from inverse_rational_control.studies.paper.dataset import BEHAVIOR, behavior_dataset
from inverse_rational_control.workflow import run


def main(config, record, fit, parameter_posterior, study, n_carried, n_replicates, behavior, log):
    """Write behavior statistics; the null is the true agent against itself where it is known.

    Replicates take their parameters in turn from draws of the posterior; from the estimate alone if
    there are none.
    """
    dataset, fitted = read(record, RECORD), read_estimate(fit)
    task = task_from_dataset(dataset)
    recorded = record_from_dataset(dataset)
    world = fitted["world"].values
    extras, own = extras_of_dataset(fitted), extras_of_dataset(dataset)
    carried = read_carried(parameter_posterior, n_carried)
    log.info("resimulated with %s", carried.said)

    def generator(who):
        return stream(config["root_seed"], study, "resimulation", who)

    def held_out():
        rng = stream(config["root_seed"], study, "held out")
        agents = (
            agent_model(fitted["estimate"].values, task, extras),
            agent_model(dataset["truth"].values, task, own),
        )
        return held_out_log_likelihoods(agents, world, recorded.n_steps, rng)

    counts = behavior_counts(recorded)
    draws = fitted["estimate"].values[None] if carried.draws is None else carried.draws
    models = [agent_model(theta, task, extras) for theta in draws]
    # One pass over the replicates, which may be too long to be kept.
    replicates = [
        (behavior_counts(each), predictive_statistics(each))
        for each in resimulated_records(
            models, world, recorded, n_replicates, generator("inferred")
        )
    ]
    inferred = stacked_counts([each for each, _ in replicates])
    check = predictive_check(
        predictive_statistics(recorded), np.stack([statistics for _, statistics in replicates])
    )
    log.info("all statistics together: predictive p-value %.3f", check.p_value)
    known, null = "truth" in dataset, inferred
    if known:
        true = agent_model(dataset["truth"].values, task, own)
        null = resimulate([true], world, recorded, n_replicates, generator("true"))
    result = behavior_dataset(
        counts,
        inferred,
        behavior_distances(counts, inferred),
        null_distances(null),
        STATISTICS,
        "true" if known else "inferred",
        check,
        PREDICTIVE_STATISTICS,
        carried.said,
        held_out() if known else None,
        task.step_width,
    )
    write(result.assign_attrs(provenance(config)), behavior, BEHAVIOR)


if __name__ == "__main__":
    run(main, snakemake)
