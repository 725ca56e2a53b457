"""Read an animal's behavior and keep it as a checked NetCDF record."""

from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.parameters import world_vector
from inverse_rational_control.recordings.dataset import record_dataset
from inverse_rational_control.recordings.reading import read_record
from inverse_rational_control.storage.datasets import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import rule_log


def main(config, source, output):
    """Import `source` (CSV or NetCDF)."""
    task = task_from_config(config)
    record = read_record(source, task)
    dataset = record_dataset(record, task, world=world_vector(config["world"]))
    write(dataset.assign_attrs(provenance(config), source=source), output, "record")


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(snakemake.params.config, snakemake.input[0], snakemake.output[0])
