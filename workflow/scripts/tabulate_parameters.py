"""Tabulate what to report of one record's parameters: posterior, and maximum likelihood beside it."""

from inverse_rational_control.inference.carried import parameter_rows
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.posterior_dataset import POSTERIOR
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import read
from inverse_rational_control.workflow import run


def main(fit, parameter_posterior, parameters):
    """Write one row per parameter; what the posterior says is empty where none was drawn from."""
    drawn = read(parameter_posterior, POSTERIOR) if parameter_posterior else None
    write_whole(parameters, parameter_rows(read(fit, FIT), drawn).to_csv(index=False))


if __name__ == "__main__":
    run(main, snakemake)
