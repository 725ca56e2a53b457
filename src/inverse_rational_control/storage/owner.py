"""Who is at work: a process that others can tell from all others, and whether it still lives.

A process number alone says little: another machine, another container and the time after a restart count
their processes anew, and a number that has become free is given out again.
"""

from __future__ import annotations

import enum
import getpass
import hashlib
import json
import os
import platform
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import psutil

__all__ = ["Life", "Owner", "life", "place", "this_process"]

#: Two readings of one process's beginning may differ by what the clock was put right meanwhile.
_SAME_BEGINNING = 10.0


class Life(enum.Enum):
    """What can be said of a process from here."""

    LIVING = "living"
    ENDED = "ended"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Owner:
    """One process, told from all others.

    Attributes
    ----------
    host, user : str
        Names, for people.
    machine, boot, namespace : str
        Identity of the machine, of its running since the last start, and of the container's table of
        processes; empty where the system does not say.
    process : int
        Number in that table.
    began : float
        When it began, seconds since 1970.
    """

    host: str
    user: str
    machine: str
    boot: str
    namespace: str
    process: int
    began: float

    def __str__(self) -> str:
        began = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.began))
        return f"process {self.process} of {self.user} on {self.host}, begun {began}"

    def to_json(self) -> str:
        """The owner as text; `from_json` reads it."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Owner:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If it is something else.
        """
        found = json.loads(text)
        types = {"process": int, "began": float}
        if not isinstance(found, dict) or set(found) != {field.name for field in fields(cls)}:
            raise ValueError("not the record of an owner")
        if any(type(value) is not types.get(name, str) for name, value in found.items()):
            raise ValueError("not the record of an owner")
        return cls(**found)


def this_process() -> Owner:
    """Describe the process that asks."""
    return Owner(
        host=platform.node(),
        user=_user(),
        machine=_text("/etc/machine-id"),
        boot=_text("/proc/sys/kernel/random/boot_id"),
        namespace=_namespace(),
        process=os.getpid(),
        began=psutil.Process().create_time(),
    )


def place() -> str:
    """Eight digits for where process numbers of here mean something: machine, start, container."""
    named = "\n".join(
        [
            platform.node(),
            _text("/etc/machine-id"),
            _text("/proc/sys/kernel/random/boot_id"),
            _namespace(),
        ]
    )
    return hashlib.sha256(named.encode()).hexdigest()[:8]


def life(owner: Owner) -> Life:
    """Say whether a process lives, as far as can be seen from here.

    Of another machine or container nothing can be said. A machine that has been started again since has
    ended all of its processes.
    """
    here = this_process()
    if (owner.host, owner.machine) != (here.host, here.machine):
        return Life.UNKNOWN
    if owner.boot != here.boot:
        # Without an identity of the machine, another one may bear the same name.
        return Life.ENDED if owner.machine and owner.boot else Life.UNKNOWN
    if owner.namespace != here.namespace:
        return Life.UNKNOWN
    try:
        process = psutil.Process(owner.process)
        if abs(process.create_time() - owner.began) > _SAME_BEGINNING:
            return Life.ENDED
        return Life.ENDED if process.status() == psutil.STATUS_ZOMBIE else Life.LIVING
    except psutil.NoSuchProcess:
        return Life.ENDED
    except psutil.AccessDenied:
        return Life.LIVING


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # A number without a name, as in containers.
        return str(os.getuid())
