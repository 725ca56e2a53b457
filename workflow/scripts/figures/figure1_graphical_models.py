"""Draw Figure 1, the graphical models."""

from inverse_rational_control import plotting as style
from inverse_rational_control.studies.paper import figure1_graphical_models as graphical_models
from inverse_rational_control.workflow import rule_log


def main(pdf, png):
    """Write Figure 1 to `pdf` and `png`."""
    style.save(graphical_models.draw(), (pdf, png))


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(pdf=snakemake.output.pdf, png=snakemake.output.png)
