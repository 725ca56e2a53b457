"""Records as datasets, and what every kind shares: stacking, padding, reading batches."""

import numpy as np
import pytest

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import (
    RECORD,
    coordinates_of_dataset,
    extras_of_dataset,
    names,
    read_batches,
    record_dataset,
    record_from_dataset,
    stack,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import DatasetError, differences, read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.task import Task
from tests.filled import filled


@pytest.fixture
def record(small_record, small_task, paper_agent, paper_world):
    """60 steps of the small record as a dataset, truth and provenance included."""
    dataset = record_dataset(small_record.head(60), small_task, paper_agent, paper_world)
    return dataset.assign_attrs(provenance({"root_seed": 3}))


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


def test_what_is_no_task_is_refused(record):
    with pytest.raises(DatasetError, match="attribute 'task': not a task"):
        task_from_dataset(record.assign_attrs(task='{"n_bins": -3}'))


def test_records_of_several_seeds(record, tmp_path):
    write(record, tmp_path / "single.nc", RECORD)
    write(stack([record, record], [0, 1], RECORD), tmp_path / "records.nc", RECORD)
    again = read(tmp_path / "records.nc", RECORD)
    assert again["action"].dims == ("seed", "step")
    single = read(tmp_path / "single.nc", RECORD)
    assert differences(again.isel(seed=1).drop_vars("seed"), single) == []


def test_fits_are_stacked_and_padded(tmp_path):
    """A fit with three starts beside one with two; shorter histories are padded."""
    parameters = {"parameter": names(), "parameter_other": names()}
    fitted = filled(FIT, {"start": 2, "iteration": 7, **parameters}, seed=1)
    other = filled(FIT, {"start": 3, "iteration": 2, **parameters}, seed=2)
    write(stack([fitted, other], [4, 9], FIT), tmp_path / "fits.nc", FIT)
    again = read(tmp_path / "fits.nc", FIT)
    assert again["seed"].values.tolist() == [4, 9]
    for name in FIT.required:
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


@pytest.mark.parametrize("dim", ["seed", "agent"])
def test_batches_are_read_in_the_order_of_their_numbers(record, tmp_path, dim):
    longer = record.pad(step=(0, 5), mode="edge").assign_coords(step=np.arange(65))
    for numbers, part in (((2, 3), record), ((0, 1), longer)):
        batch = stack([part, part], numbers, RECORD, dim)
        write(batch, tmp_path / f"batch{numbers[0]}.nc", RECORD)
    paths = [tmp_path / "batch2.nc", tmp_path / "batch0.nc"]
    joined = read_batches(paths, RECORD, ["action", "truth"], dim)
    assert joined[dim].values.tolist() == [0, 1, 2, 3]
    assert set(joined.data_vars) == {"action", "truth"}
    np.testing.assert_array_equal(joined["action"].values[2, :60], record["action"])


def test_truth_may_have_extra_parameters_by_their_names(tmp_path, paper_agent, random_record):
    task, extras = Task(n_bins=4, n_cues=3), ("lapse", "discount")
    record, truth = random_record(task, [20], 1), np.append(paper_agent, [0.05, 0.9])
    dataset = record_dataset(record, task, truth, None, extras)
    write(dataset, tmp_path / "record.nc", RECORD)
    found = read(tmp_path / "record.nc", RECORD)
    assert extras_of_dataset(found) == extras
    np.testing.assert_array_equal(found["truth"], truth)
    assert coordinates_of_dataset(found).parameters[11].name == "discount"
    turned = dataset.isel(parameter=[*range(10), 11, 10])
    with pytest.raises(DatasetError, match="dimension 'parameter' has other labels"):
        write(turned, tmp_path / "turned.nc", RECORD)
