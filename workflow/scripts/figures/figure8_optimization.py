"""Draw Figure 8, ways to the maximum."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.optimization import figure as optimization_paths
from inverse_rational_control.workflow import rule_log


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
