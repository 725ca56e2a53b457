"""Scaled forward and backward passes of one chain, in blocks of steps.

Source: docs/model.md section 6 (scaled forward-backward).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from inverse_rational_control.chain import _kernels
from inverse_rational_control.chain._vectors import LANES
from inverse_rational_control.chain.layout import (
    aligned,
    from_padded,
    negligible,
    padded_tables,
    padded_width,
)
from inverse_rational_control.chain.tables import ChainInputs, ChainTables, ExpectedCounts

__all__ = ["BlockPasses", "Passes", "Room", "attempts", "counts_of", "hand_on", "room"]

#: A forward pass of up to so many bytes is kept whole, in memory that one E-step hands on to the next:
#: with 10 bins and 65 000 steps that takes 0.8 to 0.9 of the time of blocks (in turn), but 1.1 in memory
#: whose pages are new to the process. A longer one is kept in blocks, the same for any length, and made
#: twice; near the processor that is faster than blocks of 8 MiB.
WHOLE_BYTES = 128 << 20
BLOCK_BYTES = 1 << 20
#: What is handed on: no more than one forward pass, and none while it is in use.
_spare: list[np.ndarray] = []
#: Share of the likelihood, per step and state, that what is set to zero may have at most.
_TOLERATED = 1e-12


@dataclass
class Room:
    """What chains of the same observations share: their indices, and memory for one block at a time.

    Attributes
    ----------
    observed : Observed
    n, n_steps, block : int
        States of a factor, steps, steps of a block.
    alpha : ndarray, shape (block + 1, N P)
        Forward pass over the block at hand; row 0 is the state before it.
    normalizer : ndarray, shape (T,)
        Right for that block and the step before it; for all steps after `Passes.run`.
    work : ndarray, shape (4, N P)
    holder : tuple
        Whose block it is, and which: a chain's token and a number.
    """

    observed: _kernels.Observed
    n: int
    n_steps: int
    block: int
    alpha: np.ndarray
    normalizer: np.ndarray
    work: np.ndarray
    holder: tuple = ()

    @property
    def begins(self) -> range:
        """First step of each block."""
        return range(0, self.n_steps, self.block)

    def end(self, begin: int) -> int:
        """End of the block that begins there."""
        return min(begin + self.block, self.n_steps)


class BlockPasses(Protocol):
    """Both passes of one chain in blocks of steps, whatever the arithmetic."""

    n: int
    n_steps: int
    block: int
    begins: range
    end: Callable[[int], int]
    certain: bool

    def run(self) -> float:
        """Forward pass over all blocks; the log-likelihood."""

    def turn(self) -> None:
        """Be ready for the backward pass, after `run`."""

    def backward(self, number: int, posterior: np.ndarray) -> None:
        """Backward pass over one block, the one before that of the last call."""

    def expected_counts(self, log_likelihood: float) -> ExpectedCounts:
        """What the backward pass has added up."""


def counts_of(passes: BlockPasses, posterior=None) -> ExpectedCounts | None:
    """Run both passes; None if the numbers are not certain, or the observations impossible.

    Parameters
    ----------
    passes : BlockPasses
    posterior : array-like, shape (T, N, N), optional
        Filled block by block with the smoothed posterior.
    """
    log_likelihood = passes.run()
    if not np.isfinite(log_likelihood):
        return None
    passes.turn()
    smoothed = np.empty((0 if posterior is None else passes.block, passes.n, passes.n))
    for number, begin in reversed(list(enumerate(passes.begins))):
        end = passes.end(begin)
        passes.backward(number, smoothed[: end - begin])
        if posterior is not None:
            posterior[begin:end] = smoothed[: end - begin]
    return passes.expected_counts(log_likelihood) if passes.certain else None


def room(
    tables: ChainTables,
    inputs: ChainInputs,
    block: int | None = None,
    *,
    forward_only: bool = False,
) -> Room:
    """Room for chains like `tables`, in blocks of so many steps.

    forward_only: no backward pass follows, so nothing is kept whole. Near the processor a forward pass
    of 5000 steps takes 0.77 of the time with 10 bins, 0.79 with 20 (in turn).

    Raises
    ------
    ValueError
        If an index lies outside the tables.
    """
    inputs.check(tables)
    n = tables.kernels_1.shape[1]
    n_entries = n * padded_width(n)
    allocate = np.empty if forward_only or block else _allocated
    if block is None and (forward_only or 8 * n_entries * inputs.n_steps > WHOLE_BYTES):
        block = max(1, BLOCK_BYTES // (8 * n_entries))
    block = min(block or inputs.n_steps, inputs.n_steps)
    indices = inputs.with_resets_as_kernels(len(tables.kernels_1))
    return Room(
        _kernels.Observed(inputs.emitted, *indices),
        n,
        inputs.n_steps,
        block,
        aligned((block + 1, n_entries), allocate),
        np.ones(inputs.n_steps),
        aligned((4, n_entries)),
    )


def _allocated(size: int) -> np.ndarray:
    """Memory for so many numbers, that of an earlier pass if it has room for them."""
    held = _spare.pop() if _spare else np.empty(0)
    return held if held.size >= size else np.empty(size)


def hand_on(room: Room) -> None:
    """Leave a room's forward pass to the next room that is made; nobody may use it any more."""
    memory = room.alpha
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    _spare[:] = [memory]


