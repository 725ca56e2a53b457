"""Ctrl-C before there are jobs: while `make` and Snakemake still import, or plan."""

import os
import signal
import subprocess
import sys

import pytest

from tests.vocabulary.test_interruption import as_from_a_terminal

from .conftest import copy_project, environment

pytestmark = pytest.mark.workflow

#: Python reads it first, in every interpreter: here an interrupt comes when a module is asked for.
AT_IMPORT = """
import os, signal, sys
from importlib.abc import MetaPathFinder
class Interrupting(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == os.environ.get("INTERRUPT_AT"):
            del os.environ["INTERRUPT_AT"]
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize(
    "module", ["psutil", "snakemake.cli", "snakemake.workflow", "inverse_rational_control.studies"]
)
def test_an_interrupt_is_told_in_one_line(module, tmp_path):
    """The last one is imported by the Snakefile."""
    folder = copy_project(tmp_path / "project")
    (folder / "sitecustomize.py").write_text(AT_IMPORT)
    run = subprocess.run(
        [sys.executable, "workflow/run_here.py", "run", "--cores", "1", "-n", "-q", "all"],
        cwd=folder,
        env=environment()
        | {"PYTHONPATH": os.pathsep.join([str(folder), str(folder / "src")])}
        | {"CONFIG": "tiny.yaml", "INTERRUPT_AT": module},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        preexec_fn=as_from_a_terminal,
    )
    assert run.returncode == 128 + signal.SIGINT, run.stdout[-3000:]
    assert "Traceback" not in run.stdout
    assert run.stdout.splitlines()[-1] == "Error: told to stop (SIGINT); run again to continue"
