"""Draw Figure 8, ways to the maximum."""

from irc import datasets
from irc.figures import optimization_paths, style
from irc.rules import rule_log


def main(optimization, pdf, png, numbers):
    """Draw gaps against cost, ends over starts, and plain EM against diffusion."""
    data = datasets.read(optimization, "optimization")
    style.save(optimization_paths.draw(data), (pdf, png))
    style.write_numbers(optimization_paths.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            optimization=snakemake.input.optimization,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
