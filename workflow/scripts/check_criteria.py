"""Stop the run if a criterion failed, with its name, number, bound and figure."""

from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.workflow import UserError, read_criteria, run


def main(tables, text, passed):
    """Write how many of `tables` passed and which were not judged, or exit naming what failed."""
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
        summary = f"{len(failed)} of {_criteria(n_judged)} failed (all in {text}; figures stay):"
        raise UserError("\n".join([summary, *failed]))
    said = f"{_criteria(n_judged)} passed"
    if left_out:
        said += f", {len(left_out)} {'was' if len(left_out) == 1 else 'were'} not judged"
    write_whole(passed, "\n".join([f"{said} (see {text})", *left_out]) + "\n")


def _criteria(number):
    return f"{number} {'criterion' if number == 1 else 'criteria'}"


if __name__ == "__main__":
    run(main, snakemake)
