"""What people's files look like: harmless oddities are read with a remark, the rest refused in lines."""

import codecs
import gzip

import numpy as np
import pytest

from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.dataset import RECORD, record_dataset
from inverse_rational_control.recordings.layout import Layout
from inverse_rational_control.recordings.problems import SHOWN, Problems
from inverse_rational_control.recordings.reading import read_recording
from inverse_rational_control.storage.contract import write
from inverse_rational_control.task import Task

HEADER = "location,action,reward,cue_1,cue_2"
ROWS = ("0,2,0,1,3", "1,4,0,2,2", "1,4,1,0,4", "1,1,0,1,1", "0,0,0,3,3")
PLAIN = "\n".join((HEADER, *ROWS)) + "\n"


def _file(folder, content, name="rat.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _read(path, task=None, **layout):
    return read_recording([path], task or Task(), Layout(**layout))


def _lines(path, task=None, **layout):
    with pytest.raises(RecordError) as caught:
        _read(path, task, **layout)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines), lines
    return [line.removeprefix(f"{path}: ") for line in lines]


def _numbered(first=0):
    return "\n".join([f",{HEADER}", *(f"{k},{row}" for k, row in enumerate(ROWS, first))])


ODD = {
    "pandas' index": (_numbered(), "no name"),
    "pandas' index, read and written again": ("Unnamed: 0" + _numbered(), "no name"),
    "R's row names": (_numbered(1).replace(f",{HEADER}", f'"",{HEADER}'), "no name"),
    "trailing commas": ("\n".join(f"{line}," for line in (HEADER, *ROWS)), ""),
    "trailing commas in rows": ("\n".join([HEADER, *(f"{row}," for row in ROWS)]), "end with"),
    "semicolons": (PLAIN.replace(",", ";"), "semicolons"),
    "semicolons and decimal commas": (
        "\n".join(
            [HEADER.replace(",", ";"), *(row.replace(",", ",0;") + ",0" for row in ROWS)],
        ),
        "semicolons",
    ),
    "tabs": (PLAIN.replace(",", "\t"), "tabs"),
    "R's write.table": (
        "\n".join(
            [" ".join(f'"{name}"' for name in HEADER.split(","))]
            + [f'"{k}" {row.replace(",", " ")}' for k, row in enumerate(ROWS, 1)]
        ),
        "names that the header does not count",
    ),
    "header with spaces and capitals": (
        PLAIN.replace(HEADER, "Location, Action , REWARD,Cue 1,cue.2"),
        "",
    ),
    "quoted cells": ('"location","action","reward","cue_1","cue_2"\n"0","2","0","1","3"\n', ""),
    "words": (PLAIN.replace("1,4,0,2,2", "box 1,push,FALSE,2,2"), ""),
    "a byte order mark": (codecs.BOM_UTF8 + PLAIN.encode(), "byte order mark"),
    "UTF-16": (PLAIN.encode("utf-16"), "UTF-16"),
    "UTF-32": (PLAIN.encode("utf-32"), "UTF-32"),
    "UTF-32, other bytes first": (codecs.BOM_UTF32_BE + PLAIN.encode("utf-32-be"), "UTF-32"),
    "UTF-16 without a mark": (PLAIN.encode("utf-16-le"), "UTF-16"),
    "gzip": (gzip.compress(PLAIN.encode()), "gzip"),
    "Windows line ends": (PLAIN.replace("\n", "\r\n"), ""),
    "blank lines": (PLAIN.replace("\n", "\n\n"), ""),
    "empty rows at the end": (PLAIN + ",,,,\n,,,,\n", "empty rows"),
}


@pytest.mark.parametrize("name", ODD)
def test_harmless_oddities_are_read_with_a_remark(name, tmp_path):
    content, remark = ODD[name]
    found = _read(_file(tmp_path, content))
    plain = _read(_file(tmp_path, PLAIN, "plain.csv"))
    n = found.record.n_steps
    assert n == (1 if name == "quoted cells" else len(ROWS))
    for column, values in plain.record.columns().items():
        np.testing.assert_array_equal(found.record.columns()[column], values[:n])
    assert remark in " ".join(found.remarks)


