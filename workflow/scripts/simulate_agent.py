"""Simulate the configured agent in the configured world: one record per seed."""

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.loading import ConfigError, task_from_config
from inverse_rational_control.parameters import agent_extras, agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import RECORD, record_dataset, stack
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run


def main(config, study, numbers, n_steps, record):
    """Write the records of a batch, by their numbers; without numbers, the one record of the study."""
    task = task_from_config(config)
    theta, world = agent_vector(config["agent"]), world_vector(config["world"])
    extras = agent_extras(config["agent"])
    model = agent_model(theta, task, extras)
    if not model.plan.converged:
        raise ConfigError(
            f"agent: the planner finds no solution for these parameters (residual "
            f"{model.plan.residual:.3g}); allowed: agents whose Bellman equation can be solved"
        )

    def one(*name):
        rng = stream(config["root_seed"], study, "record", *name)
        return record_dataset(simulate(model, world, n_steps, rng), task, theta, world, extras)

    records = [one()] if numbers is None else [one(number) for number in numbers]
    dataset = records[0] if numbers is None else stack(records, numbers, RECORD)
    write(dataset.assign_attrs(provenance(config)), record, RECORD)


if __name__ == "__main__":
    run(main, snakemake)
