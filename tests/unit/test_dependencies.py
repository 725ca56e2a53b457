"""pyproject.toml, requirements.lock and environment.yml agree on every direct dependency."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
#: Names of conda packages that differ from the names in pyproject.toml.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


def _project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _direct_dependencies() -> dict[str, Requirement]:
    project = _project()
    listed = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        listed.extend(extra)
    requirements = [Requirement(line) for line in listed]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def _lock_entries() -> list[tuple[str, str, list[str]]]:
    """Split the lock into (name, version, lines of the entry)."""
    entries = []
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)", line):
            entries.append((canonicalize_name(found[1]), found[2], [line]))
        else:
            assert line.startswith((" ", "#")) or not line, f"not a pinned package: {line!r}"
            if entries:
                entries[-1][2].append(line)
    return entries


def _locked_versions() -> dict[str, set[str]]:
    versions: dict[str, set[str]] = {}
    for name, version, _ in _lock_entries():
        versions.setdefault(name, set()).add(version)
    return versions


def _conda_pins() -> dict[str, str]:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    pins = {}
    for line in environment["dependencies"]:
        found = re.fullmatch(r"([a-z0-9-]+)=([0-9][0-9A-Za-z.]*)", line)
        assert found, f"environment.yml: {line!r} is not name=version"
        pins[found[1]] = found[2]
    return pins


def test_every_locked_package_has_hashes():
    entries = _lock_entries()
    assert len(entries) > 30
    for name, version, lines in entries:
        hashes = [line for line in lines if "--hash=" in line]
        assert hashes, f"{name}=={version} has no hash"
        assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", line) for line in hashes)


@pytest.mark.parametrize("name", ["requirements.lock", "environment.yml"])
def test_no_index_is_named(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for forbidden in ("://", "index-url", "find-links", "trusted-host", "file:", " @ "):
        assert forbidden not in text, f"{name} contains {forbidden!r}"


@pytest.mark.parametrize("name", sorted(_direct_dependencies()))
def test_lock_and_conda_hold_one_version_within_the_bounds(name):
    requirement = _direct_dependencies()[name]
    locked = _locked_versions().get(name, set())
    assert len(locked) == 1, f"requirements.lock: {name} at {sorted(locked)}, expected one version"
    version = Version(next(iter(locked)))
    assert version in requirement.specifier, (
        f"requirements.lock: {version} is outside {requirement}"
    )
    pinned = _conda_pins().get(CONDA_NAMES.get(name, name))
    assert pinned, f"environment.yml lacks {name}"
    # A post-release repeats a wheel, not the source, and has no counterpart in conda.
    assert Version(pinned) == Version(version.base_version), (
        f"environment.yml: {name} {pinned}, requirements.lock: {version}"
    )


def test_conda_names_nothing_else():
    direct = {CONDA_NAMES.get(name, name) for name in _direct_dependencies()}
    assert set(_conda_pins()) == direct | {"python"}


def test_lock_was_made_from_the_direct_dependencies():
    annotated = {
        name
        for name, _, lines in _lock_entries()
        if any("irc (pyproject.toml)" in x for x in lines)
    }
    assert annotated == set(_direct_dependencies())


def test_conda_python_is_supported():
    assert Version(_conda_pins()["python"]) in SpecifierSet(_project()["requires-python"])


def test_every_dependency_has_a_lower_bound():
    for requirement in _direct_dependencies().values():
        operators = {specifier.operator for specifier in requirement.specifier}
        assert ">=" in operators, f"pyproject.toml: {requirement} has no lower bound"
