"""Rewards and pushes, against every possible matching and against the same by recursion."""

import itertools

import numpy as np

from inverse_rational_control.recordings.matching import assign


def _recursive(reward, windows, reward_of, seen):
    free = [push for push in windows[reward] if push not in reward_of]
    for push in free or windows[reward]:
        if push in seen:
            continue
        seen.add(push)
        if push not in reward_of or _recursive(reward_of[push], windows, reward_of, seen):
            reward_of[push] = reward
            return True
    return False


def _most(windows):
    """The largest number of rewards that can have a push of their own."""
    choices = [(None, *window) for window in windows.values()]
    taken = ([push for push in each if push is not None] for each in itertools.product(*choices))
    return max(len(pushes) for pushes in taken if len(set(pushes)) == len(pushes))


def test_as_many_rewards_as_possible_find_a_push_and_the_same_as_by_recursion():
    rng = np.random.default_rng(0)
    for _ in range(300):
        windows = {reward: rng.permutation(6)[: rng.integers(0, 4)].tolist() for reward in range(5)}
        found, plain = {}, {}
        for reward in windows:
            assert assign(reward, windows, found) == _recursive(reward, windows, plain, set())
            assert found == plain
        assert len(found) == _most(windows)
        assert all(push in windows[reward] for push, reward in found.items())
