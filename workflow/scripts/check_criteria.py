"""Stop the run if a criterion failed, with its name, number, bound and figure."""

import csv
from pathlib import Path

from inverse_rational_control.workflow import UserError, rule_log, written_whole


def main(table, output):
    """Read the judged criteria; write a line if all passed, else exit naming those that failed."""
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    failed = [row for row in rows if row["passed"] != "True"]
    if failed:
        lines = [
            f"{row['name']}: found {float(row['found']):.4g}, allowed {row['bound']} "
            f"(Figure {row['figure']}; {row['why']})"
            for row in failed
        ]
        summary = f"{len(failed)} of {len(rows)} criteria failed (all in {table}; figures stay):"
        raise UserError("\n".join([summary, *lines]))
    with written_whole(output) as beside:
        Path(beside).write_text(f"all {len(rows)} criteria passed\n")


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(snakemake.input[0], snakemake.output[0])
