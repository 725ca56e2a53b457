"""Draw Figure 6, the recovery study."""

from irc import datasets
from irc.figures import recovery_errors, style
from irc.rules import rule_log


def main(recovery, pdf, png, numbers):
    """Draw the errors of the recovery study."""
    data = datasets.read(recovery, "recovery")
    style.save(recovery_errors.draw(data), (pdf, png))
    style.write_numbers(recovery_errors.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):  # noqa: F821
        main(
            recovery=snakemake.input.recovery,  # noqa: F821
            pdf=snakemake.output.pdf,  # noqa: F821
            png=snakemake.output.png,  # noqa: F821
            numbers=snakemake.output.numbers,  # noqa: F821
        )
