"""Smoothing, expected counts and best path of a latent chain whose state is a product of two factors.

At each step the chain emits (one of a few emission tables over the joint state); into each step, each
factor moves by one of a few kernels, or from a reset row that forgets where the factor was. `plain` has
the same in few lines. Here a step costs 7 N^3 multiply-adds, with many bins only those on the kernels'
bands; no array over N^2 x N^2 is formed. Source: docs/model.md section 6 (scaled forward-backward).

Numbers far below the largest are set to zero. Whether any of them could have mattered is known from how
far apart the entries of the backward pass are; if it could, the passes are made again with less set to
zero, and at last in logarithms (`log_space`).
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.chain import _kernels
from inverse_rational_control.chain._vector_code import LANES
from inverse_rational_control.chain.layout import (
    aligned,
    from_padded,
    negligible,
    padded_tables,
    padded_width,
)
from inverse_rational_control.chain.log_space import (
    log_chain_log_likelihood,
    log_expected_counts,
    log_step_log_likelihoods,
)
from inverse_rational_control.chain.tables import ChainInputs, ChainTables, ExpectedCounts

__all__ = [
    "ChainInputs",
    "ChainTables",
    "ExpectedCounts",
    "chain_log_likelihood",
    "expected_counts",
    "most_probable_path",
    "step_log_likelihoods",
]

#: Of the forward pass kept at once: near the processor, and the same for any length.
_BLOCK_BYTES = 8 << 20
#: Share of the likelihood, per step and state, that what is set to zero may have at most.
_TOLERATED = 1e-12
#: Largest range of an emission, in nats, with which no state is so unlike the others that what is set to
#: zero could matter: it would have to be the only one not to pay it, at ten steps on end.
_TAME = 23.0


class _Chain:
    """Tables and indices in the layout of the loops, and the forward pass in blocks of steps.

    The forward pass keeps the state at the start of each block, and the whole of the last block; the
    backward pass runs forward again over the others. So memory does not grow with the number of steps,
    but for the normalizers.
    """

    def __init__(self, tables: ChainTables, inputs: ChainInputs, with_tails: bool = False):
        inputs.check(tables)
        self.n = tables.kernels_1.shape[1]
        self.n_steps = inputs.n_steps
        emissions, self.offset = tables.scaled_emissions()
        self.tables = padded_tables(tables, emissions, with_tails)
        self.negligible = negligible(self.n, with_tails)
        self.observed = _kernels.Observed(
            inputs.emitted, *inputs.with_resets_as_kernels(len(tables.kernels_1))
        )
        self.n_entries = self.n * padded_width(self.n)
        self.work = aligned((4, self.n_entries))
        block = max(1, _BLOCK_BYTES // (8 * self.n_entries))
        self.begins = range(0, self.n_steps, block)
        self.block = min(block, self.n_steps)

    def forward(self, begin: int, alpha: np.ndarray, normalizer: np.ndarray) -> bool:
        """Forward pass over one block; row 0 of `alpha` is the state before it."""
        end = min(begin + self.block, self.n_steps)
        return _kernels.chain_forward(
            self.tables, self.observed, begin, end, self.work, alpha, normalizer
        )

    def run(self):
        """Forward pass over all blocks.

        Returns log-likelihood, alpha of the last block, the states before each block, normalizers.
        """
        alpha = aligned((self.block + 1, self.n_entries), np.empty)
        alpha[0] = 0.0
        normalizer = np.ones(self.n_steps)
        checkpoints = np.zeros((len(self.begins), self.n_entries))
        for number, begin in enumerate(self.begins):
            if number:
                alpha[0] = alpha[self.block]
            checkpoints[number] = alpha[0]
            if not self.forward(begin, alpha, normalizer):
                return -np.inf, alpha, checkpoints, normalizer
        n_emitted = np.bincount(self.observed.emitted, minlength=self.offset.size)
        log_likelihood = n_emitted @ self.offset - np.log(normalizer).sum()
        return float(log_likelihood), alpha, checkpoints, normalizer


def chain_log_likelihood(tables: ChainTables, inputs: ChainInputs) -> float:
    """Log-likelihood alone, in nats: the forward pass.

    Raises
    ------
    ValueError
        If an index lies outside the tables.
    """
    if tables.emission_range(inputs) <= _TAME:
        return _Chain(tables, inputs).run()[0]
    # Only the backward pass can tell whether what the forward pass set to zero matters.
    for with_tails in _attempts(tables):
        counts = _scaled_counts(tables, inputs, with_tails)
        if counts is not None:
            return counts.log_likelihood
    return log_chain_log_likelihood(tables, inputs)


def step_log_likelihoods(tables: ChainTables, inputs: ChainInputs) -> np.ndarray:
    """Log-probability of what each step shows, given all steps before it; nats, shape (T,).

    They sum to the log-likelihood. From the first impossible step on they are -inf.

    Raises
    ------
    ValueError
        If an index lies outside the tables.
    """
    if tables.emission_range(inputs) > _TAME:
        return log_step_log_likelihoods(tables, inputs)
    chain = _Chain(tables, inputs)
    log_likelihood, _, _, normalizer = chain.run()
    if not np.isfinite(log_likelihood):
        return log_step_log_likelihoods(tables, inputs)
    return chain.offset[chain.observed.emitted] - np.log(normalizer)


def expected_counts(tables: ChainTables, inputs: ChainInputs, posterior=None) -> ExpectedCounts:
    """E-step: scaled forward-backward, adding up all that the M-step needs.

    Parameters
    ----------
    tables : ChainTables
    inputs : ChainInputs
    posterior : array_like, shape (T, N, N), optional
        Filled with the smoothed posterior over the joint state of every step, block by block from the
        last: an array, a memory map or a NetCDF variable, so a long record's need not fit in memory.

    Returns
    -------
    ExpectedCounts

    Raises
    ------
    ValueError
        If an index lies outside the tables.
    """
    for with_tails in _attempts(tables):
        counts = _scaled_counts(tables, inputs, with_tails, posterior)
        if counts is not None:
            return counts
    return log_expected_counts(tables, inputs, posterior)


def _attempts(tables: ChainTables) -> tuple[bool, ...]:
    """Whether to keep the kernels' tails, one try after the other."""
    n = tables.kernels_1.shape[1]
    return (False, True) if negligible(n, False) > negligible(n, True) else (False,)