def test_every_problem_is_told_at_once_with_the_row_of_the_spreadsheet(tmp_path):
    rows = ["0,2,0,1,3", "1,4,0,,2", "1,9,1,0,4", "NA,1,0,1,x", "0,0,0,7,3", "2,0,1.5,0,0"]
    lines = _lines(_file(tmp_path, "\n".join((HEADER, *rows))))
    assert lines[0].startswith(
        "cue_1 at row 3: found an empty cell, allowed: whole numbers 0 to 4 or"
    )
    assert lines[1].startswith(
        "action at row 4: found 9, allowed: whole numbers 0 to 4 or stay, go"
    )
    assert lines[2].startswith("location at row 5: found 'NA' (a missing value), allowed: whole")
    assert lines[3].startswith("cue_2 at row 5: found 'x', allowed")
    assert lines[4].startswith("cue_1 at row 6: found 7, allowed")
    assert lines[6].startswith(
        "location at row 7: found 'box 2' after 'stay' at 'middle', allowed: 'm"
    )
    assert lines[5].startswith("reward at row 7: found 1.5, allowed")
    assert len(lines) == 7


def test_rows_are_counted_as_the_spreadsheet_does(tmp_path):
    """Blank lines count, and so do quoted cells with a line of their own as one row."""
    text = f"{HEADER}\n0,2,0,1,3\n\n1,4,0,2,2\n1,7,0,2,2\n"
    assert _lines(_file(tmp_path, text))[0].startswith("action at row 5: found 7")


def test_the_first_problems_are_shown_and_all_counted(tmp_path):
    rows = ["0,9,0,1,3"] * 60_000
    lines = _lines(_file(tmp_path, "\n".join((HEADER, *rows))))
    assert len(lines) == SHOWN + 1
    assert lines[0].startswith("action at row 2: ") and lines[19].startswith("action at row 21: ")
    assert lines[20] == "60000 problems in all, the first 20 shown"


def test_problems_found_late_but_further_up_are_shown():
    problems = Problems("rat.csv")
    for row in (*range(100, 130), 3):
        problems.add("cue_1", row, "9", "0 to 4")
    assert problems.lines[0] == "rat.csv: cue_1 at row 3: found 9, allowed: 0 to 4"
    assert "at row 118:" in problems.lines[19]


def test_sessions_that_come_back_are_named_with_row_and_value(tmp_path):
    rows = [f"{session},{ROWS[-1]}" for session in (1, 2, 1)]
    assert _lines(_file(tmp_path, "\n".join((f"session,{HEADER}", *rows)))) == [
        "session at row 4: found '1' again, after '2', allowed: the rows of a session together, in order"
    ]


@pytest.mark.parametrize(
    ("cell", "found"), [("", "an empty cell"), ("NA", "'NA' (a missing value)")]
)
def test_a_session_without_a_name_is_named(cell, found, tmp_path):
    rows = [f"{session},{ROWS[-1]}" for session in ("mon", cell)]
    assert _lines(_file(tmp_path, "\n".join((f"session,{HEADER}", *rows)))) == [
        f"session at row 3: found {found}, allowed: a name or number"
    ]


@pytest.mark.parametrize("names", [("mon", "tue"), ("1.5", "b 2"), ("7", "3"), ("01", "1")])
def test_sessions_may_have_any_names(names, tmp_path):
    rows = [f"{session},{ROWS[-1]}" for session in (names[0], names[0], names[1])]
    found = _read(_file(tmp_path, "\n".join((f"session,{HEADER}", *rows))))
    assert found.record.session_starts.tolist() == [True, False, True]
    assert found.sessions == names


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            ["0,2,0,1,3", "2,0,0,0,0"],
            "location at row 3: found 'box 2' after 'go to box 1' at 'middle'",
        ),
        (
            ["0,4,0,1,3", "0,0,1,0,0"],
            "reward at row 3: found 1 after 'push' at 'middle'",
        ),
        (["0,0,0,1,3,9"], "row 2: found 6 cells, allowed: 5, one per column"),
    ],
)
def test_what_cannot_be_is_named(rows, words, tmp_path):
    assert _lines(_file(tmp_path, "\n".join((HEADER, *rows))))[0].startswith(words)


def test_actions_that_the_task_does_not_allow_are_named(tmp_path):
    path = _file(tmp_path, "\n".join((HEADER, "0,4,0,1,3", "0,0,0,0,0")))
    (line,) = _lines(path, Task(restricted_actions=True))
    assert line.startswith(
        "action at row 2: found 'push' at location 'middle', allowed: stay, go to b"
    )


