"""What the agent believes, expects and is surprised by at every step, as regressors for other data.

Source: docs/model.md section 14. Everything is averaged over what the record leaves open: over the
beliefs at each step given the whole record, and over draws from the posterior of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.chain.smoothing import Block, room, smooth_in_blocks
from inverse_rational_control.foraging.decoding import solved_model
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.mixture import block_steps
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = ["Regressors", "regressors", "regressors_in_blocks"]


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
    names = Regressors.__dataclass_fields__
    shapes = {name: (record.n_steps, 2) for name in names}
    shapes |= dict.fromkeys(("value", "prediction_error"), (record.n_steps,))
    whole = Regressors(**{name: np.empty(shape) for name, shape in shapes.items()})

    def take(begin, end, found):
        for name in names:
            getattr(whole, name)[begin:end] = getattr(found, name)

    regressors_in_blocks(draws, record, task, take, extras)
    return whole


def regressors_in_blocks(
    draws: np.ndarray,
    record: Record,
    task: Task,
    take: Callable[[int, int, Regressors], None],
    extras: tuple[str, ...] = (),
    block: int | None = None,
) -> None:
    """As `regressors`, block by block from the last steps to the first.

    Parameters
    ----------
    draws, record, task, extras
        As for `regressors`.
    take : callable
        Given the first step of a block, the step after its last, and the regressors of these steps.
        Blocks may come a second time, all of them: what they bring then holds.
    block : int, optional
        Steps of a block.

    Raises
    ------
    RecordError, ValueError
        As `regressors`.
    """
    if not len(draws):
        raise ValueError("draws: found none, allowed: at least one")
    record.check(task)
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    tables, agents = [], []
    for theta in draws:
        model = solved_model(theta, task, extras)
        tables.append(chain_tables(model, inputs.n_kernels))
        agents.append(_Agent(model.plan.value, model.problem.reward, model.task.discount))

    def taker():
        return _Blocks(agents, record, task, take).take

    shared = room(tables[0], inputs, block or block_steps(task.n_bins))
    smooth_in_blocks(tables, inputs, shared, taker)


@dataclass(frozen=True)
class _Agent:
    """Value [location, bin 1, bin 2], rewards [location, action] and discount of one draw."""

    value: np.ndarray
    reward: np.ndarray
    discount: float


class _Blocks:
    """Takes blocks, and hands on the regressors of each."""

    def __init__(self, agents, record, task, take):
        self.agents, self.record, self.hand_on = agents, record, take
        self.centers = bin_centers(task.n_bins)
        # Of the first step of the block after, by draw; after the last step comes nothing.
        self.ahead = [0.0] * len(agents)

    def take(self, block: Block) -> None:
        begin, end = block.begin, block.end
        location = self.record.location[begin:end]
        sure = np.maximum(self.centers, 1.0 - self.centers)
        first, second, confidence = (np.zeros((end - begin, 2)) for _ in range(3))
        value, error = np.zeros(end - begin), np.zeros(end - begin)
        for number, agent in enumerate(self.agents):
            posterior = block.smoothed(number)
            for box, marginal in enumerate((posterior.sum(2), posterior.sum(1))):
                first[:, box] += marginal @ self.centers
                second[:, box] += marginal @ self.centers**2
                confidence[:, box] += marginal @ sure
            here = np.empty(end - begin)
            for place, values in enumerate(agent.value):
                there = location == place
                here[there] = np.tensordot(posterior[there], values, 2)
            value += here
            error += self._prediction_error(agent, begin, end, here, self.ahead[number])
            self.ahead[number] = here[0]
        n_draws = len(self.agents)
        mean = first / n_draws
        variance = second / n_draws - mean**2
        error = error / n_draws
        session = self.record.session[begin : end + 1]
        last = np.append(session[1:] != session[:-1], True)[: end - begin]
        error[last] = np.nan
        found = Regressors(
            mean,
            np.sqrt(np.maximum(variance, 0.0)),
            confidence / n_draws,
            value / n_draws,
            error,
        )
        self.hand_on(begin, end, found)

    def _prediction_error(self, agent, begin, end, value, ahead) -> np.ndarray:
        """Temporal-difference error of each step under one agent; a session's last is meaningless."""
        record = self.record
        earned = agent.reward[record.location[begin:end], record.action[begin:end]]
        # What a push brings is seen one step later.
        brought = record.reward[begin + 1 : end + 1]
        if brought.size < end - begin:
            brought = np.append(brought, 0)
        return earned + brought + agent.discount * np.append(value[1:], ahead) - value
