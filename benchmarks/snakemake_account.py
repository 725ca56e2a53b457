"""Run Snakemake in this process and write what it and its jobs took: FILE, then its own options."""

import json
import resource
import sys
from pathlib import Path

from snakemake.cli import main


def _cpu_seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def _jobs() -> int:
    """Logs of Snakemake say how many jobs were done; the newest is this run's."""
    newest = max(Path(".snakemake/log").glob("*.log"))
    return newest.read_text(encoding="utf-8").count("Finished jobid")


if __name__ == "__main__":
    account, *options = sys.argv[1:]
    try:
        main(options)
    finally:
        found = {
            "own": _cpu_seconds(resource.RUSAGE_SELF),
            "jobs_cpu": _cpu_seconds(resource.RUSAGE_CHILDREN),
            "jobs": _jobs(),
        }
        Path(account).write_text(json.dumps(found), encoding="utf-8")
