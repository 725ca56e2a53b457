"""What differs between two datasets that should be one."""

from __future__ import annotations

import numpy as np
import xarray as xr

__all__ = ["VOLATILE", "differences"]

#: Attributes and variables that hold times and hosts, and so may differ between identical runs.
VOLATILE = frozenset({"created", "host", "seconds", "history_seconds"})


def differences(one: xr.Dataset, other: xr.Dataset) -> list[str]:
    """List what differs between two datasets, bit for bit, times and hosts (`VOLATILE`) excepted."""
    found = []
    for name in sorted({*map(str, one.variables), *map(str, other.variables)} - VOLATILE):
        if name not in one.variables or name not in other.variables:
            found.append(f"{name}: only in one of the two")
            continue
        left, right = one[name], other[name]
        same = left.dims == right.dims and left.shape == right.shape
        if same:
            exact = left.dtype.kind == "f"
            same = np.array_equal(left.values, right.values, equal_nan=exact)
        if not same:
            found.append(f"{name}: values differ")
    for name in sorted({*one.attrs, *other.attrs} - VOLATILE):
        if one.attrs.get(name) != other.attrs.get(name):
            found.append(f"attribute {name}: {one.attrs.get(name)!r} / {other.attrs.get(name)!r}")
    return found
