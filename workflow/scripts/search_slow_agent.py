"""Fit a slow agent's record, and search its maximum once more, independently of the fit."""

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts, generic_whitening
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.population.search_again import (
    SEARCH_AGAIN,
    search_again,
    search_again_dataset,
)
from inverse_rational_control.workflow import run

HELD = {"cue_probability_present": 0.5, "cue_probability_absent": 0.5}


def main(config, agent, world, name, n_steps, n_starts, n_reserve_starts, n_again, again, log):
    """Write what the fit of the agent reports, and where `n_again` starts end that it did not have."""
    task, settings = task_from_config(config), FitSettings(**config["fitting"])

    def generator(*purpose):
        return stream(config["root_seed"], "population", "slow", name, *purpose)

    model = agent_model(agent_vector(agent | HELD), task)
    record = simulate(model, world_vector(world), n_steps, generator("record"))
    objective = ForagingObjective(record, task, parameter_space(HELD))
    whitening = generic_whitening(settings, task, objective.space)
    reported = fit_from_random_starts(
        objective,
        settings,
        lambda k: generator("start", k),
        n_starts,
        n_reserve_starts,
        whitening,
    ).log_likelihood
    ends, used = search_again(
        objective, settings, lambda k: generator("again", k), n_again, reported, whitening
    )
    log.info("%s: %+.4f nats at most", name, np.nanmax(ends, initial=-np.inf) - reported)
    result = search_again_dataset([name], np.array([reported]), ends[None], used[None])
    write(result.assign_attrs(provenance(config)), again, SEARCH_AGAIN)


if __name__ == "__main__":
    run(main, snakemake)
