"""One run in one folder: the record of whose it is.

Snakemake's own lock says that there is a run, not whose. This record says it, so that the lock of a dead
run can go, and that of a living one, on another machine or in another container too, stays.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from inverse_rational_control.storage.owner import Life, Owner, life, this_process

__all__ = ["RECORD", "InUse", "claim", "locks", "refusal", "release", "remove_locks"]

#: The record, in the folder in which Snakemake runs.
RECORD = Path(".snakemake/run.json")


class InUse(Exception):
    """The folder is another run's, or cannot be seen not to be; the message is for people."""


def locks(folder: Path) -> list[Path]:
    """Snakemake's lock files in a folder."""
    return sorted((folder / ".snakemake/locks").glob("*.lock"))


def remove_locks(folder: Path) -> None:
    """Remove Snakemake's lock files from a folder."""
    for lock in locks(folder):
        lock.unlink(missing_ok=True)


def refusal(folder: Path) -> str | None:
    """Why a run must not begin in a folder, in one line; None if its record is no hindrance."""
    try:
        text = (folder / RECORD).read_text(encoding="utf-8")
        owner = Owner.from_json(text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return (
            f"{folder / RECORD} cannot be read, so whether a run is going on cannot be seen: if none "
            "is, `make unlock` removes it"
        )
    here = this_process()
    if owner == here:
        return None
    seen = life(owner)
    if seen is Life.LIVING:
        return f"A run is still running in this folder ({owner}): wait for it, and do not unlock"
    if seen is Life.UNKNOWN:
        return (
            f"A run of another machine or container uses this folder ({owner}): wait for it; if it "
            "certainly is no more, `make unlock` frees the folder"
        )
    if owner.user != here.user:
        return (
            f"A run of another user was interrupted in this folder ({owner}): they may free it with "
            "`make unlock`"
        )
    return None


def claim(folder: Path) -> bool:
    """Make the folder this process's, also in place of one's own run that has ended.

    Returns
    -------
    bool
        Whether a run that had ended left its record.

    Raises
    ------
    InUse
        If it is another's.
    """
    record, text = folder / RECORD, this_process().to_json()
    record.parent.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time(folder):
        try:
            _create(record, text)
            return False
        except FileExistsError:
            why = refusal(folder)
            if why is not None:
                raise InUse(why) from None
            # Of this machine, this user, and ended: nobody else replaces it meanwhile.
            record.unlink(missing_ok=True)
            try:
                _create(record, text)
            except FileExistsError:
                raise InUse(refusal(folder) or "Another run began at this moment") from None
            return True


def release(folder: Path) -> None:
    """Give the folder back, if it is this process's."""
    with contextlib.suppress(OSError, ValueError):
        if Owner.from_json((folder / RECORD).read_text(encoding="utf-8")) == this_process():
            (folder / RECORD).unlink()


def _create(record: Path, text: str) -> None:
    """Write a file that must not exist yet; nobody sees a part of it."""
    handle, beside = tempfile.mkstemp(prefix=f".{record.name}.", dir=record.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            os.link(beside, record)
        except FileExistsError:
            raise
        except OSError:  # A file system without hard links.
            with open(record, "x", encoding="utf-8") as file:
                file.write(text)
    finally:
        os.unlink(beside)


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Keep this user's other processes of this machine out, on a disk that certainly has locks."""
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"irc-{os.getuid()}-{name}.lock"
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
