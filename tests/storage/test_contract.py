"""NetCDF files: whole or not at all, back as they went, one line for what is wrong."""

import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import xarray as xr

import inverse_rational_control
from inverse_rational_control.inference import posterior_dataset
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import RECORD, task_attribute
from inverse_rational_control.storage import atomic
from inverse_rational_control.storage import contract as contract_module
from inverse_rational_control.storage.contract import (
    Contract,
    DatasetError,
    differences,
    read,
    read_groups,
    write,
    write_groups,
)
from inverse_rational_control.studies.paper.dataset import POSTERIOR
from inverse_rational_control.task import Task
from tests import ROOT
from tests.filled import filled

#: Every contract of the package, by the name of its module and its own.
CONTRACTS = {
    f"{module.name}.{name}": contract
    for module in pkgutil.walk_packages(
        inverse_rational_control.__path__, f"{inverse_rational_control.__name__}."
    )
    if module.name.endswith("dataset")
    for name, contract in vars(importlib.import_module(module.name)).items()
    if isinstance(contract, Contract)
}


def _one_line(caught, *words):
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert str(word) in message, message


@pytest.fixture
def record():
    """A record of 60 steps in the middle, with its truth."""
    optional = ("food", "belief_bin", "truth", "world")
    sizes = {"step": 60, "box": 2, "parameter": 10, "world_parameter": 6}
    still = dict.fromkeys(("session", "location", "action", "reward"), np.zeros(60, int))
    return filled(RECORD, sizes, still, optional, {"task": task_attribute(Task())})


@pytest.fixture
def fitted():
    """A fit with two starts."""
    return filled(FIT, {"start": 2, "iteration": 5, "parameter": 10, "parameter_other": 10})


@pytest.fixture
def decoded():
    """A decoding with its score."""
    sizes = {"step": 30, "box": [1, 2], "true_bin": 5, "level": 10, "carried": 4}
    sizes |= dict.fromkeys(("bin", "bin_1", "bin_2"), 5)
    return filled(POSTERIOR, sizes, optional=POSTERIOR.optional)


@pytest.mark.parametrize(
    ("kind", "contract"), [("record", RECORD), ("fitted", FIT), ("decoded", POSTERIOR)]
)
def test_round_trip(kind, contract, request, tmp_path):
    dataset = request.getfixturevalue(kind)
    path = tmp_path / "deep" / "file.nc"
    write(dataset, path, contract)
    again = read(path, contract)
    for name in dataset.variables:
        values, back = dataset[name].values, again[name].values
        assert dataset[name].dims == again[name].dims
        assert dataset[name].dtype.kind in {back.dtype.kind, "O"} or back.dtype.kind in "OTUib"
        if values.dtype.kind == "f":
            assert values.dtype == back.dtype
            np.testing.assert_array_equal(values, back)
        else:
            assert values.tolist() == back.tolist()
    assert list(path.parent.iterdir()) == [path], "nothing else is left beside it"
    for name in again.data_vars:
        assert again[name].attrs == contract.variables[name].attributes()
    assert again.attrs["kind"] == contract.kind


