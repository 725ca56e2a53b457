"""Compiled products with discount W P, the Bellman map's Jacobian; private, no input checks.

W P is never formed: weights [location, outcome, N, N] say how much of each outcome (see
`_bellman_kernels`) a state looks at, and the beliefs move box by box.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.agent._bellman_kernels import (
    N_SLOTS,
    OPEN,
    OPTIONS,
    expectation,
    expected_next,
)
from inverse_rational_control.compiled import compiled
from inverse_rational_control.task import BOX_1, BOX_2, N_ACTIONS, N_LOCATIONS


@compiled(**OPTIONS)
def by_outcome(weights, slot, arrives):
    """Sum weights [location, action, N, N] over the actions by the outcomes that they lead to."""
    n = weights.shape[2]
    n_outcomes = arrives.shape[2]
    sums = np.zeros((N_LOCATIONS, n_outcomes, n, n))
    for location in range(N_LOCATIONS):
        for a in range(N_ACTIONS):
            for number in range(n_outcomes):
                chance = arrives[location, slot[location, a], number]
                if chance == 1.0:
                    sums[location, number] += weights[location, a]
                elif chance > 0.0:
                    sums[location, number] += chance * weights[location, a]
    return sums


@compiled(**OPTIONS)
def apply_transition(moves, weights, vector, moved, opened, out):
    """Discount W P on a vector: out(x) = discount sum_k weights(x, k) E[vector | x, k].

    vector and out are [location, N, N], as are moved and opened, which are work space.
    """
    n = vector.shape[1]
    n_outcomes = weights.shape[1]
    discount = moves.discount
    expected_next(moves, vector, moved, opened)
    for location in range(N_LOCATIONS):
        ahead_0 = expectation(moves, moved, opened, location, 0)
        ahead_1 = expectation(moves, moved, opened, location, 1)
        ahead_2 = expectation(moves, moved, opened, location, 2)
        w = weights[location].reshape(n_outcomes, n * n)
        filled = out[location].reshape(n * n)
        for s in range(n * n):
            filled[s] = discount * (
                w[0, s] * ahead_0[s] + w[1, s] * ahead_1[s] + w[2, s] * ahead_2[s]
            )
        for k in range(N_SLOTS, n_outcomes):
            ahead = expectation(moves, moved, opened, location, k)
            for s in range(n * n):
                filled[s] += discount * w[k, s] * ahead[s]


@compiled(**OPTIONS)
def transition_growth(moves, weights, start):
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
            apply_transition(moves, weights, vector, moved, opened, out)
            vector[:] = out - out.mean()
        after = vector.max() - vector.min()
        vector /= max(after, 1e-300)
        growth = (after / before) ** (1.0 / steps)
    return growth


@compiled(**OPTIONS)
def gather_by_expectation(outcome, weights, vector, moved, opened_1, opened_2):
    """Sum weights * vector by the expectation that each outcome is.

    vector: [location, N, N]. Fills moved [location', N, N], opened_1 [N over bin 2] and opened_2 [N over
    bin 1].
    """
    n = weights.shape[2]
    moved[:] = 0.0
    opened_1[:] = 0.0
    opened_2[:] = 0.0
    for location in range(N_LOCATIONS):
        for number in range(weights.shape[1]):
            which = outcome[location, number]
            for i1 in range(n):
                w = weights[location, number, i1]
                v = vector[location, i1]
                if which != OPEN:
                    sums = moved[which, i1]
                    for i2 in range(n):
                        sums[i2] += w[i2] * v[i2]
                elif location == BOX_1:
                    for i2 in range(n):
                        opened_1[i2] += w[i2] * v[i2]
                else:
                    for i2 in range(n):
                        opened_2[i1] += w[i2] * v[i2]


@compiled(**OPTIONS)
def apply_transposed_transition(moves, weights, vector, moved, opened_1, opened_2, out):
    """out(x') = discount sum_{x, k} weights(x, k) vector(x) P(x'|x, k).

    vector and out: [location, N, N] (may be the same); the rest is work space of
    `gather_by_expectation`.
    """
    n = weights.shape[2]
    transition_1, transition_2, _, reset_1, reset_2, discount, outcome = moves
    gather_by_expectation(outcome, weights, vector, moved, opened_1, opened_2)
    half = np.empty((n, n))  # [i1, j2]: box 2 moved back
    total = np.zeros(n)
    for location in range(N_LOCATIONS):
        half[:] = 0.0
        for i1 in range(n):
            for i2 in range(n):
                w = moved[location, i1, i2]
                for j2 in range(n):
                    half[i1, j2] += w * transition_2[i2, j2]
        filled = out[location]
        if location == BOX_1:
            for i2 in range(n):
                for j2 in range(n):
                    total[j2] += opened_1[i2] * transition_2[i2, j2]
            for j1 in range(n):
                for j2 in range(n):
                    filled[j1, j2] = reset_1[j1] * total[j2]
        elif location == BOX_2:
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
    for location in range(N_LOCATIONS):
        for j1 in range(n):
            for j2 in range(n):
                out[location, j1, j2] *= discount


@compiled(**OPTIONS)
def neumann_adjoint(moves, weights, right_side, tolerance, max_terms, out):
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
        apply_transposed_transition(moves, weights, term, moved, opened_1, opened_2, term)
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
