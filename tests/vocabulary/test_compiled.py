"""Compiled loops kept on disk are renewed when any file that goes into them changes."""

import os
import subprocess
import sys

import pytest

from tests import ROOT

LOOP = """
from _helper import step
from inverse_rational_control.compiled import compiled

@compiled()
def loop(given, n):
    total = 0.0
    for k in range(n):
        total += step(given, k)
    return total
"""
HELPER = """
from typing import NamedTuple
from inverse_rational_control.compiled import compiled

class {name}(NamedTuple):
    factor: float

@compiled(inline="always")
def step(given, k):
    return {expression} * given.factor

given = {name}(1.0)
"""
CALL = """
import _helper, _loop

print(_loop.loop(_helper.given, 4), sum(_loop.loop.stats.cache_hits.values()))
"""


@pytest.fixture
def run(tmp_path):
    """Write the two modules and call the loop in an interpreter of its own."""
    (tmp_path / "_loop.py").write_text(LOOP)

    def call(expression, name="Given"):
        (tmp_path / "_helper.py").write_text(HELPER.format(expression=expression, name=name))
        done = subprocess.run(
            [sys.executable, "-c", CALL],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{tmp_path}"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        value, hits = done.stdout.split()
        return float(value), int(hits)

    return call


def test_a_change_of_what_a_loop_calls_renews_it(run):
    assert run("1.0 * k") == (6.0, 0)
    assert run("1.0 * k") == (6.0, 1), "kept on disk"
    # By itself numba would look at the loop's own file, and keep the old numbers.
    assert run("2.0 * k + 0.0") == (12.0, 0)
    assert run("2.0 * k + 0.0") == (12.0, 1)


def test_what_was_kept_for_a_tuple_of_another_name_is_dropped(run):
    """Numba itself stops at such files: they name a class that is gone."""
    assert run("1.0 * k") == (6.0, 0)
    assert run("1.0 * k", "Renamed") == (6.0, 0)
    assert run("1.0 * k", "Renamed") == (6.0, 1)
