"""pyproject.toml, the two lock files and environment.yml agree on every direct dependency."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests import ROOT

#: Names of conda packages that differ from the names in pyproject.toml.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
#: Each lock and the extras that it holds besides the dependencies.
STUDY, BENCHMARKS = "requirements.lock", "benchmarks/requirements.lock"
LOCKS = {STUDY: ("build", "cluster", "test"), BENCHMARKS: ("build", "bench")}


def _project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _direct_dependencies(lock: str = STUDY) -> dict[str, Requirement]:
    project = _project()
    listed = [*project["dependencies"]]
    for extra in LOCKS[lock]:
        listed.extend(project["optional-dependencies"][extra])
    requirements = [Requirement(line) for line in listed]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def _lock_entries(lock: str) -> list[tuple[str, str, list[str]]]:
    """Split the lock into (name, version, lines of the entry)."""
    entries = []
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if found := re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)", line):
            entries.append((canonicalize_name(found[1]), found[2], [line]))
        else:
            assert line.startswith((" ", "#")) or not line, f"not a pinned package: {line!r}"
            if entries:
                entries[-1][2].append(line)
    return entries


def _locked_versions(lock: str) -> dict[str, set[str]]:
    versions: dict[str, set[str]] = {}
    for name, version, _ in _lock_entries(lock):
        versions.setdefault(name, set()).add(version)
    return versions


def _locked_version(name: str, requirement: Requirement, lock: str) -> Version:
    """The one version of a package in a lock, within its bounds."""
    locked = _locked_versions(lock).get(name, set())
    assert len(locked) == 1, f"{lock}: {name} at {sorted(locked)}, expected one version"
    version = Version(next(iter(locked)))
    assert version in requirement.specifier, f"{lock}: {version} is outside {requirement}"
    return version


def _conda_pins() -> dict[str, str]:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    pins = {}
    for line in environment["dependencies"]:
        found = re.fullmatch(r"([a-z0-9-]+)=([0-9][0-9A-Za-z.]*)", line)
        assert found, f"environment.yml: {line!r} is not name=version"
        pins[found[1]] = found[2]
    return pins


def _build_requirements() -> list[str]:
    return _project()["optional-dependencies"]["build"]


def test_building_takes_what_the_locks_hold():
    """The package is installed without fetching anything, so its build system is locked as well."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert pyproject["build-system"]["requires"] == _build_requirements()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes(lock):
    entries = _lock_entries(lock)
    assert len(entries) > 30
    for name, version, lines in entries:
        hashes = [line for line in lines if "--hash=" in line]
        assert hashes, f"{name}=={version} has no hash"
        assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", line) for line in hashes)


@pytest.mark.parametrize("name", [*LOCKS, "environment.yml"])
def test_no_index_is_named(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for forbidden in ("://", "index-url", "find-links", "trusted-host", "file:", " @ "):
        assert forbidden not in text, f"{name} contains {forbidden!r}"


@pytest.mark.parametrize("name", sorted(_direct_dependencies()))
def test_lock_and_conda_hold_one_version_within_the_bounds(name):
    version = _locked_version(name, _direct_dependencies()[name], STUDY)
    pinned = _conda_pins().get(CONDA_NAMES.get(name, name))
    assert pinned, f"environment.yml lacks {name}"
    # A post-release repeats a wheel, not the source, and has no counterpart in conda.
    assert Version(pinned) == Version(version.base_version), (
        f"environment.yml: {name} {pinned}, requirements.lock: {version}"
    )


@pytest.mark.parametrize("name", sorted(_direct_dependencies(BENCHMARKS)))
def test_lock_of_the_benchmarks_holds_one_version_within_the_bounds(name):
    _locked_version(name, _direct_dependencies(BENCHMARKS)[name], BENCHMARKS)


def test_benchmarks_measure_the_versions_of_the_study():
    study, benchmarks = _locked_versions(STUDY), _locked_versions(BENCHMARKS)
    for name in study.keys() & benchmarks.keys():
        assert study[name] == benchmarks[name], name


def test_the_study_installs_nothing_for_the_benchmarks():
    needed = {canonicalize_name(Requirement(line).name) for line in _project()["dependencies"]}
    build = {canonicalize_name(Requirement(line).name) for line in _build_requirements()}
    peers = _direct_dependencies(BENCHMARKS).keys() - needed - build
    assert peers
    assert not peers & _locked_versions(STUDY).keys()


def test_every_extra_is_in_a_lock():
    listed = sorted({extra for extras in LOCKS.values() for extra in extras})
    assert listed == sorted(_project()["optional-dependencies"])


def test_conda_names_nothing_else():
    direct = {CONDA_NAMES.get(name, name) for name in _direct_dependencies()}
    assert set(_conda_pins()) == direct | {"python"}


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_was_made_from_the_direct_dependencies(lock):
    annotated = {
        name
        for name, _, lines in _lock_entries(lock)
        if any("inverse-rational-control (pyproject.toml)" in x for x in lines)
    }
    assert annotated == set(_direct_dependencies(lock))


def test_conda_python_is_supported():
    assert Version(_conda_pins()["python"]) in SpecifierSet(_project()["requires-python"])


def test_every_dependency_has_a_lower_bound():
    for requirement in (_direct_dependencies() | _direct_dependencies(BENCHMARKS)).values():
        operators = {specifier.operator for specifier in requirement.specifier}
        assert ">=" in operators, f"pyproject.toml: {requirement} has no lower bound"
