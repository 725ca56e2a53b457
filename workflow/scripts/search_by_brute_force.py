"""Search the full model's likelihood by brute force and by gradients, on one record of the agent."""

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.alternatives.analysis import search_course
from inverse_rational_control.studies.alternatives.brute_force import brute_force
from inverse_rational_control.studies.alternatives.dataset import BRUTE_FORCE, brute_force_dataset
from inverse_rational_control.workflow import UserError, rule_log


def main(config, n_steps, output):
    """Write both searches' gaps to the highest log-likelihood that the fit's starts found."""
    task = task_from_config(config)
    alternatives, limit = (
        config["alternatives"],
        {"max_evaluations": config["alternatives"]["max_evaluations"]},
    )
    settings = FitSettings(**config["fitting"] | limit)

    def random(*purpose):
        return stream(config["root_seed"], "rivals", *purpose)

    model = agent_model(agent_vector(config["agent"]), task)
    if not model.plan.converged:
        raise UserError("agent: the planner finds no solution, so it has no alternatives")
    # The first of the paired records, from the same starts.
    record = simulate(model, world_vector(config["world"]), n_steps, random("pair", 0, "fit"))
    objective = ForagingObjective(record, task)
    fit = fit_from_random_starts(
        objective, settings, lambda k: random("pair", 0, "start", k), alternatives["n_starts"]
    )
    values = brute_force(
        objective,
        settings,
        2 ** alternatives["search_doublings"],
        random("brute force"),
    )
    course = search_course(fit.starts, settings.candidates_per_start)
    result = brute_force_dataset(values, course, fit.log_likelihood, task)
    write(result.assign_attrs(provenance(config)), output, BRUTE_FORCE)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(snakemake.params.config, snakemake.params.n_steps, snakemake.output[0])
