"""Judge the finished results: one row per criterion, passed or not."""

import csv
from pathlib import Path

from inverse_rational_control.storage.datasets import read
from inverse_rational_control.studies.checking_registry import (
    EXPERIMENT_CRITERIA,
    paper_criteria,
    recovery_criteria,
)
from inverse_rational_control.workflow import rule_log, written_whole

COLUMNS = ("name", "figure", "found", "bound", "passed", "why")


def main(paper, recovery, fits, experiments, bounds, experiment_bounds, table, text):
    """Write the criteria as CSV and text.

    `paper` maps the kinds fit, learning, posterior, behavior and models to files, `experiments` names
    further experiments and their summaries, and `experiment_bounds` the same names to their bounds.
    """
    kinds = {"learning": "fit"}
    opened = {name: read(path, kinds.get(name, name)) for name, path in paper.items()}
    criteria = paper_criteria(**opened, bounds=bounds)
    criteria += recovery_criteria(
        read(recovery, "recovery"), [read(path, "fit") for path in fits], bounds
    )
    for name, path in experiments.items():
        criteria += EXPERIMENT_CRITERIA[name](read(path, name), experiment_bounds[name])
    with written_whole(table) as beside, open(beside, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(
            [getattr(criterion, column) for column in COLUMNS] for criterion in criteria
        )
    width = max(len(criterion.name) for criterion in criteria)
    lines = [
        f"{'ok    ' if criterion.passed else 'FAILED'}  {criterion.name:<{width}}  "
        f"{criterion.found:>10.4g}  allowed {criterion.bound:<16}  (Figure {criterion.figure}; "
        f"{criterion.why})"
        for criterion in criteria
    ]
    with written_whole(text) as beside:
        Path(beside).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            {
                name: snakemake.input[name]
                for name in ("fit", "learning", "posterior", "behavior", "models")
            },
            snakemake.input.recovery,
            snakemake.input.fits,
            {name: snakemake.input[name] for name in snakemake.params.experiment_bounds},
            snakemake.params.bounds,
            snakemake.params.experiment_bounds,
            snakemake.output.table,
            snakemake.output.text,
        )
