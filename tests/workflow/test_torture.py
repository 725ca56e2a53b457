"""The torture itself: what it does with a run that never ends."""

import signal
import subprocess

import pytest

from .torture import Torture


def test_a_run_that_hangs_is_ended_with_its_jobs(tmp_path):
    """What it said is told. A job that went on would hold the pipe, and so this test."""
    hanging = subprocess.Popen(
        ["sh", "-c", "echo begun; sleep 600 & wait"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with pytest.raises(AssertionError, match="did not end within 2 s:\nbegun"):
        Torture(tmp_path, seed=0, patience=2.0).end(hanging)
    assert hanging.returncode == -signal.SIGKILL
