"""A digest of what a dataset holds, so that a file says itself whether it was changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import xarray as xr

__all__ = ["CHUNK", "DIGEST", "contents_digest", "values_in_blocks"]

#: The global attribute that holds it; it, and no other, is left out of the digest.
DIGEST = "contents_sha256"


#: Of values looked at at once, bytes.
_BLOCK_BYTES = 2**24
#: Rows of a chunk of a long file; of those looked at at once, where they are many, a multiple.
CHUNK = 1024


def values_in_blocks(variable: xr.Variable) -> Iterator[np.ndarray]:
    """Values in blocks along the first dimension, so that they need not be in memory together."""
    if not variable.ndim or variable.dtype.kind in "USOT" or variable.nbytes <= _BLOCK_BYTES:
        yield variable.values
        return
    rows = max(1, _BLOCK_BYTES * len(variable) // variable.nbytes)
    rows = rows // CHUNK * CHUNK or rows
    for begin in range(0, len(variable), rows):
        yield variable[begin : begin + rows].values


def contents_digest(dataset: xr.Dataset) -> str:
    """SHA-256 of a dataset: names, dimensions, types, values and attributes.

    Each entry is preceded by its length in bytes (8 bytes, little-endian). Entries, in this order: per
    variable and coordinate, by name: the name, its dimensions, their sizes, its type ("f8", "i4",
    "b1" and so on, or "text"), the SHA-256 of its values (little-endian, last dimension fastest; text
    as UTF-8, each with its length), its attributes by name; then the global attributes by name. An
    attribute is its name and its values: text as it is, whole numbers in decimals, others in
    hexadecimals.

    Parameters
    ----------
    dataset : xarray.Dataset

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    whole = hashlib.sha256()
    for name in sorted(map(str, dataset.variables)):
        variable = dataset.variables[name]
        _add(whole, name, *map(str, variable.dims), *map(str, variable.shape))
        _add(whole, *_type_and_values(variable))
        _add_attributes(whole, variable.attrs)
    _add_attributes(whole, dataset.attrs)
    return whole.hexdigest()


def _type_and_values(variable: xr.Variable) -> tuple[str, bytes]:
    of_values, kind = hashlib.sha256(), variable.dtype.kind
    if kind in "USOT":
        _add(of_values, *map(str, variable.values.ravel().tolist()))
        return "text", of_values.digest()
    for values in values_in_blocks(variable):
        little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
        of_values.update(little.reshape(-1).view(np.uint8))
    return f"{kind}{variable.dtype.itemsize}", of_values.digest()


def _add_attributes(digest, attributes) -> None:
    for name in sorted(map(str, attributes)):
        if name != DIGEST:
            values = np.asarray(attributes[name])
            _add(digest, name, str(values.size), *map(_text, values.ravel().tolist()))


def _text(value) -> str:
    return value.hex() if isinstance(value, float) else str(value)


def _add(digest, *entries: str | bytes) -> None:
    for entry in entries:
        # An attribute that is no text in UTF-8 (of a damaged file) must not stop the comparison.
        content = entry if isinstance(entry, bytes) else entry.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little") + content)
