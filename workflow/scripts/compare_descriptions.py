"""Say which parameters describe a record: the paper's ten, extra ones, or none at all."""

from inverse_rational_control.config.animal_spaces import (
    alternative_entries,
    animal_extras,
    animal_space,
    bounds_of,
    held_values,
)
from inverse_rational_control.config.fitting import fit_settings
from inverse_rational_control.foraging.descriptions import compare_descriptions
from inverse_rational_control.foraging.descriptions_dataset import (
    COMPARED_DESCRIPTIONS,
    descriptions_dataset,
    descriptions_table,
)
from inverse_rational_control.parameter_ranges import in_belief_units
from inverse_rational_control.parameters import agent_parameters
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
    """Write the comparison as NetCDF, and a row per description as CSV.

    `free` are keys of the animal's entry: those of its fit, and its alternative models.
    """
    dataset = read(record, RECORD)
    task, section = task_from_dataset(dataset), config["descriptions"]
    world = named_world(dataset)
    settings = fit_settings(config["fitting"], free.get("start_ranges"))
    entries = alternative_entries(free, config["alternatives"]["models"])
    alternatives, priors = {}, {}
    for name, entry in entries.items():
        parameters = agent_parameters(animal_extras(entry, ()), task.n_bins)
        alternatives[name] = animal_space(entry, world, parameters, task.n_bins)
        if entry["prior"]:
            priors[name] = in_belief_units(entry["prior"], task.n_bins)
    found = compare_descriptions(
        record_from_dataset(dataset),
        task,
        settings,
        lambda number: stream(config["root_seed"], study, "description", number),
        baselines(task, config["alternatives"]),
        n_parts=section["n_parts"],
        n_starts=section["n_starts"],
        fixed=held_values(free, world),
        tied=free.get("tied", ()),
        bounded=bounds_of(free, task.n_bins),
        alternatives=alternatives,
        priors=priors,
    )
    log.info("%s", found.said())
    result = descriptions_dataset(found)
    write(result.assign_attrs(provenance(config)), compared, COMPARED_DESCRIPTIONS)
    write_whole(table, descriptions_table(result).to_csv(index=False))


if __name__ == "__main__":
    run(main, snakemake)
