"""Search the full model's likelihood by brute force and by gradients, on one record of the agent."""

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts, generic_whitening
from inverse_rational_control.inference.start import fit_start
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.alternatives.brute_force import brute_force, optimization_path
from inverse_rational_control.studies.alternatives.dataset import BRUTE_FORCE, brute_force_dataset
from inverse_rational_control.workflow import UserError, run


def main(config, n_steps, searches):
    """Write both searches' gaps to the highest log-likelihood that the fit's starts found."""
    task, options = task_from_config(config), config["alternatives"]
    limits = {"max_evaluations": options["max_evaluations"]}
    settings = FitSettings(**config["fitting"] | limits)

    def random(*purpose):
        return stream(config["root_seed"], "rivals", *purpose)

    model = agent_model(agent_vector(config["agent"]), task)
    if not model.plan.converged:
        raise UserError("agent: the planner finds no solution, so it has no alternatives")
    # The first of the paired records, from the same starts.
    record = simulate(model, world_vector(config["world"]), n_steps, random("pair", 0, "fit"))
    objective = ForagingObjective(record, task)
    fit = fit_from_random_starts(
        objective, settings, lambda k: random("pair", 0, "start", k), options["n_starts"]
    )
    n_points = 2 ** options["search_doublings"]
    values, best = brute_force(objective, settings, n_points, random("brute force"))
    # An independent search for the maximum: from the best of many points, not of a few.
    polished = fit_start(objective, settings, best, generic_whitening(settings, task))
    path = optimization_path(fit.starts, settings.candidates_per_start)
    result = brute_force_dataset(values, path, fit.log_likelihood, polished.log_likelihood, task)
    write(result.assign_attrs(provenance(config)), searches, BRUTE_FORCE)


if __name__ == "__main__":
    run(main, snakemake)
