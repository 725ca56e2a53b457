"""Search the fixed points of every drawn agent's softmax Bellman equation."""

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import RECORD, task_from_dataset
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.population.dataset import FIXED_POINTS, fixed_points_dataset
from inverse_rational_control.studies.population.fixed_points import (
    find_fixed_points,
    search_starts,
)
from inverse_rational_control.workflow import run


def main(config, record, agents, n_random, fixed_points, log):
    """Write the fixed points of a batch of agents, `n_random` random starts of the search each."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    found = []
    for agent in agents:
        model = agent_model(dataset["truth"].sel(agent=agent).values, task)
        rng = stream(config["root_seed"], "population", "fixed_points", agent)
        found.append(find_fixed_points(model, search_starts(model, n_random, rng)))
        log.info("agent %d: %d fixed points", agent, len(found[-1]))
    result = fixed_points_dataset(found, agents)
    write(result.assign_attrs(provenance(config)), fixed_points, FIXED_POINTS)


if __name__ == "__main__":
    run(main, snakemake)
