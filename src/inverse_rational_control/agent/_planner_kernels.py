"""Numba loops beneath `planning`; private, no input checks. Plain twins are in tests/oracles.

Three actions out of five that differ only in what they cost lead to the same expectation, so the loops
work on continuations: at each location three expectations, each reached by one or more actions
(`CONTINUATIONS`). Arrays over them are [location, slot, N, N].
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic

#: Expectations that each location's actions lead to: 0-2 that location with no box opened, 3 stay and
#: open the box.
CONTINUATIONS = ((0, 1, 2), (1, 0, 3), (2, 0, 3))

# Division that may raise keeps loops from becoming vector code; multiply-adds may be fused. Fixed when
# they are compiled, so repeatable on one machine.
_OPTIONS = {"cache": True, "error_model": "numpy", "fastmath": {"contract"}}

_LOG2_E = math.log2(math.e)
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # few enough digits that k times it is exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_ROUNDING = 1.5 * 2.0**52  # adding it rounds to a whole number, held in the lowest bits


@intrinsic
def _number_with_bits(context, bits):
    """The double whose 64 bits these are."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def _bits_of_number(context, number):
    """The 64 bits of a double."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@njit(inline="always", **_OPTIONS)
def exp_nonpositive(x):
    """exp(x) for x <= 0 to 2 units in the last place, 0 below -700; unlike math.exp, it vectorizes.

    x = k log 2 + r with |r| <= log(2)/2; exp(r) is its Taylor series, and 2^k is made from bits.
    """
    shifted = x * _LOG2_E + _ROUNDING
    k = shifted - _ROUNDING
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    series = 1.0 / 6227020800.0
    series = series * r + 1.0 / 479001600.0
    series = series * r + 1.0 / 39916800.0
    series = series * r + 1.0 / 3628800.0
    series = series * r + 1.0 / 362880.0
    series = series * r + 1.0 / 40320.0
    series = series * r + 1.0 / 5040.0
    series = series * r + 1.0 / 720.0
    series = series * r + 1.0 / 120.0
    series = series * r + 1.0 / 24.0
    series = series * r + 1.0 / 6.0
    series = series * r + 0.5
    series = series * r + 1.0
    series = series * r + 1.0
    power = _number_with_bits((_bits_of_number(shifted) + 1023) << 52)
    return series * power if x > -700.0 else 0.0


@njit(**_OPTIONS)
def expected_next(value, transition_1, transition_2_t, reset_1, reset_2, moved, opened):
    """Expected value at the next step, value [location, N, N].

    Fills moved [location', N, N] (no box opened) and opened [location, N, N] (that location's box
    opened; the middle's is left alone).
    """
    n = value.shape[1]
    half = np.empty((n, n))  # [j1, i2]: box 2 moved
    for location in range(3):
        half[:] = 0.0
        for j1 in range(n):
            for j2 in range(n):
                v = value[location, j1, j2]
                for i2 in range(n):
                    half[j1, i2] += v * transition_2_t[j2, i2]
        out = moved[location]
        out[:] = 0.0
        for i1 in range(n):
            for j1 in range(n):
                t = transition_1[i1, j1]
                for i2 in range(n):
                    out[i1, i2] += t * half[j1, i2]
        if location == 1:
            first = opened[1, 0]
            first[:] = 0.0
            for j1 in range(n):
                for i2 in range(n):
                    first[i2] += reset_1[j1] * half[j1, i2]
            for i1 in range(1, n):
                for i2 in range(n):
                    opened[1, i1, i2] = first[i2]
    for i1 in range(n):
        total = 0.0
        for j1 in range(n):
            inner = 0.0
            for j2 in range(n):
                inner += value[2, j1, j2] * reset_2[j2]
            total += transition_1[i1, j1] * inner
        for i2 in range(n):
            opened[2, i1, i2] = total


@njit(inline="always", **_OPTIONS)
def _continuation(moved, opened, location, slot):
    """One continuation of a location, flat over the beliefs."""
    which = CONTINUATIONS[location][slot]
    n = moved.shape[1]
    if which == 3:
        return opened[location].reshape(n * n)
    return moved[which].reshape(n * n)


@njit(**_OPTIONS)
def _add_food(opened, centers, discount):
    """Discount, and add the chance of food, where a box is opened."""
    n = opened.shape[1]
    for i1 in range(n):
        for i2 in range(n):
            opened[1, i1, i2] = centers[i1] + discount * opened[1, i1, i2]
            opened[2, i1, i2] = centers[i2] + discount * opened[2, i1, i2]


@njit(**_OPTIONS)
def grouped_rewards(action_reward, available, slot, temperature):
    """What `soft_backup` needs of the actions of each continuation: best, share, shift [location, slot].

    The best action_reward among them, and the sums of w and of w d, where d <= 0 is how much less an action
    pays than the best and w = exp(d / temperature). A continuation that no available action leads to
    has share and shift 0, and a low, finite best.
    """
    best = np.full((3, 3), -1e300)
    share = np.zeros((3, 3))
    shift = np.zeros((3, 3))
    for location in range(3):
        for a in range(action_reward.shape[1]):
            if available[location, a]:
                k = slot[location, a]
                best[location, k] = max(best[location, k], action_reward[location, a])
    for location in range(3):
        for a in range(action_reward.shape[1]):
            if available[location, a]:
                k = slot[location, a]
                less = action_reward[location, a] - best[location, k]
                if less == 0.0:
                    share[location, k] += 1.0
                elif temperature > 0.0:
                    share[location, k] += math.exp(less / temperature)
                    shift[location, k] += math.exp(less / temperature) * less
    return best, share, shift


@njit(**_OPTIONS)
def soft_backup(
    value,
    transition_1,
    transition_2_t,
    reset_1,
    reset_2,
    centers,
    discount,
    inverse_temperature,
    best,
    share,
    shift,
    moved,
    opened,
    new_value,
):
    """One softmax backup of the value alone.

    best, share, shift: from `grouped_rewards`. moved and opened are work space, [location, N, N].
    """
    n = value.shape[1]
    expected_next(value, transition_1, transition_2_t, reset_1, reset_2, moved, opened)
    for location in range(3):
        for i1 in range(n):
            for i2 in range(n):
                moved[location, i1, i2] *= discount
    _add_food(opened, centers, discount)
    for location in range(3):
        ahead_0 = _continuation(moved, opened, location, 0)
        ahead_1 = _continuation(moved, opened, location, 1)
        ahead_2 = _continuation(moved, opened, location, 2)
        best_0, best_1, best_2 = best[location]
        share_0, share_1, share_2 = share[location]
        shift_0, shift_1, shift_2 = shift[location]
        out = new_value[location].reshape(n * n)
        for s in range(n * n):
            q_0 = best_0 + ahead_0[s]
            q_1 = best_1 + ahead_1[s]
            q_2 = best_2 + ahead_2[s]
            highest = q_0 if q_0 > q_1 else q_1
            highest = q_2 if q_2 > highest else highest
            d_0 = q_0 - highest
            d_1 = q_1 - highest
            d_2 = q_2 - highest
            w_0 = exp_nonpositive(d_0 * inverse_temperature) if d_0 < 0.0 else 1.0
            w_1 = exp_nonpositive(d_1 * inverse_temperature) if d_1 < 0.0 else 1.0
            w_2 = exp_nonpositive(d_2 * inverse_temperature) if d_2 < 0.0 else 1.0
            partition = share_0 * w_0 + share_1 * w_1 + share_2 * w_2
            gained = (
                w_0 * (share_0 * d_0 + shift_0)
                + w_1 * (share_1 * d_1 + shift_1)
                + w_2 * (share_2 * d_2 + shift_2)
            )
            out[s] = highest + gained / partition


@njit(**_OPTIONS)
def value_iteration(
    value,
    transition_1,
    transition_2_t,
    reset_1,
    reset_2,
    centers,
    discount,
    temperature,
    action_reward,
    available,
    slot,
    span_tolerance,
    max_iterations,
    change,
):
    """Iterate the backup until the span of the change is small; returns (iterations, span, mean).

    `value` is advanced in place; `change` [location, N, N] holds the last change. temperature 0 means
    hard max.
    """
    inverse_temperature = 1.0 / temperature if temperature > 0.0 else np.inf
    best, share, shift = grouped_rewards(action_reward, available, slot, temperature)
    moved = np.empty_like(value)
    opened = np.empty_like(value)
    new_value = np.empty_like(value)
    old, new, difference = value.reshape(-1), new_value.reshape(-1), change.reshape(-1)
    span = np.inf
    mean = 0.0
    iterations = 0
    while iterations < max_iterations:
        soft_backup(
            value,
            transition_1,
            transition_2_t,
            reset_1,
            reset_2,
            centers,
            discount,
            inverse_temperature,
            best,
            share,
            shift,
            moved,
            opened,
            new_value,
        )
        iterations += 1
        low = np.inf
        high = -np.inf
        mean = 0.0
        for s in range(old.size):
            step = new[s] - old[s]
            difference[s] = step
            old[s] = new[s]
            low = step if step < low else low
            high = step if step > high else high
            mean += step
        mean /= old.size
        span = high - low
        # A sum keeps what is not a number; comparisons lose it.
        if span < span_tolerance or not abs(mean) < np.inf:
            break
    return iterations, span, mean


@njit(**_OPTIONS)
def policy_backup(
    value,
    action_reward,
    available,
    slot,
    transition_1,
    transition_2_t,
    reset_1,
    reset_2,
    centers,
    discount,
    temperature,
    q_value,
    log_policy,
    new_value,
):
    """One backup with all its tables: q_value, log_policy [location, action, N, N] and new_value.

    action_reward: [location, action], the belief-free part of the reward; slot: [location, action], which
    continuation. Plain: it runs once or twice per solution. temperature 0 means hard max.
    """
    n = value.shape[1]
    moved = np.empty_like(value)
    opened = np.empty_like(value)
    expected_next(value, transition_1, transition_2_t, reset_1, reset_2, moved, opened)
    moved *= discount
    _add_food(opened, centers, discount)
    q = np.empty(action_reward.shape[1])
    for location in range(3):
        ahead = (
            _continuation(moved, opened, location, 0),
            _continuation(moved, opened, location, 1),
            _continuation(moved, opened, location, 2),
        )
        for i1 in range(n):
            for i2 in range(n):
                highest = -np.inf
                for a in range(q.size):
                    if available[location, a]:
                        q[a] = action_reward[location, a] + ahead[slot[location, a]][i1 * n + i2]
                        highest = max(highest, q[a])
                    else:
                        q[a] = -np.inf
                partition = 0.0
                gained = 0.0
                for a in range(q.size):
                    if q[a] == highest:
                        partition += 1.0
                    elif temperature > 0.0 and available[location, a]:
                        weight = math.exp((q[a] - highest) / temperature)
                        partition += weight
                        gained += weight * (q[a] - highest)
                log_partition = math.log(partition)
                for a in range(q.size):
                    q_value[location, a, i1, i2] = q[a]
                    if q[a] == highest:
                        log_policy[location, a, i1, i2] = -log_partition
                    elif temperature > 0.0:
                        steps = (q[a] - highest) / temperature
                        log_policy[location, a, i1, i2] = steps - log_partition
                    else:
                        log_policy[location, a, i1, i2] = -np.inf
                new_value[location, i1, i2] = highest + gained / partition


@njit(**_OPTIONS)
def by_continuation(weights, slot):
    """Sum weights [location, action, N, N] over the actions of each continuation."""
    n = weights.shape[2]
    sums = np.zeros((3, 3, n, n))
    for location in range(3):
        for a in range(weights.shape[1]):
            sums[location, slot[location, a]] += weights[location, a]
    return sums


@njit(**_OPTIONS)
def apply_transition(
    vector, weights, transition_1, transition_2_t, reset_1, reset_2, discount, moved, opened, out
):
    """Discount W P on a vector: out(x) = discount sum_k weights(x, k) E[vector | x, k].

    weights: [location, slot, N, N]; the rest [location, N, N], of which moved and opened are work
    space.
    """
    n = vector.shape[1]
    expected_next(vector, transition_1, transition_2_t, reset_1, reset_2, moved, opened)
    for location in range(3):
        ahead_0 = _continuation(moved, opened, location, 0)
        ahead_1 = _continuation(moved, opened, location, 1)
        ahead_2 = _continuation(moved, opened, location, 2)
        w = weights[location].reshape(3, n * n)
        filled = out[location].reshape(n * n)
        for s in range(n * n):
            filled[s] = discount * (
                w[0, s] * ahead_0[s] + w[1, s] * ahead_1[s] + w[2, s] * ahead_2[s]
            )


@njit(**_OPTIONS)
def transition_growth(start, weights, transition_1, transition_2_t, reset_1, reset_2, discount):
    """Growth per step of the slowest mode of discount W P, the constant mode left out.

    A short look settles clearly stable cases; where it does not, a longer one averages over the
    turns of complex modes.
    """
    vector = start.copy()
    moved = np.empty_like(vector)
    opened = np.empty_like(vector)
    out = np.empty_like(vector)
    growth = 0.0
    for steps in (20, 10, 100, 300):
        if steps == 100 and growth <= 0.9:
            break
        before = vector.max() - vector.min()
        if not before > 0.0:
            return 0.0
        for _ in range(steps):
            apply_transition(
                vector,
                weights,
                transition_1,
                transition_2_t,
                reset_1,
                reset_2,
                discount,
                moved,
                opened,
                out,
            )
            vector[:] = out - out.mean()
        after = vector.max() - vector.min()
        vector /= max(after, 1e-300)
        growth = (after / before) ** (1.0 / steps)
    return growth


@njit(**_OPTIONS)
def gather_by_expectation(weights, vector, moved, opened_1, opened_2):
    """Sum weights * vector by the expectation that each continuation is.

    weights: [location, slot, N, N]; vector: [location, N, N]. Fills moved [location', N, N], opened_1
    [N over bin 2] and opened_2 [N over bin 1].
    """
    n = weights.shape[2]
    moved[:] = 0.0
    opened_1[:] = 0.0
    opened_2[:] = 0.0
    for location in range(3):
        for slot in range(3):
            which = CONTINUATIONS[location][slot]
            for i1 in range(n):
                w = weights[location, slot, i1]
                v = vector[location, i1]
                if which < 3:
                    sums = moved[which, i1]
                    for i2 in range(n):
                        sums[i2] += w[i2] * v[i2]
                elif location == 1:
                    for i2 in range(n):
                        opened_1[i2] += w[i2] * v[i2]
                else:
                    for i2 in range(n):
                        opened_2[i1] += w[i2] * v[i2]


@njit(**_OPTIONS)
def apply_transposed_transition(
    weights,
    vector,
    transition_1,
    transition_2,
    reset_1,
    reset_2,
    discount,
    moved,
    opened_1,
    opened_2,
    out,
):
    """out(x') = discount sum_{x, k} weights(x, k) vector(x) P(x'|x, k).

    weights: [location, slot, N, N]; vector and out: [location, N, N] (may be the same); the rest is
    work space of `gather_by_expectation`.
    """
    n = weights.shape[2]
    gather_by_expectation(weights, vector, moved, opened_1, opened_2)
    half = np.empty((n, n))  # [i1, j2]: box 2 moved back
    total = np.zeros(n)
    for location in range(3):
        half[:] = 0.0
        for i1 in range(n):
            for i2 in range(n):
                w = moved[location, i1, i2]
                for j2 in range(n):
                    half[i1, j2] += w * transition_2[i2, j2]
        filled = out[location]
        if location == 1:
            for i2 in range(n):
                for j2 in range(n):
                    total[j2] += opened_1[i2] * transition_2[i2, j2]
            for j1 in range(n):
                for j2 in range(n):
                    filled[j1, j2] = reset_1[j1] * total[j2]
        elif location == 2:
            for j1 in range(n):
                back = 0.0
                for i1 in range(n):
                    back += opened_2[i1] * transition_1[i1, j1]
                for j2 in range(n):
                    filled[j1, j2] = back * reset_2[j2]
        else:
            filled[:] = 0.0
        for i1 in range(n):
            for j1 in range(n):
                t = transition_1[i1, j1]
                for j2 in range(n):
                    filled[j1, j2] += t * half[i1, j2]
    for location in range(3):
        for j1 in range(n):
            for j2 in range(n):
                out[location, j1, j2] *= discount


@njit(**_OPTIONS)
def neumann_adjoint(
    right_side,
    weights,
    transition_1,
    transition_2,
    reset_1,
    reset_2,
    discount,
    tolerance,
    max_terms,
    out,
):
    """Sum the series of (discount W P)^T applied to `right_side`; false if it is slow to converge.

    `right_side` sums to zero, and so does every term: what rounding adds to the sum is taken off again,
    else it would fade as slowly as the discount.
    """
    n = right_side.shape[1]
    term = right_side.copy()
    moved = np.empty_like(term)
    opened_1 = np.empty(n)
    opened_2 = np.empty(n)
    out[:] = right_side
    new, sums = term.reshape(-1), out.reshape(-1)
    for _ in range(max_terms):
        apply_transposed_transition(
            weights,
            term,
            transition_1,
            transition_2,
            reset_1,
            reset_2,
            discount,
            moved,
            opened_1,
            opened_2,
            term,
        )
        mean = 0.0
        for s in range(new.size):
            mean += new[s]
        mean /= new.size
        largest = 0.0
        scale = 0.0
        for s in range(new.size):
            new[s] -= mean
            sums[s] += new[s]
            largest = abs(new[s]) if abs(new[s]) > largest else largest
            scale = abs(sums[s]) if abs(sums[s]) > scale else scale
        if largest <= tolerance * scale:
            return True
        if not largest < np.inf:
            return False
    return False
