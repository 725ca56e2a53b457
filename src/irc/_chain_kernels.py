"""Numba loops beneath `chain`; private, no input checks. Plain twins are in tests/oracles.

The time goes into products of small matrices. Plain loops over rows of ten or twenty numbers are not
vectorised well by the compiler: it unrolls them and then finds nothing to vectorise. So these products
are emitted as vector code (`_product`). Matrices are flat, N rows of a width P that is N rounded up to
whole vectors; the columns beyond N hold zeros. N and P come as the lengths of two tuples, and so are
known when the code is compiled. The products stand in this file because the compiled code kept on disk
is renewed only when the loops' own file changes.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.extending import intrinsic

#: Numbers per vector; machines with shorter vectors split them.
LANES = 8
_REGISTERS = 24  # vectors that one factor of a product may occupy


def _product(accumulate: bool):
    """Intrinsic out = left @ right, or out += left @ right, on flat arrays."""

    def typing(context, left, right, out, size, width):
        n, p = len(size), len(width)

        def generate(context, builder, signature, arguments):
            number = ir.DoubleType()
            vector = ir.VectorType(number, LANES)
            fused = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{LANES}f64"
            )
            index = context.get_value_type(types.intp)
            zero = ir.Constant(vector, [0.0] * LANES)
            first = ir.Constant(ir.IntType(32), 0)
            spread = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            nothing = ir.Constant(vector, ir.Undefined)
            a, b, c = (
                context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[:3], arguments[:3], strict=True)
            )

            def place(base, row, column):
                where = builder.add(row, ir.Constant(index, column))
                return builder.gep(base, [where])

            def vector_at(base, row, column):
                return builder.bitcast(place(base, row, column), vector.as_pointer())

            columns = range(0, p, LANES)

            def row_of_right(k):
                source = ir.Constant(index, k * p)
                return [builder.load(vector_at(b, source, column), align=8) for column in columns]

            # A small right factor is loaded once and stays in registers.
            kept = [row_of_right(k) for k in range(n)] if n * len(columns) <= _REGISTERS else None
            with cgutils.for_range(builder, ir.Constant(index, n)) as loop:
                row = builder.mul(loop.index, ir.Constant(index, p))
                sums = [
                    builder.load(vector_at(c, row, column), align=8) if accumulate else zero
                    for column in columns
                ]
                for k in range(n):
                    one = builder.insert_element(nothing, builder.load(place(a, row, k)), first)
                    all_lanes = builder.shuffle_vector(one, nothing, spread)
                    for v, terms in enumerate(kept[k] if kept else row_of_right(k)):
                        sums[v] = builder.call(fused, [all_lanes, terms, sums[v]])
                for v, column in enumerate(columns):
                    builder.store(sums[v], vector_at(c, row, column), align=8)
            return context.get_dummy_value()

        return types.void(left, right, out, size, width), generate

    return intrinsic(typing)


_multiply = _product(accumulate=False)
_multiply_add = _product(accumulate=True)

# Sums may be reordered (into vectors) and multiply-adds fused in the two chain loops: fixed when they
# are compiled, so repeatable on one machine. Numbers below NEGLIGIBLE are set to zero: products of two
# of them would leave the normal range, where arithmetic is a hundred times slower.
_CHAIN_MATH = {"contract", "reassoc"}
NEGLIGIBLE = 1e-100


@njit(cache=True, fastmath=_CHAIN_MATH, error_model="numpy")
def chain_forward(
    emissions,
    to_from_1,
    from_to_2,
    emitted,
    index_1,
    index_2,
    begin,
    end,
    alpha,
    scale,
    size,
    width,
):
    """Scaled forward pass over steps begin..end-1; false if the observations are impossible.

    Tables are flat, N rows of width P (see above): emissions [emission, N P], [factor 1, factor 2];
    to_from_1 [kernel, N P], [to, from]; from_to_2 [kernel, N P], [from, to]. index_1 < 0 where a chain
    starts. alpha [1 + steps, N P]: row 0 is the state before `begin`, row 1 + k is filled for step
    begin + k. scale [T] is filled for these steps.
    """
    n = len(size)
    p = len(width)
    q = n * p
    by_1 = np.zeros(q)  # [to 1, from 2]
    current = np.zeros(q)
    for t in range(begin, end):
        if index_1[t] < 0:
            for i in range(n):
                for j in range(n):
                    current[i * p + j] = 1.0 / (n * n)
        else:
            _multiply(to_from_1[index_1[t]], alpha[t - begin], by_1, size, width)
            _multiply(by_1, from_to_2[index_2[t]], current, size, width)
        emission = emissions[emitted[t]]
        total = 0.0
        for k in range(q):
            current[k] *= emission[k]
            total += current[k]
        if not total > 0.0:
            return False
        scale[t] = total
        inverse = 1.0 / total
        filled = alpha[t - begin + 1]
        for k in range(q):
            value = current[k] * inverse
            filled[k] = value if value > NEGLIGIBLE else 0.0
    return True


@njit(cache=True, fastmath=_CHAIN_MATH, error_model="numpy")
def chain_backward(
    emissions_t,
    to_from_1,
    from_to_2,
    emitted,
    index_1,
    index_2,
    begin,
    end,
    alpha,
    scale,
    beta_t,
    emission_counts,
    ratio_1,
    ratio_2_t,
    posterior,
    size,
    width,
):
    """Backward pass over steps end-1..begin that adds up expected counts.

    Takes what `chain_forward` filled; emissions_t are the emissions transposed, [factor 2, factor 1].
    beta_t [N P], [factor 2, factor 1], is carried from the steps after and left for those before.
    Adds to emission_counts [emission, N, N] and, divided by the kernel entry itself (so entries that
    underflow never give 0/0), to ratio_1 [kernel, N P], [from, to], and ratio_2_t [kernel, N P],
    [to, from]. posterior [steps, N, N] is filled unless empty. Every product below has its left factor
    read number by number and its right one in rows, so nothing is transposed on the way.
    """
    n = len(size)
    p = len(width)
    q = n * p
    ahead_t = np.zeros(q)  # [to 2, to 1]: emission times beta, scaled
    by_2 = np.zeros(q)  # [from 2, to 1]
    by_1 = np.zeros(q)  # [to 1, from 2]
    for t in range(end - 1, begin - 1, -1):
        here = alpha[t - begin + 1]
        counts = emission_counts[emitted[t]]
        for i in range(n):
            for j in range(n):
                counts[i, j] += here[i * p + j] * beta_t[j * p + i]
        if posterior.size:
            for i in range(n):
                for j in range(n):
                    posterior[t - begin, i, j] = here[i * p + j] * beta_t[j * p + i]
        if index_1[t] < 0:
            for j in range(n):
                for i in range(n):
                    beta_t[j * p + i] = 1.0
            continue
        before = alpha[t - begin]
        emission = emissions_t[emitted[t]]
        inverse = 1.0 / scale[t]
        for k in range(q):
            value = emission[k] * beta_t[k] * inverse
            ahead_t[k] = value if value > NEGLIGIBLE else 0.0
        kernel_1 = to_from_1[index_1[t]]
        _multiply(from_to_2[index_2[t]], ahead_t, by_2, size, width)
        _multiply_add(before, by_2, ratio_1[index_1[t]], size, width)
        _multiply(kernel_1, before, by_1, size, width)
        _multiply_add(ahead_t, by_1, ratio_2_t[index_2[t]], size, width)
        _multiply(by_2, kernel_1, beta_t, size, width)


@njit(cache=True)
def chain_viterbi(
    log_emissions,
    log_kernels_1,
    log_kernels_2,
    log_resets_1,
    log_resets_2,
    emitted,
    index_1,
    index_2,
    reset,
    path_1,
    path_2,
):
    """Most probable joint path by max-product, factor by factor; fills path_1 and path_2 [step].

    Ties go to the lower bin. Returns the log-probability of path and observations.
    """
    n_steps = emitted.size
    n = log_emissions.shape[1]
    from_1 = np.zeros((n_steps, n, n), dtype=np.uint16)  # best i1 given (j1, j2)
    from_2 = np.zeros((n_steps, n, n), dtype=np.uint16)  # best i2 given (i1, j2)
    best_end_1 = np.zeros(n_steps, dtype=np.int64)
    best_end_2 = np.zeros(n_steps, dtype=np.int64)
    score = np.empty((n, n))
    half = np.empty((n, n))
    total = 0.0
    log_uniform = -2.0 * math.log(n)
    for t in range(n_steps):
        emission = log_emissions[emitted[t]]
        if reset[t] < 0:
            for j1 in range(n):
                for j2 in range(n):
                    score[j1, j2] = log_uniform + emission[j1, j2]
        else:
            for i1 in range(n):
                for j2 in range(n):
                    best = -np.inf
                    which = 0
                    for i2 in range(n):
                        if reset[t] == 2:
                            step = log_resets_2[index_2[t], j2]
                        else:
                            step = log_kernels_2[index_2[t], i2, j2]
                        if score[i1, i2] + step > best:
                            best = score[i1, i2] + step
                            which = i2
                    half[i1, j2] = best
                    from_2[t, i1, j2] = which
            for j1 in range(n):
                for j2 in range(n):
                    best = -np.inf
                    which = 0
                    for i1 in range(n):
                        if reset[t] == 1:
                            step = log_resets_1[index_1[t], j1]
                        else:
                            step = log_kernels_1[index_1[t], i1, j1]
                        if half[i1, j2] + step > best:
                            best = half[i1, j2] + step
                            which = i1
                    score[j1, j2] = best + emission[j1, j2]
                    from_1[t, j1, j2] = which
        if t == n_steps - 1 or reset[t + 1] < 0:
            best = -np.inf
            for j1 in range(n):
                for j2 in range(n):
                    if score[j1, j2] > best:
                        best = score[j1, j2]
                        best_end_1[t] = j1
                        best_end_2[t] = j2
            total += best
    for t in range(n_steps - 1, -1, -1):
        if t == n_steps - 1 or reset[t + 1] < 0:
            path_1[t] = best_end_1[t]
            path_2[t] = best_end_2[t]
        else:
            path_1[t] = from_1[t + 1, path_1[t + 1], path_2[t + 1]]
            path_2[t] = from_2[t + 1, path_1[t], path_2[t + 1]]
    return total
