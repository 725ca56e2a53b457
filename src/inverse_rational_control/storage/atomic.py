"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["written_whole"]


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
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    handle, name = tempfile.mkstemp(
        prefix=f"{_prefix(path)}{os.getpid()}.", suffix=f".part{path.suffix}", dir=path.parent
    )
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        os.chmod(beside, 0o666 & ~_umask())
        with open(beside, "rb") as written:
            os.fsync(written.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _prefix(path: Path) -> str:
    return f".{path.name}.{platform.node()}."


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
    except PermissionError:
        pass  # Somebody else's.
    return True


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
