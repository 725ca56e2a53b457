"""Numba loops beneath `beliefs`, `planning` and `simulation`; private, no input checks.

Each has a plain twin in tests/oracles. All are compiled once per machine and cached on disk, and run on
one thread, so results do not depend on the cores.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_SQRT_HALF = math.sqrt(0.5)
_SQRT_TWO_PI = math.sqrt(2.0 * math.pi)


@njit(cache=True)
def truncated_normal_bins(mean, slope, edges, sigma, weight, mass, mass_slope):
    """Add `weight` times the bin masses of a normal truncated to [0, 1], and their derivatives.

    mean: scalar; slope: [parameter], derivative of the mean; edges: [N + 1]; mass: [N];
    mass_slope: [parameter, N]. Masses right of the mean are differences of upper tails: the literal
    difference of lower tails is rounding noise there.
    """
    n = edges.size - 1
    lower = 0.5 * math.erfc(mean / sigma * _SQRT_HALF)
    upper = 0.5 * math.erfc((1.0 - mean) / sigma * _SQRT_HALF)
    total = 1.0 - lower - upper
    density_low = math.exp(-0.5 * (mean / sigma) ** 2) / _SQRT_TWO_PI
    density_high = math.exp(-0.5 * ((1.0 - mean) / sigma) ** 2) / _SQRT_TWO_PI
    total_slope = -(density_high - density_low) / sigma
    z_left = -mean / sigma
    density_left = density_low
    for j in range(n):
        z_right = (edges[j + 1] - mean) / sigma
        density_right = math.exp(-0.5 * z_right * z_right) / _SQRT_TWO_PI
        if z_left > 0.0:
            inside = 0.5 * (math.erfc(z_left * _SQRT_HALF) - math.erfc(z_right * _SQRT_HALF))
        else:
            inside = 0.5 * (math.erfc(-z_right * _SQRT_HALF) - math.erfc(-z_left * _SQRT_HALF))
        share = inside / total
        mass[j] += weight * share
        by_mean = (-(density_right - density_left) / sigma - share * total_slope) / total
        for k in range(slope.size):
            mass_slope[k, j] += weight * by_mean * slope[k]
        z_left = z_right
        density_left = density_right


@njit(cache=True)
def belief_kernel(theta, log_ratio, log_ratio_slope, beliefs, weights, edges, sigma):
    """Average the belief step's bin masses over nodes inside each source bin.

    theta: (appearance, disappearance); log_ratio: [cue], log P(c|present)/P(c|absent);
    log_ratio_slope: [2, cue], by the two cue probabilities; beliefs: [source, node];
    weights: [node]. Returns kernel [cue, source, N] and slope [4, cue, source, N].
    """
    appearance, disappearance = theta
    n_cues = log_ratio.size
    n_sources, n_nodes = beliefs.shape
    n = edges.size - 1
    kernel = np.zeros((n_cues, n_sources, n))
    kernel_slope = np.zeros((n_cues, n_sources, 4, n))
    slope = np.empty(4)
    for c in range(n_cues):
        for i in range(n_sources):
            for node in range(n_nodes):
                b = beliefs[i, node]
                present = appearance * (1.0 - b) + (1.0 - disappearance) * b
                absent = (1.0 - appearance) * (1.0 - b) + disappearance * b
                odds = present / absent * math.exp(log_ratio[c])
                mean = odds / (1.0 + odds) if odds < 1e300 else 1.0
                by_log_odds = mean * (1.0 - mean) if odds < 1e15 else 1.0 / odds
                slope[0] = by_log_odds * (1.0 - b) / (present * absent)
                slope[1] = -by_log_odds * b / (present * absent)
                slope[2] = by_log_odds * log_ratio_slope[0, c]
                slope[3] = by_log_odds * log_ratio_slope[1, c]
                truncated_normal_bins(
                    mean, slope, edges, sigma, weights[node], kernel[c, i], kernel_slope[c, i]
                )
    return kernel, np.ascontiguousarray(kernel_slope.transpose(2, 0, 1, 3))


@njit(cache=True, inline="always")
def _expect_plain(value, transition_1, transition_2_t, half, out):
    """Out = transition_1 @ value @ transition_2.T for one location."""
    n = value.shape[0]
    for j1 in range(n):
        for i2 in range(n):
            half[j1, i2] = 0.0
        for j2 in range(n):
            v = value[j1, j2]
            for i2 in range(n):
                half[j1, i2] += v * transition_2_t[j2, i2]
    for i1 in range(n):
        for i2 in range(n):
            out[i1, i2] = 0.0
        for j1 in range(n):
            t = transition_1[i1, j1]
            for i2 in range(n):
                out[i1, i2] += t * half[j1, i2]


@njit(cache=True)
def expected_next(value, transition_1, transition_2_t, reset_1, reset_2, moved, pushed_1, pushed_2):
    """Expected value at the next step.

    value: [location, N, N]. Fills moved [location', N, N] (no box opened), pushed_1 [N over i2] (box 1
    opened, from box 1) and pushed_2 [N over i1] (box 2 opened, from box 2).
    """
    n = value.shape[1]
    half = np.empty((n, n))
    for location in range(3):
        _expect_plain(value[location], transition_1, transition_2_t, half, moved[location])
        if location == 1:
            for i2 in range(n):
                pushed_1[i2] = 0.0
            for j1 in range(n):
                for i2 in range(n):
                    pushed_1[i2] += reset_1[j1] * half[j1, i2]
    for i1 in range(n):
        total = 0.0
        for j1 in range(n):
            inner = 0.0
            for j2 in range(n):
                inner += value[2, j1, j2] * reset_2[j2]
            total += transition_1[i1, j1] * inner
        pushed_2[i1] = total


@njit(cache=True)
def bellman_backup(
    value,
    payoff,
    available,
    destination,
    transition_1,
    transition_2_t,
    reset_1,
    reset_2,
    centres,
    discount,
    temperature,
    q_value,
    log_policy,
    new_value,
):
    """One softmax backup: fills new_value and, unless they are empty, q_value and log_policy.

    q_value, log_policy: [location, action, N, N]; payoff: [location, action], the belief-free part of
    the reward. temperature 0 means hard max.
    """
    keep = q_value.size > 0
    inverse_temperature = 1.0 / temperature if temperature > 0.0 else 0.0
    n = value.shape[1]
    n_actions = payoff.shape[1]
    moved = np.empty((3, n, n))
    pushed_1 = np.empty(n)
    pushed_2 = np.empty(n)
    expected_next(value, transition_1, transition_2_t, reset_1, reset_2, moved, pushed_1, pushed_2)
    q = np.empty(n_actions)
    for location in range(3):
        for i1 in range(n):
            for i2 in range(n):
                highest = -np.inf
                for a in range(n_actions):
                    if not available[location, a]:
                        continue
                    if a == 4 and location == 1:
                        q[a] = payoff[location, a] + centres[i1] + discount * pushed_1[i2]
                    elif a == 4 and location == 2:
                        q[a] = payoff[location, a] + centres[i2] + discount * pushed_2[i1]
                    else:
                        q[a] = (
                            payoff[location, a] + discount * moved[destination[location, a], i1, i2]
                        )
                    highest = max(highest, q[a])
                if temperature == 0.0:
                    average = highest
                    for a in range(n_actions if keep else 0):
                        best = available[location, a] and q[a] == highest
                        log_policy[location, a, i1, i2] = 0.0 if best else -np.inf
                        q_value[location, a, i1, i2] = q[a] if available[location, a] else -np.inf
                else:
                    partition = 0.0
                    average = 0.0
                    for a in range(n_actions):
                        if available[location, a]:
                            weight = math.exp((q[a] - highest) * inverse_temperature)
                            partition += weight
                            average += weight * (q[a] - highest)
                    average = highest + average / partition
                    if keep:
                        log_partition = math.log(partition)
                        for a in range(n_actions):
                            if available[location, a]:
                                q_value[location, a, i1, i2] = q[a]
                                log_policy[location, a, i1, i2] = (
                                    q[a] - highest
                                ) * inverse_temperature - log_partition
                            else:
                                q_value[location, a, i1, i2] = -np.inf
                                log_policy[location, a, i1, i2] = -np.inf
                new_value[location, i1, i2] = average


@njit(cache=True)
def value_iteration(
    value,
    payoff,
    available,
    destination,
    transition_1,
    transition_2_t,
    reset_1,
    reset_2,
    centres,
    discount,
    temperature,
    span_tolerance,
    max_iterations,
    change,
):
    """Iterate the backup until the span of the change is small; returns (iterations, span, mean).

    `value` is advanced in place; `change` [location, N, N] holds the last change.
    """
    n = value.shape[1]
    nothing = np.empty((0, 0, 0, 0))
    new_value = np.empty_like(value)
    span = np.inf
    mean = 0.0
    iterations = 0
    while iterations < max_iterations:
        bellman_backup(
            value,
            payoff,
            available,
            destination,
            transition_1,
            transition_2_t,
            reset_1,
            reset_2,
            centres,
            discount,
            temperature,
            nothing,
            nothing,
            new_value,
        )
        iterations += 1
        low = np.inf
        high = -np.inf
        mean = 0.0
        for location in range(3):
            for i1 in range(n):
                for i2 in range(n):
                    step = new_value[location, i1, i2] - value[location, i1, i2]
                    change[location, i1, i2] = step
                    value[location, i1, i2] = new_value[location, i1, i2]
                    low = min(low, step)
                    high = max(high, step)
                    mean += step
        mean /= 3 * n * n
        span = high - low
        if span < span_tolerance or not span < np.inf:
            break
    return iterations, span, mean


@njit(cache=True)
def apply_weighted_transition(
    vector, weights, destination, transition_1, transition_2_t, reset_1, reset_2, out
):
    """out(x) = sum_a weights(x, a) sum_x' P(x'|x, a) vector(x'); all [location, N, N]."""
    n = vector.shape[1]
    moved = np.empty((3, n, n))
    pushed_1 = np.empty(n)
    pushed_2 = np.empty(n)
    expected_next(vector, transition_1, transition_2_t, reset_1, reset_2, moved, pushed_1, pushed_2)
    for location in range(3):
        for i1 in range(n):
            for i2 in range(n):
                total = 0.0
                for a in range(weights.shape[1]):
                    w = weights[location, a, i1, i2]
                    if a == 4 and location == 1:
                        total += w * pushed_1[i2]
                    elif a == 4 and location == 2:
                        total += w * pushed_2[i1]
                    else:
                        total += w * moved[destination[location, a], i1, i2]
                out[location, i1, i2] = total


@njit(cache=True)
def _ratio_of_spans(
    vector, weights, destination, transition_1, transition_2_t, reset_1, reset_2, discount, steps
):
    """Apply discount W P `steps` times to `vector`, in place, constant removed; growth per step."""
    moved = np.empty_like(vector)
    before = vector.max() - vector.min()
    for _ in range(steps):
        apply_weighted_transition(
            vector, weights, destination, transition_1, transition_2_t, reset_1, reset_2, moved
        )
        vector[:] = discount * (moved - moved.mean())
    after = vector.max() - vector.min()
    if not before > 0.0:
        return 0.0
    vector /= max(after, 1e-300)
    return (after / before) ** (1.0 / steps)


@njit(cache=True)
def transition_growth(
    start, weights, destination, transition_1, transition_2_t, reset_1, reset_2, discount
):
    """Growth per step of the slowest mode of discount W P, the constant mode left out.

    A short look settles clearly stable cases; where it does not, a longer one averages over the
    turns of complex modes.
    """
    vector = start.copy()
    arguments = (weights, destination, transition_1, transition_2_t, reset_1, reset_2, discount)
    _ratio_of_spans(vector, *arguments, 20)
    growth = _ratio_of_spans(vector, *arguments, 10)
    if growth > 0.9:
        _ratio_of_spans(vector, *arguments, 100)
        growth = _ratio_of_spans(vector, *arguments, 300)
    return growth


@njit(cache=True)
def gather_by_transition(weights, destination):
    """Sum weights [location, action, N, N] by the kernel that their transition uses.

    Returns moved [location', N, N], pushed_1 [N over i2] and pushed_2 [N over i1].
    """
    n = weights.shape[2]
    moved = np.zeros((3, n, n))
    pushed_1 = np.zeros(n)
    pushed_2 = np.zeros(n)
    for location in range(3):
        for a in range(weights.shape[1]):
            for i1 in range(n):
                for i2 in range(n):
                    w = weights[location, a, i1, i2]
                    if a == 4 and location == 1:
                        pushed_1[i2] += w
                    elif a == 4 and location == 2:
                        pushed_2[i1] += w
                    else:
                        moved[destination[location, a], i1, i2] += w
    return moved, pushed_1, pushed_2


@njit(cache=True)
def apply_transposed_transition(
    weights, destination, transition_1, transition_2, reset_1, reset_2, out
):
    """out(x') = sum_{x, a} weights(x, a) P(x'|x, a); weights [location, action, N, N]."""
    n = weights.shape[2]
    moved, pushed_1, pushed_2 = gather_by_transition(weights, destination)
    half = np.empty((n, n))
    for location in range(3):
        for i1 in range(n):
            for j2 in range(n):
                half[i1, j2] = 0.0
            for i2 in range(n):
                w = moved[location, i1, i2]
                for j2 in range(n):
                    half[i1, j2] += w * transition_2[i2, j2]
        for j1 in range(n):
            for j2 in range(n):
                out[location, j1, j2] = 0.0
        for i1 in range(n):
            for j1 in range(n):
                t = transition_1[i1, j1]
                for j2 in range(n):
                    out[location, j1, j2] += t * half[i1, j2]
    for j2 in range(n):
        total = 0.0
        for i2 in range(n):
            total += pushed_1[i2] * transition_2[i2, j2]
        for j1 in range(n):
            out[1, j1, j2] += reset_1[j1] * total
    for j1 in range(n):
        total = 0.0
        for i1 in range(n):
            total += pushed_2[i1] * transition_1[i1, j1]
        for j2 in range(n):
            out[2, j1, j2] += total * reset_2[j2]


@njit(cache=True)
def neumann_adjoint(
    right_side,
    weights,
    destination,
    transition_1,
    transition_2,
    reset_1,
    reset_2,
    discount,
    tolerance,
    max_terms,
    out,
):
    """Sum the series of (discount W P)^T applied to `right_side`; false if it is slow to converge."""
    n = right_side.shape[1]
    term = right_side.copy()
    moved = np.empty_like(term)
    weighted = np.empty_like(weights)
    out[:] = right_side
    for _ in range(max_terms):
        for location in range(3):
            for a in range(weights.shape[1]):
                for i1 in range(n):
                    for i2 in range(n):
                        weighted[location, a, i1, i2] = (
                            weights[location, a, i1, i2] * term[location, i1, i2]
                        )
        apply_transposed_transition(
            weighted, destination, transition_1, transition_2, reset_1, reset_2, moved
        )
        largest = 0.0
        scale = 0.0
        for location in range(3):
            for i1 in range(n):
                for i2 in range(n):
                    step = discount * moved[location, i1, i2]
                    term[location, i1, i2] = step
                    out[location, i1, i2] += step
                    largest = max(largest, abs(step))
                    scale = max(scale, abs(out[location, i1, i2]))
        if largest <= tolerance * scale:
            return True
        if not largest < np.inf:
            return False
    return False


@njit(cache=True, inline="always")
def _draw(cumulative, uniform):
    """Index of the first cumulative probability above `uniform`."""
    last = cumulative.size - 1
    for k in range(last):
        if uniform < cumulative[k]:
            return k
    return last


@njit(cache=True)
def simulate_foraging(
    uniforms,
    policy_cumulative,
    kernel_1_cumulative,
    kernel_2_cumulative,
    reset_1_cumulative,
    reset_2_cumulative,
    destination,
    appearance,
    disappearance,
    cue_cumulative,
    location,
    record,
):
    """Run one agent in one world, step by step, from `location`.

    uniforms: [step, 7] (action, food 1, food 2, cue 1, cue 2, belief 1, belief 2);
    policy_cumulative: [location, N, N, action]; cue_cumulative: [food, cue]; appearance,
    disappearance: [box], of the world. Fills record [step, 9]: location, action, reward, cue 1, cue 2,
    food 1, food 2, belief bin 1, belief bin 2.
    """
    n_steps = uniforms.shape[0]
    n = kernel_1_cumulative.shape[1]
    reward = 0
    food = np.zeros(2, dtype=np.int64)
    cue = np.zeros(2, dtype=np.int64)
    bins = np.zeros(2, dtype=np.int64)
    action = 0
    for t in range(n_steps):
        if t == 0:
            for k in range(2):
                stationary = appearance[k] / (appearance[k] + disappearance[k])
                food[k] = 1 if uniforms[t, 1 + k] < stationary else 0
                cue[k] = _draw(cue_cumulative[food[k]], uniforms[t, 3 + k])
                bins[k] = min(int(uniforms[t, 5 + k] * n), n - 1)
        else:
            opened = location if action == 4 else 0
            reward = 0
            if opened > 0:
                reward = food[opened - 1]
                food[opened - 1] = 0
            location = destination[location, action]
            for k in range(2):
                if food[k] == 1:
                    food[k] = 0 if uniforms[t, 1 + k] < disappearance[k] else 1
                else:
                    food[k] = 1 if uniforms[t, 1 + k] < appearance[k] else 0
                cue[k] = _draw(cue_cumulative[food[k]], uniforms[t, 3 + k])
            if opened == 1:
                bins[0] = _draw(reset_1_cumulative[cue[0]], uniforms[t, 5])
            else:
                bins[0] = _draw(kernel_1_cumulative[cue[0], bins[0]], uniforms[t, 5])
            if opened == 2:
                bins[1] = _draw(reset_2_cumulative[cue[1]], uniforms[t, 6])
            else:
                bins[1] = _draw(kernel_2_cumulative[cue[1], bins[1]], uniforms[t, 6])
        action = _draw(policy_cumulative[location, bins[0], bins[1]], uniforms[t, 0])
        record[t, 0] = location
        record[t, 1] = action
        record[t, 2] = reward
        record[t, 3] = cue[0]
        record[t, 4] = cue[1]
        record[t, 5] = food[0]
        record[t, 6] = food[1]
        record[t, 7] = bins[0]
        record[t, 8] = bins[1]
