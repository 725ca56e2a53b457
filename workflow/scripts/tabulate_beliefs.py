"""Tabulate what an animal believes, expects and is surprised by at every step."""

from inverse_rational_control.foraging.regressors import regressors_in_blocks
from inverse_rational_control.foraging.regressors_dataset import (
    REGRESSORS,
    regressors_dataset,
    regressors_steps,
    regressors_table,
)
from inverse_rational_control.inference.carried import read_carried
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    extras_of_dataset,
    seen_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.atomic import written_text
from inverse_rational_control.storage.blocks import read_in_blocks, written_in_blocks
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run

ROWS = 50_000  # of the table, written at once


def main(config, record, fit, parameter_posterior, n_carried, regressors, table, log):
    """Write regressors as NetCDF and as CSV; under the estimate alone if there are no draws."""
    fitted = read_estimate(fit)
    carried = read_carried(parameter_posterior, n_carried)
    log.info("made with %s", carried.said)
    draws = fitted["estimate"].values[None] if carried.draws is None else carried.draws
    with read_in_blocks(record, RECORD) as dataset:
        steps = seen_from_dataset(dataset)
        task, extras = task_from_dataset(dataset), extras_of_dataset(fitted)

        def take(begin, end, found):
            here = dataset.isel(step=slice(begin, end))
            for name, values in regressors_steps(found, here).items():
                file.put(name, begin, values)

        with written_in_blocks(regressors, REGRESSORS, steps.n_steps) as file:
            regressors_in_blocks(draws, steps, task, take, extras)
            file.add(
                regressors_dataset(steps.n_steps, carried.said).assign_attrs(provenance(config))
            )
    with read_in_blocks(regressors, REGRESSORS) as result, written_text(table) as rows:
        for begin in range(0, result.sizes["step"], ROWS):
            part = regressors_table(result.isel(step=slice(begin, begin + ROWS)).load())
            text = part.round(6).to_csv(index=False)
            rows.write(text.split("\n", 1)[1] if begin else text)


if __name__ == "__main__":
    run(main, snakemake)
