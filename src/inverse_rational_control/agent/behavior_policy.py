"""From the plan's policy to behavior: perseveration and lapses, which planning knows nothing of.

Source: docs/model.md section 13. Where the agent perseverates, behavior depends on the action before:
tables have a layer for each of them and a last one for none, at a session's first step. Otherwise they
have one layer.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.task import N_ACTIONS, Task

__all__ = ["BehaviorPolicy", "behavior_policy"]


class BehaviorPolicy:
    """Behavior of an agent with lapses, perseveration, or both.

    Parameters
    ----------
    log_policy : ndarray, shape (3, 5, N, N)
        Of the plan, [location, action, bin 1, bin 2]; -inf where an action is not available.
    task : Task
    perseveration : float or None
        What the action before gains in log odds; None for none.
    lapse : float or None
        Probability of an action at random among those available; None for none.

    Attributes
    ----------
    log_policy : ndarray, shape (layers, 3, 5, N, N)
        Of behavior, [action before, location, action, bin 1, bin 2].
    """

    def __init__(
        self,
        log_policy: np.ndarray,
        task: Task,
        perseveration: float | None,
        lapse: float | None,
    ):
        self.perseveration, self.lapse = perseveration, lapse
        available = task.available
        #: Log of the policy without lapses, and what a lapse adds to each probability.
        self._meant = log_policy[None]
        self._random = (available / available.sum(1, keepdims=True))[:, :, None, None]
        if perseveration is not None:
            logits = np.repeat(self._meant, N_ACTIONS + 1, axis=0)
            for action in range(N_ACTIONS):
                logits[action, :, action] += perseveration
            logits -= logits.max(2, keepdims=True)
            self._meant = logits - np.log(np.exp(logits).sum(2, keepdims=True))
        self.log_policy = self._meant
        if lapse is not None:
            with np.errstate(divide="ignore"):
                by_lapse = np.log(lapse * self._random)
            self.log_policy = np.logaddexp(np.log1p(-lapse) + self._meant, by_lapse)

    def pulled_back(self, counts: np.ndarray) -> tuple[np.ndarray, float, float]:
        """Derivative of sum(counts * log_policy) by the plan's log policy, and by the two parameters.

        Parameters
        ----------
        counts : ndarray, shape (layers, 3, 5, N, N)

        Returns
        -------
        by_plan : ndarray, shape (3, 5, N, N)
            Weights of the plan's log policy.
        by_perseveration, by_lapse : float
            0 where the agent has none.
        """
        by_lapse, by_perseveration = 0.0, 0.0
        meant = np.exp(self._meant)
        if self.lapse is not None:
            per_action = counts / np.where(counts > 0, np.exp(self.log_policy), 1.0)
            by_lapse = float((per_action * (self._random - meant)).sum())
            counts = (1.0 - self.lapse) * per_action * meant
        if self.perseveration is None:
            return counts[0], by_perseveration, by_lapse
        by_logit = counts - meant * counts.sum(2, keepdims=True)
        for action in range(N_ACTIONS):
            by_perseveration += float(by_logit[action, :, action].sum())
        # The plan's log policy is a logit as well as any: what it lacks is the same for all actions.
        return by_logit.sum(0), by_perseveration, by_lapse


def behavior_policy(
    log_policy: np.ndarray, task: Task, values: dict[str, float]
) -> BehaviorPolicy | None:
    """Behavior of an agent with extra parameters, by name; None where it follows its plan."""
    perseveration, lapse = values.get("perseveration"), values.get("lapse")
    if perseveration is None and lapse is None:
        return None
    return BehaviorPolicy(log_policy, task, perseveration, lapse)
