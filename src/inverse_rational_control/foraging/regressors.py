"""What the agent believes, expects and is surprised by at every step, as regressors for other data.

Source: docs/model.md section 14. Everything is averaged over what the record leaves open: over the
beliefs at each step given the whole record, and over draws from the posterior of the parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.agent.model import AgentModel
from inverse_rational_control.foraging.decoding import smoothed
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = ["Regressors", "regressors"]


@dataclass(frozen=True)
class Regressors:
    """One number per step, or one per step and box.

    Attributes
    ----------
    belief_mean : ndarray, shape (T, 2)
        Mean of the belief that there is food in each box, [step, box].
    belief_sd : ndarray, shape (T, 2)
        Standard deviation of what is known of that belief: over bins, and over draws.
    confidence : ndarray, shape (T, 2)
        The agent's own certainty, mean of max(b, 1 - b): how sure it is whether there is food.
    value : ndarray, shape (T,)
        Expected value of the agent's state, units of reward.
    prediction_error : ndarray, shape (T,)
        Reward of the action of this step, minus its costs, plus the discounted value of the next state,
        minus the value of this one; NaN at a session's last step.
    """

    belief_mean: np.ndarray
    belief_sd: np.ndarray
    confidence: np.ndarray
    value: np.ndarray
    prediction_error: np.ndarray


def regressors(
    draws: np.ndarray, record: Record, task: Task, extras: tuple[str, ...] = ()
) -> Regressors:
    """Average beliefs, values and prediction errors over draws of the parameters.

    Parameters
    ----------
    draws : ndarray, shape (draws, 10 + extras)
        Natural coordinates, all of the same weight; the estimate alone is one row.
    record : Record
    task : Task
    extras : tuple of str
        The agent's extra parameters, in their order.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If there is no draw, or for one of them no plan, or the record is impossible.
    """
    if not len(draws):
        raise ValueError("draws: found none, allowed: at least one")
    record.check(task)
    centers = bin_centers(task.n_bins)
    sure = np.maximum(centers, 1.0 - centers)
    first, second, confidence = (np.zeros((record.n_steps, 2)) for _ in range(3))
    value, error = np.zeros(record.n_steps), np.zeros(record.n_steps)
    for model, posterior in smoothed(draws, record, task, extras):
        for box, marginal in enumerate((posterior.sum(2), posterior.sum(1))):
            first[:, box] += marginal @ centers
            second[:, box] += marginal @ centers**2
            confidence[:, box] += marginal @ sure
        here = np.empty(record.n_steps)
        for location, values in enumerate(model.plan.value):
            there = record.location == location
            here[there] = np.tensordot(posterior[there], values, 2)
        value += here
        error += _prediction_error(model, record, here)
    mean = first / len(draws)
    variance = second / len(draws) - mean**2
    error = error / len(draws)
    error[np.append(record.session_starts[1:], True)] = np.nan
    return Regressors(
        mean,
        np.sqrt(np.maximum(variance, 0.0)),
        confidence / len(draws),
        value / len(draws),
        error,
    )


def _prediction_error(model: AgentModel, record: Record, value: np.ndarray) -> np.ndarray:
    """Temporal-difference error of each step under one agent, shape (T,); the last is meaningless."""
    earned = model.problem.reward[record.location, record.action]
    # What a push brings is seen one step later.
    brought = np.append(record.reward[1:], 0)
    ahead = np.append(value[1:], 0.0)
    return earned + brought + model.task.discount * ahead - value
