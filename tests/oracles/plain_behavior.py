"""Perseveration and lapses on top of a plan's policy, plainly (docs/model.md section 13)."""

import numpy as np


def behavior_layers(policy, available, perseveration=None, lapse=None):
    """Policy of behavior by the action before; the last layer is for none.

    policy: [location, action, bin 1, bin 2]; available: bool [location, action].
    """
    layers = np.zeros((6, *policy.shape))
    for before in range(6):
        for location in range(3):
            allowed = np.flatnonzero(available[location])
            odds = {action: policy[location, action].copy() for action in allowed}
            if perseveration is not None and before in odds:
                odds[before] *= np.exp(perseveration)
            total = sum(odds.values())
            for action in allowed:
                chosen = odds[action] / total
                if lapse is not None:
                    chosen = (1 - lapse) * chosen + lapse / len(allowed)
                layers[before, location, action] = chosen
    return layers if perseveration is not None else layers[5]
