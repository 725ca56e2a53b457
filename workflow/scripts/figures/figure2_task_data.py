"""Draw Figure 2, a stretch of task data."""

from irc import datasets
from irc.figures import style, task_data
from irc.rules import rule_log


def main(record, pdf, png, numbers, first_step, n_steps):
    """Draw the record's stretch of `n_steps` steps from `first_step` on."""
    data = datasets.read(record, "record")
    style.save(task_data.draw(data, first_step, n_steps), (pdf, png))
    style.write_numbers(task_data.numbers(data, first_step, n_steps), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):  # noqa: F821
        main(
            record=snakemake.input.record,  # noqa: F821
            pdf=snakemake.output.pdf,  # noqa: F821
            png=snakemake.output.png,  # noqa: F821
            numbers=snakemake.output.numbers,  # noqa: F821
            first_step=snakemake.params.first_step,  # noqa: F821
            n_steps=snakemake.params.n_steps,  # noqa: F821
        )
