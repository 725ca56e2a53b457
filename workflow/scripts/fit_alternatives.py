"""Fit every model to records of one agent, or of agents of a generating model, in one process."""

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.alternative_models import (
    FULL,
    MEMORYLESS,
    model_spaces,
    recovered_models,
)
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import stack
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.alternatives.analysis import draw_agent_of, fit_models
from inverse_rational_control.studies.alternatives.dataset import (
    ALTERNATIVE_FITS,
    model_fits_dataset,
)
from inverse_rational_control.studies.alternatives.memoryless import (
    fit_memoryless,
    simulate_memoryless,
)
from inverse_rational_control.workflow import UserError, rule_log


def main(config, ranges, generating, seeds, n_steps, output, log):
    """Fit the records of `seeds`.

    Without a generating model they are of the configured agent, each with a second record held out;
    with one, of agents of that model, drawn over `ranges`.
    """
    task = task_from_config(config)
    alternatives, limit = (
        config["alternatives"],
        {"max_evaluations": config["alternatives"]["max_evaluations"]},
    )
    settings = FitSettings(**config["fitting"] | limit)
    typical = agent_vector(config["agent"])
    world = world_vector(config["world"])
    models = (
        alternatives["models"] if generating is None else recovered_models(alternatives["models"])
    )
    spaces = model_spaces(models, config["world"], config["agent"])
    whitenings = {name: generic_whitening(settings, task, space) for name, space in spaces.items()}
    study = "pair" if generating is None else generating

    def random(seed, *purpose):
        return stream(config["root_seed"], "rivals", study, seed, *purpose)

    def records(seed):
        """(record, record held out or None, truth, draws set aside)."""
        if generating is None:
            model = agent_model(typical, task)
            if not model.plan.converged:
                raise UserError("agent: the planner finds no solution, so it has no alternatives")
            pair = (simulate(model, world, n_steps, random(seed, part)) for part in ("fit", "test"))
            return *pair, typical, 0
        space = spaces[FULL if generating == MEMORYLESS else generating]
        theta, model, n_discarded = draw_agent_of(space, ranges, task, random(seed, "agent"))
        record = simulate(model, world, n_steps, random(seed, "fit"))
        if generating == MEMORYLESS:
            # The policy without memory that looks most like such an agent.
            policy = fit_memoryless(record, task, alternatives["memoryless_ridge"]).log_policy
            record = simulate_memoryless(policy, world, n_steps, random(seed, "memoryless"))
            theta = np.full(theta.shape, np.nan)
        return record, None, theta, n_discarded

    def one(seed):
        record, held_out, theta, n_discarded = records(seed)
        new = None if held_out is None else ForagingObjective(held_out, task)
        fits = fit_models(
            ForagingObjective(record, task),
            new,
            settings,
            spaces,
            whitenings,
            lambda k: random(seed, "start", k),
            alternatives["n_starts"],
            alternatives["n_reserve_starts"],
            alternatives["memoryless_ridge"],
        )
        for fit in fits:
            log.info(
                "%s %d, %s: %s, log-likelihood %.4f, held out %.4f, %d E-steps",
                *(study, seed, fit.name, fit.status, fit.log_likelihood),
                *(fit.held_out_log_likelihood, fit.n_evaluations),
            )
        truth_held_out = np.nan if new is None else new.log_likelihood(theta)
        return model_fits_dataset(fits, task, theta, n_discarded, truth_held_out)

    result = stack([one(int(seed)) for seed in np.asarray(seeds)], seeds, ALTERNATIVE_FITS)
    write(result.assign_attrs(provenance(config)), output, ALTERNATIVE_FITS)


if __name__ == "__main__":
    with rule_log(snakemake.log) as rule_logger:
        main(
            snakemake.params.config,
            snakemake.params.ranges,
            snakemake.params.generating,
            snakemake.params.seeds,
            snakemake.params.n_steps,
            snakemake.output[0],
            rule_logger,
        )
