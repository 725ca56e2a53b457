"""Measure and write results/benchmarks: python -m benchmarks (see --help)."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def _one_thread() -> None:
    """Set this process, and those that it starts, to one thread; libraries read this when imported."""
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    # A matrix product is the limit only with the kernel that is made for this processor.
    for pinned in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(pinned, None)
    paths = [str(ROOT / "src"), str(ROOT)]
    sys.path[:0] = paths
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [*paths, os.environ.get("PYTHONPATH", "")])
    )


def _one_core() -> None:
    """Keep to one core, where the system lets one; some libraries make threads all the same."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main(arguments: list[str] | None = None) -> None:
    """Run the studies asked for and write what they found."""
    _one_thread()
    from benchmarks import startup
    from benchmarks.studies import QUICK, STUDIES, Findings, Sizes

    names = [*STUDIES, "startup"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=names,
        default=names,
        metavar="STUDY",
        help=f"some of the studies: {', '.join(names)}",
    )
    parser.add_argument(
        "--workflow",
        action="store_true",
        help="first run the whole default study, for the workflow's overhead",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="tiny sizes, no other programs: shows that everything runs",
    )
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "benchmarks")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else Sizes()
    output = options.output.resolve()
    log = startup.run_workflow(output) if options.workflow else None
    _one_core()

    found = Findings()
    with tempfile.TemporaryDirectory() as folder:
        for name, study in STUDIES.items():
            if name not in options.only or (name == "peers" and options.quick):
                continue
            if name == "peers" and not importlib.util.find_spec("dynamax"):
                print("==> peers: not installed here, left out (make bench installs them)")
                continue
            print(f"==> {name}", flush=True)
            study(sizes, found, Path(folder))
    if "startup" in options.only:
        print("==> startup", flush=True)
        by_script = startup.import_seconds(1 if options.quick else 3, sizes.n_scripts)
        found.rows += startup.imports(by_script)
        if not options.quick:
            found.rows += startup.workflow(by_script, log)
            found.rows += startup.own_share(by_script, output)

    # What draws is imported only once everything is measured.
    from benchmarks.report import write

    table = write(found, sizes, output)
    judged = table[table["met"] != ""]
    print(f"==> {(judged['met'] == 'yes').sum()} of {len(judged)} targets met: see {output}")


if __name__ == "__main__":
    main()
