"""A real Slurm of one node, for tests: controller, node and authentication on this machine.

It needs root, Debian's packages slurm-wlm and munge, and a machine without a Slurm of its own.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CONFIG = Path("/etc/slurm/slurm.conf")  # nowhere else: jobs do not hear of SLURM_CONF
OURS = "# One node, for the tests of Inverse Rational Control."
_MUNGE = Path("/run/munge")
_WAIT = 30.0  # seconds for a daemon to come up

_SETTINGS = """{ours}
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
EnforcePartLimits=ALL
ReturnToService=2
MinJobAge=3600
KillWait=2
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/completed.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=1440 State=UP
"""


def missing() -> str | None:
    """Why a Slurm cannot be started here; None if it can."""
    if os.getuid() != 0:
        return "starting a Slurm needs root"
    for program in ("slurmctld", "slurmd", "munged", "sbatch"):
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None:
            return f"{program} is not installed (Debian: slurm-wlm and munge)"
    if CONFIG.exists() and not CONFIG.read_text().startswith(OURS):
        return f"{CONFIG} is that of another Slurm"
    return None


@dataclass(frozen=True)
class OneNode:
    """The running Slurm; its files are in `folder`."""

    folder: Path

    def completed(self) -> list[dict[str, str]]:
        """Slurm's own record of jobs that ended, KEY=value pairs of each."""
        log = self.folder / "completed.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]

    def queue(self) -> list[dict[str, str]]:
        """All jobs that Slurm remembers: number, state, comment (the rule), memory, processors."""
        rows = _run("squeue", "--states=all", "--noheader", "--format=%i|%T|%k|%m|%C").splitlines()
        names = ("number", "state", "comment", "memory", "processors")
        return [dict(zip(names, row.split("|"), strict=True)) for row in rows]

    def cancel(self, number: str) -> None:
        """Cancel one job, as a user or an administrator would."""
        _run("scancel", number)

    def restart_controller(self) -> None:
        """Kill the controller hard, and start it again after a moment."""
        os.kill(int((self.folder / "slurmctld.pid").read_text()), signal.SIGKILL)
        time.sleep(3)
        _run("/usr/sbin/slurmctld")


@contextlib.contextmanager
def one_node() -> Iterator[OneNode]:
    """Start a Slurm, and stop it with all of its jobs."""
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    host = platform.node().split(".")[0]
    for name in ("state", "spool"):
        (folder / name).mkdir()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    CONFIG.parent.mkdir(exist_ok=True)
    CONFIG.write_text(
        _SETTINGS.format(
            ours=OURS,
            host=host,
            folder=folder,
            cpus=os.cpu_count(),
            memory=min(8000, int(0.8 * pages / 2**20)),
        )
    )
    _MUNGE.mkdir(mode=0o755, exist_ok=True)
    shutil.chown(_MUNGE, "munge", "munge")
    try:
        if not _succeeds("sh", "-c", "munge -n | unmunge"):
            _run(
                "setpriv",
                "--reuid",
                "munge",
                "--regid",
                "munge",
                "--clear-groups",
                "/usr/sbin/munged",
            )
        _until(lambda: _succeeds("sh", "-c", "munge -n | unmunge"), "munge does not answer")
        _run("/usr/sbin/slurmctld")
        _run("/usr/sbin/slurmd")
        _until(
            lambda: _succeeds("sh", "-c", "sinfo --noheader --format=%T | grep -qx idle"),
            "the node does not come up",
        )
        yield OneNode(folder)
    finally:
        _succeeds("scancel", "--user", "root")
        for pid in (folder / "slurmd.pid", folder / "slurmctld.pid", _MUNGE / "munged.pid"):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(pid.read_text()), signal.SIGTERM)
        CONFIG.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def _run(*command: str) -> str:
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, f"{' '.join(command)}: {run.stdout}{run.stderr}"
    return run.stdout


def _succeeds(*command: str) -> bool:
    return not subprocess.run(command, capture_output=True, timeout=60).returncode


def _until(ready, what: str) -> None:
    deadline = time.monotonic() + _WAIT
    while not ready():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)
