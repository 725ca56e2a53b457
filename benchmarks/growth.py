"""How cost grows beyond one record: with the records of a job, and with the jobs of a run."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.findings import Findings, Sizes
from benchmarks.measure import ROOT, Measurement, Target, exponent, seconds
from inverse_rational_control.config.loading import load_config

__all__ = ["jobs", "records"]

#: Keys of config/large.yaml that say how many records there are.
_NUMBERS = {
    "recovery": ("n_seeds", "n_seeds_long"),
    "population": ("n_agents",),
    "calibration": ("n_agents",),
    "alternatives": ("n_pairs",),
}


def _script(name: str) -> ModuleType:
    """A rule's script, as a module."""
    place = ROOT / "workflow" / "scripts" / f"{name}.py"
    specification = importlib.util.spec_from_file_location(name, place)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def records(sizes: Sizes, found: Findings, folder: Path) -> None:
    """One job that fits a batch, files read and written, against the batch's records."""
    config = load_config(ROOT / "config" / "config.yaml")
    config["task"]["n_bins"] = sizes.n_bins
    simulate, fit = _script("simulate_agent"), _script("fit_agent")
    log = logging.getLogger("benchmarks")
    log.setLevel(logging.ERROR)  # remarks on single fits are of no interest here
    times = []
    # The first fills caches, and is not counted.
    for n_records in (1, *sizes.records):
        shared = {"config": config, "study": "recovery", "numbers": list(range(n_records))}
        record, fits = folder / f"records{n_records}.nc", folder / f"fits{n_records}.nc"
        simulate.main(**shared, n_steps=sizes.record_steps, record=record)
        options = {
            **{"n_steps": sizes.record_steps, "method": "quasi_newton", "interval_ends": False},
            **{"n_starts": 1, "n_reserve_starts": 0, "log": log},
        }
        times.append(seconds(lambda s=shared, r=record, f=fits, o=options: _fit(fit, s, r, f, o)))
    found.draw("D", "records", sizes.records, times[1:])
    found.rows.append(
        Measurement(
            f"exponent of a batch's time in its records, T = {sizes.record_steps}, "
            f"N = {sizes.n_bins}",
            exponent(sizes.records, times[1:]),
            "",
            Target("within", 1.0, 0.1),
            f"{min(sizes.records)} to {max(sizes.records)} records, one start each",
        )
    )


def _fit(script: ModuleType, shared: dict, record: Path, fits: Path, options: dict) -> None:
    script.main(**shared, record=record, fit=fits, **options)


def jobs(sizes: Sizes, found: Findings, folder: Path) -> None:
    """Dry runs of config/large.yaml with more and more records: what Snakemake spends before jobs."""
    configuration = load_config(ROOT / "config/config.yaml", ROOT / "config/large.yaml")
    one_job = f"{configuration['results_directory']}/figures/figure1.png"
    # The first run makes bytecode, and is not counted.
    least = min(_dry_run(folder, configuration, 1, one_job)[1] for _ in range(3))
    runs = [
        _dry_run(folder, configuration, factor, sizes.job_target) for factor in sizes.job_factors
    ]
    n_jobs, cpu = np.array(runs).T
    found.draw("E", "jobs", n_jobs, cpu)
    most = int(n_jobs.max())
    found.rows += [
        Measurement(
            f"exponent of a dry run's CPU seconds in its jobs, up to {most}",
            exponent(n_jobs, cpu - least),
            "",
            Target("at most", 1.2),
            f"of config/large.yaml with up to {max(sizes.job_factors)} times the records; beyond the "
            f"{least:.1f} s of a dry run with one job",
        ),
        Measurement(
            f"Snakemake's CPU time per planned job, {most} jobs",
            float(cpu[-1] / n_jobs[-1]) * 1e3,
            "ms",
            note=f"{cpu[-1]:.1f} s in all",
        ),
    ]


def _dry_run(folder: Path, configuration: dict, factor: int, target: str) -> tuple[int, float]:
    """Jobs and CPU seconds of a dry run with `factor` times the records."""
    more = {
        section: {key: factor * configuration[section][key] for key in keys}
        for section, keys in _NUMBERS.items()
    }
    file = folder / f"times{factor}.yaml"
    file.write_text(json.dumps(more), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile"),
        *("--directory", folder, "--configfile", ROOT / "config/large.yaml", file),
        *("--dry-run", "--cores", "1", "--", target),
    ]
    with open(folder / "dry_run.txt", "w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    counted = re.search(r"^total +(\d+)$", text, re.MULTILINE)
    if process.returncode or not counted:
        raise RuntimeError(f"dry run with {factor} times the records: {text[-2000:]}")
    return int(counted[1]), usage.ru_utime + usage.ru_stime
