"""Draw Figure 10, rivals of the full model."""

from irc import datasets
from irc.figures import rival_models, style
from irc.rules import rule_log


def main(rivals, pdf, png, numbers):
    """Draw the rivals beside the full model."""
    data = datasets.read(rivals, "rivals")
    style.save(rival_models.draw(data), (pdf, png))
    style.write_numbers(rival_models.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            rivals=snakemake.input.rivals,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
