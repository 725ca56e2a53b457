"""Mutated files: each is read, or refused in lines that name the file; never a traceback.

A few hundred in the suite; IRC_FUZZ=5000 in the environment asks for more.
"""

import gzip
import os
import re
import warnings

import numpy as np
import pytest

from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.conversion import convert_events
from inverse_rational_control.recordings.dataset import RECORD, record_dataset
from inverse_rational_control.recordings.problems import SHOWN
from inverse_rational_control.recordings.reading import read_recording
from inverse_rational_control.storage.contract import DatasetError, write
from inverse_rational_control.task import Task

N_MUTATIONS = int(os.environ.get("IRC_FUZZ", "300"))
STEPS = """session,step,location,action,reward,cue_1,cue_2
a,0,0,2,0,1,3
a,1,1,4,0,2,2
a,2,1,4,1,0,4
a,3,1,1,0,1,1
a,4,0,0,0,3,3
b,0,0,3,0,1,0
b,1,2,4,0,1,0
b,2,2,1,1,4,0
"""
EVENTS = """time,event,box,value
0.0,start,,
0.0,enter,middle,
0.1,cue,1,3
0.1,cue,2,0
1.4,enter,1,
2.3,press,1,
2.9,reward,1,
3.1,cue,1,4
4.2,leave,1,
6.7,enter,2,
7.5,press,2,
9.0,stop,,
"""
#: What people's programs and fingers put into cells.
CELLS = (
    *(
        "",
        "NA",
        "nan",
        "inf",
        "-1",
        "1e400",
        "0,5",
        "1.0",
        "99",
        "push",
        "left",
        '"',
        "'",
        " ",
        "\t",
    ),
    *(
        ";",
        ",",
        "\n",
        "\r",
        "\x00",
        "\ufeff",
        "ü",
        "١",
        "1_0",
        "0x1",
        "TRUE",
        "2019-04-30",
        "#N/A",
        "\\",
    ),
    *("1e308", "-1e308", "1,234.5", "2019-04-30 12:00:01", "\u200b1", "\x85", "−1", "9" * 700),
)
#: What a refusal says: what is allowed, or why there is nothing to allow.
_FORM = (
    "allowed: |not a readable|missing|not written|problems in all|expected|has other labels|checksum"
    "|not part of|not finite"
)
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32", "utf-32-be")


def _mutated(text, rng):
    """The bytes of a valid file after one to three accidents."""
    lines = text.splitlines()
    for _ in range(rng.integers(1, 4)):
        kind, row = rng.integers(10), int(rng.integers(len(lines)))
        cells = lines[row].split(",")
        column = int(rng.integers(len(cells)))
        if kind == 0:
            cells[column] = str(rng.choice(CELLS))
        elif kind == 1:
            cells.insert(column, str(rng.choice(CELLS)))
        elif kind == 2:
            del cells[column]
        elif kind == 3:
            lines.insert(row, lines[int(rng.integers(len(lines)))])
            continue
        elif kind == 9:
            cell = str(rng.choice(CELLS))
            rows = [line.split(",") for line in lines]
            lines = [",".join([*row[:column], cell, *row[column + 1 :]]) for row in rows]
            continue
        elif kind == 4 and len(lines) > 1:
            del lines[row]
            continue
        elif kind == 5:
            other = int(rng.integers(len(lines)))
            lines[row], lines[other] = lines[other], lines[row]
            continue
        elif kind == 6:
            lines = [
                line.replace(",", str(rng.choice([";", "\t", " ", ", ", "|"]))) for line in lines
            ]
            continue
        elif kind == 7:
            lines = [f"{k},{line}" if k else f",{line}" for k, line in enumerate(lines)]
            continue
        else:
            lines = [f"{line}," for line in lines]
            continue
        lines[row] = ",".join(cells)
    end = str(rng.choice(["\n", "\r\n", "\r"]))
    encoding = str(rng.choice(ENCODINGS)) if rng.uniform() < 0.2 else "utf-8"
    data = bytearray(end.join(lines).encode(encoding, errors="replace"))
    for _ in range(rng.integers(0, 3) if rng.uniform() < 0.3 else 0):
        if data:
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
    if rng.uniform() < 0.05:
        data = data[: int(rng.integers(len(data) + 1))]
    if rng.uniform() < 0.1:
        data = bytearray(gzip.compress(bytes(data)))
        if rng.uniform() < 0.5:
            data = data[: int(rng.integers(len(data) + 1))]
    return bytes(data)


def _judge(path, read):
    """Whether a file is read; a refusal is in lines of the form that people are promised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read()
        return True
    except (RecordError, DatasetError) as error:
        lines = str(error).splitlines()
        assert 1 <= len(lines) <= SHOWN + 1, error
        for line in lines:
            assert line.startswith(f"{path}"), line
            assert re.search(_FORM, line), line
            assert line.isprintable(), line
            assert "Traceback" not in line and "np." not in line and len(line) < 600, line
        return False


@pytest.mark.parametrize("kind", ["steps", "events"])
def test_mutated_tables_are_read_or_refused_in_lines(kind, tmp_path):
    rng = np.random.default_rng(7)
    path, outcomes = tmp_path / "mutated.csv", []
    for _ in range(N_MUTATIONS):
        path.write_bytes(_mutated(STEPS if kind == "steps" else EVENTS, rng))
        if kind == "steps":
            outcomes.append(_judge(path, lambda: read_recording([path], Task())))
        else:
            outcomes.append(_judge(path, lambda: convert_events([path], Task())))
    # Harmless oddities are read, most accidents are not.
    assert 0.05 < np.mean(outcomes) < 0.8


def test_mutated_netcdf_files_are_read_or_refused_in_lines(tmp_path):
    steps = tmp_path / "steps.csv"
    steps.write_text(STEPS)
    record = read_recording([steps], Task()).record
    path = tmp_path / "record.nc"
    write(record_dataset(record, Task()), path, RECORD)
    valid, rng = path.read_bytes(), np.random.default_rng(8)
    for _ in range(N_MUTATIONS // 10):
        data = bytearray(valid)
        if rng.uniform() < 0.5:
            data = data[: int(rng.integers(len(data)))]
        else:
            data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(data))
        _judge(path, lambda: read_recording([path], Task()))
