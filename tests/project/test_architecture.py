"""Which module may import what; digests of the source that a rule uses."""

import ast
import importlib.util
import shutil
import sys

import pytest

from tests import ROOT

PACKAGE = ROOT / "src" / "irc"

#: What each module may import of the package, arrows pointing from model to results.
ALLOWED = {
    "__init__": set(),
    "_chain_kernels": set(),
    "_kernels": set(),
    "_planner_kernels": set(),
    "parameters": set(),
    "task": set(),
    "random_streams": set(),
    "provenance": set(),
    "acceleration": set(),
    "optimization": {"parameters"},
    "recovery": {"parameters"},
    "datasets": set(),
    # The latent chain knows nothing of foraging.
    "chain": {"_chain_kernels"},
    "records": {"task"},
    "beliefs": {"_kernels", "task"},
    "planning": {"_planner_kernels", "beliefs", "task"},
    "agent": {"beliefs", "parameters", "planning", "task"},
    "simulation": {"_kernels", "agent", "beliefs", "records", "task"},
    "likelihood": {"agent", "beliefs", "chain", "records", "task"},
    "parameter_space": {"parameters"},
    "information": {"chain", "likelihood", "parameter_space", "parameters", "task"},
    "uncertainty": {"information", "parameter_space", "parameters"},
    "fitting": {
        *("acceleration", "agent", "chain", "information", "likelihood", "parameter_space"),
        *("parameters", "random_streams", "records", "simulation", "task"),
    },
    "profile_likelihood": {
        *("chain", "fitting", "information", "parameter_space", "parameters", "task"),
    },
    "identifiability": {"information", "parameters"},
    "reduced_models": {"parameter_space"},
    "memoryless": {"records", "simulation", "task"},
    "model_selection": set(),
    "alternatives": {
        *("agent", "chain", "fitting", "likelihood", "memoryless", "parameter_space"),
        *("parameters", "records", "reduced_models", "task"),
    },
    "brute_force": {"chain", "fitting", "likelihood", "parameters", "task"},
    "decoding": {"agent", "beliefs", "chain", "likelihood", "records", "task"},
    "calibration": set(),
    "sensitivity": {"task"},
    "behavior": {"agent", "records", "simulation", "task"},
    "surface": {"chain", "likelihood", "parameters", "task"},
    "multiplicity": {"agent", "planning"},
    "population": {"parameters"},
    "assembly": set(),
    "assembly.records": {"datasets", "parameters", "records", "task"},
    "assembly.fits": {"assembly.records", "fitting", "parameters", "task", "uncertainty"},
    "assembly.climbs": {"assembly.records", "fitting", "task"},
    "assembly.posteriors": {"assembly.records", "beliefs", "decoding", "task"},
    "assembly.profiles": {
        *("assembly.records", "identifiability", "information"),
        *("parameters", "profile_likelihood"),
    },
    "assembly.alternatives": {
        *("assembly.records", "model_selection", "parameter_space", "reduced_models"),
        *("alternatives", "task"),
    },
    "importing": {"assembly.records", "datasets", "records", "task"},
    "checking": {
        *("checking.criterion", "checking.paper", "checking.recovery"),
        *("checking.identifiability", "checking.optimization", "checking.population"),
        *("checking.alternatives", "checking.sensitivity"),
    },
    "checking.optimization": {"checking.criterion", "optimization"},
    "checking.criterion": set(),
    "checking.paper": {"checking.criterion", "parameters"},
    "checking.recovery": {"checking.criterion"},
    "checking.identifiability": {"checking.criterion"},
    "assembly.sensitivity": {"assembly.records", "parameters", "sensitivity", "task"},
    "checking.sensitivity": {"checking.criterion"},
    "checking.population": {"checking.criterion"},
    "checking.alternatives": {"checking.criterion"},
    "config": {"parameters", "reduced_models", "task"},
    "rules": {"config", "datasets", "records"},
}
#: Figures read datasets; they know names and geometry, not the model.
ALLOWED_IN_FIGURES = {"datasets", "parameters", "task", "figures"}
MATHEMATICS = {"numpy", "scipy", "numba"}
#: Modules that may go beyond mathematics, and how.
BEYOND = {
    "assembly.records": {"xarray"},
    "assembly.fits": {"xarray"},
    "assembly.climbs": {"xarray"},
    "checking.optimization": {"xarray"},
    "assembly.posteriors": {"xarray"},
    "assembly.sensitivity": {"xarray"},
    "checking.criterion": {"xarray"},
    "checking.paper": {"xarray"},
    "checking.recovery": {"xarray"},
    "checking.identifiability": {"xarray"},
    "assembly.profiles": {"xarray"},
    "checking.sensitivity": {"xarray"},
    "checking.population": {"xarray"},
    "assembly.alternatives": {"xarray"},
    "checking.alternatives": {"xarray"},
    "_chain_kernels": {"llvmlite"},
    "_planner_kernels": {"llvmlite"},
    "config": {"jsonschema", "yaml"},
    "datasets": {"xarray"},
    "importing": {"pandas"},
}
BEYOND_IN_FIGURES = {"matplotlib", "seaborn", "pandas", "xarray"}


