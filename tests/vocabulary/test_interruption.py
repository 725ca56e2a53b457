"""A script that is told to stop: one line, no traceback, no part left behind."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from inverse_rational_control.interruption import SHELL_PREFIX, SHELL_SUFFIX
from tests import ROOT

#: As Snakemake starts a script: its rule is there before the library is imported.
PREAMBLE = """
import sys
from types import SimpleNamespace
snakemake = SimpleNamespace(input={}, params={}, output={"out": sys.argv[1]}, log=[sys.argv[2]])
"""
IMPORTING = """
import inverse_rational_control
print("begun", flush=True)
import time
time.sleep(60)
"""
RUNNING = """
import time
from inverse_rational_control.storage.atomic import written_whole
from inverse_rational_control.workflow import run
def main(out):
    with written_whole(out) as beside:
        beside.write_text("half")
        print("begun", flush=True)
        time.sleep(60)
run(main, snakemake)
"""


def as_from_a_terminal():
    """Let SIGINT through: shells have what they run in the background ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _told_to_stop(program, number, folder):
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), folder / "out.csv", folder / "rule.log"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_from_a_terminal,
    )
    assert process.stdout.readline() == "begun\n"
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    return process.returncode, told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", [IMPORTING, RUNNING], ids=["importing", "running"])
def test_a_script_ends_in_one_line(program, number, tmp_path):
    code, told = _told_to_stop(PREAMBLE + program, number, tmp_path)
    assert code == 128 + number
    assert told == f"Error: told to stop ({number.name}); run again to continue\n"
    assert [path.name for path in tmp_path.iterdir() if path.name != "rule.log"] == []


#: An interpreter that is busy before anything of the project is imported.
STARTING = "echo begun; {python} -c 'import time; time.sleep({seconds}); raise SystemExit({code})'"


def _job(seconds, code):
    """A job's command as Snakemake gives it to the shell, in a process group of its own."""
    command = STARTING.format(python=sys.executable, seconds=seconds, code=code)
    return subprocess.Popen(
        ["bash", "-c", f"{SHELL_PREFIX} {command} {SHELL_SUFFIX}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=as_from_a_terminal,
    )


def test_a_script_that_is_still_starting_ends_silently():
    process = _job(seconds=60, code=0)
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    # The pipes are closed when the interpreter is gone too.
    _, told = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGINT
    assert "Traceback" not in told
    assert "KeyboardInterrupt" not in told


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_shell_around_a_job_hands_its_end_on(code):
    process = _job(seconds=0, code=code)
    process.communicate(timeout=30)
    assert process.returncode == code


def test_a_notebook_is_interrupted_as_ever(tmp_path):
    """Without a rule the library leaves signals alone."""
    _, told = _told_to_stop(IMPORTING, signal.SIGINT, tmp_path)
    assert "KeyboardInterrupt" in told
