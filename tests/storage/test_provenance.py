"""Where a result comes from: the project's own revision, and nobody else's."""

import os
import shutil
import subprocess
import sys

import pytest

from tests import ROOT

WITH_NAME = ("-c", "user.name=n", "-c", "user.email=n@example.org")
SAY = (
    "from inverse_rational_control.storage.provenance import provenance;"
    "print(provenance({'root_seed': 1})['git_revision'])"
)


def _git(folder, *arguments):
    told = subprocess.run(
        ["git", *WITH_NAME, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def _committed(folder):
    _git(folder, "init", "--quiet")
    (folder / "file").write_text("x")
    _git(folder, "add", "file")
    # Commits of the same second differ by their message.
    _git(folder, "commit", "--quiet", "--message", str(folder))
    return _git(folder, "rev-parse", "HEAD")


def _revision(project, **surroundings):
    run = subprocess.run(
        [sys.executable, "-c", SAY],
        env=os.environ | {"PYTHONPATH": str(project / "src")} | surroundings,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_tree_inside_another_repository_has_no_revision_of_that_one(tmp_path):
    project = tmp_path / "outer/project"
    shutil.copytree(
        ROOT / "src", project / "src", ignore=shutil.ignore_patterns("__pycache__", "studies")
    )
    assert _revision(project) == "unknown"
    outer = _committed(tmp_path / "outer")
    assert _revision(project) == "unknown"
    own = _committed(project)
    assert own != outer
    # What a git hook of the other repository would say.
    assert _revision(project, GIT_DIR=str(tmp_path / "outer/.git")) == own
    (project / "file").write_text("changed")
    assert _revision(project) == f"{own}+changes"
