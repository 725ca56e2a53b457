"""The workflow through a real Slurm: the same numbers, jobs that fail, a controller that dies."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inverse_rational_control.storage.contract import differences, read
from tests.workflow.conftest import TINY_CONFIG, copy_project, environment, snakemake
from tests.workflow.products import NUMBERS, TINY, contract_of, datasets

pytestmark = pytest.mark.cluster

HERE = Path(__file__).parent
#: Jobs last seconds here: the first look at them comes early.
QUICK = ("--slurm-init-seconds-before-status-checks", "6", "--latency-wait", "5")
PROFILE = ("--workflow-profile", "profiles/slurm", *QUICK)


def rule_of(comment: str) -> str:
    """Rule of a job, from the comment that Snakemake gives it."""
    return re.sub(r"^rule_|_wildcards_.*$", "", comment)


def test_numbers_are_those_of_a_local_run(slurm, tmp_path):
    targets = [str(TINY / name) for name in NUMBERS]
    local = copy_project(tmp_path / "local")
    run = snakemake(local, *targets, "--cores", "2", *TINY_CONFIG)
    assert run.returncode == 0, run.stdout[-4000:]
    planned = re.search(r"^total +(\d+)$", run.stdout, re.MULTILINE)
    before = {job["number"] for job in slurm.queue()}
    folder = copy_project(tmp_path / "slurm")
    run = snakemake(folder, *targets, *PROFILE, *TINY_CONFIG)
    assert run.returncode == 0, run.stdout[-4000:]

    jobs = [job for job in slurm.queue() if job["number"] not in before]
    assert len(jobs) == int(planned.group(1))
    assert {job["state"] for job in jobs} == {"COMPLETED"}
    assert {job["processors"] for job in jobs} == {"1"}
    assert {"simulate_paper", "fit_agent", "decode_beliefs"} <= {
        rule_of(j["comment"]) for j in jobs
    }
    # What jobs were given is what their rules ask for.
    asked = {row["JobId"]: row for row in slurm.completed()}
    limits = {rule_of(job["comment"]): asked[job["number"]]["TimeLimit"] for job in jobs}
    assert limits["fit_agent"] == "30"

    left, right = datasets(local / TINY), datasets(folder / TINY)
    assert left.keys() == right.keys()
    for name, path in left.items():
        contract = contract_of(path)
        assert differences(read(path, contract), read(right[name], contract)) == [], name


def test_jobs_that_fail_once_are_tried_again(slurm, tmp_path):
    """Out of memory, out of time, cancelled; and the controller dies meanwhile."""
    for name in ("profiles",):
        shutil.copytree(HERE.parents[1] / name, tmp_path / name)
    shutil.copy2(HERE / "faults.smk", tmp_path / "Snakefile")
    running = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "all", *PROFILE],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "cancelled.attempts").exists():
        assert time.monotonic() < deadline
        assert running.poll() is None, running.stdout.read()
        time.sleep(0.5)
    slurm.restart_controller()
    job = next(
        job
        for job in slurm.queue()
        if rule_of(job["comment"]) == "cancelled" and job["state"] == "RUNNING"
    )
    slurm.cancel(job["number"])
    said, _ = running.communicate(timeout=420)
    assert running.returncode == 0, said[-4000:]
    for name in ("too_big", "too_long", "cancelled"):
        attempts = (tmp_path / f"{name}.attempts").read_text().split()
        assert attempts[0] == "1", name
        assert 2 <= len(attempts) <= 3, (name, attempts)
        assert (tmp_path / f"{name}.txt").read_text().strip() == attempts[-1]
    states = {job["state"] for job in slurm.queue()}
    assert {"CANCELLED", "TIMEOUT"} <= states
    assert states & {"OUT_OF_MEMORY", "FAILED"}


def test_a_job_that_always_fails_ends_the_run_with_its_name(slurm, tmp_path):
    shutil.copytree(HERE.parents[1] / "profiles", tmp_path / "profiles")
    shutil.copy2(HERE / "faults.smk", tmp_path / "Snakefile")
    run = snakemake(tmp_path, "hopeless.txt", *PROFILE)
    assert run.returncode != 0
    assert "Error in rule hopeless" in run.stdout
    assert (tmp_path / "hopeless.attempts").read_text().split() == ["1", "2", "3"]
