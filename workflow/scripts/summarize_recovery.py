"""Collect the recovery study's fits: errors, slopes, coverage over records and data lengths."""

from itertools import islice

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import read_batches
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.recovery.dataset import (
    EXPECTED_INFORMATION,
    FROM_FITS,
    RECOVERY,
    recovery_dataset,
)
from inverse_rational_control.workflow import run


def main(config, fits, information, n_files, slope_from, agreement_nats, summary):
    """Write the summary; `fits` are batch files, `n_files` of them for each length in turn."""
    files = iter(fits)
    result = recovery_dataset(
        [read_batches(islice(files, number), FIT, FROM_FITS) for number in n_files],
        read(information, EXPECTED_INFORMATION),
        slope_from,
        agreement_nats,
        config["fitting"]["confidence_level"],
        lambda purpose: stream(config["root_seed"], "recovery", purpose),
    )
    write(result.assign_attrs(provenance(config)), summary, RECOVERY)


if __name__ == "__main__":
    run(main, snakemake)
