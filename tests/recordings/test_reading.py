"""Reading an animal's own record from CSV and NetCDF: what is wrong is named in one line."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.recordings.dataset import RECORD, record_dataset, stack
from inverse_rational_control.recordings.reading import read_record
from inverse_rational_control.storage.contract import DatasetError, write
from inverse_rational_control.task import ABSENT, MISSING, Task

HEADER = "location,action,reward,cue_1,cue_2"
ROWS = ("0,2,0,1,3", "1,4,0,2,2", "1,4,1,0,4", "1,1,0,1,1")


def _record():
    return Record(
        session=np.array([0, 0, 1, 1]),
        location=np.array([0, 1, 0, 2]),
        action=np.array([2, 4, 3, 4]),
        reward=np.array([1, 0, 0, 0]),
        cue=np.array([[0, 4], [1, 3], [2, 2], [3, 1]]),
    )


def _csv(tmp_path, text):
    path = tmp_path / "rat.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("words", [("absent", "missing"), ("-1", "-2")])
def test_steps_without_a_color_are_read(tmp_path, words):
    rows = (f"0,2,0,{words[0]},3", *ROWS[1:3], f"1,1,0,1,{words[1]}")
    record = read_record(_csv(tmp_path, "\n".join((HEADER, *rows))), Task())
    assert record.cue.tolist() == [[ABSENT, 3], [2, 2], [0, 4], [1, MISSING]]


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


def test_a_task_without_cues_needs_no_columns_of_them(tmp_path):
    """One with cues says which they are, or that there may be none."""
    text = "location,action,reward\n0,2,0\n1,4,0\n1,1,1\n"
    record = read_record(_csv(tmp_path, text), Task(n_cues=1))
    assert record.cue.tolist() == [[0, 0]] * 3
    assert record.reward.tolist() == [0, 0, 1]
    with pytest.raises(RecordError) as caught:
        read_record(_csv(tmp_path, text), Task())
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    for line, name in zip(lines, ("cue_1", "cue_2"), strict=True):
        assert f"column '{name}' is missing (found: location, action, reward)" in line
        assert line.endswith(
            f"columns: {{{name}: ...}}; if boxes show nothing: task: {{n_cues: 1}}"
        )
    shown = _csv(tmp_path, "location,action,reward,cue_1\n0,2,0,1\n")
    with pytest.raises(RecordError, match="cue_1 at row 2: found 1"):
        read_record(shown, Task(n_cues=1))


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
        ("", "not a readable table"),
        (HEADER, "no steps found"),
        ("location,action,reward,cue_1\n0,0,0,0", "column 'cue_2' is missing"),
        (HEADER + ",mood\n0,0,0,0,0,1", "column 'mood' is not known"),
        (f"{HEADER}\n{ROWS[0]}\n1,pusch,0,2,2", "action at row 3: found 'pusch', allowed: whole"),
        (
            f"{HEADER}\n{ROWS[0]}\n1,,0,2,2",
            "action at row 3: found an empty cell, allowed: whole",
        ),
        (f"{HEADER}\n{ROWS[0]}\n1,0.5,0,2,2", "action at row 3: found 0.5, allowed: whole"),
        (f"{HEADER}\n{ROWS[0]}\n1,0,0,inf,2", "cue_1 at row 3: found inf"),
        (f"{HEADER}\n{ROWS[0]}\n1,4,0,2", "cue_2 at row 3: found an empty cell"),
        (f"{HEADER}\n{ROWS[0]}\n1,4,0,2,2,9", "row 3: found 6 cells, allowed: 5"),
        (
            f"{HEADER}\n{ROWS[0]}\n1,7,0,2,2",
            "action at row 3: found 7, allowed: whole numbers 0 to 4",
        ),
        (
            f"step,{HEADER}\n0,{ROWS[0]}\n2,{ROWS[1]}",
            "step at row 3: found 2 after 0, allowed: rising by one",
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
    with pytest.raises(RecordError, match="not a readable table"):
        read_record(binary, Task())


def test_netcdf_record_is_read(tmp_path):
    record = _record()
    write(record_dataset(record, Task()), tmp_path / "rat.nc", RECORD)
    back = read_record(tmp_path / "rat.nc", Task())
    np.testing.assert_array_equal(back.action, record.action)
    with pytest.raises(
        RecordError, match=r"found a record of 5 cues, allowed: task\.n_cues, 3"
    ) as caught:
        read_record(tmp_path / "rat.nc", Task(n_cues=3))
    assert "rat.nc" in str(caught.value)


@pytest.mark.parametrize("dim", ["seed", "agent"])
def test_netcdf_file_of_several_records_is_no_record(tmp_path, dim):
    single = record_dataset(_record(), Task())
    path = tmp_path / "rats.nc"
    write(stack([single, single], [0, 1], RECORD, dim), path, RECORD)
    with pytest.raises(RecordError, match=f"records of several {dim}s, allowed: one") as caught:
        read_record(path, Task())
    assert str(path) in str(caught.value)


def test_records_of_own_path_type(tmp_path):
    path = _csv(tmp_path, "\n".join((HEADER, *ROWS)))
    one, other = read_record(str(path), Task()), read_record(Path(path), Task())
    assert dataclasses.astuple(one)[1].tolist() == dataclasses.astuple(other)[1].tolist()
