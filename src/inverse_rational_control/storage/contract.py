"""Contracts of NetCDF files: what each kind holds; files are checked on the way in and out.

Every file has one *kind*, and every kind one contract, which stands beside the function that fills it. A
file is written beside its place and then renamed, and carries a digest of its contents; `read` accepts
nothing else, so neither an interrupted write nor a damaged file is ever taken for a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray as xr

from inverse_rational_control.storage.atomic import WriteError, written_whole
from inverse_rational_control.storage.comparison import VOLATILE, differences
from inverse_rational_control.storage.digest import DIGEST, contents_digest, values_in_blocks
from inverse_rational_control.storage.errors import DatasetError
from inverse_rational_control.storage.netcdf import load, refuse_unopened, save, without_digest
from inverse_rational_control.storage.variable import Variable, variable

__all__ = [
    "BATCH_DIMS",
    "VOLATILE",
    "Contract",
    "DatasetError",
    "Variable",
    "check_found",
    "differences",
    "read",
    "read_groups",
    "told",
    "variable",
    "write",
    "write_groups",
]

#: The dimension along which a file may hold several of its kind: seeds of one agent, or agents.
BATCH_DIMS = ("seed", "agent")


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
    labels : dict of str to tuple
        Of dimensions along which they are always the same.
    longer : tuple of str
        Dimensions that may go on after these labels.
    rules : callable, optional
        Further check of a dataset that has all this; raises ValueError with what does not fit.
    """

    kind: str
    meaning: str
    required: dict[str, Variable]
    optional: dict[str, Variable] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    groups: dict[str, Contract] = field(default_factory=dict)
    labels: dict[str, tuple] = field(default_factory=dict)
    longer: tuple[str, ...] = ()
    rules: Callable[[xr.Dataset], None] | None = None

    @property
    def is_long(self) -> bool:
        """Whether it has variables over the steps of a record, which may not fit in memory together."""
        return any("step" in variable.dims for variable in self.variables.values())

    @property
    def variables(self) -> dict[str, Variable]:
        """All variables by name, required ones first."""
        return self.required | self.optional

    def check(self, dataset: xr.Dataset, where: str) -> None:
        """Check a dataset against the contract.

        Raises
        ------
        DatasetError
            Naming `where` and the first variable, label or attribute that does not fit.
        """
        found = str(dataset.attrs.get("kind", "nothing"))
        if found != self.kind:
            raise DatasetError(f"{where}: attribute kind: found {found!r}, expected {self.kind!r}")
        for name in self.attributes:
            if name not in dataset.attrs:
                raise DatasetError(f"{where}: attribute {name!r} is missing ({self.kind} file)")
        known = self.variables
        for name, expected in known.items():
            if name not in dataset:
                if name in self.required:
                    raise DatasetError(f"{where}: variable {name!r} is missing ({self.kind} file)")
                continue
            array = dataset[name]
            found = tuple(str(dim) for dim in array.dims)
            if found not in (expected.dims, *((dim, *expected.dims) for dim in BATCH_DIMS)):
                raise DatasetError(
                    f"{where}: variable {name!r} has dimensions {found}, expected {expected.dims}"
                )
            family = {"f": "f", "i": "iu", "b": "biu", "U": "UOST"}[expected.type]
            if array.dtype.kind not in family:
                raise DatasetError(
                    f"{where}: variable {name!r} has type {array.dtype}, expected one of {family!r}"
                )
            if expected.finite and not all(
                np.isfinite(values).all() for values in values_in_blocks(array.variable)
            ):
                raise DatasetError(f"{where}: variable {name!r} holds numbers that are not finite")
        for name in dataset.data_vars:
            if name not in known:
                raise DatasetError(f"{where}: variable {name!r} is not part of a {self.kind} file")
        for dim, labels in self.labels.items():
            # Without labels a dimension has those of its order, if it has their number.
            found = tuple(dataset[dim].values.tolist()) if dim in dataset.coords else labels
            size = dataset.sizes.get(dim, 0)
            if dim in self.longer and dim in dataset.coords:
                found, size = found[: len(labels)], min(size, len(labels))
            if dim in dataset.dims and (found != labels or size != len(labels)):
                raise DatasetError(
                    f"{where}: dimension {dim!r} has other labels than {', '.join(map(str, labels))}"
                )

    def check_rules(self, dataset: xr.Dataset, where: str) -> None:
        """Check what goes beyond names, types and labels.

        Raises
        ------
        DatasetError
            Naming `where` and what does not fit.
        """
        if self.rules is not None:
            try:
                self.rules(dataset)
            except ValueError as error:
                raise DatasetError(f"{where}: {error}") from None


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
            save(checked, beside)
    except WriteError as error:
        raise DatasetError(str(error)) from error


