"""Compiled Bellman backups; private, no input checks. `plain.softmax_backup` is the same to read.

What follows an action is an expectation over one or more outcomes: a location that is reached, or this
location with its box opened. Actions that differ only in what they cost share a continuation (slot).
With the paper's travel a continuation is one outcome, and there are three of each at a location; with
other tables a continuation mixes four outcomes by the table's probabilities.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from inverse_rational_control.agent._vector_code import exp_nonpositive
from inverse_rational_control.compiled import compiled
from inverse_rational_control.task import BOX_1, BOX_2, N_ACTIONS, N_LOCATIONS

#: The outcome where an action opens a box; a smaller number is the location that is reached.
OPEN = N_LOCATIONS
#: Outcomes, and continuations, of a location with the paper's travel.
N_SLOTS = 3

#: Division that may raise keeps loops from becoming vector code; multiply-adds may be fused. Fixed
#: when they are compiled, so repeatable on one machine.
OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}}


class Moves(NamedTuple):
    """How both beliefs move, the discount, and outcomes; arrays are contiguous.

    transition_1, transition_2 [from, to]; transition_2_t [to, from]; reset_1, reset_2 [to]; outcome
    [location, number], a location or `OPEN`.
    """

    transition_1: np.ndarray
    transition_2: np.ndarray
    transition_2_t: np.ndarray
    reset_1: np.ndarray
    reset_2: np.ndarray
    discount: float
    outcome: np.ndarray


class Choices(NamedTuple):
    """What the agent chooses from, and how sharply.

    reward, available, slot [location, action]; arrives [location, slot, outcome], probabilities; food
    [bin], its chance when a box is opened; temperature of the softmax, 0 for a maximum.
    """

    reward: np.ndarray
    available: np.ndarray
    slot: np.ndarray
    arrives: np.ndarray
    food: np.ndarray
    temperature: float


@compiled(**OPTIONS)
def expected_next(moves, value, moved, opened):
    """Expected value at the next step, value [location, N, N].

    Fills moved [location', N, N] (no box opened) and opened [location, N, N] (that location's box
    opened; the middle's is left alone).
    """
    n = value.shape[1]
    transition_1, _, transition_2_t, reset_1, reset_2, _, _ = moves
    half = np.empty((n, n))  # [j1, i2]: box 2 moved
    for location in range(N_LOCATIONS):
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
        if location == BOX_1:
            first = opened[BOX_1, 0]
            first[:] = 0.0
            for j1 in range(n):
                for i2 in range(n):
                    first[i2] += reset_1[j1] * half[j1, i2]
            for i1 in range(1, n):
                for i2 in range(n):
                    opened[BOX_1, i1, i2] = first[i2]
    for i1 in range(n):
        total = 0.0
        for j1 in range(n):
            inner = 0.0
            for j2 in range(n):
                inner += value[BOX_2, j1, j2] * reset_2[j2]
            total += transition_1[i1, j1] * inner
        for i2 in range(n):
            opened[BOX_2, i1, i2] = total


@compiled(inline="always", **OPTIONS)
def expectation(moves, moved, opened, location, number):
    """One outcome's expectation at a location, flat over the beliefs."""
    which = moves.outcome[location, number]
    n = moved.shape[1]
    if which == OPEN:
        return opened[location].reshape(n * n)
    return moved[which].reshape(n * n)


@compiled(**OPTIONS)
def mixed_expectation(moves, arrives, moved, opened, location, slot, out):
    """One continuation: its outcomes' expectations, mixed by their probabilities, into out [N N]."""
    out[:] = 0.0
    for number in range(arrives.shape[2]):
        chance = arrives[location, slot, number]
        if chance > 0.0:
            ahead = expectation(moves, moved, opened, location, number)
            for s in range(out.size):
                out[s] += chance * ahead[s]


@compiled(**OPTIONS)
def add_food(opened, food, discount):
    """Discount, and add the chance of food, where a box is opened."""
    n = opened.shape[1]
    for i1 in range(n):
        for i2 in range(n):
            opened[BOX_1, i1, i2] = food[i1] + discount * opened[BOX_1, i1, i2]
            opened[BOX_2, i1, i2] = food[i2] + discount * opened[BOX_2, i1, i2]


@compiled(**OPTIONS)
def _grouped_rewards(choices):
    """What `_soft_backup` needs of each continuation's actions: best, share, shift [location, slot].

    The best reward among them, and the sums of w and of w d, where d <= 0 is how much less an action
    earns than the best and w = exp(d / temperature). A continuation that no available action leads to
    has share and shift 0, and a low, finite best.
    """
    reward, available, slot, arrives, _, temperature = choices
    best = np.full(arrives.shape[:2], -1e300)
    share = np.zeros(arrives.shape[:2])
    shift = np.zeros(arrives.shape[:2])
    for location in range(N_LOCATIONS):
        for a in range(N_ACTIONS):
            if available[location, a]:
                k = slot[location, a]
                best[location, k] = max(best[location, k], reward[location, a])
    for location in range(N_LOCATIONS):
        for a in range(N_ACTIONS):
            if available[location, a]:
                k = slot[location, a]
                less = reward[location, a] - best[location, k]
                if less == 0.0:
                    share[location, k] += 1.0
                elif temperature > 0.0:
                    share[location, k] += math.exp(less / temperature)
                    shift[location, k] += math.exp(less / temperature) * less
    return best, share, shift


@compiled(**OPTIONS)
def _soft_backup(moves, food, grouped, inverse_temperature, value, moved, opened, new_value):
    """One softmax backup of the value alone, with the paper's travel.

    grouped: from `_grouped_rewards`. moved and opened are work space, [location, N, N].
    """
    n = value.shape[1]
    best, share, shift = grouped
    discount = moves.discount
    expected_next(moves, value, moved, opened)
    for location in range(N_LOCATIONS):
        for i1 in range(n):
            for i2 in range(n):
                moved[location, i1, i2] *= discount
    add_food(opened, food, discount)
    for location in range(N_LOCATIONS):
        ahead_0 = expectation(moves, moved, opened, location, 0)
        ahead_1 = expectation(moves, moved, opened, location, 1)
        ahead_2 = expectation(moves, moved, opened, location, 2)
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


@compiled(**OPTIONS)
def _mixed_backup(moves, choices, grouped, inverse_temperature, value, moved, opened, new_value):
    """One softmax backup of the value alone, with any table of travel; see `_soft_backup`."""
    n = value.shape[1]
    best, share, shift = grouped
    n_slots = best.shape[1]
    expected_next(moves, value, moved, opened)
    moved *= moves.discount
    add_food(opened, choices.food, moves.discount)
    q = np.empty((n_slots, n * n))
    highest, partition, gained = np.empty(n * n), np.empty(n * n), np.empty(n * n)
    for location in range(N_LOCATIONS):
        highest[:] = -np.inf
        partition[:] = 0.0
        gained[:] = 0.0
        for k in range(n_slots):
            if share[location, k] > 0.0:
                row = q[k]
                mixed_expectation(moves, choices.arrives, moved, opened, location, k, row)
                for s in range(n * n):
                    row[s] += best[location, k]
                    highest[s] = row[s] if row[s] > highest[s] else highest[s]
        for k in range(n_slots):
            if share[location, k] > 0.0:
                row = q[k]
                for s in range(n * n):
                    d = row[s] - highest[s]
                    w = exp_nonpositive(d * inverse_temperature) if d < 0.0 else 1.0
                    partition[s] += share[location, k] * w
                    gained[s] += w * (share[location, k] * d + shift[location, k])
        out = new_value[location].reshape(n * n)
        for s in range(n * n):
            out[s] = highest[s] + gained[s] / partition[s]


@compiled(**OPTIONS)
def value_iteration(moves, choices, value, span_tolerance, max_iterations, change):
    """Iterate the backup until the span of the change is small; returns (iterations, span, mean).

    `value` is advanced in place; `change` [location, N, N] holds the last change.
    """
    food, temperature = choices.food, choices.temperature
    inverse_temperature = 1.0 / temperature if temperature > 0.0 else np.inf
    grouped = _grouped_rewards(choices)
    mixes = choices.arrives.shape[2] > N_SLOTS
    moved = np.empty_like(value)
    opened = np.empty_like(value)
    new_value = np.empty_like(value)
    old, new, difference = value.reshape(-1), new_value.reshape(-1), change.reshape(-1)
    span = np.inf
    mean = 0.0
    iterations = 0
    while iterations < max_iterations:
        if mixes:
            _mixed_backup(
                moves, choices, grouped, inverse_temperature, value, moved, opened, new_value
            )
        else:
            _soft_backup(moves, food, grouped, inverse_temperature, value, moved, opened, new_value)
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


@compiled(**OPTIONS)
def policy_backup(moves, choices, value, q_value, log_policy, new_value):
    """One backup with all its tables: q_value, log_policy [location, action, N, N] and new_value.

    Action by action: it runs once or twice per solution.
    """
    n = value.shape[1]
    reward, available, slot, arrives, food, temperature = choices
    moved = np.empty_like(value)
    opened = np.empty_like(value)
    expected_next(moves, value, moved, opened)
    moved *= moves.discount
    add_food(opened, food, moves.discount)
    q = np.empty(N_ACTIONS)
    ahead = np.empty((arrives.shape[1], n * n))
    for location in range(N_LOCATIONS):
        for k in range(ahead.shape[0]):
            mixed_expectation(moves, arrives, moved, opened, location, k, ahead[k])
        for i1 in range(n):
            for i2 in range(n):
                highest = -np.inf
                for a in range(N_ACTIONS):
                    if available[location, a]:
                        q[a] = reward[location, a] + ahead[slot[location, a], i1 * n + i2]
                        highest = max(highest, q[a])
                    else:
                        q[a] = -np.inf
                partition = 0.0
                gained = 0.0
                for a in range(N_ACTIONS):
                    if q[a] == highest:
                        partition += 1.0
                    elif temperature > 0.0 and available[location, a]:
                        weight = math.exp((q[a] - highest) / temperature)
                        partition += weight
                        gained += weight * (q[a] - highest)
                log_partition = math.log(partition)
                for a in range(N_ACTIONS):
                    q_value[location, a, i1, i2] = q[a]
                    if q[a] == highest:
                        log_policy[location, a, i1, i2] = -log_partition
                    elif temperature > 0.0:
                        steps = (q[a] - highest) / temperature
                        log_policy[location, a, i1, i2] = steps - log_partition
                    else:
                        log_policy[location, a, i1, i2] = -np.inf
                new_value[location, i1, i2] = highest + gained / partition
