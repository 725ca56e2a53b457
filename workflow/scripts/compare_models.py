"""Compare value function and policy of the true and the inferred agent over all states."""

import numpy as np
import xarray as xr

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.behavior import compare_models
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import MODELS
from inverse_rational_control.task import LOCATIONS, N_LOCATIONS
from inverse_rational_control.workflow import run


def main(config, record, fit, models):
    """Write the comparison, with how often the agent truly was in each state."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    behavior = record_from_dataset(dataset)
    comparison = compare_models(
        agent_model(dataset["truth"].values, task),
        agent_model(read_estimate(fit)["estimate"].values, task),
    )
    n = task.n_bins
    visits = np.zeros((N_LOCATIONS, n, n))
    np.add.at(visits, (behavior.location, *behavior.belief_bin.T), 1.0)
    visits /= behavior.n_steps
    difference = comparison.inferred_value - comparison.true_value
    dims = ("location", "bin_1", "bin_2")
    result = xr.Dataset(
        {
            "true_value": (dims, comparison.true_value),
            "inferred_value": (dims, comparison.inferred_value),
            "policy_divergence": (dims, comparison.policy_divergence),
            "visit_frequency": (dims, visits),
            "value_correlation": (
                (),
                np.corrcoef(comparison.true_value.ravel(), comparison.inferred_value.ravel())[0, 1],
            ),
            "value_rmse": ((), float(np.sqrt(np.mean(difference**2)))),
            "mean_policy_divergence": ((), float((visits * comparison.policy_divergence).sum())),
            "uniform_policy_divergence": (
                (),
                float((visits * comparison.uniform_divergence).sum()),
            ),
        },
        {"location": list(LOCATIONS), "bin_1": bin_centers(n), "bin_2": bin_centers(n)},
    )
    write(result.assign_attrs(provenance(config)), models, MODELS)


if __name__ == "__main__":
    run(main, snakemake)
