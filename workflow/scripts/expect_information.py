"""Average the observed information at the true parameters over records: the Cramer-Rao bound."""

import numpy as np

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.information import observed_information
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.recordings.dataset import (
    RECORD,
    coordinates_of_dataset,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.recovery.dataset import (
    EXPECTED_INFORMATION,
    expected_information_dataset,
)
from inverse_rational_control.workflow import run


def main(config, records, lengths, information):
    """Write the expected information at every length.

    It grows in proportion to the length, but for the first few steps, in which the chain forgets how it
    began: so that of the longest records, which is least noisy, serves for all.
    """
    longest = max(lengths)
    step = config["fitting"]["difference_step"]
    per_step = []
    for path in records:
        batch = read(path, RECORD)
        task, truth = task_from_dataset(batch), batch["truth"].values[0]
        space = parameter_space(parameters=coordinates_of_dataset(batch).parameters)
        for seed in batch["seed"].values:
            record = record_from_dataset(batch.sel(seed=seed)).head(longest)
            objective = ForagingObjective(record, task, space)
            found = observed_information(objective, space.unconstrained(truth), step)
            per_step.append(found / longest)
    result = expected_information_dataset(np.array(per_step), truth, lengths, space)
    write(result.assign_attrs(provenance(config)), information, EXPECTED_INFORMATION)


if __name__ == "__main__":
    run(main, snakemake)
