"""Collect the recovery study's fits: errors, slopes, coverage over records and data lengths."""

from itertools import islice

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import read_batches
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.recovery.dataset import (
    EXPECTED_INFORMATION,
    FROM_FITS,
    RECOVERY,
    recovery_dataset,
    steps_needed_table,
)
from inverse_rational_control.workflow import run


def main(
    config,
    fits,
    information,
    n_files,
    slope_from,
    efficiency_from,
    agreement_nats,
    precisions,
    summary,
    table,
):
    """Write the summary, and how many steps every one of `precisions` takes.

    `fits` are batch files, `n_files` of them for each length in turn.
    """
    files, level = iter(fits), config["fitting"]["confidence_level"]
    expected = read(information, EXPECTED_INFORMATION)
    result = recovery_dataset(
        [read_batches(islice(files, number), FIT, FROM_FITS) for number in n_files],
        expected,
        slope_from,
        efficiency_from,
        agreement_nats,
        level,
    )
    write(result.assign_attrs(provenance(config)), summary, RECOVERY)
    needed = steps_needed_table(expected, result["truth"].values, precisions, level)
    write_whole(table, needed.to_csv(index=False))


if __name__ == "__main__":
    run(main, snakemake)
