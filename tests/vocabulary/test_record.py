"""Checks of records, and import of an animal's own from CSV and NetCDF."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.recordings.dataset import RECORD, record_dataset, stack
from inverse_rational_control.recordings.reading import read_record
from inverse_rational_control.storage.contract import DatasetError, write
from inverse_rational_control.task import Task

HEADER = "location,action,reward,cue_1,cue_2"
ROWS = ("0,2,0,1,3", "1,4,0,2,2", "1,4,1,0,4", "1,1,0,1,1")


def _record(**changes):
    columns = {
        "session": [0, 0, 1, 1],
        "location": [0, 1, 0, 2],
        "action": [2, 4, 3, 4],
        "reward": [1, 0, 0, 0],
        "cue_1": [0, 1, 2, 3],
        "cue_2": [4, 3, 2, 1],
    }
    return Record.from_columns(
        {name: np.array(values) for name, values in (columns | changes).items()}
    )


def test_properties_by_hand():
    record = _record(location=[0, 1, 0, 2], action=[4, 4, 3, 4])
    assert record.n_steps == 4
    assert record.session_starts.tolist() == [True, False, True, False]
    assert record.opened.tolist() == [0, 1, 0, 2]
    head = record.head(3)
    assert head.n_steps == 3
    assert head.food is None


def test_good_record_passes():
    _record().check(Task())
    _record(food_1=[0, 1, 0, 1], food_2=[0] * 4).check(Task())
    _record(belief_bin_1=[0] * 4, belief_bin_2=[9, 0, 0, 0]).check(Task())


@pytest.mark.parametrize(
    ("changes", "task", "words"),
    [
        ({"location": [0, 1, 3, 2]}, Task(), "location at row 2: found 3, allowed: 0 to 2"),
        ({"action": [2, 5, 3, 4]}, Task(), "action at row 1: found 5, allowed: 0 to 4"),
        ({"action": [2, 4, 3, -1]}, Task(), "action at row 3: found -1, allowed: 0 to 4"),
        ({"reward": [0, 0, 2, 0]}, Task(), "reward at row 2: found 2, allowed: 0 to 1"),
        ({"cue_1": [3, 0, 0, 0]}, Task(n_cues=3), "cue_1 at row 0: found 3, allowed: 0 to 2"),
        ({"cue_2": [0, 0, 0, 5]}, Task(), "cue_2 at row 3: found 5, allowed: 0 to 4"),
        (
            {"food_1": [0] * 4, "food_2": [0, 0, 0, 2]},
            Task(),
            "food_2 at row 3: found 2, allowed: 0 to 1",
        ),
        (
            {"belief_bin_1": [0, 0, 10, 0], "belief_bin_2": [0] * 4},
            Task(),
            "belief_bin_1 at row 2: found 10",
        ),
        ({"session": [0, 1, 0, 0]}, Task(), "session.*together"),
        (
            {"session": [0] * 4, "location": [0, 1, 1, 2]},
            Task(),
            "location at row 3: found 'box 2' after 'go to box 2' at 'box 1', allowed: 'middle'",
        ),
        ({"reward": [0, 1, 0, 0]}, Task(), "reward at row 1: found 1, allowed: 0 unless the step"),
        (
            {"cue_1": [0.0, 1.0, 2.0, 3.5]},
            Task(),
            "cue: found float64 of shape \\(4, 2\\), allowed",
        ),
        ({"cue_2": [0, 1, 2]}, Task(), "cue_1: found shape \\(4,\\), allowed: that of cue_2"),
        (
            {"location": [0, 0, 0, 2], "action": [2, 4, 3, 4]},
            Task(restricted_actions=True),
            "action at row 1: found 'push' at location 'middle', which task.restricted_actions",
        ),
        (
            {"location": [0, 1, 2, 2], "action": [2, 4, 3, 4]},
            Task(restricted_actions=True),
            "action at row 2: found 'go to box 2' at location 'box 2'",
        ),
    ],
)
def test_what_does_not_fit_the_task_is_named(changes, task, words):
    with pytest.raises(RecordError, match=words) as caught:
        _record(**changes).check(task, "rat.csv")
    assert str(caught.value).startswith(("rat.csv: ", "record: "))
    assert "\n" not in str(caught.value)


def test_unusual_actions_pass_where_the_task_allows_them():
    _record(location=[0, 0, 2, 2], action=[1, 4, 3, 4]).check(Task())


def test_empty_record():
    empty = Record(*(np.zeros(0, dtype=int) for _ in range(6)))
    with pytest.raises(RecordError, match="no steps found"):
        empty.check(Task(), "rat.csv")


def _csv(tmp_path, text):
    path = tmp_path / "rat.csv"
    path.write_text(text)
    return path


def test_csv_is_read(tmp_path):
    record = read_record(_csv(tmp_path, "\n".join((HEADER, *ROWS))), Task())
    assert record.location.tolist() == [0, 1, 1, 1]
    assert record.action.tolist() == [2, 4, 4, 1]
    assert record.reward.tolist() == [0, 0, 1, 0]
    assert record.cue[:, 0].tolist() == [1, 2, 0, 1]
    assert record.cue[:, 1].tolist() == [3, 2, 4, 1]
    assert record.session.tolist() == [0, 0, 0, 0]
    assert record.food is None
    for name, column in record.__dict__.items():
        assert column is None or column.dtype == np.int64, name


def test_csv_with_sessions_steps_and_spaces_in_any_order(tmp_path):
    text = "step, session, cue_2, cue_1, reward, action, location\n"
    text += "7, 2, 1, 0, 0, 2, 0\n8, 2, 1, 0, 0, 4, 1\n0, 1, 1, 0, 1, 0.0, 2\n"
    record = read_record(_csv(tmp_path, text), Task())
    assert record.session.tolist() == [2, 2, 1]
    assert record.action.tolist() == [2, 4, 0]
    assert record.session_starts.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a readable CSV"),
        (HEADER, "no steps found"),
        ("location,action,reward,cue_1\n0,0,0,0", "column 'cue_2' is missing"),
        (HEADER + ",mood\n0,0,0,0,0,1", "column 'mood' is not known"),
        (f"{HEADER}\n{ROWS[0]}\n1,push,0,2,2", "action at row 1: found 'push', allowed: whole"),
        (
            f"{HEADER}\n{ROWS[0]}\n1,,0,2,2",
            "action at row 1: found .*(nan|empty).*, allowed: whole",
        ),
        (f"{HEADER}\n{ROWS[0]}\n1,0.5,0,2,2", "action at row 1: found .*0.5.*, allowed: whole"),
        (f"{HEADER}\n{ROWS[0]}\n1,0,0,inf,2", "cue_1 at row 1: found .*inf"),
        (f"{HEADER}\n{ROWS[0]}\n1,4,0,2", "cue_2 at row 1: found .*(nan|empty)"),
        (f"{HEADER}\n{ROWS[0]}\n1,4,0,2,2,9", "not a readable CSV"),
        (f"{HEADER}\n{ROWS[0]}\n1,7,0,2,2", "action at row 1: found 7, allowed: 0 to 4"),
        (
            f"step,{HEADER}\n0,{ROWS[0]}\n2,{ROWS[1]}",
            "step at row 1: found 2 after 0, allowed: rising by one",
        ),
    ],
)
def test_csv_mistakes_are_named(text, words, tmp_path):
    path = _csv(tmp_path, text)
    with pytest.raises(RecordError, match=words) as caught:
        read_record(path, Task())
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "np." not in str(caught.value), "numbers as the file has them"


def test_rows_with_one_value_too_many_are_refused(tmp_path):
    """Not shifted by one column: a comma at the end of every row is a mistake, not an index."""
    path = _csv(tmp_path, "\n".join((HEADER, "0,1,0,1,2,0", "1,1,0,0,2,0")))
    with pytest.raises(RecordError) as caught:
        read_record(path, Task())
    assert str(path) in str(caught.value)


def test_missing_and_unreadable_files_are_named(tmp_path):
    with pytest.raises(RecordError, match="no such file"):
        read_record(tmp_path / "none.csv", Task())
    with pytest.raises(DatasetError, match="no such file"):
        read_record(tmp_path / "none.nc", Task())
    binary = tmp_path / "binary.csv"
    binary.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(RecordError, match="not a readable CSV"):
        read_record(binary, Task())


def test_netcdf_record_is_read(tmp_path):
    record = _record()
    write(record_dataset(record, Task()), tmp_path / "rat.nc", RECORD)
    back = read_record(tmp_path / "rat.nc", Task())
    np.testing.assert_array_equal(back.action, record.action)
    with pytest.raises(RecordError, match="cue_1 at row 3") as caught:
        read_record(tmp_path / "rat.nc", Task(n_cues=3))
    assert "rat.nc" in str(caught.value)


def test_netcdf_file_of_several_seeds_is_no_record(tmp_path):
    single = record_dataset(_record(), Task())
    path = tmp_path / "rats.nc"
    write(stack([single, single], [0, 1], "record"), path, RECORD)
    with pytest.raises((RecordError, DatasetError)) as caught:
        read_record(path, Task())
    assert str(path) in str(caught.value)
    assert "seed" in str(caught.value)


def test_records_of_own_path_type(tmp_path):
    path = _csv(tmp_path, "\n".join((HEADER, *ROWS)))
    one, other = read_record(str(path), Task()), read_record(Path(path), Task())
    assert dataclasses.astuple(one)[1].tolist() == dataclasses.astuple(other)[1].tolist()
