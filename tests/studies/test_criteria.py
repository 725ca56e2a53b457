"""Every study's criteria can be judged by the one script, on the datasets that they name."""

import csv
import fnmatch
import importlib.util
import inspect
import re
import sys
import types
from importlib import import_module

import numpy as np
import pytest
import xarray as xr
import yaml

from inverse_rational_control.storage.contract import Contract, write
from inverse_rational_control.studies.criterion import (
    at_least,
    at_most,
    em_rises,
    not_judged,
    within,
)
from inverse_rational_control.studies.population.search_again import search_again_dataset
from inverse_rational_control.studies.registry import STUDIES
from inverse_rational_control.workflow import UserError
from tests import ROOT
from tests.studies.alternatives import sound as alternatives
from tests.studies.calibration import made_up as calibration
from tests.studies.identifiability import made_up as identifiability
from tests.studies.optimization import made_up as optimization
from tests.studies.paper import made_up
from tests.studies.population import made_up as population
from tests.studies.recovery import made_up as recovery
from tests.studies.sensitivity import sound as sensitivity

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())


def _criteria(study):
    return import_module(f"inverse_rational_control.studies.{study}.criteria")


@pytest.mark.parametrize("study", [study.name for study in STUDIES])
def test_criteria_take_the_datasets_they_name_and_the_bounds(study):
    module = _criteria(study)
    assert all(isinstance(contract, Contract) for contract in module.INPUTS.values())
    assert set(inspect.signature(module.criteria).parameters) == {*module.INPUTS, "bounds"}


def test_missing_numbers_fail_every_kind_of_criterion():
    missing = float("nan")
    assert not at_least("", "", missing, 0.0, "").passed
    assert not at_most("", "", missing, 0.0, "").passed
    assert not within("", "", missing, -1.0, 1.0, "").passed
    assert at_least("", "", 0.0, 0.0, "").passed
    assert at_most("", "", 0.0, 0.0, "").passed
    assert within("", "", 1.0, -1.0, 1.0, "").passed
    assert not within("", "", 1.1, -1.0, 1.0, "").passed


def test_what_is_not_judged_is_neither_passed_nor_failed():
    left_out = not_judged("name", "6", "no record is long enough")
    assert left_out.passed is None and not left_out.failed
    assert at_least("", "", 0.0, 1.0, "").failed


def test_falls_of_em_are_judged_by_the_size_of_their_own_likelihood():
    def path(fall, height):
        return xr.Dataset({"em_fall": ("start", [fall]), "end_log_likelihood": ("start", [height])})

    short, long = path(-0.5, -300.0), path(1e-6, -20_000.0)
    assert em_rises("", "", [short, long]).passed
    assert em_rises("", "", [path(1e-6, -300.0), path(-0.5, -20_000.0)]).failed
    assert em_rises("", "", [path(-np.inf, -300.0)]).passed is None


def _script(name):
    specification = importlib.util.spec_from_file_location(
        name, ROOT / f"workflow/scripts/{name}.py"
    )
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    return script


def _table(path, *criteria):
    """What judge_study writes of some criteria."""
    judging, module = _script("judge_study"), types.ModuleType("made_up_criteria")
    module.criteria = lambda bounds: criteria
    sys.modules[module.__name__] = module
    judging.main(module.__name__, {}, path)
    return path


def test_the_verdicts_say_what_passed_failed_and_was_not_judged(tmp_path):
    good, bad = at_least("good", "3", 1.0, 0.0, "theory"), at_most("bad", "4", 1.0, 0.5, "theory")
    none = not_judged("none", "6", "no record is long enough")
    sound = _table(tmp_path / "sound.csv", good, none)
    spoilt = _table(tmp_path / "spoilt.csv", bad)
    text, passed = tmp_path / "text.txt", tmp_path / "passed.txt"
    _script("gather_criteria").main([sound, spoilt], text)
    lines = text.read_text().splitlines()
    assert [line[:12].strip() for line in lines] == ["ok", "not judged", "FAILED"]
    assert "no record is long enough" in lines[1] and "nan" not in lines[1]
    _script("check_criteria").main([sound], text, passed)
    assert passed.read_text().splitlines() == [
        f"1 criterion passed, 1 was not judged (see {text})",
        "none",
    ]
    with pytest.raises(UserError, match=r"1 of 2 criteria failed .*\nbad: found 1, allowed <= 0.5"):
        _script("check_criteria").main([sound, spoilt], text, passed)
    # Neither verdict: no pass.
    sound.write_text(sound.read_text().replace("True", "perhaps"))
    with pytest.raises(UserError, match="good"):
        _script("check_criteria").main([sound], text, passed)


def test_the_script_writes_a_row_per_criterion(tmp_path):
    script = _script("judge_study")
    module, paths = _criteria("paper"), {}
    for name, contract in module.INPUTS.items():
        paths[name] = str(tmp_path / f"{name}.nc")
        made = made_up.fit() if name == "em_trajectory" else getattr(made_up, name)()
        write(made, paths[name], contract)
    bounds = {
        **{"interval_level": 0.99, "start_agreement_nats": 0.01, "asymptotic_from": 100},
        **{"belief_information_minimum": 0.99, "credible_tolerance": 0.02},
        "null_percentile": 99.0,
    }
    script.main(module.__name__, bounds, tmp_path / "criteria.csv", **paths)
    with open(tmp_path / "criteria.csv", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert len(rows) == 11
    row = rows["belief_information"]
    assert (round(float(row["found"]), 9), row["bound"]) == (0.8, ">= 0.99")
    assert row["passed"] == "False"
    assert rows["fit_converged"]["passed"] == "True"


def _sound(study):
    """Sound results of a study, and its bounds in the default configuration."""
    if study == "paper":
        kinds = ("posterior", "behavior")
        given = {kind: getattr(made_up, kind)() for kind in kinds}
        return given | {"fit": made_up.fit(), "em_trajectory": made_up.fit()}, CONFIG["check"]
    if study == "recovery":
        fits = [made_up.fit().expand_dims(seed=[0])]
        return {"summary": recovery.summary(), "fits": fits}, CONFIG["check"]
    of = {
        "population": population.summary,
        "optimization": optimization.summary,
        "identifiability": identifiability.summary,
        "alternatives": alternatives.sound,
        "sensitivity": sensitivity.sound,
        "calibration": calibration.summary,
    }
    given = {"summary": of[study]()}
    if study == "population":
        given["again"] = [
            search_again_dataset([3], np.array([-9.0]), np.array([[-9.5]]), np.array([[60]]))
        ]
        given["slow"] = [
            search_again_dataset(["a"], np.array([-9.0]), np.array([[-9.0]]), np.array([[60]]))
        ]
    return given, CONFIG[study]["check"]


@pytest.mark.parametrize("study", [study.name for study in STUDIES])
def test_the_table_of_criteria_names_each_of_them_with_a_wrong_program(study):
    text = (ROOT / "docs/criteria.md").read_text()
    (section,) = re.findall(rf"^## {study}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(\S+)` \| (\d+) \| (.+) \|$", section, re.MULTILINE)
    given, bounds = _sound(study)
    judged = _criteria(study).criteria(**given, bounds=bounds)
    for name, figure, wrong in rows:
        matching = [one for one in judged if fnmatch.fnmatch(one.name, name)]
        assert matching, f"{name} is no criterion of {study}"
        assert {one.figure for one in matching} == {figure}
        assert len(wrong) > 10
    for one in judged:
        assert sum(fnmatch.fnmatch(one.name, name) for name, _, _ in rows) == 1, one.name
