"""What the agent believes, expects and is surprised by at every step, as regressors for other data.

Source: docs/model.md section 14. Everything is averaged over what the record leaves open: over the
beliefs at each step given the whole record, and over draws from the posterior of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.chain.tables import ChainInputs, ChainTables
from inverse_rational_control.foraging.decoding import solved_model
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.mixture import decode_in_blocks
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = ["RegressorSums", "Regressors", "ValuedAgent", "regressors", "tables_and_agents"]


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
    draws: np.ndarray,
    record: Record,
    task: Task,
    extras: tuple[str, ...] = (),
    block: int | None = None,
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
    block : int, optional
        Steps that are smoothed at once.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If there is no draw, or for one of them no plan, or the record is impossible.
    """
    record.check(task)
    names = Regressors.__dataclass_fields__
    shapes = {name: (record.n_steps, 2) for name in names}
    shapes |= dict.fromkeys(("value", "prediction_error"), (record.n_steps,))
    whole = Regressors(**{name: np.empty(shape) for name, shape in shapes.items()})

    def take(begin, end, found):
        for name in names:
            getattr(whole, name)[begin:end] = getattr(found, name)

    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    tables, agents = tables_and_agents(draws, inputs, task, extras)
    if not tables:
        raise ValueError("draws: found none, allowed: at least one")

    def watcher():
        return RegressorSums(agents, record, task, take)

    decode_in_blocks(tables[0], tables, inputs, lambda *_: None, block=block, watcher=watcher)
    return whole


def tables_and_agents(
    thetas: Sequence[np.ndarray], inputs: ChainInputs, task: Task, extras: tuple[str, ...] = ()
) -> tuple[list[ChainTables], list[ValuedAgent]]:
    """The chain's tables under several parameter vectors, and what each values.

    Raises
    ------
    ValueError
        If the planner finds no solution under one of them.
    """
    tables, agents = [], []
    for theta in thetas:
        model = solved_model(theta, task, extras)
        tables.append(chain_tables(model, inputs.n_kernels))
        agents.append(ValuedAgent(model.plan.value, model.problem.reward, model.task.discount))
    return tables, agents


@dataclass(frozen=True)
class ValuedAgent:
    """Value [location, bin 1, bin 2], rewards [location, action] and discount of one draw."""

    value: np.ndarray
    reward: np.ndarray
    discount: float


class RegressorSums:
    """Watches a decoding's posteriors, and hands on the regressors of each block of steps.

    Parameters
    ----------
    agents : sequence of ValuedAgent
        Of the draws; of the estimate alone where there are none.
    record : Record
    task : Task
    take : callable
        Given the first step of a block, the step after its last, and the `Regressors` of these steps.
        Blocks may come a second time, all of them, to another watcher: what they bring then holds.
    """

    def __init__(
        self,
        agents: Sequence[ValuedAgent],
        record: Record,
        task: Task,
        take: Callable[[int, int, Regressors], None],
    ):
        self.agents, self.record, self.hand_on = agents, record, take
        self.centers = bin_centers(task.n_bins)
        self.sure = np.maximum(self.centers, 1.0 - self.centers)
        # Of the first step of the block after, by draw; after the last step comes nothing.
        self.ahead = [0.0] * len(agents)

    def begin(self, begin: int, end: int) -> None:
        """Start the sums of a block."""
        self.steps = begin, end
        self.first, self.second, self.confidence = (np.zeros((end - begin, 2)) for _ in range(3))
        self.value, self.error = np.zeros(end - begin), np.zeros(end - begin)

    def add(self, number: int, posterior: np.ndarray) -> None:
        """Add what one agent's posterior, (steps, N, N), says of the block."""
        begin, end = self.steps
        agent, location = self.agents[number], self.record.location[begin:end]
        for box, marginal in enumerate((posterior.sum(2), posterior.sum(1))):
            self.first[:, box] += marginal @ self.centers
            self.second[:, box] += marginal @ self.centers**2
            self.confidence[:, box] += marginal @ self.sure
        here = np.empty(end - begin)
        for place, values in enumerate(agent.value):
            there = location == place
            here[there] = np.tensordot(posterior[there], values, 2)
        self.value += here
        self.error += self._prediction_error(agent, begin, end, here, self.ahead[number])
        self.ahead[number] = here[0]

    def end(self) -> None:
        """Hand on the means over agents."""
        begin, end = self.steps
        n_agents = len(self.agents)
        mean = self.first / n_agents
        variance = self.second / n_agents - mean**2
        error = self.error / n_agents
        session = self.record.session[begin : end + 1]
        last = np.append(session[1:] != session[:-1], True)[: end - begin]
        error[last] = np.nan
        found = Regressors(
            mean,
            np.sqrt(np.maximum(variance, 0.0)),
            self.confidence / n_agents,
            self.value / n_agents,
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
