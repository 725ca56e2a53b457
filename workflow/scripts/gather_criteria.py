"""Gather the judged criteria of some studies in one text."""

from inverse_rational_control.storage.atomic import written_whole
from inverse_rational_control.workflow import read_criteria, run


def main(tables, text):
    """Write one line per criterion of the CSV files `tables`."""
    rows = read_criteria(tables)
    width = max(len(row["name"]) for row in rows)
    lines = [
        f"{'ok    ' if row['passed'] == 'True' else 'FAILED'}  {row['name']:<{width}}  "
        f"{float(row['found']):>10.4g}  allowed {row['bound']:<16}  (Figure {row['figure']}; "
        f"{row['why']})"
        for row in rows
    ]
    with written_whole(text) as beside:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)
