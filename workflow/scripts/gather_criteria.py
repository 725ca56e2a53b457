"""Gather the judged criteria of some studies in one text."""

from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.workflow import read_criteria, run


def main(tables, text):
    """Write one line per criterion of the CSV files `tables`."""
    rows = read_criteria(tables)
    width = max(len(row["name"]) for row in rows)
    lines = [
        f"{row['verdict']:<10}  {row['name']:<{width}}  {_found(row)}  "
        f"(Figure {row['figure']}; {row['why']})"
        for row in rows
    ]
    write_whole(text, "\n".join(lines) + "\n")


def _found(row):
    judged = f"{float(row['found']):>10.4g}  allowed {row['bound']:<16}"
    return " " * len(judged) if row["verdict"] == "not judged" else judged


if __name__ == "__main__":
    run(main, snakemake)
