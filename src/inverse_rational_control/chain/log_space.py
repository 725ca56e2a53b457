"""The forward-backward pass in logarithms, for records so improbable that probabilities underflow.

`forward_backward` turns to it where it cannot vouch for its own numbers. Source: docs/model.md section 6
(scaled forward-backward).
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.chain import _log_kernels
from inverse_rational_control.chain.passes import counts_of
from inverse_rational_control.chain.tables import ChainInputs, ChainTables, ExpectedCounts

__all__ = [
    "LogPasses",
    "log_chain_log_likelihood",
    "log_expected_counts",
    "log_step_log_likelihoods",
]

#: Kernel entries below this are zero: counts are kept divided by the entry, and stay finite.
_SMALLEST = 1e-300
_BLOCK_STEPS = 10_000


class LogPasses:
    """Both passes in logarithms, in blocks of steps, for where `passes.Passes` is not certain."""

    certain = True

    def __init__(
        self,
        tables: ChainTables,
        inputs: ChainInputs,
        block: int | None = None,
        indices: tuple[np.ndarray, np.ndarray] | None = None,
    ):
        inputs.check(tables)
        self.n, self.n_steps = tables.kernels_1.shape[1], inputs.n_steps
        self.n_kernels = len(tables.kernels_1)
        with np.errstate(divide="ignore"):
            kernels = [
                np.log(np.where(table < _SMALLEST, 0.0, table))
                for table in tables.with_resets_as_kernels()
            ]
        indices = indices or inputs.with_resets_as_kernels(self.n_kernels)
        self.given = (tables.log_emissions, *kernels, inputs.emitted, *indices)
        self.block = min(block or _BLOCK_STEPS, self.n_steps)
        self.begins = range(0, self.n_steps, self.block)
        self._held: tuple = (None, None)

    def end(self, begin: int) -> int:
        """End of the block that begins there."""
        return min(begin + self.block, self.n_steps)

    def room(self) -> np.ndarray:
        """For the state before a block and those of its steps."""
        return np.zeros((1 + self.block, self.n, self.n))

    def forward(self, begin: int, end: int, alpha: np.ndarray) -> float:
        """Forward pass over some steps, from the state in row 0 of `alpha`; their log-likelihood."""
        return _log_kernels.log_forward(*self.given, begin, end, alpha)

    def run(self) -> float:
        """Forward pass over all blocks; the log-likelihood."""
        alpha, log_likelihood = self.room(), 0.0
        self.checkpoints = np.zeros((len(self.begins), self.n, self.n))
        for number, begin in enumerate(self.begins):
            if number:
                alpha[0] = alpha[self.block]
            self.checkpoints[number] = alpha[0]
            log_likelihood += self.forward(begin, self.end(begin), alpha)
            if log_likelihood == -np.inf:
                return -np.inf
        self._held = (number, alpha)
        return float(log_likelihood)

    def turn(self) -> None:
        """Be ready for the backward pass, after `run`."""
        self.emissions = np.zeros_like(self.given[0])
        self.ratio_1, self.ratio_2 = np.zeros((2, 2 * self.n_kernels, self.n, self.n))
        self.beta = np.zeros((self.n, self.n))

    def backward(self, number: int, posterior: np.ndarray) -> None:
        """Backward pass over one block; `posterior` is filled unless it is empty."""
        begin = self.begins[number]
        held, alpha = self._held
        self._held = (None, None)
        if held != number:
            alpha = self.room()
            alpha[0] = self.checkpoints[number]
            self.forward(begin, self.end(begin), alpha)
        _log_kernels.log_backward(
            *(*self.given, begin, self.end(begin), alpha, self.beta),
            *(self.emissions, self.ratio_1, self.ratio_2, posterior),
        )

    def expected_counts(self, log_likelihood: float) -> ExpectedCounts:
        """What the backward pass has added up."""
        return ExpectedCounts(
            log_likelihood,
            self.emissions,
            self.ratio_1[: self.n_kernels],
            self.ratio_2[: self.n_kernels],
            self.ratio_1[self.n_kernels :].sum(1),
            self.ratio_2[self.n_kernels :].sum(1),
        )


def log_chain_log_likelihood(tables: ChainTables, inputs: ChainInputs) -> float:
    """Log-likelihood alone, in nats: the forward pass; as `forward_backward.chain_log_likelihood`."""
    return LogPasses(tables, inputs).run()


def log_step_log_likelihoods(tables: ChainTables, inputs: ChainInputs) -> np.ndarray:
    """Log-probabilities of steps, (T,), nats; as `forward_backward.step_log_likelihoods`."""
    chain, found = LogPasses(tables, inputs, 1), np.full(inputs.n_steps, -np.inf)
    alpha = chain.room()
    for t in range(inputs.n_steps):
        found[t] = chain.forward(t, t + 1, alpha)
        if found[t] == -np.inf:
            break
        alpha[0] = alpha[1]
    return found


def log_expected_counts(tables: ChainTables, inputs: ChainInputs, posterior=None) -> ExpectedCounts:
    """E-step in logarithms; parameters and result are those of `forward_backward.expected_counts`."""
    found = counts_of(LogPasses(tables, inputs), posterior)
    return ExpectedCounts(-np.inf) if found is None else found
