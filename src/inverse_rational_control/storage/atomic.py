"""Files that appear whole or not at all: everything that is written goes through here."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from inverse_rational_control.storage.owner import place

__all__ = ["WriteError", "write_whole", "written_text", "written_whole"]

_FULL = {errno.ENOSPC, errno.EDQUOT}
#: A disk with less room than this is full, bytes.
_ROOM = 2**18
#: So that the name of a part stays below the 255 bytes of most file systems.
_LONGEST = 120


class WriteError(OSError):
    """A file could not be written; the message names it in one line."""


def write_whole(path: str | Path, content: bytes | str) -> None:
    """Write a file whole or not at all; text as UTF-8.

    Content is made before anything is written, so that a full disk meets one plain write, and not some
    library that is half way through a file.

    Parameters
    ----------
    path : str or Path
    content : bytes or str

    Raises
    ------
    WriteError
        As `written_whole`.
    """
    with written_whole(path) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Path of a file beside `path` to write; it takes `path`'s place once it is complete.

    Its name is random and ends as `path` does. If the block fails, the file is removed and whatever was
    at `path` stays. A process killed hard leaves its file behind: the next one on that machine that
    writes to `path` removes it. Files that others are writing to at this moment stay.

    Parameters
    ----------
    path : str or Path
        Where the file appears; missing folders are made.

    Raises
    ------
    WriteError
        If the disk is full, or there is no such place, or no right to write there.
    """
    path, beside = Path(path), None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path)
        handle, name = tempfile.mkstemp(
            prefix=f"{_prefix(path)}{os.getpid()}.", suffix=f".part{path.suffix}", dir=path.parent
        )
        beside = Path(name)
        os.close(handle)
        yield beside
        os.chmod(beside, 0o666 & ~_umask())
        with open(beside, "rb") as written:
            os.fsync(written.fileno())
        os.replace(beside, path)
    except BaseException as error:
        # Before the part is removed, which makes room.
        told = _told(path, error)
        if beside is not None:
            beside.unlink(missing_ok=True)
        if told is not None:
            raise WriteError(told) from error
        raise


@contextlib.contextmanager
def written_text(path: str | Path) -> Iterator[TextIO]:
    """A text file to write piece by piece, in UTF-8; whole or not at all, as `written_whole`."""
    with written_whole(path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
        yield file


def _told(path: Path, error: BaseException) -> str | None:
    """What to say of an error; None if it has nothing to do with writing.

    The NetCDF library's errors, which are of another kind, do not say that a disk is full.
    """
    library = type(error) is RuntimeError
    if isinstance(error, WriteError) or not (library or isinstance(error, OSError)):
        return None
    if getattr(error, "errno", None) in _FULL or _is_full(path.parent):
        return (
            f"{path}: no space left on the disk of {path.parent.absolute()}; make room and run again: "
            "what is finished stays"
        )
    return f"{path}: could not be written ({getattr(error, 'strerror', None) or error})"


def _is_full(folder: Path) -> bool:
    """Whether nothing can be written to a folder, for want of room or by a limit of the user's."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_ROOM))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in _FULL
    return False


def _prefix(path: Path) -> str:
    name = os.fsdecode(os.fsencode(path.name)[:_LONGEST])
    return f".{name}.{place()}."


def _remove_leftovers(path: Path) -> None:
    """Remove what processes of this machine that are no more have begun to write for `path`."""
    prefix = _prefix(path)
    for found in path.parent.glob(f"{glob.escape(prefix)}*.part{glob.escape(path.suffix)}"):
        process, dot, _ = found.name.removeprefix(prefix).partition(".")
        if dot and process.isdecimal() and not _is_running(int(process)):
            found.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass  # Somebody else's.
    return True


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
