"""Search the full model's likelihood by brute force and by gradients, on one record of the agent."""

from irc.agent import agent_model
from irc.assembly.rivals import brute_force_dataset
from irc.brute_force import brute_force
from irc.config import task_from_config
from irc.datasets import write
from irc.fitting import FitSettings, fit_from_random_starts
from irc.likelihood import chain_inputs
from irc.parameters import agent_vector, world_vector
from irc.provenance import provenance
from irc.random_streams import stream
from irc.rivals import search_course
from irc.rules import UserError, rule_log
from irc.simulation import simulate


def main(config, n_steps, output):
    """Write both searches' gaps to the highest log-likelihood that the fit's starts found."""
    task = task_from_config(config)
    rivals, limit = config["rivals"], {"max_evaluations": config["rivals"]["max_evaluations"]}
    settings = FitSettings.from_config(config["fitting"] | limit)

    def random(*purpose):
        return stream(config["root_seed"], "rivals", *purpose)

    model = agent_model(agent_vector(config["agent"]), task)
    if not model.plan.converged:
        raise UserError("agent: the planner finds no solution, so it has no rivals")
    # The first of the paired records, from the same starts.
    record = simulate(model, world_vector(config["world"]), n_steps, random("pair", 0, "fit"))
    fit = fit_from_random_starts(
        record, task, settings, lambda k: random("pair", 0, "start", k), rivals["n_starts"]
    )
    values = brute_force(
        chain_inputs(record), task, settings, 2 ** rivals["search_doublings"], random("brute force")
    )
    course = search_course(fit.starts, settings.candidates_per_start)
    result = brute_force_dataset(values, course, fit.log_likelihood, task)
    write(result.assign_attrs(provenance(config)), output, "brute_force")


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(snakemake.params.config, snakemake.params.n_steps, snakemake.output[0])
