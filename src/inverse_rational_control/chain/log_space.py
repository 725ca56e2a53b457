"""The forward-backward pass in logarithms, for records so improbable that probabilities underflow.

`forward_backward` turns to it where it cannot vouch for its own numbers. Source: docs/model.md section 6
(scaled forward-backward).
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.chain import _log_kernels
from inverse_rational_control.chain.tables import ChainInputs, ChainTables, ExpectedCounts

__all__ = ["log_chain_log_likelihood", "log_expected_counts", "log_step_log_likelihoods"]

#: Kernel entries below this are zero: counts are kept divided by the entry, and stay finite.
_SMALLEST = 1e-300
_BLOCK_STEPS = 10_000


class _LogChain:
    """Logarithms of tables, indices, and the forward pass in blocks of steps (as in `_Chain`)."""

    def __init__(self, tables: ChainTables, inputs: ChainInputs):
        inputs.check(tables)
        self.n, self.n_steps = tables.kernels_1.shape[1], inputs.n_steps
        with np.errstate(divide="ignore"):
            kernels = [
                np.log(np.where(table < _SMALLEST, 0.0, table))
                for table in tables.with_resets_as_kernels()
            ]
        indices = inputs.with_resets_as_kernels(len(tables.kernels_1))
        self.given = (tables.log_emissions, *kernels, inputs.emitted, *indices)
        self.begins = range(0, self.n_steps, _BLOCK_STEPS)
        self.alpha = np.zeros((1 + min(_BLOCK_STEPS, self.n_steps), self.n, self.n))

    def end(self, begin: int) -> int:
        return min(begin + _BLOCK_STEPS, self.n_steps)

    def forward(self, begin: int) -> float:
        return _log_kernels.log_forward(*self.given, begin, self.end(begin), self.alpha)

    def run(self) -> tuple[float, np.ndarray]:
        """Log-likelihood, and the states before each block; alpha is left of the last one."""
        checkpoints = np.zeros((len(self.begins), self.n, self.n))
        log_likelihood = 0.0
        for number, begin in enumerate(self.begins):
            if number:
                self.alpha[0] = self.alpha[_BLOCK_STEPS]
            checkpoints[number] = self.alpha[0]
            log_likelihood += self.forward(begin)
            if log_likelihood == -np.inf:
                break
        return float(log_likelihood), checkpoints


def log_chain_log_likelihood(tables: ChainTables, inputs: ChainInputs) -> float:
    """Log-likelihood alone, in nats: the forward pass; as `forward_backward.chain_log_likelihood`."""
    return _LogChain(tables, inputs).run()[0]


def log_step_log_likelihoods(tables: ChainTables, inputs: ChainInputs) -> np.ndarray:
    """Log-probabilities of steps, (T,), nats; as `forward_backward.step_log_likelihoods`."""
    chain, found = _LogChain(tables, inputs), np.full(inputs.n_steps, -np.inf)
    for t in range(inputs.n_steps):
        found[t] = _log_kernels.log_forward(*chain.given, t, t + 1, chain.alpha)
        if found[t] == -np.inf:
            break
        chain.alpha[0] = chain.alpha[1]
    return found


def log_expected_counts(tables: ChainTables, inputs: ChainInputs, posterior=None) -> ExpectedCounts:
    """E-step in logarithms; parameters and result are those of `forward_backward.expected_counts`."""
    chain = _LogChain(tables, inputs)
    log_likelihood, checkpoints = chain.run()
    if log_likelihood == -np.inf:
        return ExpectedCounts(-np.inf)
    n, n_kernels = chain.n, len(tables.kernels_1)
    emissions = np.zeros_like(tables.log_emissions)
    ratio_1, ratio_2 = np.zeros((2, 2 * n_kernels, n, n))
    beta = np.zeros((n, n))
    for number, begin in reversed(list(enumerate(chain.begins))):
        if number < len(chain.begins) - 1:
            chain.alpha[0] = checkpoints[number]
            chain.forward(begin)
        end = chain.end(begin)
        smoothed = np.empty((0 if posterior is None else end - begin, n, n))
        _log_kernels.log_backward(
            *(*chain.given, begin, end, chain.alpha, beta),
            *(emissions, ratio_1, ratio_2, smoothed),
        )
        if posterior is not None:
            posterior[begin:end] = smoothed
    return ExpectedCounts(
        log_likelihood,
        emissions,
        ratio_1[:n_kernels],
        ratio_2[:n_kernels],
        ratio_1[n_kernels:].sum(1),
        ratio_2[n_kernels:].sum(1),
    )
