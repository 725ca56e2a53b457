"""Simulate the inferred agent many times and compare its behavior with the recorded agent's."""

import json

import numpy as np
import xarray as xr

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.behavior import (
    LONGEST_INTERVAL,
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
from inverse_rational_control.studies.paper.dataset import BEHAVIOR
from inverse_rational_control.task import ACTIONS, LOCATIONS
from inverse_rational_control.workflow import run


def main(config, record, fit, study, n_replicates, behavior):
    """Write behavior statistics; the null is the true agent against itself where it is known."""
    dataset, fitted = read(record, RECORD), read_estimate(fit)
    task = task_from_dataset(dataset)
    recorded_behavior = record_from_dataset(dataset)
    world = fitted["world"].values

    def replicates(theta, who):
        rng = stream(config["root_seed"], study, "resimulation", who)
        model = agent_model(theta, task)
        return resimulate(model, world, recorded_behavior, n_replicates, rng)

    recorded = behavior_counts(recorded_behavior)
    inferred = replicates(fitted["estimate"].values, "inferred")
    known = "truth" in dataset
    null = replicates(dataset["truth"].values, "true") if known else inferred
    dims = {"action": "action", "location": "location"}
    variables = {}
    for name in STATISTICS:
        dim = dims.get(name, "interval")
        label = f"{name}_frequency" if name in dims else name
        variables[label] = (dim, recorded.frequency(name))
        variables[f"replicate_{label}"] = (("replicate", dim), inferred.frequency(name))
    variables["distance"] = ("statistic", behavior_distances(recorded, inferred))
    variables["null_distance"] = (("replicate", "statistic"), null_distances(null))
    result = xr.Dataset(
        variables,
        {
            "action": list(ACTIONS),
            "location": list(LOCATIONS),
            "interval": np.arange(1, LONGEST_INTERVAL + 1),
            "replicate": np.arange(n_replicates),
            "statistic": list(STATISTICS),
        },
        {"null_agent": "true" if known else "inferred", "distances": json.dumps(STATISTICS)},
    )
    write(result.assign_attrs(provenance(config)), behavior, BEHAVIOR)


if __name__ == "__main__":
    run(main, snakemake)
