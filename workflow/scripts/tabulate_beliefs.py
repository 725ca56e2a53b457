"""Tabulate what an animal believes, expects and is surprised by at every step."""

from inverse_rational_control.foraging.regressors import regressors as of_record
from inverse_rational_control.foraging.regressors_dataset import (
    REGRESSORS,
    regressors_dataset,
    regressors_table,
)
from inverse_rational_control.inference.carried import read_carried
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run


def main(config, record, fit, parameter_posterior, n_carried, regressors, table, log):
    """Write regressors as NetCDF and as CSV; under the estimate alone if there are no draws."""
    dataset = read(record, RECORD)
    fitted = read_estimate(fit)
    carried = read_carried(parameter_posterior, n_carried)
    log.info("made with %s", carried.said)
    draws = fitted["estimate"].values[None] if carried.draws is None else carried.draws
    found = of_record(
        draws, record_from_dataset(dataset), task_from_dataset(dataset), extras_of_dataset(fitted)
    )
    result = regressors_dataset(found, dataset, carried.said)
    write(result.assign_attrs(provenance(config)), regressors, REGRESSORS)
    rows = regressors_table(result).round(6)
    write_whole(table, rows.to_csv(index=False))


if __name__ == "__main__":
    run(main, snakemake)
