"""Numba loop beneath `simulation`; private, no input checks. Its plain twin is in tests/oracles."""

from __future__ import annotations

import numpy as np
from numba import njit


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
