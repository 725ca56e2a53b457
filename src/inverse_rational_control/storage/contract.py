"""Contracts of NetCDF files: what each kind holds; files are checked on the way in and out.

Every file has one *kind*, and every kind one contract, which stands beside the function that fills it. A
file is written beside its place and then renamed, and carries a marker that is written last; `read`
accepts nothing else, so an interrupted write is never taken for a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray as xr

from inverse_rational_control.storage.atomic import written_whole

__all__ = [
    "BATCH_DIMS",
    "VOLATILE",
    "Contract",
    "DatasetError",
    "Variable",
    "differences",
    "read",
    "read_groups",
    "variable",
    "write",
    "write_groups",
]

#: Attributes and variables that hold times and hosts, and so may differ between identical runs.
VOLATILE = frozenset({"created", "host", "seconds", "history_seconds"})

#: The dimension along which a file may hold several of its kind: seeds of one agent, or agents.
BATCH_DIMS = ("seed", "agent")


class DatasetError(ValueError):
    """A file is not what it should be; the message names file and variable in one line."""


@dataclass(frozen=True)
class Variable:
    """Dimensions, kind of number ("f" float, "i" whole, "b" yes/no, "U" text), unit and meaning."""

    dims: tuple[str, ...]
    type: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Contract:
    """What one kind of file holds.

    Attributes
    ----------
    kind : str
    meaning : str
        One line on the kind.
    required, optional : dict of str to Variable
        Variables by name; a file may carry one of `BATCH_DIMS` in front on all of them.
    attributes : tuple of str
        Global attributes that must be there.
    groups : dict of str to Contract
        Of the file's groups by name; most kinds have none.
    """

    kind: str
    meaning: str
    required: dict[str, Variable]
    optional: dict[str, Variable] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    groups: dict[str, Contract] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, Variable]:
        """All variables by name, required ones first."""
        return self.required | self.optional

    def check(self, dataset: xr.Dataset, where: str) -> None:
        """Check a dataset against the contract.

        Raises
        ------
        DatasetError
            Naming `where` and the first variable or attribute that does not fit.
        """
        if dataset.attrs.get("kind") != self.kind:
            found = dataset.attrs.get("kind", "nothing")
            raise DatasetError(f"{where}: attribute kind: found {found!r}, expected {self.kind!r}")
        for name in self.attributes:
            if name not in dataset.attrs:
                raise DatasetError(f"{where}: attribute {name!r} is missing ({self.kind} file)")
        known = self.variables
        for name, variable in known.items():
            if name not in dataset:
                if name in self.required:
                    raise DatasetError(f"{where}: variable {name!r} is missing ({self.kind} file)")
                continue
            array = dataset[name]
            found = tuple(str(dim) for dim in array.dims)
            if found not in (variable.dims, *((dim, *variable.dims) for dim in BATCH_DIMS)):
                raise DatasetError(
                    f"{where}: variable {name!r} has dimensions {found}, expected {variable.dims}"
                )
            family = {"f": "f", "i": "iu", "b": "biu", "U": "UOST"}[variable.type]
            if array.dtype.kind not in family:
                raise DatasetError(
                    f"{where}: variable {name!r} has type {array.dtype}, expected one of {family!r}"
                )
        for name in dataset.data_vars:
            if name not in known:
                raise DatasetError(f"{where}: variable {name!r} is not part of a {self.kind} file")


def variable(dims: str, type_: str, unit: str, meaning: str) -> Variable:
    """A variable of a contract, its dimensions as words: ``variable("step box", "i", "", "...")``."""
    return Variable(tuple(dims.split()), type_, unit, meaning)


def write(dataset: xr.Dataset, path: str | Path, contract: Contract) -> None:
    """Check a dataset against its contract and write it whole or not at all.

    Parameters
    ----------
    dataset : xarray.Dataset
        The contract's variables; units and meanings are filled in from it.
    path : str or Path
        Where the file appears, by a rename, once it is complete.
    contract : Contract
        Of its kind.

    Raises
    ------
    DatasetError
        If the dataset does not meet the contract, or the file cannot be written.
    """
    write_groups({"": dataset}, path, contract)


def write_groups(datasets: Mapping[str, xr.Dataset], path: str | Path, contract: Contract) -> None:
    """Write a file with groups, whole or not at all: as `write`, with a dataset per group.

    Parameters
    ----------
    datasets : mapping of str to xarray.Dataset
        By group; "" is the top of the file, where attributes such as the provenance belong.
    path, contract
        As for `write`.

    Raises
    ------
    DatasetError
        As `write`.
    """
    checked = {
        group: _described(datasets[group], part, f"{path}{group and f', group {group}'}")
        for group, part in _parts(contract).items()
    }
    try:
        with written_whole(path) as beside:
            for group, dataset in checked.items():
                encoding = {
                    name: {"zlib": True, "complevel": 1}
                    for name, array in dataset.data_vars.items()
                    if array.dtype.kind in "fiub" and array.size > 1000
                }
                dataset.assign_attrs(complete="yes").to_netcdf(
                    beside,
                    mode="a" if group else "w",
                    group=group or None,
                    engine="netcdf4",
                    encoding=encoding,
                )
    except (OSError, RuntimeError) as error:
        raise DatasetError(f"{path}: could not be written ({error}); is the disk full?") from error


def _parts(contract: Contract) -> dict[str, Contract]:
    """Contracts by group, that of the file's top first."""
    return {"": contract, **contract.groups}


def _described(dataset: xr.Dataset, contract: Contract, where: str) -> xr.Dataset:
    """The dataset with kind, title, units and meanings, checked."""
    dataset = dataset.assign_attrs(kind=contract.kind, title=contract.meaning)
    for name, known in contract.variables.items():
        if name in dataset:
            dataset[name].attrs = {"long_name": known.meaning, "units": known.unit}
    contract.check(dataset, where)
    return dataset


def read(path: str | Path, contract: Contract) -> xr.Dataset:
    """Open a file, check it against its contract and load it into memory; groups are left unread.

    Raises
    ------
    DatasetError
        If the file is absent, truncated, of another kind, or lacks a variable: one line that names it.
    """
    return _loaded(path, contract, "")


def read_groups(path: str | Path, contract: Contract) -> dict[str, xr.Dataset]:
    """Read all groups of a file, "" the top: as `read`.

    Raises
    ------
    DatasetError
        As `read`, or if a group is missing.
    """
    return {group: _loaded(path, part, group) for group, part in _parts(contract).items()}


def _loaded(path: str | Path, contract: Contract, group: str) -> xr.Dataset:
    path, where = Path(path), f"{path}{group and f', group {group}'}"
    if not path.exists():
        raise DatasetError(f"{path}: no such file")
    try:
        with xr.open_dataset(path, engine="netcdf4", group=group or None) as opened:
            dataset = opened.load()
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DatasetError(f"{where}: not a readable NetCDF file ({reason})") from None
    contract.check(dataset, where)
    if dataset.attrs.get("complete") != "yes":
        raise DatasetError(f"{where}: the file was not written to its end")
    return dataset


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
