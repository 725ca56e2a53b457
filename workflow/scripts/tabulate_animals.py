"""Tabulate the parameters of all animals and sessions side by side, and how they differ."""

import pandas as pd

from inverse_rational_control.foraging.animal_summary import parameters_of_animals
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.workflow import run


def main(parameters, animals, table):
    """Write one row per animal and parameter, from the tables of each."""
    given = [parameters] if isinstance(parameters, str) else parameters
    tables = {name: pd.read_csv(path) for name, path in zip(animals, given, strict=True)}
    write_whole(table, parameters_of_animals(tables).to_csv(index=False, float_format="%.5g"))


if __name__ == "__main__":
    run(main, snakemake)
