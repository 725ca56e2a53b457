"""The passes over the chain, plainly: what `forward_backward` computes, to be read first.

One step of a pass is a line or two of matrices over (factor 1, factor 2). The tests hold the compiled
passes to these; a long record takes them minutes. Source: docs/model.md section 6.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.chain.tables import ChainInputs, ChainTables, ExpectedCounts

__all__ = ["backward", "forward", "most_probable_path"]


def _moves(tables: ChainTables, inputs: ChainInputs):
    """Kernel of each factor on the move into a step, as a function of the step."""
    kernels_1, kernels_2 = tables.with_resets_as_kernels()
    index_1, index_2 = inputs.with_resets_as_kernels(len(tables.kernels_1))
    return lambda t: (kernels_1[index_1[t]], kernels_2[index_2[t]])


def forward(tables: ChainTables, inputs: ChainInputs) -> tuple[np.ndarray, np.ndarray]:
    """State given the observations so far, and how probable each was given those before it.

    Returns
    -------
    filtered : ndarray, shape (T, N, N)
        [step, factor 1, factor 2], each of sum 1.
    probability : ndarray, shape (T,)
        The sum of their logarithms is the log-likelihood.
    """
    n = tables.kernels_1.shape[1]
    emissions, moves = np.exp(tables.log_emissions), _moves(tables, inputs)
    filtered = np.empty((inputs.n_steps, n, n))
    probability = np.empty(inputs.n_steps)
    for t in range(inputs.n_steps):
        if inputs.reset[t] < 0:
            predicted = np.full((n, n), 1.0 / n**2)
        else:
            kernel_1, kernel_2 = moves(t)
            predicted = kernel_1.T @ filtered[t - 1] @ kernel_2
        conditioned = predicted * emissions[inputs.emitted[t]]
        probability[t] = conditioned.sum()
        filtered[t] = conditioned / probability[t]
    return filtered, probability


def backward(
    tables: ChainTables, inputs: ChainInputs, filtered: np.ndarray, probability: np.ndarray
) -> tuple[np.ndarray, ExpectedCounts]:
    """State given all observations, and the expected counts; takes what `forward` returns.

    Returns
    -------
    posterior : ndarray, shape (T, N, N)
        [step, factor 1, factor 2].
    counts : ExpectedCounts
    """
    n_kernels, n, _ = tables.kernels_1.shape
    emissions, moves = np.exp(tables.log_emissions), _moves(tables, inputs)
    index_1, index_2 = inputs.with_resets_as_kernels(n_kernels)
    shown = np.zeros_like(emissions)
    ratio_1, ratio_2 = np.zeros((2, 2 * n_kernels, n, n))
    posterior = np.empty_like(filtered)
    beta = np.ones((n, n))
    for t in reversed(range(inputs.n_steps)):
        posterior[t] = filtered[t] * beta
        shown[inputs.emitted[t]] += posterior[t]
        if inputs.reset[t] < 0:
            beta = np.ones((n, n))
            continue
        kernel_1, kernel_2 = moves(t)
        ahead = beta * emissions[inputs.emitted[t]] / probability[t]
        # A move's probability is filtered [from] kernel_1 kernel_2 ahead [to]; one kernel is left out.
        ratio_1[index_1[t]] += filtered[t - 1] @ kernel_2 @ ahead.T
        ratio_2[index_2[t]] += filtered[t - 1].T @ kernel_1 @ ahead
        beta = kernel_1 @ ahead @ kernel_2.T
    return posterior, ExpectedCounts(
        float(np.log(probability).sum()),
        shown,
        ratio_1[:n_kernels],
        ratio_2[:n_kernels],
        ratio_1[n_kernels:].sum(1),
        ratio_2[n_kernels:].sum(1),
    )


def most_probable_path(tables: ChainTables, inputs: ChainInputs) -> tuple[np.ndarray, float]:
    """Viterbi: most probable joint path, shape (T, 2), and log-probability of it and what is observed.

    Ties go to the lower bin.
    """
    n = tables.kernels_1.shape[1]
    moves = _moves(tables, inputs)
    best_before = np.zeros((inputs.n_steps, n * n), dtype=int)  # the joint state before each
    path = np.empty(inputs.n_steps, dtype=int)
    score = np.zeros(n * n)
    scores = []
    with np.errstate(divide="ignore"):
        for t in range(inputs.n_steps):
            if inputs.reset[t] < 0:
                score = np.full(n * n, score.max() - 2 * np.log(n))
            else:
                reached = score[:, None] + np.log(np.kron(*moves(t)))  # [from, to]
                best_before[t], score = reached.argmax(0), reached.max(0)
            score = score + tables.log_emissions[inputs.emitted[t]].ravel()
            scores.append(score)
    for t in reversed(range(inputs.n_steps)):
        if t == inputs.n_steps - 1 or inputs.reset[t + 1] < 0:
            path[t] = scores[t].argmax()
        else:
            path[t] = best_before[t + 1, path[t + 1]]
    return np.stack(np.divmod(path, n), 1), float(score.max())
