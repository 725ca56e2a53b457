"""Draw Figure 10, alternatives of the full model."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.alternatives import figure as alternative_models
from inverse_rational_control.workflow import rule_log


def main(alternatives, pdf, png, numbers):
    """Draw the alternatives beside the full model."""
    data = datasets.read(alternatives, "alternatives")
    style.save(alternative_models.draw(data), (pdf, png))
    style.write_numbers(alternative_models.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            alternatives=snakemake.input.alternatives,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
