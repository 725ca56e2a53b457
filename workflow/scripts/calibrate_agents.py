"""Draw agents from the prior, simulate each, and compare the posterior of its record with it."""

import numpy as np

from inverse_rational_control.agent.model import draw_agent
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.loading import ConfigError, task_from_config
from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import choose_start, generic_whitening
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.posterior import draw_posterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import FULL_SPACE
from inverse_rational_control.parameters import world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import stack
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.calibration.agents import calibrate
from inverse_rational_control.studies.calibration.dataset import CALIBRATED, calibrated_dataset
from inverse_rational_control.workflow import run


def main(config, agents, options, calibrated, log):
    """Write what was found of each agent, along the dimension `agent`."""
    task, world = task_from_config(config), world_vector(config["world"])
    prior = normal_prior(config["prior"], FULL_SPACE)
    if not prior.is_proper:
        raise ConfigError(
            "prior: found flat, allowed: an interval for every parameter where agents are drawn from "
            "it (calibration.enabled: false draws none)"
        )
    fitting = FitSettings(**config["fitting"])
    own = {name: options[name] for name in PosteriorSettings.model_fields if name in options}
    settings = PosteriorSettings(**config["posterior"] | own)
    whitening = generic_whitening(fitting, task)

    def one(agent):
        def of(name):
            return stream(config["root_seed"], "calibration", name, agent)

        of_agent = of("agent")
        model, n_refused = draw_agent(lambda: prior.draw(of_agent), task)
        record = simulate(model, world, options["n_steps"], of("record"))
        objective = ForagingObjective(record, task)
        rng = of("start")
        posterior = draw_posterior(
            LogPosterior(objective, prior),
            fitting,
            settings,
            [choose_start(objective, fitting, rng) for _ in range(options["n_starts"])],
            of("posterior"),
            whitening,
        )
        log.info(
            "agent %d: %s by %s, %d gradients and forward passes",
            agent,
            posterior.status,
            posterior.sampler,
            posterior.n_evaluations,
        )
        found = calibrate(
            posterior,
            model.theta,
            options["n_ranked_draws"],
            options["interval_levels"],
            options["belief_mass"],
            of("rank"),
        )
        return calibrated_dataset(found | {"n_refused": n_refused}, options["interval_levels"])

    result = stack([one(agent) for agent in agents], np.asarray(agents), CALIBRATED, "agent")
    result = result.assign_attrs(
        n_ranked_draws=options["n_ranked_draws"],
        belief_mass_level=options["belief_mass"],
        n_steps=options["n_steps"],
        **provenance(config),
    )
    write(result, calibrated, CALIBRATED)


if __name__ == "__main__":
    run(main, snakemake)
