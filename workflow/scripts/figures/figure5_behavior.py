"""Draw Figure 5, behaviour of the recorded and of the inferred agent."""

from irc import datasets
from irc.figures import behavior_statistics, style
from irc.rules import rule_log


def main(behavior, pdf, png, numbers, models=None):
    """Draw the statistics; `models` (a path or None) adds values and policies of both agents."""
    data = datasets.read(behavior, "behavior")
    both = None if models is None else datasets.read(models, "models")
    style.save(behavior_statistics.draw(data, both), (pdf, png))
    style.write_numbers(behavior_statistics.numbers(data, both), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):  # noqa: F821
        main(
            behavior=snakemake.input.behavior,  # noqa: F821
            # An animal's record has no true model: its rule gives no such input.
            models=snakemake.input.get("models"),  # noqa: F821
            pdf=snakemake.output.pdf,  # noqa: F821
            png=snakemake.output.png,  # noqa: F821
            numbers=snakemake.output.numbers,  # noqa: F821
        )
