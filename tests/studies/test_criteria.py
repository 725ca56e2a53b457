"""Every study's criteria can be judged by the one script, on the datasets that they name."""

import csv
import importlib.util
import inspect
from importlib import import_module

import pytest

from inverse_rational_control.storage.contract import Contract, write
from inverse_rational_control.studies.criterion import at_least, at_most, within
from inverse_rational_control.studies.registry import STUDIES
from tests import ROOT
from tests.studies.paper import made_up


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


def test_the_script_writes_a_row_per_criterion(tmp_path):
    specification = importlib.util.spec_from_file_location(
        "judge_study", ROOT / "workflow/scripts/judge_study.py"
    )
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    module, paths = _criteria("paper"), {}
    for name, contract in module.INPUTS.items():
        paths[name] = str(tmp_path / f"{name}.nc")
        made = made_up.fit() if name == "em_trajectory" else getattr(made_up, name)()
        write(made, paths[name], contract)
    bounds = {
        **{"interval_level": 0.99, "monotone_tolerance": 1e-6, "start_agreement_nats": 0.01},
        **{"belief_correlation_minimum": 0.99, "credible_tolerance": 0.02},
        **{"null_percentile": 99.0, "value_correlation_minimum": 0.9},
    }
    script.main(module.__name__, bounds, tmp_path / "criteria.csv", **paths)
    with open(tmp_path / "criteria.csv", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert len(rows) == 16
    row = rows["belief_correlation_box_1"]
    assert (float(row["found"]), row["bound"], row["passed"]) == (0.95, ">= 0.99", "False")
    assert rows["fit_converged"]["passed"] == "True"
