"""One run in one folder: whose record it is decides, on this machine, elsewhere, and after a kill."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from inverse_rational_control.storage import claim, owner
from inverse_rational_control.storage.owner import Life, Owner, life, this_process
from tests import ROOT

HOLD = """
import sys, time
from pathlib import Path
from inverse_rational_control.storage import claim
try:
    claim.claim(Path(sys.argv[1]))
except claim.InUse as error:
    sys.exit(str(error))
print("taken", flush=True)
time.sleep(float(sys.argv[2]))
claim.release(Path(sys.argv[1]))
"""


def hold(folder, seconds, prefix=()):
    """Start a process that takes the folder and holds it."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", HOLD, str(folder), str(seconds)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write(folder, owner):
    """Put another's record there."""
    (folder / claim.RECORD).parent.mkdir(parents=True, exist_ok=True)
    (folder / claim.RECORD).write_text(owner.to_json())


@pytest.fixture
def ended() -> Owner:
    """A process of this machine and user that is no more."""
    return dataclasses.replace(this_process(), process=2**22 + 1)


def test_an_owner_is_read_as_it_was_written():
    assert Owner.from_json(this_process().to_json()) == this_process()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"host": 1}', "not json"])
def test_another_text_is_no_owner(text):
    with pytest.raises(ValueError):
        Owner.from_json(text)


def test_this_process_lives():
    assert life(this_process()) is Life.LIVING


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"process": 2**22 + 1}, Life.ENDED),
        ({"began": 1e9}, Life.ENDED),  # its number was given out again
        ({"host": "elsewhere"}, Life.UNKNOWN),
        ({"machine": "another"}, Life.UNKNOWN),
        ({"namespace": "pid:[1]"}, Life.UNKNOWN),
        ({"namespace": "pid:[1]", "process": 2**22 + 1}, Life.UNKNOWN),
    ],
)
def test_life_is_said_only_of_what_can_be_seen(change, expected):
    assert life(dataclasses.replace(this_process(), **change)) is expected


def test_a_machine_started_again_has_ended_its_processes(monkeypatch):
    monkeypatch.setattr(owner, "_text", lambda path: "m" if "machine" in path else "now")
    before = dataclasses.replace(this_process(), boot="before")
    assert life(before) is Life.ENDED
    monkeypatch.setattr(owner, "_text", lambda path: "" if "machine" in path else "now")
    # Without an identity another machine may bear the name.
    assert life(dataclasses.replace(before, machine="")) is Life.UNKNOWN


def test_a_second_run_is_told_of_the_first_and_may_begin_after_it(tmp_path):
    first = hold(tmp_path, 60)
    try:
        assert first.stdout.readline() == "taken\n"
        with pytest.raises(claim.InUse, match=f"still running.*process {first.pid} .*not unlock"):
            claim.claim(tmp_path)
        assert "still running" in claim.refusal(tmp_path)
    finally:
        first.kill()
        first.communicate()
    # Killed hard, it has left its record.
    assert (tmp_path / claim.RECORD).exists()
    assert claim.claim(tmp_path) is True
    claim.release(tmp_path)
    assert claim.claim(tmp_path) is False
    claim.release(tmp_path)
    assert not (tmp_path / claim.RECORD).exists()


@pytest.mark.parametrize("stale", [False, True])
def test_of_many_at_the_same_instant_one_gets_the_folder(tmp_path, ended, stale):
    if stale:
        write(tmp_path, ended)
    several = [hold(tmp_path, 5) for _ in range(6)]
    said = [process.communicate() for process in several]
    assert sum(out == "taken\n" for out, _ in said) == 1
    assert all("still running" in err for out, err in said if not out)
    assert sorted(os.listdir(tmp_path / ".snakemake")) == []


@pytest.mark.parametrize("change", [{"host": "elsewhere"}, {"namespace": "pid:[1]"}])
def test_what_cannot_be_seen_is_not_taken(tmp_path, ended, change):
    write(tmp_path, dataclasses.replace(ended, **change))
    with pytest.raises(claim.InUse, match=r"another machine or container.*make unlock"):
        claim.claim(tmp_path)
    assert Owner.from_json((tmp_path / claim.RECORD).read_text()).process == ended.process


def test_what_another_user_left_is_not_taken(tmp_path, ended):
    write(tmp_path, dataclasses.replace(ended, user="somebody"))
    with pytest.raises(claim.InUse, match="another user was interrupted"):
        claim.claim(tmp_path)


def test_a_record_that_cannot_be_read_is_not_taken(tmp_path, ended):
    write(tmp_path, ended)
    (tmp_path / claim.RECORD).write_text("{")
    with pytest.raises(claim.InUse, match="cannot be read"):
        claim.claim(tmp_path)


def test_another_record_is_not_given_back(tmp_path, ended):
    write(tmp_path, ended)
    claim.release(tmp_path)
    assert (tmp_path / claim.RECORD).exists()


IN_CONTAINER = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


def _containers():
    try:
        return not subprocess.run([*IN_CONTAINER, "true"], capture_output=True).returncode
    except OSError:
        return False


@pytest.mark.skipif(not shutil.which("unshare") or not _containers(), reason="no PID namespaces")
def test_a_run_in_another_container_keeps_its_folder(tmp_path):
    inside = hold(tmp_path, 60, prefix=IN_CONTAINER)
    try:
        assert inside.stdout.readline() == "taken\n"
        with pytest.raises(claim.InUse, match="another machine or container"):
            claim.claim(tmp_path)
    finally:
        inside.send_signal(signal.SIGKILL)
        inside.communicate()
        time.sleep(0.1)
