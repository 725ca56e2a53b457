"""The chain's E-step in logarithms over the joint state: nothing is scaled, nothing underflows."""

import numpy as np
from scipy.special import logsumexp


def joint_kernel(tables, inputs, t):
    """Logarithm of the move into step t, [from, to] over joint states."""
    kernels = []
    for factor, (kernel, reset, index) in enumerate(
        (
            (tables.kernels_1, tables.resets_1, inputs.kernel_1),
            (tables.kernels_2, tables.resets_2, inputs.kernel_2),
        ),
        start=1,
    ):
        table = kernel[index[t]]
        if inputs.reset[t] == factor:
            table = np.tile(reset[index[t]], (len(table), 1))
        kernels.append(table)
    with np.errstate(divide="ignore"):
        first, second = np.log(kernels[0]), np.log(kernels[1])
    n = len(first)
    return (first[:, None, :, None] + second[None, :, None, :]).reshape(n * n, n * n)


def e_step(tables, inputs):
    """Log-likelihood, posterior [step, N, N], and expected moves of each factor [step, from, to]."""
    n, n_steps = tables.kernels_1.shape[1], inputs.n_steps
    emissions = tables.log_emissions[inputs.emitted].reshape(n_steps, -1)
    alpha, beta = np.zeros((2, n_steps, n * n))
    starts = np.flatnonzero(inputs.reset < 0)
    log_likelihood = 0.0
    for t in range(n_steps):
        if inputs.reset[t] < 0:
            alpha[t] = emissions[t] - 2 * np.log(n)
        else:
            moved = logsumexp(alpha[t - 1][:, None] + joint_kernel(tables, inputs, t), axis=0)
            alpha[t] = moved + emissions[t]
        if t + 1 == n_steps or t + 1 in starts:
            log_likelihood += logsumexp(alpha[t])
    for t in range(n_steps - 2, -1, -1):
        if t + 1 not in starts:
            ahead = beta[t + 1] + emissions[t + 1]
            beta[t] = logsumexp(joint_kernel(tables, inputs, t + 1) + ahead, axis=1)
    posterior = alpha + beta
    posterior = np.exp(posterior - logsumexp(posterior, axis=1, keepdims=True))
    moves = np.zeros((2, n_steps, n, n))
    for t in range(n_steps):
        if inputs.reset[t] >= 0:
            ahead = beta[t] + emissions[t]
            pair = alpha[t - 1][:, None] + joint_kernel(tables, inputs, t) + ahead
            pair = np.exp(pair - logsumexp(pair)).reshape(n, n, n, n)
            moves[0, t], moves[1, t] = pair.sum((1, 3)), pair.sum((0, 2))
    return float(log_likelihood), posterior.reshape(n_steps, n, n), moves
