"""Simulate the configured agent once per setting of the sensitivity study, several records each."""

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.loading import ConfigError
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import RECORD, record_dataset, stack
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.task import Task
from inverse_rational_control.workflow import run


def main(config, tasks, n_records, n_steps, records):
    """Write one file of records per setting; `tasks` holds the settings' tasks by name."""
    theta, world = agent_vector(config["agent"]), world_vector(config["world"])
    for (name, values), path in zip(tasks.items(), records, strict=True):
        task = Task(**values)
        model = agent_model(theta, task)
        if not model.plan.converged:
            raise ConfigError(
                f"sensitivity: the planner finds no solution for the agent under {name} (residual "
                f"{model.plan.residual:.3g}); allowed: settings whose Bellman equation can be solved"
            )

        def one(seed, model=model, task=task, name=name):
            rng = stream(config["root_seed"], "sensitivity", "record", name, seed)
            return record_dataset(simulate(model, world, n_steps, rng), task, theta, world)

        dataset = stack([one(seed) for seed in range(n_records)], range(n_records), RECORD)
        write(dataset.assign_attrs(provenance(config)), path, RECORD)


if __name__ == "__main__":
    run(main, snakemake)
