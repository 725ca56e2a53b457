"""What a run costs besides computing: imports of the rules' scripts, and the workflow around them."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from benchmarks.measure import ROOT, Measurement, Target
from inverse_rational_control.studies.registry import FIGURES, STUDIES

__all__ = ["import_seconds", "imports", "own_share", "run_workflow", "workflow"]

_ACCOUNT = "snakemake_account.json"

_SCRIPTS = ROOT / "workflow" / "scripts"
#: Runs what a script runs when imported, then says what that brought along.
_IMPORT = (
    "import importlib, runpy, sys; runpy.run_path(sys.argv[1], run_name='imported'); "
    "[importlib.import_module(name) for name in sys.argv[2:]]; "
    "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
)
_STUDIES = "inverse_rational_control.studies"
#: Scripts that are told what to import, and what: a figure's module, a study's criteria.
_TOLD = {
    "draw_figure.py": [f"{_STUDIES}.{figure.module}" for figure in FIGURES.values()],
    "judge_study.py": [f"{_STUDIES}.{study.name}.criteria" for study in STUDIES],
}
_DRAWING = {"matplotlib", "seaborn"}
#: What every interpreter that computes imports: the speed of the machine in that minute.
NUMPY = "numpy alone"
#: The least that a script can take which runs compiled loops and writes datasets.
FLOOR = "numba and xarray alone"
#: What Snakemake's preamble imports in every script, to unpack what the script is given.
PREAMBLE = "snakemake.script alone"
_REFERENCES = {
    NUMPY: "import numpy",
    FLOOR: "import numba, netCDF4, xarray",
    PREAMBLE: "import snakemake.script",
}


def _fresh_import(command: list[str]) -> set[str]:
    # As on any machine from the second time on, with the packages' bytecode at hand.
    setting = {name: v for name, v in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT, env=setting
    )
    return set(done.stdout.split())


def _commands(n_scripts: int | None) -> dict[str, list[str]]:
    """By script, and by what it is told to import: a command that imports what it needs."""
    found = {}
    for script in sorted(_SCRIPTS.glob("*.py")):
        for told in _TOLD.get(script.name, [""]):
            name = f"{script.name} {told.removeprefix(_STUDIES + '.')}".strip()
            command = [sys.executable, "-c", _IMPORT, str(script)]
            found[name] = command + ([told] if told else [])
    return dict(list(found.items())[:n_scripts])


def import_seconds(repetitions: int, n_scripts: int | None = None) -> dict[str, float]:
    """Least CPU seconds in which a fresh interpreter starts and imports what each script needs.

    What scripts cannot do without, timed in turn with them, comes first. Several repetitions are
    preceded by one that is not counted: it may have to make bytecode.
    """
    references = {name: [sys.executable, "-c", code] for name, code in _REFERENCES.items()}
    commands = references | _commands(n_scripts)
    if repetitions > 1:
        for command in commands.values():
            _fresh_import(command)
    taken = [
        [_cpu_seconds(lambda c=command: _fresh_import(c)) for command in commands.values()]
        for _ in range(repetitions)
    ]
    return dict(zip(commands, np.min(taken, 0).tolist(), strict=True))


def _cpu_seconds(function: Callable[[], object]) -> float:
    """CPU seconds of the processes that a call starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    function()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imports(by_script: dict[str, float]) -> list[Measurement]:
    """Rows on imports: the slowest script and figure, and whether only figures import what draws."""
    scripts = {name: spent for name, spent in by_script.items() if name not in _REFERENCES}
    figures = {name for name in scripts if name.startswith("draw_figure.py")}
    computing = scripts.keys() - figures
    drawing = [name for name in computing if _fresh_import(_commands(None)[name]) & _DRAWING]
    rows = []
    for what, names, limit in (
        ("rule scripts", computing, 0.6),
        ("figures", figures, 1.2),
    ):
        if not names:
            continue
        slowest = max(names, key=scripts.get)
        middle = float(np.median([scripts[name] for name in names]))
        rows.append(
            Measurement(
                f"start-up and imports, {what}, median",
                middle,
                "CPU s",
                Target("at most", limit),
                f"numpy alone {by_script[NUMPY]:.2f} s, {FLOOR} {by_script[FLOOR]:.2f} s; the slowest "
                f"is {slowest} with {scripts[slowest]:.2f} s",
            )
        )
    rows.append(
        Measurement(
            "scripts that import what draws, but draw nothing",
            len(drawing),
            "scripts",
            Target("at most", 0),
            ", ".join(drawing) or f"of {len(computing)}",
        )
    )
    return rows


