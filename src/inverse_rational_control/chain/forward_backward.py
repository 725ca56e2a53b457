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

from inverse_rational_control.chain.best_path import BestPath
from inverse_rational_control.chain.log_space import (
    log_chain_log_likelihood,
    log_expected_counts,
    log_step_log_likelihoods,
)
from inverse_rational_control.chain.passes import Passes, attempts, counts_of, hand_on, room
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

#: Largest range of an emission, in nats, with which no state is so unlike the others that what is set to
#: zero could matter: it would have to be the only one not to pay it, at ten steps on end.
_TAME = 23.0


def chain_log_likelihood(tables: ChainTables, inputs: ChainInputs) -> float:
    """Log-likelihood alone, in nats: the forward pass.

    Raises
    ------
    ValueError
        If an index lies outside the tables.
    """
    if tables.emission_range(inputs) <= _TAME:
        return Passes(tables, room(tables, inputs, forward_only=True)).run()
    # Only the backward pass can tell whether what the forward pass set to zero matters.
    for with_tails in attempts(tables):
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
    chain = Passes(tables, room(tables, inputs, forward_only=True))
    if not np.isfinite(chain.run()):
        return log_step_log_likelihoods(tables, inputs)
    return chain.offset[inputs.emitted] - np.log(chain.room.normalizer)


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
    for with_tails in attempts(tables):
        counts = _scaled_counts(tables, inputs, with_tails, posterior)
        if counts is not None:
            return counts
    return log_expected_counts(tables, inputs, posterior)


def _scaled_counts(
    tables: ChainTables, inputs: ChainInputs, with_tails: bool, posterior=None
) -> ExpectedCounts | None:
    """Scaled forward-backward; None if what it set to zero may matter, or a number overflowed."""
    own = room(tables, inputs)
    counts = counts_of(Passes(tables, own, with_tails), posterior)
    hand_on(own)
    return counts


def most_probable_path(
    tables: ChainTables, inputs: ChainInputs
) -> tuple[np.ndarray, np.ndarray, float]:
    """Most probable joint path (Viterbi) and the log-probability of path and observations.

    Returns
    -------
    path_1, path_2 : ndarray of int, shape (T,)
    log_probability : float
    """
    best = BestPath(tables, inputs)
    path = np.empty((inputs.n_steps, 2), dtype=np.int64)
    for begin, end in reversed(best.blocks):
        path[begin:end] = best.block(begin, end)
    return np.ascontiguousarray(path[:, 0]), np.ascontiguousarray(path[:, 1]), best.log_probability
