"""The workflow itself: lint, plans, a whole run, reruns, report, interruptions, a user's mistakes."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import RECORD
from inverse_rational_control.storage.contract import differences, read
from inverse_rational_control.storage.provenance import source_files

from .conftest import (
    ROOT,
    TEST_CONFIG,
    TINY_CONFIG,
    copy_project,
    environment,
    snakemake,
)

pytestmark = pytest.mark.workflow

RESULTS = Path("results/test")
TINY = Path("results/tiny")
NUMBERS = (
    "paper/fit.nc",
    "paper/surface.nc",
    "paper/posterior.nc",
    "paper/behavior.nc",
    "paper/models.nc",
    "recovery/summary.nc",
)
KIND_OF = {
    "record": "record",
    "fit": "fit",
    "learning": "fit",
    "information": "expected_information",
}
FIT_RECOVERY = {f"fit_recovery_steps{n_steps}" for n_steps in (500, 1000, 2000)}
FIT_SENSITIVITY = {
    f"fit_sensitivity_{setting}"
    for setting in ("task", "bins6", "bins6_same_diffusion", "diffusion1", "discount0_95")
}
# Rules that run each script.
RULES_OF = {
    "simulate_agent": {"simulate_paper", "simulate_recovery", "simulate_diffusion"},
    "fit_agent": {"fit_agent", "follow_em", *FIT_RECOVERY, "fit_population"},
    "map_likelihood": {"map_likelihood"},
    "decode_beliefs": {"decode_beliefs"},
    "resimulate_agent": {"resimulate_agent"},
    "compare_models": {"compare_models"},
    "expect_information": {"expect_information"},
    "summarize_recovery": {"summarize_recovery"},
    "judge_results": {"judge"},
    "check_criteria": {"check"},
    "figures/figure1_graphical_models": {"figure1"},
    "figures/figure2_task_data": {"figure2"},
    "figures/figure3_parameters": {"figure3"},
    "figures/figure4_beliefs": {"figure4"},
    "figures/figure5_behavior": {"figure5"},
    "figures/figure6_recovery": {"figure6"},
    "climb_likelihood": {"climb_likelihood"},
    "summarize_optimization": {"summarize_optimization"},
    "figures/figure8_optimization": {"figure8"},
    "profile_likelihoods": {"profile_likelihoods"},
    "summarize_identifiability": {"summarize_identifiability"},
    "figures/figure9_identifiability": {"figure9"},
    "fit_alternatives": {"fit_alternatives", "recover_models"},
    "search_by_brute_force": {"search_by_brute_force"},
    "summarize_alternatives": {"summarize_alternatives"},
    "figures/figure10_alternatives": {"figure10"},
    "simulate_sensitivity": {"simulate_sensitivity"},
    "fit_sensitivity": FIT_SENSITIVITY,
    "score_decoders": {"score_decoders"},
    "summarize_sensitivity": {"summarize_sensitivity"},
    "figures/figure11_sensitivity": {"figure11"},
    "simulate_population": {"simulate_population"},
    "find_fixed_points": {"find_fixed_points"},
    "summarize_population": {"summarize_population"},
    "figures/figure7_population": {"figure7"},
}


# Whose files each rule reads.
FED_BY = {
    "fit_agent": {"simulate_paper"},
    "follow_em": {"simulate_paper"},
    "map_likelihood": {"simulate_paper", "fit_agent", "follow_em"},
    "decode_beliefs": {"simulate_paper", "fit_agent"},
    "resimulate_agent": {"simulate_paper", "fit_agent"},
    "compare_models": {"simulate_paper", "fit_agent"},
    **{rule: {"simulate_recovery"} for rule in FIT_RECOVERY},
    "expect_information": {"simulate_recovery"},
    "summarize_recovery": {"expect_information", *FIT_RECOVERY},
    "figure2": {"simulate_paper"},
    "figure3": {"fit_agent", "map_likelihood"},
    "figure4": {"simulate_paper", "decode_beliefs"},
    "figure5": {"resimulate_agent", "compare_models"},
    "figure6": {"summarize_recovery"},
    "climb_likelihood": {"simulate_paper", "simulate_diffusion"},
    "summarize_optimization": {"climb_likelihood"},
    "figure8": {"summarize_optimization"},
    "profile_likelihoods": {"simulate_paper", "fit_agent"},
    "summarize_identifiability": {"fit_agent", "profile_likelihoods"},
    "figure9": {"summarize_identifiability"},
    "summarize_alternatives": {"fit_alternatives", "recover_models", "search_by_brute_force"},
    "figure10": {"summarize_alternatives"},
    **{rule: {"simulate_sensitivity"} for rule in FIT_SENSITIVITY},
    "score_decoders": {"simulate_paper", "fit_agent"},
    "summarize_sensitivity": {*FIT_SENSITIVITY, "score_decoders"},
    "figure11": {"summarize_sensitivity"},
    "fit_population": {"simulate_population"},
    "find_fixed_points": {"simulate_population"},
    "summarize_population": {"fit_population", "find_fixed_points"},
    "figure7": {"summarize_population"},
    "judge": {
        "fit_agent",
        "follow_em",
        "decode_beliefs",
        "resimulate_agent",
        "compare_models",
        "summarize_recovery",
        "summarize_identifiability",
        "summarize_optimization",
        "summarize_population",
        "summarize_alternatives",
        *FIT_RECOVERY,
        "summarize_sensitivity",
    },
    "check": {"judge"},
}


def with_what_follows(rules: set[str]) -> set[str]:
    """The rules and all that read, directly or not, what they write."""
    while True:
        more = {rule for rule, sources in FED_BY.items() if sources & rules} - rules
        if not more:
            return rules
        rules = rules | more


def kind_of(path: Path) -> str:
    """Kind of a NetCDF file, by its place."""
    if "records" in path.parts:
        return "record"
    if "fits" in path.parts:
        return "fit"
    for folder in ("profiles", "fixed_points", "climbs"):
        if folder in path.parts:
            return folder
    if {"pairs", "model_recovery"} & set(path.parts):
        return "alternative_fits"
    if path.stem == "summary":
        return path.parent.name
    return KIND_OF.get(path.stem, path.stem)


def datasets(folder: Path) -> dict[str, Path]:
    """Every NetCDF file below a folder, by relative path."""
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.nc"))}


def tiny_run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """All numbers of the tiny configuration, without figures and check."""
    targets = [str(TINY / name) for name in NUMBERS]
    return snakemake(folder, *targets, *arguments, *TINY_CONFIG)


def assert_same_numbers(one: Path, other: Path) -> None:
    """Every NetCDF file of two result folders, bit for bit, times and hosts excepted."""
    left, right = datasets(one), datasets(other)
    assert left.keys() == right.keys()
    assert len(left) > 8
    for name, path in left.items():
        kind = kind_of(path)
        assert differences(read(path, kind), read(right[name], kind)) == [], name


def test_lint(project):
    run = snakemake(project, "--lint")
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("name", ["config", "test", "large"])
def test_dry_run(project, name):
    run = snakemake(project, "--dry-run", "--cores", "2", "--configfile", f"config/{name}.yaml")
    assert run.returncode == 0, run.stdout
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE))
    assert jobs["check"] == "1"
    assert all(jobs[f"figure{number}"] == "1" for number in range(1, 7))


def test_slurm_profile_dry_run(project):
    run = snakemake(
        project,
        "--dry-run",
        "--workflow-profile",
        "profiles/slurm",
        "--configfile",
        "config/large.yaml",
    )
    assert run.returncode == 0, run.stdout
    recovery = yaml.safe_load((project / "config/large.yaml").read_text())["recovery"]
    n_batches = math.ceil(recovery["n_seeds_long"] / recovery["batch_size"])
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE))
    assert int(jobs["fit_recovery_steps20000"]) == n_batches > 4


def test_run_makes_every_figure_and_passes_the_check(finished):
    for number in range(1, 12):
        for form, least in (("pdf", 5_000), ("png", 20_000)):
            picture = finished / RESULTS / f"figures/figure{number}.{form}"
            assert picture.stat().st_size > least, picture
    with open(finished / RESULTS / "check/check.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 15
    assert all(row["passed"] == "True" for row in rows)
    assert "FAILED" not in (finished / RESULTS / "check/check.txt").read_text()


def test_every_dataset_meets_its_contract_and_says_where_it_comes_from(finished):
    found = datasets(finished / RESULTS)
    assert {kind_of(path) for path in found.values()} == {
        "record",
        "fit",
        "posterior",
        "behavior",
        "models",
        "surface",
        "recovery",
        "expected_information",
        "profiles",
        "identifiability",
        "climbs",
        "optimization",
        "alternative_fits",
        "brute_force",
        "alternatives",
        "sensitivity",
        "decoders",
        "fixed_points",
        "population",
    }
    for path in found.values():
        dataset = read(path, kind_of(path))
        assert json.loads(dataset.attrs["package_versions"])["numpy"]
        assert json.loads(dataset.attrs["config"])["root_seed"] == int(dataset.attrs["root_seed"])
        assert dataset.attrs["git_revision"]
        assert all(array.attrs.get("long_name") for array in dataset.data_vars.values())
        assert all("units" in array.attrs for array in dataset.data_vars.values())


def test_shorter_records_are_prefixes(finished):
    record = read(finished / RESULTS / "recovery/records/seeds0-1.nc", RECORD)
    assert record.sizes["step"] == 2000
    fit = read(finished / RESULTS / "recovery/fits/steps500/seeds0-1.nc", FIT)
    assert list(fit["seed"].values) == list(record["seed"].values) == [0, 1]


def test_second_run_has_nothing_to_do(finished):
    run = snakemake(finished, "--cores", "2", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout
    assert "Nothing to be done" in run.stdout


@pytest.mark.parametrize(
    "changed",
    [
        "src/irc/decoding.py",
        "src/irc/behavior.py",
        "src/irc/fitting.py",
        "src/irc/recovery.py",
        "src/irc/identifiability.py",
        "src/irc/figures/recovery_errors.py",
        "src/irc/planning.py",
        "workflow/scripts/map_likelihood.py",
    ],
)
def test_changed_source_runs_exactly_the_rules_that_use_it(finished, changed):
    path = finished / changed
    before, times = path.read_bytes(), (path.stat().st_atime, path.stat().st_mtime)
    expected = set()
    for name, rules in RULES_OF.items():
        if ROOT / changed in source_files(ROOT / f"workflow/scripts/{name}.py"):
            expected |= rules
    assert expected
    try:
        path.write_bytes(before + b"\n# changed\n")
        run = snakemake(finished, "--dry-run", "--cores", "2", *TEST_CONFIG)
    finally:
        path.write_bytes(before)
        os.utime(path, times)
    assert run.returncode == 0, run.stdout
    # Snakemake names a changed source only where it is the first reason to run.
    listed = re.search(r"params have changed since last execution:\n +(.*)", run.stdout)
    assert set(listed[1].split(", ")) <= expected
    jobs = set(re.findall(r"^(\w+) +\d+$", run.stdout, re.MULTILINE)) - {"total", "all"}
    assert jobs == with_what_follows(expected)


def test_changed_configuration_runs_only_what_depends_on_it(finished, tmp_path):
    changed = tmp_path / "changed.yaml"
    changed.write_text("resimulation:\n  n_replicates: 201\n")
    run = snakemake(finished, "--dry-run", "--cores", "2", *TEST_CONFIG, str(changed))
    assert run.returncode == 0, run.stdout
    jobs = set(re.findall(r"^(\w+) +\d+$", run.stdout, re.MULTILINE)) - {"total"}
    assert jobs == {"resimulate_agent", "figure5", "judge", "check", "all"}


def test_report(finished):
    run = snakemake(finished, "--report", "report.html", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout
    text = (finished / "report.html").read_text()
    assert all(f"figure{number}.png" in text for number in range(1, 7))
    assert "log-likelihood over a plane" in text  # a caption


def test_failed_criterion_stops_the_run_and_keeps_the_table(finished, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, copy_function=shutil.copy2, symlinks=True)
    (folder / "strict.yaml").write_text("check:\n  belief_correlation_minimum: 0.999\n")
    run = snakemake(folder, "--cores", "1", *TEST_CONFIG, "strict.yaml")
    assert run.returncode != 0
    assert re.search(
        r"belief_correlation_box_1: found 0\.\d+, allowed >= 0\.999 \(Figure 4", run.stdout
    )
    assert "Traceback" not in run.stdout
    assert "FAILED  belief_correlation_box_1" in (folder / RESULTS / "check/check.txt").read_text()
    assert not (folder / RESULTS / "check/passed.txt").exists()


@pytest.fixture(scope="module")
def one_core(tmp_path_factory) -> Path:
    """The tiny numbers, made on one core."""
    folder = copy_project(tmp_path_factory.mktemp("one") / "project")
    run = tiny_run(folder, "--cores", "1")
    assert run.returncode == 0, run.stdout[-4000:]
    return folder


def test_cores_and_interruptions_change_no_number(one_core, tmp_path):
    folder = copy_project(tmp_path / "project")
    targets = [str(TINY / name) for name in NUMBERS]
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *targets, "--cores", "2", *TINY_CONFIG],
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    # Killed hard once a fit is finished and others are under way.
    while not list((folder / TINY).rglob("fits/*/*.nc")) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (folder / TINY / "recovery/summary.nc").exists()
    unlocked = subprocess.run(
        [sys.executable, "workflow/unlock_stale.py", *TINY_CONFIG],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert unlocked.returncode == 0, unlocked.stderr
    assert "lock" in unlocked.stdout
    run = tiny_run(folder, "--cores", "2")
    assert run.returncode == 0, run.stdout[-4000:]
    assert not list(folder.rglob(".*.part"))
    assert_same_numbers(one_core / TINY, folder / TINY)


def test_running_workflow_is_not_unlocked(one_core, tmp_path):
    # A process of that name, in that folder, stands for a run under way.
    locks = one_core / ".snakemake/locks"
    locks.mkdir(parents=True, exist_ok=True)
    (locks / "0.input.lock").write_text("results/tiny/paper/fit.nc\n")
    stand_in = tmp_path / "snakemake"
    stand_in.write_text("import time\ntime.sleep(60)\n")
    running = subprocess.Popen([sys.executable, str(stand_in)], cwd=one_core)
    try:
        time.sleep(0.5)
        run = subprocess.run(
            [sys.executable, "workflow/unlock_stale.py", *TINY_CONFIG],
            cwd=one_core,
            env=environment(),
            capture_output=True,
            text=True,
        )
        assert "still running" in run.stderr
        assert run.returncode != 0
        assert (locks / "0.input.lock").exists()
    finally:
        running.kill()
        running.wait()
        (locks / "0.input.lock").unlink(missing_ok=True)


def test_truncated_file_is_named_in_one_line(one_core, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(one_core, folder, copy_function=shutil.copy2, symlinks=True)
    record = folder / TINY / "paper/record.nc"
    record.write_bytes(record.read_bytes()[:2000])
    run = tiny_run(folder, "--cores", "1")
    assert run.returncode != 0
    errors = [line for line in run.stdout.splitlines() if line.startswith("Error: ")]
    assert errors
    assert all("paper/record.nc: not a readable NetCDF file" in line for line in errors)
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("task={n_binss: 5}", r"task\.n_binss.*n_bins"),
        ("recovery={n_steps: []}", r"recovery\.n_steps"),
        ("task={discount: 1.5}", r"task\.discount.*1\.5"),
    ],
)
def test_bad_configuration_stops_before_any_job(project, given, expected):
    run = snakemake(project, "--cores", "1", "--config", given)
    assert run.returncode != 0
    lines = [line for line in run.stdout.splitlines() if line.startswith("configuration: ")]
    assert len(lines) == 1
    assert re.search(expected, lines[0]), lines[0]
    assert "Traceback" not in run.stdout
    assert not (project / "results").exists()


def test_own_animal(one_core, tmp_path):
    """A lab's own CSV: imported, fitted and decoded beside the paper's agent."""
    folder = tmp_path / "project"
    shutil.copytree(one_core, folder, copy_function=shutil.copy2, symlinks=True)
    record = read(folder / TINY / "paper/record.nc", RECORD)
    columns = ["session", "location", "action", "reward", "cue_1", "cue_2"]
    table = record[columns].to_dataframe()[columns]
    table.to_csv(folder / "monkey.csv", index=False)
    targets = [str(TINY / f"figures/m1_figure{number}.png") for number in (2, 3, 4, 5)]
    options = ("--config", "animals={m1: monkey.csv}", *TINY_CONFIG, "--cores", "2")
    run = snakemake(folder, *targets, *options)
    assert run.returncode == 0, run.stdout[-4000:]
    assert "truth" not in read(folder / TINY / "m1/fit.nc", FIT)

    table.loc[7, "action"] = 9
    table.to_csv(folder / "monkey.csv", index=False)
    run = snakemake(folder, *targets, *options)
    assert run.returncode != 0
    assert "Error: monkey.csv: action at row 7: found 9, allowed: 0 to 4" in run.stdout
    assert "Traceback" not in run.stdout
