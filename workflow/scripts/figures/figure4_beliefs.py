"""Draw Figure 4, the decoded beliefs."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.paper import figure4_beliefs as decoded_beliefs
from inverse_rational_control.workflow import rule_log


def main(posterior, record, pdf, png, numbers, first_step, n_steps):
    """Draw the posterior, of `n_steps` steps from `first_step` on, and its average."""
    data = datasets.read(posterior, "posterior"), datasets.read(record, "record")
    style.save(decoded_beliefs.draw(*data, first_step, n_steps), (pdf, png))
    style.write_numbers(decoded_beliefs.numbers(*data, first_step, n_steps), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            posterior=snakemake.input.posterior,
            record=snakemake.input.record,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
            first_step=snakemake.params.first_step,
            n_steps=snakemake.params.n_steps,
        )
