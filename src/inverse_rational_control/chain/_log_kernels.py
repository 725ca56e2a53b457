"""Compiled passes over the chain in logarithms, where scaled probabilities underflow; private.

What `_kernels` does with products, here with sums of exponentials: a step costs N^3 of them, some
hundred times as much. Source: docs/model.md section 6.
"""

from __future__ import annotations

import math

import numpy as np

from inverse_rational_control.compiled import compiled

#: A term this far below the largest, in nats, is lost in its rounding.
_LOST = 40.0


@compiled()
def log_sum(one, other):
    """Log of the sum over exp(one + other), two vectors; -inf if all terms are impossible."""
    most = -np.inf
    for k in range(one.size):
        most = max(most, one[k] + other[k])
    if most == -np.inf:
        return most
    total = 0.0
    for k in range(one.size):
        below = one[k] + other[k] - most
        if below > -_LOST:
            total += math.exp(below)
    return most + math.log(total)


@compiled()
def log_forward(emissions, kernels_1, kernels_2, emitted, index_1, index_2, begin, end, alpha):
    """Forward pass over steps begin..end-1; returns the log-probability of what they show.

    Logarithms of emissions [emission, N, N] and kernels [kernel, from, to]. alpha [1 + steps, N, N]:
    row 0 is the state before `begin`, row 1 + k is filled for step begin + k, each of log-sum zero.
    Returns -inf where the observations are impossible.
    """
    n = emissions.shape[1]
    by_1 = np.empty((n, n))  # [to 1, from 2]
    zero = np.zeros(n * n)
    reached = 0.0
    for t in range(begin, end):
        before, here = alpha[t - begin], alpha[t - begin + 1]
        emission = emissions[emitted[t]]
        c_1, c_2 = index_1[t], index_2[t]
        if c_1 < 0:
            here[:] = emission - 2.0 * math.log(n)
        else:
            for j1 in range(n):
                for i2 in range(n):
                    by_1[j1, i2] = log_sum(kernels_1[c_1, :, j1], before[:, i2])
            for j1 in range(n):
                for j2 in range(n):
                    here[j1, j2] = emission[j1, j2] + log_sum(kernels_2[c_2, :, j2], by_1[j1])
        total = log_sum(here.ravel(), zero)
        if total == -np.inf:
            return total
        here -= total
        reached += total
    return reached


@compiled()
def log_backward(
    emissions,
    kernels_1,
    kernels_2,
    emitted,
    index_1,
    index_2,
    begin,
    end,
    alpha,
    beta,
    emission_counts,
    ratio_1,
    ratio_2,
    posterior,
):
    """Backward pass over steps end-1..begin that adds up expected counts.

    Takes what `log_forward` filled. beta [N, N] is carried from the steps after and left for those
    before; alpha + beta has log-sum zero. Adds to emission_counts, and to counts of moves divided by the
    kernel entry, ratio_1, ratio_2 [kernel, from, to]. posterior [steps, N, N] is filled unless empty.
    """
    n = emissions.shape[1]
    by_1 = np.empty((n, n))  # [to 1, from 2]: the state moved by kernel 1
    ahead = np.empty((n, n))  # [to 1, to 2]: beta and emission
    ahead_2 = np.empty((n, n))  # [to 1, from 2]: ahead, moved back by kernel 2
    for t in range(end - 1, begin - 1, -1):
        before, here = alpha[t - begin], alpha[t - begin + 1]
        shown = emitted[t]
        for i in range(n):
            for j in range(n):
                weight = math.exp(here[i, j] + beta[i, j])
                emission_counts[shown, i, j] += weight
                if posterior.size:
                    posterior[t - begin, i, j] = weight
        c_1, c_2 = index_1[t], index_2[t]
        if c_1 < 0:
            beta[:] = 0.0
            continue
        ahead[:] = beta + emissions[shown]
        for j1 in range(n):
            for i2 in range(n):
                ahead_2[j1, i2] = log_sum(kernels_2[c_2, i2], ahead[j1])
                by_1[j1, i2] = log_sum(kernels_1[c_1, :, j1], before[:, i2])
        for i1 in range(n):
            for i2 in range(n):
                beta[i1, i2] = log_sum(kernels_1[c_1, i1], ahead_2[:, i2])
        total = -np.inf
        for i1 in range(n):
            total = np.logaddexp(total, log_sum(before[i1], beta[i1]))
        beta -= total
        # A kernel entry of zero is never used: its ratio could be any number.
        for i1 in range(n):
            for j1 in range(n):
                if kernels_1[c_1, i1, j1] > -np.inf:
                    ratio = log_sum(before[i1], ahead_2[j1]) - total
                    ratio_1[c_1, i1, j1] += math.exp(ratio)
        for i2 in range(n):
            for j2 in range(n):
                if kernels_2[c_2, i2, j2] > -np.inf:
                    ratio = log_sum(by_1[:, i2], ahead[:, j2]) - total
                    ratio_2[c_2, i2, j2] += math.exp(ratio)
