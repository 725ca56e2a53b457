"""Average the observed information at the true parameters over records: the Cramer-Rao bound."""

import numpy as np
import xarray as xr

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.information import observed_information
from inverse_rational_control.parameters import unconstrained
from inverse_rational_control.recordings.dataset import (
    RECORD,
    names,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.recovery.analysis import cramer_rao_bound
from inverse_rational_control.studies.recovery.dataset import EXPECTED_INFORMATION
from inverse_rational_control.workflow import run


def main(config, records, lengths, information):
    """Write the expected information at every length.

    It grows in proportion to the length, but for the first few steps, in which the chain forgets how it
    began: so that of the longest records, which is least noisy, serves for all.
    """
    longest = max(lengths)
    step = config["fitting"]["difference_step"]
    found = []
    for path in records:
        batch = read(path, RECORD)
        task, truth = task_from_dataset(batch), batch["truth"].values[0]
        for seed in batch["seed"].values:
            record = record_from_dataset(batch.sel(seed=seed))
            objective = ForagingObjective(record.head(longest), task)
            found.append(observed_information(objective, unconstrained(truth), step) / longest)
    per_step = np.array(found)  # [record, parameter, parameter]
    bounds = [cramer_rao_bound(length * per_step, truth) for length in lengths]
    dims = ("n_steps", "parameter")
    result = xr.Dataset(
        {
            "information_per_step": (("parameter", "parameter_other"), per_step.mean(0)),
            "bound": (dims, np.array([bound for bound, _ in bounds])),
            "bound_standard_error": (dims, np.array([error for _, error in bounds])),
        },
        {"n_steps": lengths, "parameter": names(), "parameter_other": names()},
        {"n_records": len(found)},
    )
    write(result.assign_attrs(provenance(config)), information, EXPECTED_INFORMATION)


if __name__ == "__main__":
    run(main, snakemake)
