"""Say which parameters describe a record: the paper's ten, extra ones, or none at all."""

from inverse_rational_control.config.animals import held_values
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.descriptions import compare_descriptions
from inverse_rational_control.foraging.descriptions_dataset import (
    COMPARED_DESCRIPTIONS,
    descriptions_dataset,
    descriptions_table,
)
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    named_world,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.alternatives.baselines import baselines
from inverse_rational_control.workflow import run


def main(config, record, study, free, compared, table, log):
    """Write the comparison as NetCDF, and a row per description as CSV."""
    dataset = read(record, RECORD)
    task, section = task_from_dataset(dataset), config["descriptions"]
    settings = FitSettings(**config["fitting"])
    found = compare_descriptions(
        record_from_dataset(dataset),
        task,
        settings,
        lambda number: stream(config["root_seed"], study, "description", number),
        baselines(task, config["alternatives"]),
        n_parts=section["n_parts"],
        n_starts=section["n_starts"],
        fixed=held_values(free, named_world(dataset)) if free else None,
        tied=free.get("tied", ()),
    )
    log.info("%s", found.said())
    result = descriptions_dataset(found)
    write(result.assign_attrs(provenance(config)), compared, COMPARED_DESCRIPTIONS)
    write_whole(table, descriptions_table(result).to_csv(index=False))


if __name__ == "__main__":
    run(main, snakemake)