def _name(path):
    """Dotted name below the package; "__init__" for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


MODULES = {_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _imports(path):
    """Return (modules of the package, other packages) that a file imports, anywhere in it."""
    own, other = set(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import; source digests do not follow those"
            # A name imported from a package may itself be a module.
            within = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name for name in within if name.removeprefix("irc.") in MODULES]
            imported = modules if node.module.startswith("irc") and modules else [node.module]
        else:
            continue
        for name in imported:
            first, _, rest = name.partition(".")
            if first == "irc":
                own.add(rest)
            elif first not in sys.stdlib_module_names:
                other.add(first)
    return own, other


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module):
    own, other = _imports(MODULES[module])
    if module.partition(".")[0] == "figures":
        assert {name.partition(".")[0] for name in own} <= ALLOWED_IN_FIGURES
        assert other <= MATHEMATICS | BEYOND_IN_FIGURES
    else:
        assert module in ALLOWED, "a new module: say what it may import"
        assert own <= ALLOWED[module]
        assert other <= MATHEMATICS | BEYOND.get(module, set())


def test_no_rule_is_left_for_a_module_that_is_gone():
    assert set(ALLOWED) | set(BEYOND) <= set(MODULES)


def test_allowed_arrows_have_no_cycle():
    from graphlib import TopologicalSorter

    tuple(TopologicalSorter(ALLOWED).static_order())


def test_the_library_does_not_know_snakemake():
    for path in MODULES.values():
        assert "snakemake" not in _imports(path)[1]


def _copy(folder):
    """Copy the package into a project in `folder`; returns (package, script, load)."""
    package = folder / "src" / "irc"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    script = folder / "workflow" / "scripts" / "script.py"
    script.parent.mkdir(parents=True)
    script.write_text(SCRIPT)

    def load():
        # Every load starts without remembered files, as every run does.
        place = package / "provenance.py"
        specification = importlib.util.spec_from_file_location("copied_provenance", place)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module

    return package, script, load


SCRIPT = """
from inverse_rational_control.agent.simulation import simulate
import irc.figures.style
"""
USED = {
    *("__init__.py", "simulation.py", "_kernels.py", "_planner_kernels.py", "agent.py"),
    *(
        "beliefs.py",
        "planning.py",
        "records.py",
        "task.py",
        "parameters.py",
        "figures/__init__.py",
        "figures/style.py",
    ),
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


def test_digest_does_not_depend_on_where_the_project_lies(tmp_path):
    digests = set()
    for folder in ("a project", "z"):
        _, script, load = _copy(tmp_path / folder)
        digests.add(load().source_digest(script))
    assert len(digests) == 1


def test_packages_with_a_similar_name_are_not_followed(tmp_path):
    _, script, load = _copy(tmp_path)
    script.write_text(
        "import ircfoo\nfrom os import path\nfrom inverse_rational_control.task import Task\n"
    )
    names = {path.name for path in load().source_files(script)}
    assert names == {"script.py", "__init__.py", "task.py"}


def test_provenance_says_where_a_result_comes_from():
    import json
    from importlib.metadata import version

    from inverse_rational_control.storage.provenance import PACKAGES, provenance

    found = provenance({"root_seed": 12, "task": {"n_bins": 4}})
    assert found["root_seed"] == "12"
    assert json.loads(found["config"])["task"] == {"n_bins": 4}
    versions = json.loads(found["package_versions"])
    assert {name: version(name) for name in PACKAGES} == {name: versions[name] for name in PACKAGES}
    assert found["git_revision"]
    assert found["created"]
    assert found["host"]
