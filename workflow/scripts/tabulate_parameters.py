"""Tabulate what to report of one record's parameters: posterior, and maximum likelihood beside it."""

from inverse_rational_control.foraging.per_second import with_seconds
from inverse_rational_control.inference.carried import parameter_rows
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.posterior_dataset import POSTERIOR
from inverse_rational_control.recordings.dataset import task_from_dataset
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import read
from inverse_rational_control.workflow import run


def main(fit, parameter_posterior, parameters):
    """Write one row per parameter; what the posterior says is empty where none was drawn from."""
    drawn = read(parameter_posterior, POSTERIOR) if parameter_posterior else None
    fitted = read(fit, FIT)
    table = with_seconds(parameter_rows(fitted, drawn), task_from_dataset(fitted))
    write_whole(parameters, table.to_csv(index=False))


if __name__ == "__main__":
    run(main, snakemake)
