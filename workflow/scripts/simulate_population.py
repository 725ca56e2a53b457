"""Draw agents over the configured ranges and simulate each in the configured world."""

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.loading import ConfigError, task_from_config
from inverse_rational_control.parameter_ranges import draw_parameters
from inverse_rational_control.parameters import world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import RECORD, record_dataset, stack
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run


def main(config, ranges, agents, n_steps, record):
    """Write one record per agent, along the dimension `agent`."""
    task, world = task_from_config(config), world_vector(config["world"])

    def one(agent):
        theta = draw_parameters(ranges, stream(config["root_seed"], "population", "agent", agent))
        model = agent_model(theta, task)
        if not model.plan.converged:
            raise ConfigError(
                f"population.ranges: found agent {agent} = {theta.tolist()}, whose planner finds no "
                f"solution (residual {model.plan.residual:.3g}); allowed: ranges whose agents can plan"
            )
        rng = stream(config["root_seed"], "population", "record", agent)
        return record_dataset(simulate(model, world, n_steps, rng), task, theta, world)

    dataset = stack([one(agent) for agent in agents], agents, RECORD, "agent")
    write(dataset.assign_attrs(provenance(config)), record, RECORD)


if __name__ == "__main__":
    run(main, snakemake)