@pytest.mark.parametrize("moment", ["save", "fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
def test_interrupted_write_leaves_nothing(moment, failure, record, tmp_path, monkeypatch):
    original = contract_module.save

    def fail(*_, **__):
        raise failure

    def half_way(datasets, path):
        original(datasets, path)
        path.write_bytes(path.read_bytes()[:500])
        raise failure

    if moment == "save":
        monkeypatch.setattr(contract_module, "save", half_way)
    else:
        monkeypatch.setattr(atomic.os, moment, fail)
    told = DatasetError if isinstance(failure, OSError) else type(failure)
    with pytest.raises(told) as caught:
        write(record, tmp_path / "record.nc", RECORD)
    assert told is not DatasetError or "record.nc: could not be written" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_interrupted_write_keeps_the_file_before(record, tmp_path, monkeypatch):
    path = tmp_path / "record.nc"
    write(record, path, RECORD)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(atomic.os, "replace", fail)
    with pytest.raises(DatasetError, match="disk full"):
        write(record.assign_attrs(changed="yes"), path, RECORD)
    assert path.read_bytes() == before


def test_killed_write_leaves_no_file_that_is_read(record, tmp_path):
    """SIGKILL after the last byte but before the rename: nothing cleans up."""
    write(record, tmp_path / "source.nc", RECORD)
    program = f"""
        import os, signal
        from inverse_rational_control.recordings.dataset import RECORD, task_attribute
        from inverse_rational_control.storage import atomic
        from inverse_rational_control.storage.contract import read, write
        dataset = read({str(tmp_path / "source.nc")!r}, RECORD)
        atomic.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        write(dataset, {str(tmp_path / "target.nc")!r}, RECORD)
    """
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    assert finished.returncode == -signal.SIGKILL
    assert not (tmp_path / "target.nc").exists()
    with pytest.raises(DatasetError, match="no such file"):
        read(tmp_path / "target.nc", RECORD)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated_file(share, record, tmp_path):
    path = tmp_path / "record.nc"
    write(record, path, RECORD)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(DatasetError) as caught:
        read(path, RECORD)
    _one_line(caught, path)


def test_file_that_is_no_netcdf(tmp_path):
    path = tmp_path / "record.nc"
    path.write_text("location,action\n0,1\n")
    with pytest.raises(DatasetError) as caught:
        read(path, RECORD)
    _one_line(caught, path, "not a readable NetCDF file")


def test_wrong_kind(record, fitted, tmp_path):
    path = tmp_path / "record.nc"
    write(record, path, RECORD)
    with pytest.raises(DatasetError) as caught:
        read(path, FIT)
    _one_line(caught, path, "'record'", "'fit'")
    record.to_netcdf(path)  # by some other program: no kind at all
    with pytest.raises(DatasetError) as caught:
        read(path, RECORD)
    _one_line(caught, path, "kind")


def _spoiled(dataset, path, contract, change):
    """Write a file, then change it behind the library's back."""
    write(dataset, path, contract)
    with xr.open_dataset(path) as opened:
        loaded = change(opened.load())
    loaded.to_netcdf(path)


def _without_task(dataset):
    del dataset.attrs["task"]
    return dataset


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.drop_vars("cue"), ["'cue'", "missing"]),
        (lambda data: data.rename(step="time"), ["'session'", "time", "step"]),
        (lambda data: data.assign(action=data["action"] * 0.5), ["'action'", "float64"]),
        (lambda data: data.assign(extra=1), ["'extra'", "not part"]),
        (_without_task, ["'task'"]),
        (lambda data: data.assign_attrs(complete="no"), ["not written to its end"]),
        (lambda data: data.assign(truth=("step", np.zeros(60))), ["'truth'", "parameter"]),
    ],
    ids=["missing", "dimensions", "type", "extra", "attribute", "incomplete", "optional"],
)
def test_spoiled_file(change, words, record, tmp_path):
    path = tmp_path / "record.nc"
    _spoiled(record, path, RECORD, change)
    with pytest.raises(DatasetError) as caught:
        read(path, RECORD)
    _one_line(caught, path, *words)


@pytest.mark.parametrize(("kind", "contract"), [("fitted", FIT), ("decoded", POSTERIOR)])
def test_every_required_variable_is_missed(kind, contract, request, tmp_path):
    dataset = request.getfixturevalue(kind)
    path = tmp_path / "file.nc"
    for name in contract.required:
        with pytest.raises(DatasetError) as caught:
            write(dataset.drop_vars(name), path, contract)
        _one_line(caught, path, repr(name), "missing")
    assert not path.exists()


