"""Stop the run if a criterion failed, with its name, number, bound and figure."""

from inverse_rational_control.storage.atomic import written_whole
from inverse_rational_control.workflow import UserError, read_criteria, run


def main(tables, text, passed):
    """Write a line if all criteria of `tables` passed, else exit naming those that failed."""
    rows = read_criteria(tables)
    failed = [
        f"{row['name']}: found {float(row['found']):.4g}, allowed {row['bound']} "
        f"(Figure {row['figure']}; {row['why']})"
        for row in rows
        if row["passed"] != "True"
    ]
    if failed:
        summary = f"{len(failed)} of {len(rows)} criteria failed (all in {text}; figures stay):"
        raise UserError("\n".join([summary, *failed]))
    with written_whole(passed) as beside:
        beside.write_text(f"all {len(rows)} criteria passed\n", encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)
