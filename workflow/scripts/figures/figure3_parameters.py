"""Draw Figure 3, the EM trajectory and the estimates."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.paper import figure3_parameters as parameter_estimates
from inverse_rational_control.workflow import rule_log


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
