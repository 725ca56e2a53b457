"""A copy of the project to run Snakemake in, and one finished run of the test configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

PARTS = ("Snakefile", "workflow", "config", "src", "profiles", "environment.yml")
TEST_CONFIG = ("--configfile", "config/test.yaml")
TINY_CONFIG = ("--configfile", "tiny.yaml")


def copy_project(folder: Path) -> Path:
    """Copy what a run needs, compiled kernels included (their cache looks at modification times)."""
    folder.mkdir(parents=True)
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part)
        else:
            shutil.copy2(ROOT / part, folder / part)
    shutil.copy2(Path(__file__).parent / "tiny.yaml", folder / "tiny.yaml")
    return folder


def environment() -> dict[str, str]:
    """Our environment, with this Python's programs first and nobody's library on the path."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return variables | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run Snakemake to its end in `folder`; output and errors together in `stdout`."""
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Path:
    """A fresh copy of the project, without results; not to be changed by tests."""
    return copy_project(tmp_path_factory.mktemp("fresh") / "project")


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """A copy of the project in which the test configuration has run through."""
    folder = copy_project(tmp_path_factory.mktemp("finished") / "project")
    run = snakemake(folder, "all", "--cores", "2", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout[-6000:]
    return folder
