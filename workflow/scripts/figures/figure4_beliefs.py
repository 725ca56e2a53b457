"""Draw Figure 4, the decoded beliefs."""

from irc import datasets
from irc.figures import decoded_beliefs, style
from irc.rules import rule_log


def main(posterior, record, pdf, png, numbers, first_step, n_steps):
    """Draw the posterior, of `n_steps` steps from `first_step` on, and its average."""
    data = datasets.read(posterior, "posterior"), datasets.read(record, "record")
    style.save(decoded_beliefs.draw(*data, first_step, n_steps), (pdf, png))
    style.write_numbers(decoded_beliefs.numbers(*data, first_step, n_steps), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):  # noqa: F821
        main(
            posterior=snakemake.input.posterior,  # noqa: F821
            record=snakemake.input.record,  # noqa: F821
            pdf=snakemake.output.pdf,  # noqa: F821
            png=snakemake.output.png,  # noqa: F821
            numbers=snakemake.output.numbers,  # noqa: F821
            first_step=snakemake.params.first_step,  # noqa: F821
            n_steps=snakemake.params.n_steps,  # noqa: F821
        )
