"""Draw Figure 6, the recovery study."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.recovery import figure as recovery_errors
from inverse_rational_control.workflow import rule_log


def main(recovery, pdf, png, numbers):
    """Draw the errors of the recovery study."""
    data = datasets.read(recovery, "recovery")
    style.save(recovery_errors.draw(data), (pdf, png))
    style.write_numbers(recovery_errors.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            recovery=snakemake.input.recovery,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            numbers=snakemake.output.numbers,
        )
