"""NetCDF files: whole or not at all, back as they went, one line for what is wrong."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from inverse_rational_control.foraging.dataset import record_fit_dataset
from inverse_rational_control.foraging.decoding import decode, score_decoding
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.dataset import FIT, read_estimate
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.recordings.dataset import (
    RECORD,
    names,
    record_dataset,
    record_from_dataset,
    stack,
    task_from_dataset,
)
from inverse_rational_control.storage import contract as datasets
from inverse_rational_control.storage.contract import (
    CONTRACTS,
    DatasetError,
    differences,
    read,
    write,
)
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import add_score, posterior_dataset
from inverse_rational_control.task import Task
from tests import ROOT

SOURCE = ROOT / "src"


def _one_line(caught, *words):
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert str(word) in message, message


@pytest.fixture
def record(small_record, small_task, paper_agent, paper_world):
    """The small record as a dataset, truth and provenance included."""
    dataset = record_dataset(small_record.head(60), small_task, paper_agent, paper_world)
    return dataset.assign_attrs(provenance({"root_seed": 3}))


@pytest.fixture
def fitted(small_fit, small_objective, paper_agent, paper_world):
    """The small fit as a dataset."""
    return record_fit_dataset(small_fit, small_objective, paper_agent, paper_world)


@pytest.fixture
def decoded(small_record, small_task, paper_agent):
    """A decoding of 60 steps as a dataset, with its score."""
    short = small_record.head(60)
    decoding = decode(paper_agent, short, small_task)
    score = score_decoding(decoding, short.belief_bin)
    dataset = posterior_dataset(decoding, small_task)
    return add_score(dataset, score, short.belief_bin)


@pytest.mark.parametrize("kind", ["record", "fitted", "decoded"])
def test_round_trip(kind, request, tmp_path):
    dataset = request.getfixturevalue(kind)
    kind = {"fitted": "fit", "decoded": "posterior"}.get(kind, kind)
    path = tmp_path / "deep" / "file.nc"
    write(dataset, path, kind)
    again = read(path, kind)
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
    known = CONTRACTS[kind].required | CONTRACTS[kind].optional
    for name in again.data_vars:
        assert again[name].attrs["units"] == known[name].unit
        assert again[name].attrs["long_name"] == known[name].meaning
    assert again.attrs["kind"] == kind


def test_record_and_task_come_back(record, small_record, tmp_path, paper_agent, paper_world):
    write(record, tmp_path / "record.nc", RECORD)
    again = read(tmp_path / "record.nc", RECORD)
    back = record_from_dataset(again)
    for name, column in small_record.head(60).__dict__.items():
        np.testing.assert_array_equal(getattr(back, name), column)
        assert getattr(back, name).dtype == np.int64
    assert task_from_dataset(again) == Task(n_bins=5)
    np.testing.assert_array_equal(again["truth"], paper_agent)
    np.testing.assert_array_equal(again["world"], paper_world)
    assert again["parameter"].values.tolist() == names()
    assert again.attrs["root_seed"] == "3"
    for name in ("git_revision", "package_versions", "config", "created", "host"):
        assert again.attrs[name]


def test_record_without_truth_comes_back_without(small_record, small_task, tmp_path):
    columns = ("session", "location", "action", "reward", "cue")
    bare = type(small_record)(*(getattr(small_record.head(5), name) for name in columns))
    write(record_dataset(bare, small_task), tmp_path / "bare.nc", RECORD)
    back = record_from_dataset(read(tmp_path / "bare.nc", RECORD))
    assert back.food is back.belief_bin is None


def test_fit_file_holds_what_the_fit_found(fitted, small_fit):
    interval = small_fit.intervals(0.95)
    np.testing.assert_array_equal(fitted["estimate"], small_fit.estimate)
    np.testing.assert_array_equal(fitted["standard_error"], interval.standard_error)
    np.testing.assert_array_equal(fitted["interval_lower"], interval.lower)
    np.testing.assert_array_equal(fitted["interval_upper"], interval.upper)
    assert fitted["status"].item() == small_fit.status
    assert fitted["log_likelihood"].item() == small_fit.log_likelihood
    assert fitted.sizes["start"] == len(small_fit.starts)
    for k, result in enumerate(small_fit.starts):
        length = len(result.path)
        history = fitted["history_log_likelihood"].values[k]
        np.testing.assert_array_equal(history[:length], result.path.log_likelihood)
        assert np.isnan(history[length:]).all()
        np.testing.assert_array_equal(
            fitted["history_parameters"].values[k, :length], result.path.parameters
        )
        assert fitted["n_iterations"].values[k] == length - 1
        assert fitted["stop_reason"].values[k] == result.stop_reason


def test_seeds_are_stacked_and_padded(
    fitted,
    small_fit,
    small_record,
    small_task,
    fit_settings,
    small_whitening,
    paper_agent,
    paper_world,
    tmp_path,
):
    """A fit with three starts beside one with two; shorter histories are padded."""
    em = fit_settings.em.model_copy(update={"max_iterations": 1})
    settings = fit_settings.model_copy(update={"method": "em", "em": em})
    starts = [small_fit.estimate, paper_agent, paper_agent * 0.95]
    objective = ForagingObjective(small_record.head(60), small_task)
    other = fit(objective, settings, starts, whitening=small_whitening)
    other = record_fit_dataset(other, objective, paper_agent, paper_world)
    stacked = stack([fitted, other], [4, 9], FIT)
    write(stacked, tmp_path / "fits.nc", FIT)
    again = read(tmp_path / "fits.nc", FIT)
    assert again["seed"].values.tolist() == [4, 9]
    for name in CONTRACTS["fit"].required:
        assert again[name].dims[0] == "seed"
    for seed, single in ((4, fitted), (9, other)):
        one = again.sel(seed=seed)
        starts, iterations = single.sizes["start"], single.sizes["iteration"]
        np.testing.assert_array_equal(one["estimate"], single["estimate"])
        np.testing.assert_array_equal(
            one["history_log_likelihood"].values[:starts, :iterations],
            single["history_log_likelihood"],
        )
        assert np.isnan(one["history_log_likelihood"].values[starts:]).all()
        assert np.isnan(one["history_log_likelihood"].values[:, iterations:]).all()
        assert one["stop_reason"].values[:starts].tolist() == single["stop_reason"].values.tolist()
        assert one["status"].item() == single["status"].item()
    lacking = again.sel(seed=4).isel(start=2)
    assert np.isnan(lacking["end_log_likelihood"])
    assert lacking["n_evaluations"] == -1
    assert not lacking["start_converged"]
    assert lacking["stop_reason"].item() == ""


def test_record_of_several_seeds(record, tmp_path):
    stacked = stack([record, record], [0, 1], RECORD)
    write(stacked, tmp_path / "records.nc", RECORD)
    again = read(tmp_path / "records.nc", RECORD)
    assert again["action"].dims == ("seed", "step")
    assert differences(again.isel(seed=1).drop_vars("seed"), read_back(record, tmp_path)) == []


def read_back(dataset, tmp_path):
    write(dataset, tmp_path / "single.nc", RECORD)
    return read(tmp_path / "single.nc", RECORD)


@pytest.mark.parametrize("moment", ["to_netcdf", "fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
def test_interrupted_write_leaves_nothing(moment, failure, record, tmp_path, monkeypatch):
    original = xr.Dataset.to_netcdf

    def fail(*_, **__):
        raise failure

    def half_way(self, path, **options):
        original(self, path, **options)
        Path(path).write_bytes(Path(path).read_bytes()[:500])
        raise failure

    if moment == "to_netcdf":
        monkeypatch.setattr(xr.Dataset, "to_netcdf", half_way)
    else:
        monkeypatch.setattr(datasets.os, moment, fail)
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

    monkeypatch.setattr(datasets.os, "replace", fail)
    with pytest.raises(DatasetError, match="disk full"):
        write(record.assign_attrs(changed="yes"), path, RECORD)
    assert path.read_bytes() == before


def test_killed_write_leaves_no_file_that_is_read(record, tmp_path):
    """SIGKILL after the last byte but before the rename: nothing cleans up."""
    write(record, tmp_path / "source.nc", RECORD)
    program = f"""
        import os, signal
        from inverse_rational_control.storage import contract as datasets
        dataset = datasets.read({str(tmp_path / "source.nc")!r}, RECORD)
        datasets.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        datasets.write(dataset, {str(tmp_path / "target.nc")!r}, RECORD)
    """
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
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


def _spoiled(dataset, path, kind, change):
    """Write a file, then change it behind the library's back."""
    write(dataset, path, kind)
    with xr.open_dataset(path) as opened:
        loaded = change(opened.load())
    loaded.to_netcdf(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.drop_vars("cue"), ["'cue'", "missing"]),
        (lambda data: data.rename(step="time"), ["'session'", "time", "step"]),
        (lambda data: data.assign(action=data["action"] * 0.5), ["'action'", "float64"]),
        (lambda data: data.assign(extra=1), ["'extra'", "not part"]),
        (lambda data: data.drop_attrs(deep=False).assign_attrs(kind="record"), ["'task'"]),
        (lambda data: data.assign_attrs(complete="no"), ["not written to its end"]),
        (lambda data: data.assign(truth=("step", np.zeros(60))), ["'truth'", "parameter"]),
    ],
    ids=["missing", "dimensions", "type", "extra", "attribute", "incomplete", "optional"],
)
def test_spoiled_file(change, words, record, tmp_path):
    path = tmp_path / "record.nc"
    _spoiled(record, path, "record", change)
    with pytest.raises(DatasetError) as caught:
        read(path, RECORD)
    _one_line(caught, path, *words)


@pytest.mark.parametrize("kind", ["fit", "posterior"])
def test_every_required_variable_is_missed(kind, request, tmp_path):
    dataset = request.getfixturevalue({"fit": "fitted", "posterior": "decoded"}[kind])
    path = tmp_path / "file.nc"
    for name in CONTRACTS[kind].required:
        with pytest.raises(DatasetError) as caught:
            write(dataset.drop_vars(name), path, kind)
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


def test_contracts_are_complete():
    for kind, contract in CONTRACTS.items():
        assert contract.meaning
        assert not set(contract.required) & set(contract.optional), kind
        for variable in (contract.required | contract.optional).values():
            assert variable.meaning
            assert variable.type in "fibU"


def test_fit_without_an_estimate_is_refused_in_one_line(fitted, tmp_path):
    path = tmp_path / "fit.nc"
    write(fitted, path, FIT)
    assert read_estimate(path)["estimate"].notnull().all()
    nothing = fitted.copy(deep=True)
    nothing["estimate"] = nothing["estimate"] * np.nan
    write(nothing, path, FIT)
    with pytest.raises(DatasetError) as caught:
        read_estimate(path)
    _one_line(caught, path, "'estimate'", "found no numbers")
