"""Configuration files on their way through `make`, Snakemake and the workflow."""

import os
import subprocess
import sys

import pytest
import yaml

from inverse_rational_control.config.__main__ import main as judge
from inverse_rational_control.config.errors import ConfigError
from tests.config.mutations import mutation
from tests.workflow.conftest import copy_project, environment, snakemake

pytestmark = pytest.mark.workflow

N_DRY_RUNS = int(os.environ.get("MUTATIONS", 400)) // 200
BROKEN = {
    "tab": (b"task:\n\tn_bins: 5\n", "line 2"),
    "date": (b"a: 1\nb: 2026-13-45\n", "line 2"),
    "latin": (b"# caf\xe9\n", "line 1"),
    "deep": (b"a: " + b"[" * 500 + b"]" * 500, "line 1"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_make_tells_what_is_wrong_with_a_file_in_one_line(project, tmp_path, kind):
    content, where = BROKEN[kind]
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    run = subprocess.run(
        [sys.executable, "workflow/run_here.py", "run", "all", "--cores", "1", "-n"],
        cwd=project,
        env=environment() | {"CONFIG": str(path), "PYTHONPATH": str(project / "src")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert run.stderr.startswith(f"configuration: {path}, {where}: ")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", BROKEN)
def test_a_file_can_be_judged_without_make(tmp_path, kind):
    content, where = BROKEN[kind]
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    assert judge([str(path)]).startswith(f"configuration: {path}, {where}: ")


def test_values_are_judged_without_make_too(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text("task:\n  n_bins: 1\n")
    assert "task.n_bins: found 1" in judge([str(path)])
    path.write_text("task:\n  n_bins: 5\n")
    assert judge([str(path)]) is None
    assert capsys.readouterr().out == "The configuration is valid\n"


def test_the_workflow_reads_its_own_file_before_snakemake(tmp_path):
    folder = copy_project(tmp_path / "project")
    (folder / "config" / "config.yaml").write_bytes(BROKEN["date"][0])
    run = snakemake(folder, "-n", "--cores", "1")
    assert run.returncode == 1
    assert "config.yaml, line 2: found '2026-13-45'" in run.stdout
    assert "Traceback" not in run.stdout


def test_several_files_and_text_on_the_command_line(project, tmp_path):
    (tmp_path / "second.yaml").write_text("results_directory: second\n")
    files = ("--configfile", "tiny.yaml", str(tmp_path / "second.yaml"))
    given = ("--config", "recovery={'n_steps': [300, 700]}", "task={n_bins: 5, diffusion: null}")
    run = snakemake(project, "-n", "--cores", "1", *files, *given)
    assert run.returncode == 0, run.stdout[-3000:]
    assert "second/recovery/fits/steps700/" in run.stdout


@pytest.mark.parametrize(
    ("folder", "said"),
    [("$HOME/x", "without $"), ("src", "belongs to the project"), ("Snakefile/x", "in the way")],
)
def test_results_go_to_a_folder_of_their_own(project, folder, said):
    run = snakemake(project, "-n", "--cores", "1", "--config", f"results_directory={folder}")
    (line,) = [line for line in run.stdout.splitlines() if line.startswith("configuration: ")]
    assert said in line
    assert "Traceback" not in run.stdout


def test_what_is_accepted_can_be_planned(project, tmp_path):
    planned, seed = 0, 2 * 10**6
    while planned < N_DRY_RUNS:
        seed += 1
        try:
            config, _ = mutation(seed).judged(tmp_path)
        except ConfigError:
            continue
        config["animals"] = {}  # there are no such files
        path = tmp_path / "accepted.yaml"
        path.write_text(yaml.safe_dump(config))
        run = snakemake(
            project, "all", "-n", "-q", "all", "--cores", "1", "--configfile", str(path)
        )
        assert run.returncode == 0, (mutation(seed).said, run.stdout[-2000:])
        planned += 1
