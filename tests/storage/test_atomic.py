"""Files appear whole or not at all, whatever happens to who writes them."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys

import pytest

from inverse_rational_control.storage import atomic
from inverse_rational_control.storage.atomic import WriteError, write_whole, written_whole
from tests import ROOT

#: Begins to write, says so, and waits to be killed.
BEGIN = """
import sys, time
from inverse_rational_control.storage.atomic import written_whole
with written_whole(sys.argv[1]) as beside:
    beside.write_text("half")
    print("begun", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def writer(tmp_path):
    """A process that has begun to write `tmp_path`/[a]*.csv."""
    path = tmp_path / "[a]*.csv"
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begun\n"
    yield path, process
    process.kill()
    process.wait()
    process.stdout.close()


def parts(folder):
    """Files begun in a folder."""
    return sorted(folder.glob(".*.part.*"))


def test_what_a_killed_process_left_goes_when_the_file_is_written(writer):
    path, process = writer
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(parts(path.parent)) == 1
    assert not path.exists()
    with written_whole(path.with_name("other.csv")) as beside:
        beside.write_text("whole")
    assert len(parts(path.parent)) == 1, "it belongs to another file"
    with written_whole(path) as beside:
        assert parts(path.parent) == [beside]
        beside.write_text("whole")
    assert path.read_text() == "whole"
    assert not parts(path.parent)


def test_what_another_process_is_writing_stays(writer):
    path, _ = writer
    (other,) = parts(path.parent)
    with written_whole(path) as beside:
        beside.write_text("whole")
    assert path.read_text() == "whole"
    assert parts(path.parent) == [other]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt), written_whole(path) as beside:
        beside.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert not parts(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_in_one_line(number, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(WriteError) as caught:
        write_whole(tmp_path / "table.csv", "a,b\n")
    assert str(caught.value).startswith(f"{tmp_path / 'table.csv'}: no space left on the disk of")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_to_is_told(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WriteError, match=r"table.csv: could not be written \(.*\)"):
        write_whole(tmp_path / "file/table.csv", "a,b\n")
    with pytest.raises(WriteError, match="could not be written"):
        write_whole(tmp_path / ("x" * 300), "a,b\n")


def test_long_names_have_room_for_their_part(tmp_path):
    path = tmp_path / ("ä" * 120 + ".csv")
    write_whole(path, "a,b\n")
    assert list(tmp_path.iterdir()) == [path]


def test_what_the_block_itself_raises_stays_what_it_is(tmp_path):
    with pytest.raises(KeyError), written_whole(tmp_path / "table.csv"):
        raise KeyError("no")
    assert list(tmp_path.iterdir()) == []


#: Writes a picture, a table and a record into a folder, and says what is told.
ALL_KINDS = """
import sys
import numpy as np
import pandas as pd
from inverse_rational_control import plotting
from inverse_rational_control.record import Record
from inverse_rational_control.recordings.dataset import RECORD, record_dataset
from inverse_rational_control.storage.contract import write
from inverse_rational_control.task import Task
n, folder = 60_000, sys.argv[1]
rng = np.random.default_rng(0)
still = np.zeros(n, dtype=np.int64)
record = Record(still, still, still, still, rng.integers(0, 5, (n, 2)), rng.integers(0, 2, (n, 2)))
figure = plotting.figure(3.0)
figure.subplots().imshow(rng.random((400, 400)))
numbers = {"A": pd.DataFrame({"value": rng.random(20_000)})}
for make in (
    lambda: write(record_dataset(record, Task()), f"{folder}/deep/record.nc", RECORD),
    lambda: plotting.save(figure, [f"{folder}/figure.pdf"]),
    lambda: plotting.save(figure, [f"{folder}/figure.png"]),
    lambda: plotting.write_numbers(numbers, f"{folder}/numbers.csv"),
):
    try:
        make()
        print("written")
    except (OSError, ValueError) as error:
        print(error)
"""


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 48 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", folder], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def assert_told_and_nothing_left(script, folder, said):
    """One line for each kind of file that cannot be written, no noise, and no part of a file."""
    run = subprocess.run(
        [sys.executable, "-c", script, folder],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert run.stderr == ""
    lines = run.stdout.splitlines()
    assert len(lines) == 4
    assert all(said in line for line in lines), lines
    assert [path for path in folder.rglob("*") if path.is_file()] == []


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_every_kind_of_file_on_a_full_disk(small_disk):
    assert_told_and_nothing_left(ALL_KINDS, small_disk, "no space left on the disk of")


def test_every_kind_of_file_beyond_a_limit_of_its_size(tmp_path):
    """Where nothing can be mounted: the system refuses to make files larger than 20 kB."""
    limited = (
        f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (20_000,) * 2)\n{ALL_KINDS}"
    )
    assert_told_and_nothing_left(limited, tmp_path, "could not be written (")


def test_only_the_writer_opens_files_to_write():
    """Nothing in library and scripts writes by itself: not whole, and not cleaned up."""
    writing = re.compile(
        r"""\.write_text\(|\.write_bytes\(|\.to_csv\((?!index=False[,)])|\.savefig\((?!picture)|\.to_netcdf\("""
        r"""|open\([^)]*["'][wax]b?["']"""
    )
    allowed = {"atomic.py", "claim.py", "records.py"}
    found = [
        f"{path.name}: {line.strip()}"
        for folder in ("src", "workflow")
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in allowed
        for line in path.read_text().splitlines()
        if writing.search(line)
    ]
    assert found == []
