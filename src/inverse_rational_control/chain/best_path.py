"""The most probable joint path of a chain (Viterbi), in blocks of steps."""

from __future__ import annotations

import numpy as np

from inverse_rational_control.chain import _kernels
from inverse_rational_control.chain.tables import ChainInputs, ChainTables

__all__ = ["BestPath"]

#: Of what leads back, kept at once.
_BLOCK_BYTES = 32 << 20


class BestPath:
    """Most probable joint path and its log-probability; ties go to the lower bin.

    Scores are kept at the start of each block only, and what leads back is found again block by block.

    Parameters
    ----------
    tables : ChainTables
    inputs : ChainInputs
    block : int, optional
        Steps of a block.
    observed : Observed, optional
        The same observations with resets as kernels, if they are made already.

    Attributes
    ----------
    log_probability : float
        Of path and observations, nats.
    blocks : list of (int, int)
        Where blocks begin and end.
    n : int
        States of a factor.
    """

    def __init__(
        self,
        tables: ChainTables,
        inputs: ChainInputs,
        block: int | None = None,
        observed: _kernels.Observed | None = None,
    ):
        inputs.check(tables)
        self.n = n = tables.kernels_1.shape[1]
        block = min(block or max(1, _BLOCK_BYTES // (4 * n * n)), inputs.n_steps)
        with np.errstate(divide="ignore"):
            kernels = [np.log(table) for table in tables.with_resets_as_kernels()]
        self._logs = _kernels.LogTables(tables.log_emissions, *kernels)
        indices = () if observed else inputs.with_resets_as_kernels(len(tables.kernels_1))
        self._observed = observed or _kernels.Observed(inputs.emitted, *indices)
        self.blocks = [
            (begin, min(begin + block, inputs.n_steps)) for begin in range(0, inputs.n_steps, block)
        ]
        self._from = np.zeros((2, block, n, n), dtype=np.uint16)
        self._ends = np.zeros((block, 2), dtype=np.int64)
        self._here = np.zeros(2, dtype=np.int64)
        self._before, score, total = {}, np.zeros((n, n)), 0.0
        for begin, end in self.blocks:
            self._before[begin] = score.copy()
            total += self._forward(begin, end, score)
        self._filled = self.blocks[-1][0]
        self.log_probability = float(total)

    def _forward(self, begin: int, end: int, score: np.ndarray) -> float:
        return _kernels.chain_viterbi(
            self._logs, self._observed, begin, end, score, *self._from, self._ends
        )

    def block(self, begin: int, end: int) -> np.ndarray:
        """Bins in one block, int (steps, 2); blocks are asked for from the last to the first."""
        if self._filled != begin:
            self._forward(begin, end, self._before[begin].copy())
            self._filled = begin
        path = np.empty((end - begin, 2), dtype=np.int64)
        _kernels.chain_traceback(
            self._observed.index_1, begin, end, *self._from, self._ends, self._here, path
        )
        return path
