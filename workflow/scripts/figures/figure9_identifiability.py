"""Draw Figure 9, what the data can and cannot tell."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.identifiability import figure as profile_likelihoods
from inverse_rational_control.workflow import rule_log


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
