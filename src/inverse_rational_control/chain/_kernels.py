"""Compiled passes over the chain; private, no input checks. `plain` has the same passes to read.

Matrices are flat and padded as `_vector_code` takes them; what is done to a whole matrix stands there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from inverse_rational_control.chain._vector_code import (
    filter_entries,
    multiply_add,
    multiply_add_transposed,
    multiply_left,
    multiply_left_transposed,
    multiply_right,
    smooth_entries,
    transpose,
)
from inverse_rational_control.compiled import compiled

# Division that may raise keeps loops from becoming vector code.
_OPTIONS = {"error_model": "numpy"}


class Bands(NamedTuple):
    """Ranges of k [kernel, row block, column block, 2] for the tiles of each product with a kernel.

    Unused, so without entries, where products are formed whole.
    """

    from_1: np.ndarray
    to_1: np.ndarray
    from_2: np.ndarray
    to_2: np.ndarray
    ratio_1_t: np.ndarray
    ratio_2: np.ndarray


class PaddedTables(NamedTuple):
    """The chain's tables, each matrix flat: N rows of width P. A reset row is a kernel of equal rows.

    emissions [emission, N P] over (factor 1, factor 2); kernels_1, kernels_2 [kernel, N P] over (from,
    to); kernels_2_t the latter over (to, from). size and width: tuples of N and of P numbers.
    """

    emissions: np.ndarray
    kernels_1: np.ndarray
    kernels_2: np.ndarray
    kernels_2_t: np.ndarray
    bands: Bands
    size: tuple
    width: tuple


class Observed(NamedTuple):
    """Indices of each step into the tables, [step]; `index_1` is negative where a chain starts."""

    emitted: np.ndarray
    index_1: np.ndarray
    index_2: np.ndarray


class PaddedCounts(NamedTuple):
    """Expected counts, laid out as the tables.

    emissions [emission, N P]; counts of moves divided by the kernel entry itself, so that entries that
    underflow never give 0/0: ratio_1_t [kernel, N P] over (to, from), ratio_2 [kernel, N P] over
    (from, to).

    extent [2 LANES]: the least and the largest entry of beta at any step, by lanes.
    """

    emissions: np.ndarray
    ratio_1_t: np.ndarray
    ratio_2: np.ndarray
    extent: np.ndarray


class LogTables(NamedTuple):
    """Logarithms of emissions [emission, N, N] and kernels [kernel, N, N]; a reset row is a kernel."""

    emissions: np.ndarray
    kernels_1: np.ndarray
    kernels_2: np.ndarray


@compiled(**_OPTIONS)
def chain_forward(tables, observed, begin, end, work, alpha, normalizer):
    """Scaled forward pass over steps begin..end-1; false if the observations are impossible.

    alpha [1 + steps, N P] over (factor 1, factor 2): row 0 is the state before `begin`, row 1 + k is
    filled for step begin + k, scaled by the sum of the row before, not yet by its own: so no step waits
    for a sum and a division. normalizer [step] is filled for these steps: one over that sum.
    work [4, N P].
    """
    emissions, kernels_1, kernels_2, _, bands, size, width = tables
    emitted, index_1, index_2 = observed
    # Taken out here: in the loop, asking a tuple for an array counts references.
    from_1, _, from_2, _, _, _ = bands
    n = len(size)
    p = len(width)
    by_1 = work[0]  # [to 1, from 2]
    predicted = work[1]
    inverse = normalizer[begin - 1] if begin > 0 else 1.0
    for t in range(begin, end):
        c_1, c_2 = index_1[t], index_2[t]
        if c_1 < 0:
            inverse = 1.0
            for i in range(n):
                for j in range(n):
                    predicted[i * p + j] = 1.0 / (n * n)
        else:
            multiply_left_transposed(
                kernels_1[c_1], alpha[t - begin], by_1, from_1, c_1, size, width
            )
            multiply_right(by_1, kernels_2[c_2], predicted, from_2, c_2, size, width)
        emission = emissions[emitted[t]]
        total = filter_entries(predicted, emission, inverse, alpha[t - begin + 1], size, width)
        if not total > 0.0:
            return False
        inverse = 1.0 / total
        normalizer[t] = inverse
    return True


@compiled(**_OPTIONS)
def chain_backward(tables, observed, begin, end, work, alpha, normalizer, beta, counts, posterior):
    """Backward pass over steps end-1..begin that adds up expected counts.

    Takes what `chain_forward` filled. beta [N P] is carried from the steps after and left for those
    before; alpha times beta is the posterior, so beta has its step's normalizer in it. Adds to
    `counts`. posterior [steps, N, N] is filled unless empty. work [4, N P].

    A product reads its left factor number by number and its right one in rows, so a sum over factor 2
    needs one of its two matrices transposed: once per step, off the path that the next step waits for.
    """
    emissions, kernels_1, _, kernels_2_t, bands, size, width = tables
    emitted, index_1, index_2 = observed
    emission_counts, ratio_1_t, ratio_2, extent = counts
    from_1, to_1, _, to_2, band_1_t, band_2 = bands
    n = len(size)
    p = len(width)
    ahead = work[0]  # [to 1, to 2]: beta times emission
    by_1 = work[1]  # [to 1, from 2]: the state moved by kernel 1
    ahead_2 = work[2]  # [to 1, from 2]: ahead, moved back by kernel 2
    before_t = work[3]  # [from 2, from 1]
    for t in range(end - 1, begin - 1, -1):
        here = alpha[t - begin + 1]
        if posterior.size:
            for i in range(n):
                for j in range(n):
                    posterior[t - begin, i, j] = here[i * p + j] * beta[i * p + j]
        inverse = normalizer[t - 1] if t > 0 else 1.0
        shown = emitted[t]
        smooth_entries(
            here,
            beta,
            emissions[shown],
            inverse,
            emission_counts[shown],
            ahead,
            extent,
            size,
            width,
        )
        c_1, c_2 = index_1[t], index_2[t]
        if c_1 < 0:
            for i in range(n):
                for j in range(n):
                    beta[i * p + j] = inverse
            continue
        before = alpha[t - begin]
        kernel_1 = kernels_1[c_1]
        multiply_right(ahead, kernels_2_t[c_2], ahead_2, to_2, c_2, size, width)
        multiply_left_transposed(kernel_1, before, by_1, from_1, c_1, size, width)
        multiply_left(kernel_1, ahead_2, beta, to_1, c_1, size, width)
        transpose(before, before_t, size, width)
        multiply_add_transposed(by_1, ahead, ratio_2[c_2], band_2, c_2, size, width)
        multiply_add(ahead_2, before_t, ratio_1_t[c_1], band_1_t, c_1, size, width)


@compiled()
def chain_viterbi(logs, observed, begin, end, score, from_1, from_2, ends):
    """Max-product over steps begin..end-1, factor by factor; ties go to the lower bin.

    logs: `LogTables`; observed: `Observed`. score [N, N] is that of the step before `begin`, and left as
    that of the last one. Filled, by step - begin: from_1 [.., to 1, to 2], the best bin of factor 1
    before; from_2 [.., from 1, to 2], that of factor 2; ends [.., 2], where a chain ends, its best last
    bins. Returns the log-probability of the chains that end here.
    """
    # Taken apart first: a loop that asks a tuple for an array counts references, which takes longest.
    emissions, kernels_1, kernels_2 = logs
    emitted, index_1, index_2 = observed
    n = emissions.shape[1]
    half = np.empty((n, n))
    total = 0.0
    log_uniform = -2.0 * math.log(n)
    for t in range(begin, end):
        emission = emissions[emitted[t]]
        c_1, c_2 = index_1[t], index_2[t]
        if c_1 < 0:
            for j1 in range(n):
                for j2 in range(n):
                    score[j1, j2] = log_uniform + emission[j1, j2]
        else:
            for i1 in range(n):
                for j2 in range(n):
                    best = -np.inf
                    which = 0
                    for i2 in range(n):
                        step = kernels_2[c_2, i2, j2]
                        if score[i1, i2] + step > best:
                            best = score[i1, i2] + step
                            which = i2
                    half[i1, j2] = best
                    from_2[t - begin, i1, j2] = which
            for j1 in range(n):
                for j2 in range(n):
                    best = -np.inf
                    which = 0
                    for i1 in range(n):
                        step = kernels_1[c_1, i1, j1]
                        if half[i1, j2] + step > best:
                            best = half[i1, j2] + step
                            which = i1
                    score[j1, j2] = best + emission[j1, j2]
                    from_1[t - begin, j1, j2] = which
        if t == emitted.size - 1 or index_1[t + 1] < 0:
            best = -np.inf
            for j1 in range(n):
                for j2 in range(n):
                    if score[j1, j2] > best:
                        best = score[j1, j2]
                        ends[t - begin, 0] = j1
                        ends[t - begin, 1] = j2
            total += best
    return total


@compiled()
def chain_traceback(index_1, begin, end, from_1, from_2, ends, here, path):
    """Follow what `chain_viterbi` filled back over steps end-1..begin.

    here [2]: bins at step end - 1 as the steps after say, unless a chain ends there; left as those of
    step begin - 1. path [step - begin, 2] is filled.
    """
    for t in range(end - 1, begin - 1, -1):
        k = t - begin
        if t == index_1.size - 1 or index_1[t + 1] < 0:
            here[0] = ends[k, 0]
            here[1] = ends[k, 1]
        path[k, 0] = here[0]
        path[k, 1] = here[1]
        if index_1[t] >= 0:
            here[0] = from_1[k, path[k, 0], path[k, 1]]
            here[1] = from_2[k, here[0], path[k, 1]]
