"""Fit every model to records of one agent, or to records of a generating model, in one process."""

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.alternative_models import model_spaces, recovered_models
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import stack
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.alternatives.baselines import baselines
from inverse_rational_control.studies.alternatives.dataset import (
    ALTERNATIVE_FITS,
    model_fits_dataset,
)
from inverse_rational_control.studies.alternatives.models import AgentModels, fit_models
from inverse_rational_control.studies.alternatives.records import pair_of_records, record_of_model
from inverse_rational_control.workflow import UserError, run


def main(config, ranges, generating, seeds, n_steps, fits, log):
    """Fit the records of `seeds`.

    Without a generating model they are of the configured agent, each with a second record held out;
    with one, they are records of that model, of agents drawn over `ranges`.
    """
    task, world = task_from_config(config), world_vector(config["world"])
    options = config["alternatives"]
    limits = {"max_evaluations": options["max_evaluations"]}
    settings = FitSettings(**config["fitting"] | limits)
    models = options["models"] if generating is None else recovered_models(options["models"])
    spaces = model_spaces(models, config["world"], config["agent"])
    agents = AgentModels(
        spaces,
        task,
        settings,
        options["n_starts"],
        options["n_reserve_starts"],
        config["prior"],
        options["n_evidence_draws"],
    )
    others = baselines(task, options)
    agent = agent_model(agent_vector(config["agent"]), task)
    if generating is None and not agent.plan.converged:
        raise UserError("agent: the planner finds no solution, so it has no alternatives")
    study = "pair" if generating is None else generating

    def one(seed):
        def random(*purpose):
            return stream(config["root_seed"], "rivals", study, seed, *purpose)

        if generating is None:
            made = pair_of_records(agent, world, n_steps, random)
        else:
            made = record_of_model(generating, spaces, others, ranges, task, world, n_steps, random)
        objective = ForagingObjective(made.record, task)
        held_out = None if made.held_out is None else ForagingObjective(made.held_out, task)
        fitted = fit_models(
            objective,
            held_out,
            agents,
            others,
            lambda k: random("start", k),
            lambda name: random("evidence", name),
        )
        for fit in fitted:
            log.info(
                "%s %d, %s: %s, log-likelihood %.4f, held out %.4f, log evidence %.3f, %d E-steps",
                *(study, seed, fit.name, fit.status, fit.log_likelihood),
                *(fit.held_out_log_likelihood, fit.evidence.log_evidence, fit.n_evaluations),
            )
        truth_held_out = np.nan if held_out is None else held_out.log_likelihood(made.truth)
        return model_fits_dataset(fitted, task, made.truth, made.n_discarded, truth_held_out)

    result = stack([one(int(seed)) for seed in seeds], seeds, ALTERNATIVE_FITS)
    write(result.assign_attrs(provenance(config)), fits, ALTERNATIVE_FITS)


if __name__ == "__main__":
    run(main, snakemake)
