"""Tables in the layout of the compiled passes: padded to whole vectors, with the kernels' bands."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from inverse_rational_control.chain._kernels import Bands, PaddedTables
from inverse_rational_control.chain._vector_code import UNROLLED, tile_shape
from inverse_rational_control.chain._vectors import LANES, NEGLIGIBLE, row_vectors
from inverse_rational_control.chain.tables import ChainTables

__all__ = [
    "aligned",
    "computed_width",
    "from_padded",
    "negligible",
    "padded_tables",
    "padded_width",
]

_TAIL = 1e-20  # of a row of a kernel: not used where products skip what is off the kernels' band


def padded_width(n: int) -> int:
    """N rounded up to whole vectors."""
    return -(-n // LANES) * LANES


def computed_width(n: int) -> int:
    """Columns that products compute for N: whole vectors and perhaps half a one."""
    return sum(lanes for _, lanes in row_vectors(n))


def aligned(shape: tuple[int, ...], allocate: Callable = np.zeros) -> np.ndarray:
    """Array that begins where a vector does: those across two cache lines cost twice."""
    size = math.prod(shape)
    memory = allocate(size + LANES)
    first = -(memory.__array_interface__["data"][0] // memory.itemsize) % LANES
    return memory[first : first + size].reshape(shape)


def _padded(tables: np.ndarray) -> np.ndarray:
    """Pad the last axis to whole vectors, flatten the last two, drop what is negligible."""
    n = tables.shape[-1]
    padded = aligned((*tables.shape[:-1], padded_width(n)))
    padded[..., :n] = np.where(tables > NEGLIGIBLE, tables, 0.0)
    return padded.reshape(len(tables), -1)


def from_padded(tables: np.ndarray, n: int) -> np.ndarray:
    """Undo the padding: a view of shape (tables, N, N)."""
    return tables.reshape(-1, n, padded_width(n))[:, :, :n]


def negligible(n: int, with_tails: bool) -> float:
    """Largest part of what a step moves that the passes set to zero, for N states of a factor."""
    return NEGLIGIBLE if with_tails or padded_width(n) <= UNROLLED else _TAIL


def padded_tables(
    tables: ChainTables, emissions: np.ndarray, with_tails: bool = False
) -> PaddedTables:
    """Tables as the compiled passes take them.

    Parameters
    ----------
    tables : ChainTables
    emissions : ndarray, shape (E, N, N)
        Scaled, from `tables.scaled_emissions()`.
    with_tails : bool
        Keep what lies off the kernels' bands, however little it is.
    """
    kernels_1, kernels_2 = tables.with_resets_as_kernels()
    n = kernels_1.shape[1]
    width = padded_width(n)
    if width > UNROLLED and not with_tails:
        kernels_1, kernels_2 = _without_tails(kernels_1), _without_tails(kernels_2)
    return PaddedTables(
        emissions=_padded(emissions),
        kernels_1=_padded(kernels_1),
        kernels_2=_padded(kernels_2),
        kernels_2_t=_padded(kernels_2.transpose(0, 2, 1)),
        bands=_bands(kernels_1, kernels_2, width),
        size=(0,) * n,
        width=(0,) * width,
    )


def _without_tails(kernels: np.ndarray) -> np.ndarray:
    return np.where(kernels > _TAIL * kernels.sum(-1, keepdims=True), kernels, 0.0)


def _bands(kernels_1: np.ndarray, kernels_2: np.ndarray, width: int) -> Bands:
    if width <= UNROLLED:
        return Bands(*[np.empty((0, 0, 0, 2), dtype=np.intp)] * len(Bands._fields))
    inside_1, inside_2 = kernels_1 > 0.0, kernels_2 > 0.0
    turned_1, turned_2 = inside_1.transpose(0, 2, 1), inside_2.transpose(0, 2, 1)
    return Bands(
        from_1=_ranges("left", turned_1, width),
        to_1=_ranges("left", inside_1, width),
        from_2=_ranges("right", inside_2, width),
        to_2=_ranges("right", turned_2, width),
        ratio_1_t=_ranges("out", turned_1, width),
        ratio_2=_ranges("out", inside_2, width),
    )


def _ranges(banded: str, inside: np.ndarray, width: int) -> np.ndarray:
    """Range of k for every tile of a product: [kernel, row block, column block, 2].

    inside tells where kernels have entries, laid out as what is banded: left [kernel, row, k], right
    [kernel, k, column], out [kernel, row, column].
    """
    n = inside.shape[-1]
    rows, vectors = tile_shape(n, width, banded)
    columns = vectors * LANES
    if banded == "out":
        high = n * _any_of_each(columns, _any_of_each(rows, inside, 1), 2)
        low = np.zeros_like(high)
    else:
        if banded == "left":
            used = _any_of_each(rows, inside, 1)[:, :, None]  # [kernel, row block, 1, k]
            shape = -(-n // rows), width // columns
        else:
            used = _any_of_each(columns, inside, 2).transpose(0, 2, 1)[:, None]
            shape = -(-n // rows), used.shape[2]
        low = used.argmax(-1)
        high = np.where(used.any(-1), n - used[..., ::-1].argmax(-1), 0)
        low, high = (np.broadcast_to(end, (len(inside), *shape)) for end in (low, high))
    return np.ascontiguousarray(np.stack([low, high], -1), dtype=np.intp)


def _any_of_each(size: int, inside: np.ndarray, axis: int) -> np.ndarray:
    return np.logical_or.reduceat(inside, range(0, inside.shape[axis], size), axis)
