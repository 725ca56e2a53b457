"""Compare value function and policy of the true and the inferred agent over all states."""

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.behavior import compare_models, value_band
from inverse_rational_control.inference.carried import read_carried
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.analysis import visit_frequency
from inverse_rational_control.studies.paper.dataset import MODELS, models_dataset
from inverse_rational_control.workflow import run


def main(config, record, fit, parameter_posterior, n_carried, interval_level, models):
    """Write the comparison, with how often the agent truly was in each state, and bands over draws."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    fitted = read_estimate(fit)
    extras = extras_of_dataset(fitted)
    comparison = compare_models(
        agent_model(dataset["truth"].values, task, extras_of_dataset(dataset)),
        agent_model(fitted["estimate"].values, task, extras),
    )
    visits = visit_frequency(record_from_dataset(dataset), task.n_bins)
    carried, band = read_carried(parameter_posterior, n_carried), None
    if carried.draws is not None:
        drawn = [agent_model(theta, task, extras) for theta in carried.draws]
        band = value_band(drawn, interval_level)
    centers = bin_centers(task.n_bins)
    result = models_dataset(comparison, visits, centers, carried.said, band)
    write(result.assign_attrs(provenance(config)), models, MODELS)


if __name__ == "__main__":
    run(main, snakemake)
