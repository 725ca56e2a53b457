"""Read an animal's behaviour and keep it as a checked NetCDF record."""

from irc.assembly.records import record_dataset
from irc.config import task_from_config
from irc.datasets import write
from irc.importing import read_record
from irc.parameters import world_vector
from irc.provenance import provenance
from irc.rules import rule_log


def main(config, source, output):
    """Import `source` (CSV or NetCDF)."""
    task = task_from_config(config)
    record = read_record(source, task)
    dataset = record_dataset(record, task, world=world_vector(config["world"]))
    write(dataset.assign_attrs(provenance(config), source=source), output, "record")


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(snakemake.params.config, snakemake.input[0], snakemake.output[0])
