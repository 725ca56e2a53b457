"""Remove the lock that a killed run left in this folder; refuse while a run is still going on.

Usage: python workflow/unlock_stale.py [options of the run, such as --configfile FILE]
"""

import os
import subprocess
import sys
from pathlib import Path

import psutil


def running_here():
    """Process ids of Snakemake runs in this folder, other than our own family."""
    here = Path.cwd()
    family = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        try:
            words = [Path(word).name for word in process.cmdline()[:3]]
            if process.pid not in family and "snakemake" in words and Path(process.cwd()) == here:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def main(options):
    """Unlock if there is a lock and nobody who could hold it."""
    if not any(Path(".snakemake/locks").glob("*.lock")):
        return
    running = running_here()
    if running:
        sys.exit(f"A run is still running in this folder (process {running[0]}): wait for it")
    print("==> Removing the lock that an interrupted run left", flush=True)
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--unlock", "--quiet", "all", *options], check=True
    )


if __name__ == "__main__":
    main(sys.argv[1:])