def test_missing_and_repeated_steps(tmp_path):
    rows = [f"{step},{ROWS[-1]}" for step in (0, 1, 4, 4, 5)]
    path = _file(tmp_path, "\n".join((f"step,{HEADER}", *rows)))
    assert _lines(path) == [
        "step at row 4: found 4 after 1, allowed: rising by one within a session",
        "step at row 5: found 4 after 4, allowed: rising by one within a session",
    ]
    assert len(_lines(path, new_session_at_missing_steps=True)) == 1
    rows.pop(2)
    path = _file(tmp_path, "\n".join((f"step,{HEADER}", *rows)))
    found = _read(path, new_session_at_missing_steps=True)
    assert found.record.session_starts.tolist() == [True, False, True, False]
    assert "2 steps are missing at 1 places" in " ".join(found.remarks)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not a readable table (the file is empty)"),
        (HEADER, "no steps found"),
        (bytes(range(256)) * 4, "found bytes that are no text"),
        (b"PK\x03\x04" + bytes(40), "found a zip file or workbook, allowed: a table saved as CSV"),
        (gzip.compress(PLAIN.encode())[:-12], "not a readable table"),
        (
            f"{HEADER},{HEADER}\n{ROWS[0]},{ROWS[0]}",
            "column 'location' is there 2 times, allowed: once",
        ),
        (f"{HEADER},food_1\n{ROWS[0]},1", "found one of food_1 and food_2, allowed: both or none"),
        ("place,act\n0,1", "column 'location' is missing (found: place, act)"),
        ('location,action\n"0,1', "column 'reward' is missing"),
        # What cannot be seen is named, what is long is cut.
        (f"location\u200b,{HEADER}"[:-12], "(found: location\\u200b, location"),
        (f"{'9' * 5000},{HEADER}\n1,{ROWS[0]}", f"column '{'9' * 40}...' is not known"),
        (f"{HEADER[9:]},{'x' * 5000}", f"cue_1, cue_2, {'x' * 40}...)"),
        (",".join(map(str, range(30))), "10, 11, and 18 more)"),
    ],
)
def test_what_is_no_table_of_steps_is_refused(content, words, tmp_path):
    assert words in "\n".join(_lines(_file(tmp_path, content)))


def test_a_folder_is_no_file(tmp_path):
    for name in ("rat.csv", "rat.nc"):
        (tmp_path / name).mkdir()
        assert _lines(tmp_path / name) == ["found a folder, allowed: a file"]


def test_one_row_is_a_record(tmp_path):
    assert _read(_file(tmp_path, f"{HEADER}\n{ROWS[0]}")).record.n_steps == 1


def test_colors_that_never_occur_are_remarked_on(tmp_path):
    assert "of the cue's 5 colors, 2, 4 never occur" in " ".join(
        _read(_file(tmp_path, f"{HEADER}\n0,0,0,1,3\n0,0,0,0,0")).remarks
    )


def test_a_record_of_other_bins_or_cues(tmp_path):
    steps = _read(_file(tmp_path, PLAIN)).record
    bins = np.arange(10).reshape(5, 2)
    path = tmp_path / "rat.nc"
    record = type(steps)(**{**steps.__dict__, "belief_bin": bins})
    write(record_dataset(record, Task(n_bins=10)), path, RECORD)
    assert _read(path, Task(n_bins=10)).record.belief_bin is not None
    other = _read(path, Task(n_bins=12, discount=0.9))
    assert other.record.belief_bin is None
    said = " ".join(other.remarks)
    assert "true beliefs are left out: they are in 10 bins, the task has 12" in said
    assert "made with task.discount 0.99, read with 0.9" in said
    assert _lines(path, Task(n_cues=4)) == ["found a record of 5 cues, allowed: task.n_cues, 4"]


def test_problems_of_a_netcdf_record_are_told_at_once(tmp_path):
    steps = _read(_file(tmp_path, PLAIN)).record
    action, location = steps.action.copy(), steps.location.copy()
    action[1], location[4] = 8, 2
    record = type(steps)(**{**steps.__dict__, "action": action, "location": location})
    path = tmp_path / "rat.nc"
    # As another program writes it: without a digest of the contents.
    made = record_dataset(record, Task()).assign_attrs(kind="record", complete="yes")
    made.to_netcdf(path, engine="netcdf4")
    lines = _lines(path)
    assert lines[0] == "action at step 1: found 8, allowed: whole numbers 0 to 4"
    assert lines[1].startswith("location at step 4: found 'box 2' after 'go to middle' at 'box 1'")


def test_a_million_rows_in_bounded_memory(tmp_path):
    """Pieces are dropped once they are numbers: nothing is held as text (2 MB of rows, many pieces)."""
    path = tmp_path / "long.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"step,{HEADER}\n")
        file.writelines(f"{step},0,0,0,1,3\n" for step in range(120_000))
    found = _read(path)
    assert found.record.n_steps == 120_000
    assert found.rows[-1] == 120_001
