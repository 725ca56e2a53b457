"""Smoothed posteriors of many chains of the same observations, side by side in blocks of steps.

What is made of the posteriors of all chains at a step (their mean, say) then needs none of them whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from inverse_rational_control.chain.log_space import LogPasses
from inverse_rational_control.chain.passes import Passes, Room, attempts, room
from inverse_rational_control.chain.tables import ChainInputs, ChainTables

__all__ = ["Block", "room", "smooth_in_blocks"]

_NOTHING = "the record is impossible under these parameters: nothing to decode"


class _Chain:
    """One chain, in the fastest arithmetic that is certain."""

    def __init__(self, tables: ChainTables, inputs: ChainInputs, shared: Room):
        self.tables, self.inputs, self.shared = tables, inputs, shared
        self.ways: list = [*attempts(tables), None]
        self.log_likelihood = np.nan
        self.passes: Passes | LogPasses | None = None

    def _begun(self) -> Passes | LogPasses:
        while True:
            with_tails = self.ways[0]
            passes = (
                LogPasses(
                    self.tables, self.inputs, self.shared.block, tuple(self.shared.observed[1:])
                )
                if with_tails is None
                else Passes(self.tables, self.shared, with_tails)
            )
            self.log_likelihood = passes.run()
            if np.isfinite(self.log_likelihood):
                passes.turn()
                return passes
            if len(self.ways) == 1:
                raise ValueError(_NOTHING)
            del self.ways[0]

    def smooth(self, number: int, posterior: np.ndarray) -> None:
        if self.passes is None:
            self.passes = self._begun()
        self.before = self.passes.beta.copy()
        self.passes.backward(number, posterior)

    def again(self, number: int, posterior: np.ndarray) -> None:
        """The block that was smoothed last, once more."""
        self.passes.beta[...] = self.before
        self.passes.backward(number, posterior)

    def judge(self) -> bool:
        """Whether what was smoothed holds; if not, be ready to do it more carefully."""
        if self.passes.certain:
            return True
        del self.ways[0]
        return False


class Block:
    """A block of steps, and the chains' posteriors there.

    Attributes
    ----------
    begin, end : int
        Steps.
    """

    def __init__(self, begin: int, end: int, number: int, chains: list, memory: np.ndarray):
        self.begin, self.end = begin, end
        self._number, self._chains, self._memory = number, chains, memory
        self._seen: set[int] = set()

    def smoothed(self, chain: int) -> np.ndarray:
        """Posterior over the joint state of one chain, (steps, N, N); overwritten by the next call."""
        posterior = self._memory[: self.end - self.begin]
        if chain in self._seen:
            self._chains[chain].again(self._number, posterior)
        else:
            self._seen.add(chain)
            self._chains[chain].smooth(self._number, posterior)
        return posterior


def smooth_in_blocks(
    tables: Sequence[ChainTables],
    inputs: ChainInputs,
    shared: Room,
    taker: Callable[[], Callable[[Block], None]],
) -> list[float]:
    """Smooth chains side by side, from the last block of steps to the first.

    Memory does not grow with the number of steps but for `inputs`, two more indices and a number per
    step, and the chains' states at the start of each block.

    Parameters
    ----------
    tables : sequence of ChainTables
        One for each chain, alike in their shapes.
    inputs : ChainInputs
    shared : Room
        From `room(tables[0], inputs, block)`, with steps of a block.
    taker : callable
        Called before the first block, and again if all must be smoothed once more because the numbers of
        a chain turned out not to be certain; gives what is called with each block, and must ask every
        block for every chain.

    Returns
    -------
    list of float
        Log-likelihood under each chain.

    Raises
    ------
    ValueError
        If the observations are impossible under one of them.
    """
    memory = np.empty((shared.block, shared.n, shared.n))
    chains = [_Chain(each, inputs, shared) for each in tables]
    while True:
        take = taker()
        for number in reversed(range(len(shared.begins))):
            begin = shared.begins[number]
            take(Block(begin, shared.end(begin), number, chains, memory))
        if all([chain.judge() for chain in chains]):
            return [chain.log_likelihood for chain in chains]
        for chain in chains:
            chain.passes = None
        shared.holder = ()
