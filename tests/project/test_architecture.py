"""Which room may import which, how long files are; digests of the source that a rule uses."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from inverse_rational_control.storage.provenance import PACKAGES, provenance
from inverse_rational_control.studies.registry import FIGURES, STUDIES
from tests import ROOT

PACKAGE = ROOT / "src" / "inverse_rational_control"
SOURCES = [
    path
    for folder in (PACKAGE, ROOT / "workflow")
    for path in sorted(folder.rglob("*"))
    if path.suffix in (".py", ".smk")
]


def test_arrows_point_one_way():
    """The rules stand in pyproject.toml, section importlinter."""
    program = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_stay_readable(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    longer = "kernel" in path.name or path.name == "dataset.py"
    assert lines <= (400 if longer else 300)


def test_the_library_uses_absolute_imports():
    """Digests of the source do not follow relative ones."""
    for path in PACKAGE.rglob("*.py"):
        assert not re.search(r"^\s*from \.", path.read_text(encoding="utf-8"), re.MULTILINE), path


def test_every_study_of_the_registry_has_its_rooms():
    for study in STUDIES:
        folder = PACKAGE / "studies" / study.name
        assert {"__init__.py", "dataset.py", "criteria.py"} <= {p.name for p in folder.iterdir()}
        assert (ROOT / f"workflow/rules/{study.name}.smk").is_file()
    packages = {path.parent.name for path in (PACKAGE / "studies").glob("*/__init__.py")}
    assert packages == {study.name for study in STUDIES}
    for number, figure in FIGURES.items():
        assert (PACKAGE / "studies" / f"{figure.module.replace('.', '/')}.py").is_file()
        assert (ROOT / f"workflow/report/figure{number}.rst").is_file()


def _copy(folder):
    """Copy the package into a project in `folder`; returns (package, script, load)."""
    package = folder / "src" / PACKAGE.name
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    script = folder / "workflow" / "scripts" / "script.py"
    script.parent.mkdir(parents=True)
    script.write_text(SCRIPT)

    def load():
        # Every load starts without remembered files, as every run does.
        place = package / "storage" / "source.py"
        specification = importlib.util.spec_from_file_location("copied_source", place)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module

    return package, script, load


SCRIPT = """
from typing import TYPE_CHECKING
from inverse_rational_control.record import Record
import inverse_rational_control.storage.atomic
if TYPE_CHECKING:
    from inverse_rational_control.agent.model import AgentModel
"""
USED = {
    *("__init__.py", "interruption.py", "record.py", "seconds.py", "task.py"),
    *("storage/__init__.py", "storage/atomic.py", "storage/owner.py"),
}


def test_digest_changes_exactly_with_what_is_used(tmp_path):
    package, script, load = _copy(tmp_path)
    module = load()
    files = set(module.source_files(script)) - {script}
    assert {path.relative_to(package).as_posix() for path in files} == USED
    before = module.source_digest(script)
    assert before == load().source_digest(script)
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        path.write_bytes(content + b"# changed\n")
        after = load().source_digest(script)
        path.write_bytes(content)
        used = path.relative_to(package).as_posix() in USED
        assert (after != before) == used, path
    script.write_text(SCRIPT + "# changed\n")
    assert load().source_digest(script) != before


def test_digest_follows_the_modules_that_a_script_is_told_to_import(tmp_path):
    package, script, load = _copy(tmp_path)
    told = "inverse_rational_control.random_streams"
    before = load().source_digest(script, [told])
    assert before != load().source_digest(script)
    path = package / "random_streams.py"
    path.write_bytes(path.read_bytes() + b"# changed\n")
    assert load().source_digest(script, [told]) != before


def test_digest_follows_the_style_of_the_figures(tmp_path):
    package, script, load = _copy(tmp_path)
    told = f"{PACKAGE.name}.plotting"
    before = load().source_digest(script, [told])
    path = package / "paper.mplstyle"
    path.write_bytes(path.read_bytes() + b"# changed\n")
    assert load().source_digest(script, [told]) != before
    assert path not in load().source_files(script)


def test_digest_does_not_depend_on_where_the_project_lies(tmp_path):
    digests = set()
    for folder in ("a project", "z"):
        _, script, load = _copy(tmp_path / folder)
        digests.add(load().source_digest(script))
    assert len(digests) == 1


def test_packages_with_a_similar_name_are_not_followed(tmp_path):
    _, script, load = _copy(tmp_path)
    name = PACKAGE.name
    script.write_text(
        f"import {name}foo\nfrom os import path\nfrom {name}.seconds import horizon\n"
    )
    names = {path.name for path in load().source_files(script)}
    assert names == {"script.py", "__init__.py", "interruption.py", "seconds.py"}


def test_provenance_says_where_a_result_comes_from():
    found = provenance({"root_seed": 12, "task": {"n_bins": 4}})
    assert found["root_seed"] == "12"
    assert json.loads(found["config"])["task"] == {"n_bins": 4}
    versions = json.loads(found["package_versions"])
    assert {name: version(name) for name in PACKAGES} == {name: versions[name] for name in PACKAGES}
    assert found["git_revision"]
    assert found["created"]
    assert found["host"]
