"""Read an animal's behavior and keep it as a checked NetCDF record."""

from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.parameters import world_vector
from inverse_rational_control.recordings.dataset import RECORD, record_dataset
from inverse_rational_control.recordings.reading import read_record
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run


def main(config, behavior, record):
    """Write the record of the file `behavior` (CSV or NetCDF)."""
    task = task_from_config(config)
    dataset = record_dataset(read_record(behavior, task), task, world=world_vector(config["world"]))
    write(dataset.assign_attrs(provenance(config), source=behavior), record, RECORD)


if __name__ == "__main__":
    run(main, snakemake)
