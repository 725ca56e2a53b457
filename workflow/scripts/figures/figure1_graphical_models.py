"""Draw Figure 1, the graphical models."""

from irc.figures import graphical_models, style
from irc.rules import rule_log


def main(pdf, png):
    """Write Figure 1 to `pdf` and `png`."""
    style.save(graphical_models.draw(), (pdf, png))


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(pdf=snakemake.output.pdf, png=snakemake.output.png)
