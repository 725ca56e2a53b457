"""Fit the agent's parameters to one record, or to a batch of them in one process."""

import numpy as np

from inverse_rational_control.config.animal_spaces import animal_extras, animal_space
from inverse_rational_control.config.fitting import fit_settings
from inverse_rational_control.foraging.dataset import record_fit_dataset
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts, generic_whitening
from inverse_rational_control.inference.bound_intervals import with_profile_intervals
from inverse_rational_control.inference.dataset import FIT, by_parameter
from inverse_rational_control.inference.log_posterior import maximized
from inverse_rational_control.parameter_ranges import in_belief_units
from inverse_rational_control.parameters import agent_parameters
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    named_world,
    record_from_dataset,
    stack,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import BATCH_DIMS, read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run


def main(
    config,
    record,
    study,
    numbers,
    n_steps,
    method,
    n_starts,
    n_reserve_starts,
    fit,
    log,
    interval_ends=True,
    free=None,
):
    """Fit the first `n_steps` of every record (None: the whole of the one record).

    Beyond the ten parameters, a simulated agent's fit has those that it has, an animal's those of
    `fitting.extras`.

    `numbers` are those of a batch's records, whose dimension is `seed` or `agent`. Where Wald's
    intervals do not hold, `interval_ends` says whether profile intervals are sought; whether they hold
    a known truth is found out in any case. `free` are keys of an animal's entry: which parameters it
    has, which are held, tied or bounded, and what differs in the prior and the ranges of starts.
    """
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    free = free or {}
    settings = fit_settings(config["fitting"], free.get("start_ranges"), method=method)
    own = "truth" in dataset
    extras = extras_of_dataset(dataset) if own else animal_extras(free, settings.extras)
    parameters = agent_parameters(extras, task.n_bins)
    space = animal_space(free, named_world(dataset) if free else {}, parameters, task.n_bins)
    whitening = generic_whitening(settings, task, space)
    prior = config["prior"] | free.get("prior", {})
    prior = in_belief_units(prior, task.n_bins)

    def one(part, name):
        behavior = record_from_dataset(part)
        behavior = behavior if n_steps is None else behavior.head(n_steps)
        likelihood = ForagingObjective(behavior, task, space)
        objective = maximized(likelihood, settings.estimator, prior)

        def generator(k):
            return stream(config["root_seed"], study, "start", *name, k)

        fitted = fit_from_random_starts(
            objective, settings, generator, n_starts, n_reserve_starts, whitening
        )
        known = {key: part[key].values for key in ("truth", "world") if key in part}
        fitted = with_profile_intervals(fitted, objective, known.get("truth"), interval_ends)
        log.info(
            "%s %s: %s, log-likelihood %.4f, %d starts, %d E-steps, %d more for profiles, %.1f s",
            study,
            name,
            fitted.status,
            fitted.log_likelihood,
            len(fitted.starts),
            sum(result.n_evaluations for result in fitted.starts),
            fitted.profiles.n_evaluations if fitted.profiles else 0,
            sum(result.seconds for result in fitted.starts),
        )
        for remark in (*fitted.remarks, *fitted.intervals().remarks):
            log.warning("%s %s: %s", study, name, remark)
        return by_parameter(record_fit_dataset(fitted, likelihood, **known))

    if numbers is None:
        result = one(dataset, ())
    else:
        (dim,) = set(BATCH_DIMS).intersection(dataset.dims)
        parts = [one(dataset.sel({dim: number}), (int(number),)) for number in np.asarray(numbers)]
        result = stack(parts, numbers, FIT, dim)
    write(result.assign_attrs(provenance(config)), fit, FIT)


if __name__ == "__main__":
    run(main, snakemake)
