"""Whether a table is a probability table."""

import numpy as np


def check_probability_table(table, axis, name, tolerance=1e-10):
    """Fail, naming the table and its first offending entry or sum, unless it sums to 1 along an axis."""
    bad = np.argwhere(~(np.isfinite(table) & (table >= 0)))
    assert not bad.size, f"{name}{bad[0].tolist()}: {table[tuple(bad[0])]}"
    total = table.sum(axis)
    off = np.argwhere(np.abs(total - 1.0) > tolerance)
    assert not off.size, f"{name}: entries at {off[0].tolist()} sum to {total[tuple(off[0])]}"
