"""The compiled loop beneath `simulation`, step by step as it is; private, no input checks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inverse_rational_control.compiled import compiled
from inverse_rational_control.task import ABSENT, BOX_1, BOX_2


class Agent(NamedTuple):
    """An agent's tables as cumulative probabilities over their last axis.

    policy [action before, location, N, N, action], its last layer for none before, or one layer for all;
    kernel_1, kernel_2 [cue, from, to]; reset_1, reset_2 [cue, to]; the cue after the last
    color is none shown.
    """

    policy: np.ndarray
    kernel_1: np.ndarray
    kernel_2: np.ndarray
    reset_1: np.ndarray
    reset_2: np.ndarray


class World(NamedTuple):
    """Cumulative movement, opened boxes, rates and cumulative cues, and the share of steps with cues.

    arrival [location, action, next location]; opened_box [location, action]; appearance, disappearance
    [box]; cue [food, cue].
    """

    arrival: np.ndarray
    opened_box: np.ndarray
    appearance: np.ndarray
    disappearance: np.ndarray
    cue: np.ndarray
    cue_share: float


@compiled(inline="always")
def _draw(cumulative, uniform):
    """Index of the first cumulative probability above `uniform`."""
    last = cumulative.size - 1
    for k in range(last):
        if uniform < cumulative[k]:
            return k
    return last


@compiled()
def simulate_foraging(agent, world, uniforms, location, record):
    """Run one agent in one world, step by step, from `location`.

    uniforms: [step, 7] (action, food 1, food 2, cue 1, cue 2, belief 1, belief 2) or [step, 10] (and
    arrival, whether a cue is shown 1, 2). Fills record [step, 9]: location, action, reward, cue 1,
    cue 2, food 1, food 2, belief bin 1, belief bin 2.
    """
    policy, kernel_1, kernel_2, reset_1, reset_2 = agent
    arrival, opened_box, appearance, disappearance, cue_given, cue_share = world
    n_steps = uniforms.shape[0]
    n = kernel_1.shape[1]
    n_cues = cue_given.shape[1]
    drawn = uniforms.shape[1] > 7  # else travel is certain, and cues always shown
    reward = 0
    food = np.zeros(2, dtype=np.int64)
    cue = np.zeros(2, dtype=np.int64)
    bins = np.zeros(2, dtype=np.int64)
    action = 0
    perseverates = policy.shape[0] > 1
    before = policy.shape[0] - 1
    opened = 0
    for t in range(n_steps):
        if t == 0:
            for k in range(2):
                stationary = appearance[k] / (appearance[k] + disappearance[k])
                food[k] = 1 if uniforms[t, 1 + k] < stationary else 0
                cue[k] = _draw(cue_given[food[k]], uniforms[t, 3 + k])
                bins[k] = min(int(uniforms[t, 5 + k] * n), n - 1)
        else:
            opened = opened_box[location, action]
            reward = 0
            if opened > 0:
                reward = food[opened - 1]
                food[opened - 1] = 0
            location = _draw(arrival[location, action], uniforms[t, 7] if drawn else 0.0)
            for k in range(2):
                if food[k] == 1:
                    food[k] = 0 if uniforms[t, 1 + k] < disappearance[k] else 1
                else:
                    food[k] = 1 if uniforms[t, 1 + k] < appearance[k] else 0
                cue[k] = _draw(cue_given[food[k]], uniforms[t, 3 + k])
        if drawn:
            for k in range(2):
                if uniforms[t, 8 + k] >= cue_share:
                    cue[k] = ABSENT
        if t > 0:
            seen_1 = cue[0] if cue[0] != ABSENT else n_cues
            seen_2 = cue[1] if cue[1] != ABSENT else n_cues
            if opened == BOX_1:
                bins[0] = _draw(reset_1[seen_1], uniforms[t, 5])
            else:
                bins[0] = _draw(kernel_1[seen_1, bins[0]], uniforms[t, 5])
            if opened == BOX_2:
                bins[1] = _draw(reset_2[seen_2], uniforms[t, 6])
            else:
                bins[1] = _draw(kernel_2[seen_2, bins[1]], uniforms[t, 6])
        action = _draw(policy[before, location, bins[0], bins[1]], uniforms[t, 0])
        if perseverates:
            before = action
        record[t, 0] = location
        record[t, 1] = action
        record[t, 2] = reward
        record[t, 3] = cue[0]
        record[t, 4] = cue[1]
        record[t, 5] = food[0]
        record[t, 6] = food[1]
        record[t, 7] = bins[0]
        record[t, 8] = bins[1]
