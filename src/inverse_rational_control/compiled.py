"""Loops compiled by numba, kept on disk, and renewed when any file that goes into them changes."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

from numba import njit
from numba.core.caching import FunctionCache

__all__ = ["compiled"]

_TASK = Path(__file__).with_name("task.py")


@functools.cache
def _digest(folder: Path) -> str:
    """Digest of a folder's private modules and of `task.py`, whose constants loops are compiled with."""
    digest = hashlib.sha256()
    for path in (_TASK, *sorted(folder.glob("_*.py"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


class _Cache(FunctionCache):
    """Numba's cache on disk, which by itself looks at the file of the compiled function only."""

    def _index_key(self, sig, codegen):
        folder = Path(self._py_func.__code__.co_filename).parent
        return (*super()._index_key(sig, codegen), _digest(folder))

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except (AttributeError, ImportError):
            # Kept by an earlier version, whose named tuples have other names now.
            self.flush()
            return None


def compiled(**options) -> Callable:
    """Compile a function as `numba.njit(**options)` does, with a cache on disk.

    Compiled code has other functions, emitted instructions and constants in it, and numba renews it
    only when the function's own file changes. Here it is renewed when any private module (`_*.py`)
    beside it or `task.py` changes; so all that loops call must stand in such modules.

    Parameters
    ----------
    **options
        As for `numba.njit`.

    Returns
    -------
    callable
        A decorator.
    """

    def decorate(function):
        dispatcher = njit(**options)(function)
        dispatcher._cache = _Cache(function)
        return dispatcher

    return decorate
