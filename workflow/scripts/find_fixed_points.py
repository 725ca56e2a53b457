"""Search the fixed points of every drawn agent's softmax Bellman equation."""

import numpy as np
import xarray as xr

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import RECORD, task_from_dataset
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.population.dataset import FIXED_POINTS
from inverse_rational_control.studies.population.fixed_points import fixed_points, search_starts
from inverse_rational_control.workflow import rule_log


def main(config, record, agents, n_random, output, log):
    """Write the fixed points of the agents of one batch of records, `n_random` random starts each."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    found = []
    for agent in agents:
        model = agent_model(dataset["truth"].sel(seed=agent).values, task)
        rng = stream(config["root_seed"], "population", "fixed_points", agent)
        points = fixed_points(model, search_starts(model, n_random, rng))
        log.info("agent %d: %d fixed points", agent, len(points))
        found.append(points)
    shape = (len(agents), max(map(len, found)))
    radius, difference = np.full((2, *shape), np.nan)
    n_found = np.zeros(shape, dtype=int)
    for k, points in enumerate(found):
        for j, point in enumerate(points):
            radius[k, j], n_found[k, j] = point.radius, point.n_found
            # Total variation between the two policies, where they differ most.
            difference[k, j] = 0.5 * np.abs(point.policy - points[0].policy).sum(1).max()
    cells = ("seed", "fixed_point")
    result = xr.Dataset(
        {
            "n_fixed_points": ("seed", np.array([len(points) for points in found])),
            "radius": (cells, radius),
            "policy_difference": (cells, difference),
            "n_found": (cells, n_found),
        },
        {"seed": agents, "fixed_point": np.arange(shape[1])},
    )
    write(result.assign_attrs(provenance(config)), output, FIXED_POINTS)


if __name__ == "__main__":
    with rule_log(snakemake.log) as rule_logger:
        main(
            snakemake.params.config,
            snakemake.input.record,
            snakemake.params.seeds,
            snakemake.params.n_random,
            snakemake.output[0],
            rule_logger,
        )
