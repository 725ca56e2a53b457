"""Draw Figure 9, what the data can and cannot tell."""

from irc import datasets
from irc.figures import profile_likelihoods, style
from irc.rules import rule_log


def main(identifiability, n_directions, pdf, png, numbers):
    """Draw spectrum, correlations and profiles of one fit."""
    data = datasets.read(identifiability, "identifiability")
    style.save(profile_likelihoods.draw(data, n_directions), (pdf, png))
    style.write_numbers(profile_likelihoods.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            identifiability=snakemake.input.identifiability,
            n_directions=snakemake.params.n_directions,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
