"""Parts of a record to hold out of a fit, and the record without one."""

from __future__ import annotations

import numpy as np

from inverse_rational_control.record import Record

__all__ = ["held_out_parts", "without_part"]


def held_out_parts(record: Record, n_parts: int) -> np.ndarray:
    """Parts of a record that are held out in turn: whole sessions if there are enough, else blocks.

    Parameters
    ----------
    record : Record
    n_parts : int
        2 or more.

    Returns
    -------
    ndarray of int, shape (T,)
        Sessions go to parts in their order, so that parts are about equally long; blocks are of equal
        length and contiguous.
    """
    middle = np.arange(record.n_steps) + 0.5
    starts = np.flatnonzero(record.session_starts)
    if starts.size >= n_parts:
        ends = np.append(starts[1:], record.n_steps)
        middle = np.repeat(0.5 * (starts + ends), ends - starts)
    part = (middle * n_parts / record.n_steps).astype(int)
    return np.unique(part, return_inverse=True)[1]


def without_part(record: Record, held_out: np.ndarray) -> Record:
    """The record without some steps; what comes after them is a session of its own.

    Parameters
    ----------
    record : Record
    held_out : ndarray of bool, shape (T,)
    """
    kept = np.flatnonzero(~held_out)
    begins = record.session_starts[kept] | (np.diff(kept, prepend=-1) > 1)
    columns = {
        name: None if column is None else column[kept] for name, column in record.__dict__.items()
    }
    return Record(**columns | {"session": np.cumsum(begins) - 1})
