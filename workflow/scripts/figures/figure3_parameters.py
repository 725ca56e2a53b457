"""Draw Figure 3, the learning trajectory and the estimates."""

from irc import datasets
from irc.figures import parameter_estimates, style
from irc.rules import rule_log


def main(fit, surface, pdf, png, numbers):
    """Draw the fit's estimates and the likelihood's surface around them."""
    data = datasets.read_estimate(fit), datasets.read(surface, "surface")
    style.save(parameter_estimates.draw(*data), (pdf, png))
    style.write_numbers(parameter_estimates.numbers(*data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            fit=snakemake.input.fit,
            surface=snakemake.input.surface,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
