"""Files appear whole or not at all, whatever happens to who writes them."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from inverse_rational_control.storage.atomic import written_whole

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