def attempts(tables: ChainTables) -> tuple[bool, ...]:
    """Whether to keep the kernels' tails, one try after the other."""
    n = tables.kernels_1.shape[1]
    return (False, True) if negligible(n, False) > negligible(n, True) else (False,)


class Passes:
    """Both passes of one chain.

    The forward pass keeps the state at the start of each block; the backward pass runs forward again
    over all blocks but the last. So memory does not grow with the number of steps, but for indices and
    normalizers.
    """

    def __init__(self, tables: ChainTables, room: Room, with_tails: bool = False):
        self.room, self.n_kernels = room, len(tables.kernels_1)
        # Not the chain itself: as a cycle, its memory would wait for the garbage collector.
        self._token = object()
        self.n, self.n_steps, self.block = room.n, room.n_steps, room.block
        self.begins, self.end = room.begins, room.end
        emissions, self.offset = tables.scaled_emissions()
        self.tables = padded_tables(tables, emissions, with_tails)
        self.negligible = negligible(room.n, with_tails)
        self.checkpoints = np.zeros((len(room.begins), room.alpha.shape[1]))
        self.normalizer_before = np.ones(len(room.begins))

    def _given(self, number: int) -> tuple:
        """What the loops take of a block."""
        room, begin = self.room, self.begins[number]
        return (
            *(self.tables, room.observed, begin, room.end(begin)),
            *(room.work, room.alpha, room.normalizer),
        )

    def _forward(self, number: int) -> bool:
        """Forward pass over one block; row 0 of alpha is the state before it."""
        self.room.holder = (self._token, number)
        return _kernels.chain_forward(*self._given(number))

    def run(self) -> float:
        """Forward pass over all blocks; the log-likelihood."""
        room = self.room
        room.alpha[0] = 0.0
        for number, begin in enumerate(room.begins):
            if number:
                room.alpha[0] = room.alpha[room.block]
                self.normalizer_before[number] = room.normalizer[begin - 1]
            self.checkpoints[number] = room.alpha[0]
            if not self._forward(number):
                return -np.inf
        n_emitted = np.bincount(room.observed.emitted, minlength=self.offset.size)
        return float(n_emitted @ self.offset - np.log(room.normalizer).sum())

    def turn(self) -> None:
        """Be ready for the backward pass, after `run`."""
        room = self.room
        self.largest_normalizer, last = room.normalizer.max(), room.normalizer[-1]
        self.counts = _kernels.PaddedCounts(
            emissions=aligned(self.tables.emissions.shape),
            ratio_1_t=aligned(self.tables.kernels_1.shape),
            ratio_2=aligned(self.tables.kernels_2.shape),
            extent=aligned((2 * LANES,)),
        )
        self.counts.extent[:LANES] = np.inf
        beta = aligned((room.n, padded_width(room.n)))
        beta[:, : room.n] = last
        self.beta = beta.ravel()

    def backward(self, number: int, posterior: np.ndarray) -> None:
        """Backward pass over one block, the one before that of the last call.

        Parameters
        ----------
        number : int
        posterior : ndarray, shape (steps, N, N)
            Filled with the smoothed posterior, unless it is empty.
        """
        room = self.room
        if room.holder != (self._token, number):
            room.alpha[0] = self.checkpoints[number]
            if number:
                room.normalizer[self.begins[number] - 1] = self.normalizer_before[number]
            self._forward(number)
        _kernels.chain_backward(*self._given(number), self.beta, self.counts, posterior)

    @property
    def certain(self) -> bool:
        """After both passes, whether what was set to zero cannot matter, and no number overflowed."""
        counts = self.counts
        least, most = counts.extent[:LANES].min(), counts.extent[LANES:].max()
        # The largest share that what is set to zero in one step can have, whatever state it is of:
        # beta after that step, scaled as beta before it, over the latter.
        share = self.negligible * (1.0 + most * self.largest_normalizer)
        return bool(
            share <= _TOLERATED * min(least, 1.0)
            and np.isfinite(counts.ratio_1_t).all()
            and np.isfinite(counts.ratio_2).all()
        )

    def expected_counts(self, log_likelihood: float) -> ExpectedCounts:
        """What the backward pass has added up."""
        n, counts = self.room.n, self.counts
        ratio_1 = from_padded(counts.ratio_1_t, n).transpose(0, 2, 1)
        ratio_2 = from_padded(counts.ratio_2, n)
        return ExpectedCounts(
            log_likelihood,
            np.ascontiguousarray(from_padded(counts.emissions, n)),
            ratio_1[: self.n_kernels],
            ratio_2[: self.n_kernels],
            ratio_1[self.n_kernels :].sum(1),
            ratio_2[self.n_kernels :].sum(1),
        )
