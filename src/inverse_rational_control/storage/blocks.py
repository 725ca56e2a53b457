"""NetCDF files of long records, written and read in blocks of steps: never whole in memory.

The same contracts, checks, digests and files as those of `contract`.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path

import netCDF4
import numpy as np
import xarray as xr

from inverse_rational_control.storage.atomic import WriteError, written_whole
from inverse_rational_control.storage.contract import Contract, check_found, read, told
from inverse_rational_control.storage.digest import CHUNK, DIGEST, contents_digest
from inverse_rational_control.storage.netcdf import (
    DatasetError,
    add_to,
    keep_one_chunk,
    lazily,
    refuse_the_absurd,
    refuse_unopened,
    unreadable,
)

__all__ = ["CHUNK", "BlockFile", "opened", "read_in_blocks", "written_in_blocks"]


class BlockFile:
    """A file in the making: long variables block by block, then all others.

    Parameters
    ----------
    file : netCDF4.Dataset
    contract : Contract
    n_steps : int
        Length of the first dimension of the long variables.
    """

    def __init__(self, file: netCDF4.Dataset, contract: Contract, n_steps: int):
        self._file, self._contract, self._n_steps = file, contract, n_steps

    def put(self, name: str, begin: int, values: np.ndarray) -> None:
        """Write a block of a long variable; what was written there before is replaced.

        Blocks that begin at multiples of `CHUNK` write each chunk once.

        Parameters
        ----------
        name : str
            Of a variable of the contract.
        begin : int
            First step of the block.
        values : ndarray, shape (steps, ...)
        """
        if name not in self._file.variables:
            self._create(name, values)
        self._file[name][begin : begin + len(values)] = values

    def _create(self, name: str, values: np.ndarray) -> None:
        known = self._contract.variables[name]
        sizes = (self._n_steps, *values.shape[1:])
        for dim, size in zip(known.dims, sizes, strict=True):
            if dim not in self._file.dimensions:
                self._file.createDimension(dim, size)
        variable = self._file.createVariable(
            name,
            values.dtype,
            known.dims,
            fletcher32=True,
            zlib=True,
            complevel=1,
            chunksizes=(min(CHUNK, self._n_steps), *values.shape[1:]),
            fill_value=np.nan if values.dtype.kind == "f" else None,
        )
        variable.setncatts(known.attributes())
        keep_one_chunk(variable)

    def add(self, dataset: xr.Dataset) -> None:
        """Write what is not long: other variables, coordinates and attributes; called once."""
        add_to(self._file, told(dataset, self._contract))


@contextlib.contextmanager
def written_in_blocks(path: str | Path, contract: Contract, n_steps: int) -> Iterator[BlockFile]:
    """Write a file in blocks, whole or not at all: as `contract.write`, which see.

    Parameters
    ----------
    path : str or Path
    contract : Contract
    n_steps : int
        Length of the first dimension of the variables that are put in blocks.

    Raises
    ------
    DatasetError
        If what was written does not meet the contract, or the file cannot be written.
    """
    try:
        with (
            written_whole(path) as beside,
            netCDF4.Dataset(beside, "w", format="NETCDF4") as file,
        ):
            yield BlockFile(file, contract, n_steps)
            file.sync()
            dataset = lazily(file)
            contract.check(dataset, str(path))
            contract.check_rules(dataset, str(path))
            file.setncattr(DIGEST, contents_digest(dataset))
    except WriteError as error:
        raise DatasetError(str(error)) from error


@contextlib.contextmanager
def read_in_blocks(path: str | Path, contract: Contract) -> Iterator[xr.Dataset]:
    """Open a file and check it whole, as `contract.read`; values are read when they are asked for.

    Parameters
    ----------
    path : str or Path
    contract : Contract

    Raises
    ------
    DatasetError
        As `contract.read`.
    """
    path = Path(path)
    refuse_unopened(path, False)
    with contextlib.ExitStack() as stack:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                file = stack.enter_context(netCDF4.Dataset(path))
                refuse_the_absurd(file, path.stat().st_size)
                dataset = lazily(file)
                check_found(dataset, contract, str(path))
        except DatasetError:
            raise
        except Exception as error:
            raise unreadable(path, error) from None
        yield dataset


@contextlib.contextmanager
def opened(path: str | Path, contract: Contract) -> Iterator[xr.Dataset]:
    """A checked file for who takes little of a long one: by `read_in_blocks` if so, else by `read`."""
    if contract.is_long:
        with read_in_blocks(path, contract) as dataset:
            yield dataset
    else:
        yield read(path, contract)
