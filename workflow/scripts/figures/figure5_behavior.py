"""Draw Figure 5, behavior of the recorded and of the inferred agent."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.paper import figure5_behavior as behavior_statistics
from inverse_rational_control.workflow import rule_log


def main(behavior, pdf, png, numbers, models=None):
    """Draw the statistics; `models` (a path or None) adds values and policies of both agents."""
    data = datasets.read(behavior, "behavior")
    both = None if models is None else datasets.read(models, "models")
    style.save(behavior_statistics.draw(data, both), (pdf, png))
    style.write_numbers(behavior_statistics.numbers(data, both), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            behavior=snakemake.input.behavior,
            # An animal's record has no true model: its rule gives no such input.
            models=snakemake.input.get("models"),
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