def test_differences_see_numbers_and_overlook_times(fitted):
    assert differences(fitted, fitted.copy(deep=True)) == []
    later = fitted.assign(seconds=fitted["seconds"] + 1).assign_attrs(created="now", host="there")
    assert differences(fitted, later) == []
    changed = fitted.copy(deep=True)
    changed["estimate"].values[3] = np.nextafter(changed["estimate"].values[3], 2)
    assert differences(fitted, changed) == ["estimate: values differ"]
    assert differences(fitted, fitted.drop_vars("status")) == ["status: only in one of the two"]
    assert differences(fitted, fitted.assign_attrs(method="em"))[0].startswith("attribute method")
    assert differences(fitted, fitted.isel(start=[0])) != []


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_contracts_are_complete(contract):
    assert contract.meaning
    assert not set(contract.required) & set(contract.optional)
    for variable in contract.variables.values():
        assert variable.meaning
        assert variable.type in "fibU"


def test_kinds_have_one_contract_each():
    kinds = [contract.kind for contract in {id(one): one for one in CONTRACTS.values()}.values()]
    assert len(kinds) == len(set(kinds)) > 10


@pytest.fixture
def groups():
    """A posterior of two chains: summary and groups."""
    contract = posterior_dataset.POSTERIOR
    labels = {"parameter": [f"parameter {k}" for k in range(10)], "chain": 2, "draw": 30}
    return {
        "": filled(contract, labels),
        **{
            name: filled(part, labels, optional=part.optional)
            for name, part in contract.groups.items()
        },
    }


def test_groups_are_written_and_read_together(groups, tmp_path):
    path = tmp_path / "posterior.nc"
    write_groups(groups, path, posterior_dataset.POSTERIOR)
    assert list(tmp_path.iterdir()) == [path]
    again = read_groups(path, posterior_dataset.POSTERIOR)
    assert again.keys() == groups.keys()
    for name, dataset in groups.items():
        for variable in dataset.data_vars:
            assert again[name][variable].values.tolist() == dataset[variable].values.tolist()
    summary, draws = posterior_dataset.read_draws(path, 20)
    np.testing.assert_array_equal(summary["median"], groups[""]["median"])
    assert draws.shape == (20, 10)
    drawn = groups["posterior"]["parameters"].values.reshape(-1, 10)
    np.testing.assert_array_equal(draws[[0, -1]], drawn[[0, -1]])


def test_arviz_reads_the_draws(groups, tmp_path):
    import arviz

    path = tmp_path / "posterior.nc"
    write_groups(groups, path, posterior_dataset.POSTERIOR)
    found = arviz.from_netcdf(path)
    assert {"posterior", "sample_stats"} <= set(found.groups())
    drawn = groups["posterior"]["parameters"]
    np.testing.assert_array_equal(found.posterior["parameters"], drawn)
    assert found.sample_stats["diverging"].shape == (2, 30)
    table = arviz.summary(found, var_names=["parameters"])
    assert table.index[0] == "parameters[parameter 0]"


def test_a_group_that_is_missing_or_wrong_is_named(groups, tmp_path):
    path = tmp_path / "posterior.nc"
    contract = posterior_dataset.POSTERIOR
    write(groups[""], path, Contract(contract.kind, "", contract.required, contract.optional))
    with pytest.raises(DatasetError) as caught:
        read_groups(path, contract)
    _one_line(caught, path, "group posterior")
    wrong = groups | {"sample_stats": groups["sample_stats"].drop_vars("lp")}
    with pytest.raises(DatasetError) as caught:
        write_groups(wrong, tmp_path / "other.nc", contract)
    _one_line(caught, "other.nc, group sample_stats", "'lp' is missing")
    assert not (tmp_path / "other.nc").exists()


def test_a_posterior_without_draws_says_so(groups, tmp_path):
    path = tmp_path / "posterior.nc"
    empty = {
        name: dataset.isel(chain=slice(0), draw=slice(0)) if name else dataset
        for name, dataset in groups.items()
    }
    write_groups(empty, path, posterior_dataset.POSTERIOR)
    with pytest.raises(DatasetError) as caught:
        posterior_dataset.read_draws(path)
    _one_line(caught, path, "found no draws")
