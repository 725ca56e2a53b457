"""Search the maximum of one drawn agent's record once more, independently of its fit."""

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.log_posterior import maximized
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.population.search_again import (
    SEARCH_AGAIN,
    search_again,
    search_again_dataset,
)
from inverse_rational_control.workflow import run


def main(config, record, fit, agent, n_steps, n_starts, again, log):
    """Write where `n_starts` starts end that the fit of `agent` did not have."""
    dataset, fitted = read(record, RECORD), read(fit, FIT).sel(agent=agent)
    task, settings = task_from_dataset(dataset), FitSettings(**config["fitting"])
    behavior = record_from_dataset(dataset.sel(agent=agent)).head(n_steps)
    likelihood = ForagingObjective(behavior, task)
    objective = maximized(likelihood, settings.estimator, config["prior"])
    reported = float(fitted["log_likelihood"] + fitted["log_prior"])
    ends, used = search_again(
        objective,
        settings,
        lambda k: stream(config["root_seed"], "population", "search again", "start", agent, k),
        n_starts,
        reported,
        generic_whitening(settings, task),
    )
    log.info("agent %d: %+.4f nats at most", agent, np.nanmax(ends, initial=-np.inf) - reported)
    result = search_again_dataset([agent], np.array([reported]), ends[None], used[None])
    write(result.assign_attrs(provenance(config)), again, SEARCH_AGAIN)


if __name__ == "__main__":
    run(main, snakemake)
