"""Draw Figure 2, a stretch of task data."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.paper import figure2_task_data as task_data
from inverse_rational_control.workflow import rule_log


def main(record, pdf, png, numbers, first_step, n_steps):
    """Draw the record's stretch of `n_steps` steps from `first_step` on."""
    data = datasets.read(record, "record")
    style.save(task_data.draw(data, first_step, n_steps), (pdf, png))
    style.write_numbers(task_data.numbers(data, first_step, n_steps), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            record=snakemake.input.record,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
            first_step=snakemake.params.first_step,
            n_steps=snakemake.params.n_steps,
        )
