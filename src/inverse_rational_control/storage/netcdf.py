"""Datasets to NetCDF and back: text as characters, checksums on all, nothing trusted that is read.

Run as a program it reads a file for some seconds of CPU time at most, and says what is wrong with it:
`python -m ...netcdf FILE SECONDS`.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

import netCDF4
import numpy as np
import xarray as xr
from xarray.backends import NetCDF4DataStore

from inverse_rational_control.storage.digest import DIGEST
from inverse_rational_control.storage.errors import DatasetError

__all__ = [
    "add_to",
    "contents_kind",
    "keep_one_chunk",
    "lazily",
    "load",
    "refuse_the_absurd",
    "refuse_unopened",
    "save",
    "unreadable",
    "without_digest",
]

#: zlib makes nothing smaller than by this factor; a file that says otherwise is damaged.
_LARGEST_RATIO = 1032
_SPARE_BYTES = 2**24
_READ_BYTES = 2**24
#: What reading a file of another program may take, seconds of CPU time: a loaded machine takes longer.
_PATIENCE = 30
#: After so many seconds of any kind, something waits without end.
_LONGEST_WAIT = 1800
#: Of a long array, kept at least when it is read or written in order.
_CACHE_BYTES = 2**20
#: Labels that are kept in memory, to be looked for.
_LONGEST_INDEX = 10_000
_SOURCE = Path(__file__).resolve().parents[2]
_READER = "inverse_rational_control.storage.netcdf"


def save(datasets: Mapping[str, xr.Dataset], path: Path) -> None:
    """Write a NetCDF-4 file with a dataset per group, "" the top.

    Text is stored as characters: variable-length strings make a second read of a file crash in some
    versions of the library. Every array has Fletcher's checksum, and large ones are compressed.

    Parameters
    ----------
    datasets : mapping of str to xarray.Dataset
    path : Path

    Raises
    ------
    OSError, RuntimeError
        Of the library, which says little about what is wrong.
    """
    with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        for group, dataset in datasets.items():
            add_to(file.createGroup(group) if group else file, dataset)


def add_to(file: netCDF4.Dataset, dataset: xr.Dataset) -> None:
    """Add a dataset to an open file."""
    encoding = {name: _encoding(array) for name, array in dataset.variables.items()}
    dataset.drop_encoding().dump_to_store(NetCDF4DataStore(file), encoding=encoding)


def keep_one_chunk(variable: netCDF4.Variable) -> None:
    """Let the library keep one chunk of an array: what is read or written in order needs no more."""
    chunks = variable.chunking()
    if isinstance(chunks, list) and isinstance(variable.dtype, np.dtype):
        size = math.prod(chunks) * variable.dtype.itemsize
        variable.set_var_chunk_cache(max(size, _CACHE_BYTES))


def lazily(file: netCDF4.Dataset) -> xr.Dataset:
    """A dataset of an open file, or of a group, that reads values when they are asked for."""
    for variable in file.variables.values():
        keep_one_chunk(variable)
    # Units such as "s" mean numbers, not dates.
    opened = xr.open_dataset(
        NetCDF4DataStore(file), decode_times=False, cache=False, create_default_indexes=False
    )
    # Labels of long dimensions are their order; nobody looks for one, and they would fill memory.
    short = [dim for dim, size in opened.sizes.items() if dim in opened and size <= _LONGEST_INDEX]
    for dim in short:
        opened = opened.set_xindex(dim)
    return _with_plain_text(opened)


def _encoding(array: xr.Variable) -> dict[str, object]:
    """How an array is stored; those without dimensions have no chunks to be checked."""
    encoding: dict[str, object] = {"fletcher32": True} if array.ndim and array.size else {}
    if array.dtype.kind in "fiub" and array.size > 1000:
        encoding |= {"zlib": True, "complevel": 1}
    if array.dtype.kind in "UOT":
        # One text is an array of its characters.
        encoding |= {"dtype": "S1", "fletcher32": True}
    return encoding


def refuse_unopened(path: Path, made_elsewhere: bool) -> None:
    """Refuse what the library should not even open; what others made is tried apart first.

    Raises
    ------
    DatasetError
        If there is no such file, or it does not hold a digest and should, or cannot be read.
    """
    if not path.exists():
        raise DatasetError(f"{path}: no such file")
    if not path.is_file():
        raise DatasetError(f"{path}: not a readable NetCDF file (it is no file)")
    try:
        marked = _holds(path, DIGEST)
    except OSError as error:
        raise DatasetError(f"{path}: not a readable NetCDF file ({error.strerror})") from None
    if made_elsewhere and not marked:
        _try_apart(path)
    elif not marked:
        raise DatasetError(without_digest(path))


def without_digest(where: Path | str) -> str:
    """What is said of a file without a digest of its contents."""
    return (
        f"{where}: not a readable NetCDF file of this version (it holds no checksum, attribute "
        f"{DIGEST}): delete it and run again"
    )


def _holds(path: Path, text: str) -> bool:
    """Whether the bytes of a file hold a text; names and values of attributes are stored as they are."""
    before = b""
    with open(path, "rb") as file:
        while block := file.read(_READ_BYTES):
            if text.encode() in before + block:
                return True
            before = block[-len(text) :]
    return False


def _try_apart(path: Path) -> None:
    """Read a file in a process of its own first: there are files that crash or hang the library.

    Raises
    ------
    DatasetError
        If it does not come back, or says what is wrong.
    """
    search = [str(_SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        tried = subprocess.run(
            [sys.executable, "-m", _READER, str(path), str(_PATIENCE)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(search), "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=_LONGEST_WAIT,
        )
    except subprocess.TimeoutExpired:
        raise DatasetError(
            f"{path}: not a readable NetCDF file (waited for {_LONGEST_WAIT} s without an end)"
        ) from None
    if tried.returncode == -signal.SIGXCPU:
        raise DatasetError(
            f"{path}: not a readable NetCDF file (read for {_PATIENCE} s without an end)"
        )
    if tried.returncode == 1 and tried.stdout:
        raise DatasetError(tried.stdout.strip())
    if tried.returncode:
        raise DatasetError(f"{path}: not a readable NetCDF file (it crashes the library)")


def load(path: Path, groups: Iterable[str]) -> dict[str, xr.Dataset]:
    """Load groups of a NetCDF file into memory, "" the top.

    Raises
    ------
    DatasetError
        If it cannot be read, or says to hold more than it can: one line.
    """
    where = str(path)
    try:
        with warnings.catch_warnings(), netCDF4.Dataset(path) as file:
            warnings.simplefilter("ignore")
            found = {}
            for group in groups:
                where = f"{path}{group and f', group {group}'}"
                part = file[group] if group else file
                refuse_the_absurd(part, path.stat().st_size)
                # Units such as "s" mean numbers, not dates.
                opened = xr.open_dataset(NetCDF4DataStore(part), decode_times=False)
                found[group] = _with_plain_text(opened.load())
            return found
    except Exception as error:
        raise unreadable(where, error) from None


def unreadable(where: Path | str, error: Exception) -> DatasetError:
    """What is said where the library fails."""
    said = getattr(error, "strerror", None) or str(error)
    reason = said.splitlines()[0] if said else type(error).__name__
    return DatasetError(f"{where}: not a readable NetCDF file ({reason})")


def contents_kind(path: str | Path) -> str:
    """Kind of a file, as it says itself.

    Raises
    ------
    DatasetError
        If it cannot be read.
    """
    refuse_unopened(Path(path), False)
    return str(load(Path(path), [""])[""].attrs.get("kind", "nothing"))


def refuse_the_absurd(part: netCDF4.Dataset, file_bytes: int) -> None:
    """Refuse what would not fit into memory, or has no place in arrays, before any of it is read."""
    most, total = _LARGEST_RATIO * file_bytes + _SPARE_BYTES, 0
    for name, variable in part.variables.items():
        # Text of other programs may be of variable length; compounds and enumerations are no arrays.
        is_text = variable.dtype is str
        if not (is_text or isinstance(variable.datatype, np.dtype)):
            raise ValueError(f"variable {name!r} has a type that is no number and no text")
        size = 8 if is_text else variable.dtype.itemsize
        chunks = variable.chunking()
        chunk = math.prod(chunks) if isinstance(chunks, list) else 0
        total += size * math.prod(variable.shape)
        if max(total, size * chunk) > most:
            raise ValueError(
                f"variable {name!r} is said to hold {variable.shape} numbers, more than a file of "
                f"{file_bytes} bytes can"
            )


def _with_plain_text(dataset: xr.Dataset) -> xr.Dataset:
    text = [name for name, array in dataset.variables.items() if array.dtype.kind in "OST"]
    return dataset.assign({name: dataset[name].astype(str) for name in text})


if __name__ == "__main__":
    import resource

    own, seconds = Path(sys.argv[1]), int(sys.argv[2])
    # What ends by a signal leaves no memory as a file.
    for limit, wanted in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, 2**30 + 20 * own.stat().st_size),
    ):
        allowed, most = resource.getrlimit(limit)
        if allowed == resource.RLIM_INFINITY or wanted < allowed:
            resource.setrlimit(limit, (wanted, most))
    try:
        load(own, [""])
    except DatasetError as error:
        print(error)
        sys.exit(1)
