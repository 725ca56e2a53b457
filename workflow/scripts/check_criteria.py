"""Stop the run if a criterion failed, with its name, number, bound and figure."""

from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.workflow import UserError, read_criteria, run


def main(tables, text, passed):
    """Write a line if no criterion of `tables` failed, else exit naming those that did."""
    rows = read_criteria(tables)
    failed = [
        f"{row['name']}: found {float(row['found']):.4g}, allowed {row['bound']} "
        f"(Figure {row['figure']}; {row['why']})"
        for row in rows
        if row["verdict"] == "FAILED"
    ]
    left_out = [row["name"] for row in rows if row["verdict"] == "not judged"]
    n_judged = len(rows) - len(left_out)
    if failed:
        summary = f"{len(failed)} of {n_judged} criteria failed (all in {text}; figures stay):"
        raise UserError("\n".join([summary, *failed]))
    lines = [
        f"all {n_judged} criteria passed that could be judged; {len(left_out)} were not judged"
    ]
    if left_out:
        lines[0] += f" (why stands in {text}):"
    write_whole(passed, "\n".join([*lines, *left_out]) + "\n")


if __name__ == "__main__":
    run(main, snakemake)
