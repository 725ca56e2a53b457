"""The list of a results folder: true after partial runs, and every difference is a line."""

import hashlib
import json
import os

import netCDF4
import numpy as np
import pytest

from inverse_rational_control.recordings.dataset import RECORD, task_attribute
from inverse_rational_control.storage.contract import Contract, write
from inverse_rational_control.storage.manifest import (
    NAME,
    Product,
    differences,
    is_damaged,
    this_run,
    update,
)
from inverse_rational_control.task import Task
from tests.filled import filled

CONTRACTS = {"record": RECORD}
CONFIG = {"root_seed": 7, "task": {"n_bins": 10}}


def _write_record(path):
    still = dict.fromkeys(("session", "location", "action", "reward"), np.zeros(20, int))
    sizes = {"step": 20, "box": 2}
    write(filled(RECORD, sizes, still, attributes={"task": task_attribute(Task())}), path, RECORD)


@pytest.fixture
def results(tmp_path):
    """A results folder after a run: a record, a figure, logs."""
    folder = tmp_path / "results"
    _write_record(folder / "paper/record.nc")
    (folder / "figures").mkdir()
    (folder / "figures/figure1.png").write_bytes(b"picture")
    (folder / "logs").mkdir()
    (folder / "logs/figure1.log").write_text("said")
    (folder / "README.md").write_text("What a run writes")
    update(folder, _products(folder), this_run(CONFIG))
    return folder


def _products(folder, record=100.0, figure=200.0):
    return [
        Product(folder / "paper/record.nc", "simulate_paper", "digest1", record),
        Product(folder / "figures/figure1.png", "figure1", "digest2", figure),
    ]


def _manifest(folder):
    return json.loads((folder / NAME).read_text())


def test_the_manifest_says_what_made_each_file(results):
    found = _manifest(results)
    assert list(found["products"]) == ["figures/figure1.png", "paper/record.nc"]
    entry = found["products"]["figures/figure1.png"]
    assert entry["sha256"] == hashlib.sha256(b"picture").hexdigest()
    assert (entry["bytes"], entry["rule"], entry["source"]) == (7, "figure1", "digest2")
    run = found["runs"][entry["run"]]
    assert run["root_seed"] == 7
    assert run["configuration"] == CONFIG
    assert len(run["configuration_sha256"]) == 64
    assert run["package_versions"]["numpy"] == np.__version__
    assert {"system", "machine", "processor", "cores"} <= set(run["host"])
    assert differences(results, CONTRACTS) == []


def test_every_difference_is_a_line_that_names_the_file(results):
    (results / "figures/figure1.png").write_bytes(b"Picture")
    (results / "notes.txt").write_text("mine")
    (results / "other/deep").mkdir(parents=True)
    for name in ("a", "deep/b"):
        (results / "other" / name).write_text("x")
    (results / "paper/record.nc").unlink()
    lines = differences(results, CONTRACTS)
    assert len(lines) == 4
    expected = (
        "figure1.png: changed since rule figure1",
        "record.nc: missing",
        "notes.txt",
        "(files: 2)",
    )
    for words in expected:
        assert sum(words in line for line in lines) == 1, words
    assert all("\n" not in line for line in lines)


def test_one_bit_is_a_difference(results):
    path = results / "paper/record.nc"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    (line,) = differences(results, CONTRACTS)
    assert "record.nc: changed since rule simulate_paper made it" in line


def test_a_contract_that_is_not_met_is_a_difference(results):
    """The library has changed since: what was right is so no more."""
    other = Contract("record", "", RECORD.required | {"mood": RECORD.required["action"]})
    (line,) = differences(results, {"record": other})
    assert "'mood' is missing" in line
    (line,) = differences(results, {})
    assert "found 'record', which no contract describes" in line


def test_a_file_changed_between_runs_is_not_taken_for_right(results):
    """A later run that has not made it keeps what it was, whatever its time of change says."""
    with netCDF4.Dataset(results / "paper/record.nc", "a") as file:
        file["cue"][3] = 1 - file["cue"][3]
    before = _manifest(results)["products"]["paper/record.nc"]
    (results / "figures/figure1.png").write_bytes(b"drawn again")
    update(results, _products(results, figure=300.0), this_run(CONFIG | {"root_seed": 8}))
    after = _manifest(results)
    assert after["products"]["paper/record.nc"] == before
    assert len(differences(results, CONTRACTS)) == 1
    seeds = {
        name: after["runs"][entry["run"]]["root_seed"] for name, entry in after["products"].items()
    }
    assert seeds == {"figures/figure1.png": 8, "paper/record.nc": 7}


def test_what_is_made_again_or_no_longer_there_is_noted(results):
    (results / "figures/figure1.png").unlink()
    _write_record(results / "paper/record.nc")
    update(results, _products(results, record=300.0)[:1], this_run(CONFIG))
    found = _manifest(results)
    assert list(found["products"]) == ["paper/record.nc"]
    assert len(found["runs"]) == 1, "the run before has no product left"
    assert differences(results, CONTRACTS) == []


def test_runs_of_part_of_the_targets_add_to_the_list(results):
    (results / "population").mkdir()
    (results / "population/table.csv").write_text("a\n1\n")
    assert "population" in differences(results, CONTRACTS)[0]
    update(
        results,
        [Product(results / "population/table.csv", "summarize_population", "digest3", 400.0)],
        this_run(CONFIG),
    )
    assert len(_manifest(results)["products"]) == 3
    assert differences(results, CONTRACTS) == []


def test_results_inside_results_have_their_own_list(results):
    inner = results / "test"
    inner.mkdir()
    (inner / "figure.png").write_bytes(b"x")
    update(inner, [Product(inner / "figure.png", "figure1", "d", None)], this_run(CONFIG))
    assert differences(results, CONTRACTS) == []
    assert differences(inner, CONTRACTS) == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"products": {"a": {}}, "runs": {}}', '{"products": 3}', "[" * 9999]
)
def test_a_manifest_that_cannot_be_read_is_told_and_made_anew(text, results):
    (results / NAME).write_text(text)
    (line,) = differences(results, CONTRACTS)
    assert "no readable manifest" in line
    assert is_damaged(results)
    update(results, _products(results), this_run(CONFIG))
    assert not is_damaged(results)
    assert differences(results, CONTRACTS) == []