def _parts(contract: Contract) -> dict[str, Contract]:
    """Contracts by group, that of the file's top first."""
    return {"": contract, **contract.groups}


def _described(dataset: xr.Dataset, contract: Contract, where: str) -> xr.Dataset:
    """The dataset with kind, title, units and meanings, checked, and the digest of it all."""
    contract.check(dataset.assign_attrs(kind=contract.kind), where)
    contract.check_rules(dataset, where)
    dataset = told(dataset, contract)
    return dataset.assign_attrs({DIGEST: contents_digest(dataset)})


def told(dataset: xr.Dataset, contract: Contract) -> xr.Dataset:
    """The dataset with what its contract says of it: kind, title, units and meanings."""
    dataset = dataset.assign(
        {
            name: dataset[name].drop_attrs().assign_attrs(known.attributes())
            for name, known in contract.variables.items()
            if name in dataset
        }
    )
    attributes = dataset.attrs | {
        "kind": contract.kind,
        "title": contract.meaning,
        "complete": "yes",
    }
    dataset.attrs = {name: _plain(value) for name, value in attributes.items()}
    return dataset


def _plain(value: object) -> object:
    """An attribute as it is stored: in ASCII, or it would become a variable-length string."""
    return value.encode("ascii", "backslashreplace").decode() if isinstance(value, str) else value


def read(path: str | Path, contract: Contract, made_elsewhere: bool = False) -> xr.Dataset:
    """Open a file, check it against its contract and load it into memory; groups are left unread.

    Parameters
    ----------
    path : str or Path
    contract : Contract
    made_elsewhere : bool
        Whether another program may have made the file, which then needs no digest of its contents; one
        that is there must be right.

    Raises
    ------
    DatasetError
        If the file is absent, truncated, changed, of another kind, or lacks a variable: one line that
        names it.
    """
    return _checked(path, {"": contract}, made_elsewhere)[""]


def read_groups(path: str | Path, contract: Contract) -> dict[str, xr.Dataset]:
    """Read all groups of a file, "" the top: as `read`.

    Raises
    ------
    DatasetError
        As `read`, or if a group is missing.
    """
    return _checked(path, _parts(contract), False)


def _checked(path, parts, made_elsewhere) -> dict[str, xr.Dataset]:
    path = Path(path)
    refuse_unopened(path, made_elsewhere)
    found = load(path, parts)
    for group, part in parts.items():
        check_found(found[group], part, f"{path}{group and f', group {group}'}", made_elsewhere)
    return found


def check_found(
    dataset: xr.Dataset, contract: Contract, where: str, made_elsewhere: bool = False
) -> None:
    """Check what was found in a file, contents and all, and take its digest off.

    Raises
    ------
    DatasetError
        As `read`.
    """
    contract.check(dataset, where)
    if str(dataset.attrs.get("complete")) != "yes":
        raise DatasetError(f"{where}: the file was not written to its end")
    if not made_elsewhere and DIGEST not in dataset.attrs:
        raise DatasetError(without_digest(where))
    if DIGEST in dataset.attrs and str(dataset.attrs.pop(DIGEST)) != contents_digest(dataset):
        raise DatasetError(
            f"{where}: the contents do not match their checksum ({DIGEST}): the file was changed or "
            "damaged; "
            + ("mend it, or remove that attribute" if made_elsewhere else "delete it and run again")
        )
    if not made_elsewhere:
        contract.check_rules(dataset, where)
