"""Draw Figure 7, many agents."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.population import figure as many_agents
from inverse_rational_control.workflow import rule_log


def main(population, pdf, png, numbers):
    """Draw true against estimated parameters of many agents, and how honest their intervals are."""
    data = datasets.read(population, "population")
    style.save(many_agents.draw(data), (pdf, png))
    style.write_numbers(many_agents.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            population=snakemake.input.population,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
