"""Collect the drawn agents' fits and fixed points: recovery, coverage, z-scores, multiplicity."""

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import read_batches
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.population.dataset import (
    FIXED_POINTS,
    FROM_FITS,
    POPULATION,
    multiplicity_table,
    population_dataset,
)
from inverse_rational_control.workflow import run


def main(config, fits, fixed_points, levels, summary, table):
    """Write the summary, and the table of how many agents have how many fixed points."""
    points = read_batches(fixed_points, FIXED_POINTS, dim="agent")
    result = population_dataset(read_batches(fits, FIT, FROM_FITS, "agent"), points, levels)
    write(result.assign_attrs(provenance(config)), summary, POPULATION)
    write_whole(table, multiplicity_table(points).to_csv(index=False))


if __name__ == "__main__":
    run(main, snakemake)
