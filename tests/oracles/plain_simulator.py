"""The world and the agent, one step at a time, fed with given uniforms (docs/model.md section 1)."""

import numpy as np
from scipy.stats import binom

from tests.oracles.dense_planner import PUSH, arrival


def pick(probabilities, uniform):
    """Outcome whose stretch of [0, 1) holds `uniform`."""
    total = 0.0
    for outcome, probability in enumerate(probabilities):
        total += probability
        if uniform < total:
            return outcome
    return int(np.flatnonzero(np.asarray(probabilities) > 0)[-1])


def simulate_plainly(uniforms, policy, kernels, resets, world, task):
    """Columns location, action, reward, cue 1, cue 2, food 1, food 2, bin 1, bin 2.

    uniforms: [step, 7], in the order action, food 1, food 2, cue 1, cue 2, belief 1, belief 2; or
    [step, 10], where slips and steps without cues may be: arrival, whether a cue is shown 1, 2. policy:
    [location, action, bin 1, bin 2], or one such layer for each action before and a last one for none.
    """
    n, n_cues = policy.shape[-1], task.n_cues
    uniforms = np.pad(uniforms, ((0, 0), (0, 10 - uniforms.shape[1])))
    gamma, eps = world[0:2], world[2:4]
    cue_given = [binom.pmf(np.arange(n_cues), n_cues - 1, q) for q in (world[5], world[4])]
    rows = []
    location = action = 0
    for t, uniform in enumerate(uniforms):
        if t == 0:
            reward = 0
            food = [int(uniform[1 + k] < gamma[k] / (gamma[k] + eps[k])) for k in (0, 1)]
            cue = [pick(cue_given[food[k]], uniform[3 + k]) for k in (0, 1)]
            cue = [cue[k] if uniform[8 + k] < task.cue_share else -1 for k in (0, 1)]
            bins = [pick(np.full(n, 1 / n), uniform[5 + k]) for k in (0, 1)]
        else:
            opens = location if action == PUSH else 0
            reward = 0
            if opens:
                reward = food[opens - 1]
                food[opens - 1] = 0
            location = pick(arrival(location, action, task), uniform[7])
            for k in (0, 1):
                if food[k]:
                    food[k] = 0 if uniform[1 + k] < eps[k] else 1
                else:
                    food[k] = 1 if uniform[1 + k] < gamma[k] else 0
                cue[k] = pick(cue_given[food[k]], uniform[3 + k])
                if uniform[8 + k] >= task.cue_share:
                    cue[k] = -1  # the last of the kernels
                row = resets[k][cue[k]] if opens == k + 1 else kernels[k][cue[k], bins[k]]
                bins[k] = pick(row, uniform[5 + k])
        layer = policy if policy.ndim == 4 else policy[action if t else -1]
        action = pick(layer[location, :, bins[0], bins[1]], uniform[0])
        rows.append([location, action, reward, *cue, *food, *bins])
    return np.array(rows)
