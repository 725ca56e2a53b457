"""Independent, named random streams: a result never depends on job order, cores or batch size."""

from __future__ import annotations

import zlib

import numpy as np

__all__ = ["stream"]


def stream(root_seed: int, *name: str | int) -> np.random.Generator:
    """Random generator for a named purpose.

    Parameters
    ----------
    root_seed : int
        The configuration's one seed.
    *name : str or int
        What the numbers are for, e.g. ``"recovery", 3, "record"``; every name gives its own stream.
    """
    key = tuple(
        part if isinstance(part, int) else zlib.crc32(part.encode()) for part in ("irc", *name)
    )
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(entropy=root_seed, spawn_key=key))
    )
