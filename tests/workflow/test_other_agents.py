"""Whole runs of other agents and tasks, small: extra parameters, no cues."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pandas as pd
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import RECORD, record_from_dataset
from inverse_rational_control.storage.contract import read
from inverse_rational_control.task import Task

from .conftest import TINY_CONFIG, copy_project, snakemake
from .products import TINY

pytestmark = pytest.mark.workflow


def test_agent_and_animal_with_extra_parameters(tmp_path):
    """Simulated, fitted, drawn: what is beyond the ten parameters goes through every step."""
    folder = copy_project(tmp_path / "project")
    (folder / "more.yaml").write_text(
        "agent: {lapse: 0.05, perseveration: 1.0}\n"
        "fitting: {extras: [perseveration]}\n"
        "identifiability: {enabled: true, points_per_side: 2}\n"
    )
    options = (*TINY_CONFIG, "more.yaml", "--cores", "2")
    figures = [str(TINY / f"figures/figure{number}.png") for number in (3, 9)]
    run = snakemake(folder, *figures, *options)
    assert run.returncode == 0, run.stdout[-4000:]
    fitted = read(folder / TINY / "paper/fit.nc", FIT)
    assert fitted["parameter"].values[10:].tolist() == ["lapse", "perseveration"]
    assert fitted["truth"].values[10:].tolist() == [0.05, 1.0]
    record = read(folder / TINY / "paper/record.nc", RECORD)
    table = pd.DataFrame(record_from_dataset(record).columns())
    table = table[["session", "location", "action", "reward", "cue_1", "cue_2"]]
    table.to_csv(folder / "monkey.csv", index=False)
    targets = [str(TINY / "figures/m1_figure5.png")]
    (folder / "animal.yaml").write_text("animals: {m1: monkey.csv}\n")
    options = (*TINY_CONFIG, "more.yaml", "animal.yaml", "--cores", "2")
    run = snakemake(folder, *targets, str(TINY / "m1/parameters.csv"), *options)
    assert run.returncode == 0, run.stdout[-4000:]
    reported = pd.read_csv(folder / TINY / "m1/parameters.csv")
    assert reported["parameter"].tolist()[10:] == ["perseveration"]


def test_a_task_without_cues_has_figures_1_to_5_and_animals(project, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(project, folder, copy_function=shutil.copy2, symlinks=True)
    theta = np.array([0.2, 0.15, 0.1, 0.08, 0.5, 0.5, 0.2, 0.2, 0.3, 0.2])
    task = Task(n_bins=4, n_cues=1)
    world, rng = np.array([0.15, 0.1, 0.05, 0.04, 0.5, 0.5]), np.random.default_rng(1)
    record = simulate(agent_model(theta, task), world, 300, rng)
    table = pd.DataFrame(record.columns())
    table = table[["session", "location", "action", "reward", "cue_1", "cue_2"]]
    table.to_csv(folder / "rat.csv", index=False)
    (folder / "none.yaml").write_text(
        "task: {n_cues: 1}\nanimals: {m1: rat.csv}\nposterior: {paper: false}\n"
    )
    run = snakemake(folder, "paper", *TINY_CONFIG, "none.yaml", "--cores", "2", "--keep-going")
    # Such short records fail criteria, but nothing else.
    failed = re.findall(r"Error in rule (\w+)", run.stdout)
    assert set(failed) <= {"check"}, run.stdout[-4000:]
    assert sum("Figures 6 to 12 are left out" in line for line in run.stdout.splitlines()) == 1
    figures = folder / TINY / "figures"
    assert all((figures / f"figure{number}.png").is_file() for number in range(1, 6))
    assert all((figures / f"m1_figure{number}.png").is_file() for number in range(2, 6))
    assert not (figures / "figure6.png").exists()
    reported = pd.read_csv(folder / TINY / "m1/parameters.csv")
    assert len(reported) == 8 and not reported["parameter"].str.startswith("cue").any()
    assert "the task has no cues" in " ".join(
        (folder / TINY / "m1/summary.txt").read_text().split()
    )