def run_workflow(folder: Path) -> Path:
    """Make the figures of the paper from nothing, on all cores, with its results below `folder`.

    Returns
    -------
    Path
        Snakemake's log of the run.
    """
    results = folder / "workflow"
    shutil.rmtree(results, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "workflow.yaml"
    configuration.write_text(f"results_directory: {results}\n", encoding="utf-8")
    account = folder / _ACCOUNT
    command = [sys.executable, ROOT / "benchmarks/snakemake_account.py", account]
    command += ["--cores", "all", "--configfile", configuration]
    subprocess.run(command, check=True, cwd=ROOT)
    return _logs()[0]


def own_share(by_script: dict[str, float], folder: Path) -> list[Measurement]:
    """Row on Snakemake's own share of CPU seconds in the run that `run_workflow` has made, if any."""
    quantity, target = (
        "Snakemake's own share of CPU seconds, default study",
        Target("at most", 0.15),
    )
    try:
        account = json.loads((folder / _ACCOUNT).read_text(encoding="utf-8"))
    except OSError:
        note = "not run: make bench ARGS=--workflow does"
        return [Measurement(quantity, np.nan, "share", target, note)]
    preambles = account["jobs"] * by_script[PREAMBLE]
    whole = account["own"] + account["jobs_cpu"]
    note = (
        f"its own process {account['own']:.0f} s, what it imports in {account['jobs']} jobs "
        f"{preambles:.0f} s, of {whole:.0f} s"
    )
    return [Measurement(quantity, (account["own"] + preambles) / whole, "share", target, note)]


def _logs() -> list[Path]:
    """Snakemake's logs, the newest first."""
    return sorted((ROOT / ".snakemake" / "log").glob("*.snakemake.log"), reverse=True)


def _finished_default_run() -> Path | None:
    for log in _logs():
        text = log.read_text(encoding="utf-8")
        whole = re.search(r"(\d+) of \1 steps \(100%\) done", text) and "simulate_paper" in text
        default = re.search(r"Config file\(s\): \['config/config.yaml'\]", text)
        if whole and default and "Elapsed time" in text:
            return log
    return None


def _jobs(begin: float, end: float) -> dict[tuple, tuple[str, float]]:
    """Script and seconds of every job in a stretch of time, from Snakemake's records of outputs."""
    found = {}
    for path in (ROOT / ".snakemake" / "metadata").rglob("*"):
        if not path.is_file():
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        started, ended = record.get("starttime"), record.get("endtime")
        script = re.search(r"scripts/([\w/]+\.py)", record.get("code") or "")
        if started and ended and script and begin <= started and ended <= end:
            job = (record["rule"], *record.get("log", ()))
            found[job] = (script[1], max(ended - started, found.get(job, ("", 0.0))[1]))
    return found


def workflow(by_script: dict[str, float], log: Path | None = None) -> list[Measurement]:
    """Row on the workflow's overhead in a run of the default study.

    Parameters
    ----------
    by_script : dict
        From `import_seconds`; start-up is no useful computing.
    log : Path or None
        Snakemake's log of the run; None: the newest whole run that is found, if any.
    """
    quantity = "workflow's overhead, default study"
    target = Target("at most", 0.25)
    log = log or _finished_default_run()
    if log is None:
        note = "no record of a whole run: make bench ARGS=--workflow makes one"
        return [Measurement(quantity, np.nan, "share of wall time", target, note)]
    text = log.read_text(encoding="utf-8")
    clock = re.search(r"Elapsed time: (?:(\d+) days?, )?(\d+):(\d+):([\d.]+)", text)
    days, hours, minutes, rest = (float(part or 0) for part in clock.groups())
    wall = timedelta(days=days, hours=hours, minutes=minutes, seconds=rest).total_seconds()
    cores = int(re.search(r"Provided cores: (\d+)", text)[1])
    n_steps = int(re.search(r"(\d+) of \1 steps", text)[1])
    began = datetime.strptime(re.search(r"Date: (.+)", text)[1], "%Y-%m-%d %H:%M:%S").timestamp()
    jobs = _jobs(began, began + wall + 2.0)
    # The default target is a step without outputs.
    if len(jobs) != n_steps - 1:
        note = (
            f"records of {len(jobs)} of {n_steps - 1} jobs are left of the run: "
            "make bench ARGS=--workflow makes one"
        )
        return [Measurement(quantity, np.nan, "share of wall time", target, note)]
    start_up = sum(
        np.mean([spent for name, spent in by_script.items() if name.split()[0] == script])
        for script, _ in jobs.values()
    )
    useful = sum(spent for _, spent in jobs.values()) - start_up
    note = (
        f"{len(jobs)} jobs, {cores} cores, wall {wall:.0f} s, computing {useful:.0f} s, start-up of "
        f"scripts {start_up:.0f} s; idle cores count as overhead"
    )
    overhead = (wall - useful / cores) / wall
    return [Measurement(quantity, overhead, "share of wall time", target, note)]
