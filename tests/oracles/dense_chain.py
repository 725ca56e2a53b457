"""Scaled forward-backward with whole matrices at every step (docs/model.md section 6)."""

import numpy as np


def smooth(tables, inputs):
    """Log-likelihood, posterior [step, N, N] and a dict of expected counts as in `ExpectedCounts`.

    Moves are counts here, [kernel, from, to] and [kernel, to] of resets, not ratios.
    """
    n = tables.kernels_1.shape[1]
    n_steps = len(inputs.emitted)
    emission = np.exp(tables.log_emissions)
    alpha = np.empty((n_steps, n, n))
    scale = np.empty(n_steps)

    def kernels(t):
        index_1, index_2 = inputs.kernel_1[t], inputs.kernel_2[t]
        kernel_1, kernel_2 = tables.kernels_1[index_1], tables.kernels_2[index_2]
        if inputs.reset[t] == 1:
            kernel_1 = np.tile(tables.resets_1[index_1], (n, 1))
        if inputs.reset[t] == 2:
            kernel_2 = np.tile(tables.resets_2[index_2], (n, 1))
        return kernel_1, kernel_2

    for t in range(n_steps):
        state = np.full((n, n), 1.0 / n**2)
        if inputs.reset[t] >= 0:
            state = np.einsum("ab,ai,bj->ij", alpha[t - 1], *kernels(t), optimize=True)
        state = state * emission[inputs.emitted[t]]
        scale[t] = state.sum()
        alpha[t] = state / scale[t]
    counts = {
        "emissions": np.zeros_like(tables.log_emissions),
        "moves_1": np.zeros_like(tables.kernels_1),
        "moves_2": np.zeros_like(tables.kernels_2),
        "resets_1": np.zeros_like(tables.resets_1),
        "resets_2": np.zeros_like(tables.resets_2),
    }
    posterior = np.empty_like(alpha)
    beta = np.ones((n, n))
    for t in reversed(range(n_steps)):
        posterior[t] = alpha[t] * beta
        counts["emissions"][inputs.emitted[t]] += posterior[t]
        if inputs.reset[t] < 0:
            beta = np.ones((n, n))
            continue
        ahead = beta * emission[inputs.emitted[t]] / scale[t]
        pair = kernels(t)
        joint = np.einsum("ab,ai,bj,ij->abij", alpha[t - 1], *pair, ahead, optimize=True)
        moves = joint.sum((1, 3)), joint.sum((0, 2))
        indices = inputs.kernel_1[t], inputs.kernel_2[t]
        for box, (move, index) in enumerate(zip(moves, indices, strict=True), start=1):
            if inputs.reset[t] == box:
                counts[f"resets_{box}"][index] += move.sum(0)
            else:
                counts[f"moves_{box}"][index] += move
        beta = np.einsum("ai,bj,ij->ab", *pair, ahead, optimize=True)
    return np.log(scale).sum(), posterior, counts
