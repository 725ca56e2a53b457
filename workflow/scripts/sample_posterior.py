"""Draw from the posterior of one record's parameters, the search for its mode begun at the estimate."""

import numpy as np

from inverse_rational_control.config.animal_spaces import animal_space
from inverse_rational_control.config.fitting import fit_settings
from inverse_rational_control.config.loading import ConfigError
from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.posterior import draw_posterior
from inverse_rational_control.inference.posterior_dataset import POSTERIOR, posterior_datasets
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_ranges import in_belief_units
from inverse_rational_control.parameters import agent_parameters
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    named_world,
    record_from_dataset,
    task_attribute,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write_groups
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run


def main(config, record, fit, study, posterior, log, free=None):
    """Write the posterior of the whole record under the configuration's prior.

    `free` are keys of an animal's entry, as for its fit.
    """
    dataset, fitted = read(record, RECORD), read(fit, FIT)
    task = task_from_dataset(dataset)
    parameters = agent_parameters(extras_of_dataset(fitted), task.n_bins)
    free = free or {}
    space = animal_space(free, named_world(dataset) if free else {}, parameters, task.n_bins)
    objective = ForagingObjective(record_from_dataset(dataset), task, space)
    prior = config["prior"] | free.get("prior", {})
    prior = normal_prior(in_belief_units(prior, task.n_bins), space)
    if not prior.is_proper:
        raise ConfigError(
            "prior: found flat, allowed: an interval for every parameter where a posterior is drawn "
            "(posterior.paper, posterior.animals: false draws none)"
        )
    fitting = fit_settings(config["fitting"], free.get("start_ranges"))
    settings = PosteriorSettings(**config["posterior"])
    estimate = fitted["estimate"].values
    found = draw_posterior(
        LogPosterior(objective, prior),
        fitting,
        settings,
        [estimate] if np.isfinite(estimate).all() else [],
        stream(config["root_seed"], study, "posterior"),
        generic_whitening(fitting, task, space),
    )
    log.info(
        "%s: %s by %s, %d gradients and forward passes",
        study,
        found.status,
        found.sampler,
        found.n_evaluations,
    )
    for remark in found.remarks:
        log.warning("%s: %s", study, remark)
    groups = posterior_datasets(found)
    known = {name: dataset[name] for name in ("truth", "world") if name in dataset}
    top = groups[""].assign(known).assign_attrs(task=task_attribute(task), **provenance(config))
    write_groups(groups | {"": top}, posterior, POSTERIOR)


if __name__ == "__main__":
    run(main, snakemake)
