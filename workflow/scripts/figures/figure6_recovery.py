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
    with rule_log(snakemake.log):
        main(
            recovery=snakemake.input.recovery,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
