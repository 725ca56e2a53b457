"""Simulate the inferred agent many times and compare its behavior with the recorded agent's."""

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.behavior import (
    STATISTICS,
    behavior_counts,
    behavior_distances,
    null_distances,
    resimulate,
)
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.analysis import held_out_log_likelihoods
from inverse_rational_control.studies.paper.dataset import BEHAVIOR, behavior_dataset
from inverse_rational_control.workflow import run


def main(config, record, fit, study, n_replicates, behavior):
    """Write behavior statistics; the null is the true agent against itself where it is known."""
    dataset, fitted = read(record, RECORD), read_estimate(fit)
    task = task_from_dataset(dataset)
    recorded = record_from_dataset(dataset)

    def replicates(theta, who):
        rng = stream(config["root_seed"], study, "resimulation", who)
        model = agent_model(theta, task)
        return resimulate(model, fitted["world"].values, recorded, n_replicates, rng)

    def held_out():
        rng = stream(config["root_seed"], study, "held out")
        thetas = fitted["estimate"].values, dataset["truth"].values
        return held_out_log_likelihoods(thetas, fitted["world"].values, task, recorded.n_steps, rng)

    counts = behavior_counts(recorded)
    inferred = replicates(fitted["estimate"].values, "inferred")
    known = "truth" in dataset
    null = replicates(dataset["truth"].values, "true") if known else inferred
    result = behavior_dataset(
        counts,
        inferred,
        behavior_distances(counts, inferred),
        null_distances(null),
        STATISTICS,
        null_agent="true" if known else "inferred",
        held_out=held_out() if known else None,
    )
    write(result.assign_attrs(provenance(config)), behavior, BEHAVIOR)


if __name__ == "__main__":
    run(main, snakemake)
