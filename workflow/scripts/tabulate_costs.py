"""Tabulate what jobs cost, by rule: how many, seconds, CPU seconds, peak memory."""

import csv
import io
from pathlib import Path

from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.workflow import read_used, run

COLUMNS = ("rule", "jobs", "seconds", "longest_seconds", "cpu_seconds", "peak_memory_mib")


def main(table):
    """Write a row for each rule of which there are benchmark files beside, and one for all."""
    jobs = {
        place.name: found
        for place in sorted(Path(table).with_name("costs").iterdir())
        if (found := [job for file in sorted(place.glob("*.tsv")) for job in _jobs(file)])
    }
    rows = [_row(rule, found) for rule, found in jobs.items()]
    rows.sort(key=lambda row: -row[2])
    rows.append(_row("all rules", [job for found in jobs.values() for job in found]))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    write_whole(table, text.getvalue())


def _jobs(file):
    """Seconds, CPU seconds and memory of each job in a benchmark file; 0 where nothing was seen.

    Snakemake looks at a job now and then; what the job itself says at the end of its log is exact.
    """
    used = read_used(file.parents[2] / f"{file.stem}.log")
    with open(file, newline="", encoding="utf-8") as opened:
        return [
            [_number(row["s"]), *(used or (_number(row["cpu_time"]), _number(row["max_rss"])))]
            for row in csv.DictReader(opened, delimiter="\t")
        ]


def _number(text):
    # A job may be over before it was looked at.
    return 0.0 if text in ("NA", "-", "") else float(text)


def _row(rule, jobs):
    seconds, cpu_seconds, memory = zip(*jobs, strict=True)
    return (
        *(rule, len(jobs), round(sum(seconds), 1), round(max(seconds), 1)),
        *(round(sum(cpu_seconds), 1), round(max(memory), 1)),
    )


if __name__ == "__main__":
    run(main, snakemake)