def _scaled_counts(
    tables: ChainTables, inputs: ChainInputs, with_tails: bool, posterior=None
) -> ExpectedCounts | None:
    """Scaled forward-backward; None if what it set to zero may matter, or a number overflowed."""
    chain = _Chain(tables, inputs, with_tails)
    log_likelihood, alpha, checkpoints, normalizer = chain.run()
    if not np.isfinite(log_likelihood):
        return None
    n = chain.n
    block_posterior = np.empty((0 if posterior is None else chain.block, n, n))
    counts = _kernels.PaddedCounts(
        emissions=aligned(chain.tables.emissions.shape),
        ratio_1_t=aligned(chain.tables.kernels_1.shape),
        ratio_2=aligned(chain.tables.kernels_2.shape),
        extent=aligned((2 * LANES,)),
    )
    counts.extent[:LANES] = np.inf
    beta = aligned((n, padded_width(n)))
    beta[:, :n] = normalizer[-1]
    beta = beta.ravel()
    for number in reversed(range(len(chain.begins))):
        begin = chain.begins[number]
        end = min(begin + chain.block, chain.n_steps)
        if number < len(chain.begins) - 1:
            alpha[0] = checkpoints[number]
            chain.forward(begin, alpha, normalizer)
        _kernels.chain_backward(
            chain.tables,
            chain.observed,
            begin,
            end,
            chain.work,
            alpha,
            normalizer,
            beta,
            counts,
            block_posterior[: end - begin],
        )
        if posterior is not None:
            posterior[begin:end] = block_posterior[: end - begin]
    least, most = counts.extent[:LANES].min(), counts.extent[LANES:].max()
    # The largest share that what is set to zero in one step can have, whatever state it is of:
    # beta after that step, scaled as beta before it, over the latter.
    share = negligible(n, with_tails) * (1.0 + most * normalizer.max())
    certain = share <= _TOLERATED * min(least, 1.0)
    if not (certain and np.isfinite(counts.ratio_1_t).all() and np.isfinite(counts.ratio_2).all()):
        return None
    n_kernels = tables.kernels_1.shape[0]
    ratio_1 = from_padded(counts.ratio_1_t, n).transpose(0, 2, 1)
    ratio_2 = from_padded(counts.ratio_2, n)
    return ExpectedCounts(
        log_likelihood,
        np.ascontiguousarray(from_padded(counts.emissions, n)),
        ratio_1[:n_kernels],
        ratio_2[:n_kernels],
        ratio_1[n_kernels:].sum(1),
        ratio_2[n_kernels:].sum(1),
    )


def most_probable_path(
    tables: ChainTables, inputs: ChainInputs
) -> tuple[np.ndarray, np.ndarray, float]:
    """Most probable joint path (Viterbi) and the log-probability of path and observations.

    Returns
    -------
    path_1, path_2 : ndarray of int, shape (T,)
    log_probability : float
    """
    path_1 = np.zeros(inputs.n_steps, dtype=np.int64)
    path_2 = np.zeros(inputs.n_steps, dtype=np.int64)
    with np.errstate(divide="ignore"):
        logs = _kernels.LogTables(
            tables.log_emissions,
            *(
                np.log(table)
                for table in (
                    tables.kernels_1,
                    tables.kernels_2,
                    tables.resets_1,
                    tables.resets_2,
                )
            ),
        )
    log_probability = _kernels.chain_viterbi(
        logs, inputs.emitted, inputs.kernel_1, inputs.kernel_2, inputs.reset, path_1, path_2
    )
    return path_1, path_2, float(log_probability)
