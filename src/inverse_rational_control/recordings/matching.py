"""Which push a reward belongs to, where several may be meant.

Source: docs/recordings.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence

__all__ = ["assign"]


def assign(
    reward: int, windows: Mapping[int, Sequence[int]], reward_of: MutableMapping[int, int]
) -> bool:
    """Give a reward a push; where all in its window have one, let another reward take one before it.

    Parameters
    ----------
    reward : int
    windows : mapping of int to sequence of int
        Pushes that each reward may be of, the preferred first.
    reward_of : mutable mapping of int to int
        Reward of each push that has one; changed if this reward finds a push.

    Returns
    -------
    bool
        Whether it did.
    """

    def options(reward: int) -> Iterator[int]:
        free = [push for push in windows[reward] if push not in reward_of]
        return iter(free or windows[reward])

    # Not by recursion: contested rewards can follow each other all through a session.
    rewards, pushes, waiting, seen = [reward], [], [options(reward)], set()
    while waiting:
        push = next((push for push in waiting[-1] if push not in seen), None)
        if push is None:
            rewards.pop()
            waiting.pop()
            if pushes:
                pushes.pop()
            continue
        seen.add(push)
        pushes.append(push)
        if push not in reward_of:
            reward_of.update(zip(pushes, rewards, strict=True))
            return True
        rewards.append(reward_of[push])
        waiting.append(options(rewards[-1]))
    return False
