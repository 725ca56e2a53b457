"""Draw Figure 11, the sensitivity study."""

from inverse_rational_control import plotting as style
from inverse_rational_control.storage import datasets
from inverse_rational_control.studies.sensitivity import figure as setting_sensitivity
from inverse_rational_control.workflow import rule_log


def main(sensitivity, pdf, png, numbers):
    """Draw what settings change, and the decoders' reliability."""
    data = datasets.read(sensitivity, "sensitivity")
    style.save(setting_sensitivity.draw(data), (pdf, png))
    style.write_numbers(setting_sensitivity.numbers(data), numbers)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.input.sensitivity,
            snakemake.output.pdf,
            snakemake.output.png,
            snakemake.output.numbers,
        )
