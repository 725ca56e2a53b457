"""Tabulate the parameters of all animals and sessions side by side, and how they differ."""

import pandas as pd

from inverse_rational_control.foraging.animal_summary import parameters_of_animals, shown
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.workflow import run


def main(parameters, animals, table, page):
    """Write one row per animal and parameter, from the tables of each, and a page for the report."""
    given = [parameters] if isinstance(parameters, str) else parameters
    tables = {name: pd.read_csv(path) for name, path in zip(animals, given, strict=True)}
    together = parameters_of_animals(tables)
    write_whole(table, together.to_csv(index=False, float_format="%.5g"))
    write_whole(page, shown("Parameters side by side", together))


if __name__ == "__main__":
    run(main, snakemake)
