"""Decode the agent's beliefs from its behavior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers, box_beliefs
from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.chain.forward_backward import (
    ChainInputs,
    ChainTables,
    expected_counts,
    most_probable_path,
)
from inverse_rational_control.foraging.likelihood import belief_chain, chain_inputs, chain_tables
from inverse_rational_control.parameters import BOX_PARAMETERS
from inverse_rational_control.record import Record
from inverse_rational_control.task import N_ACTIONS, N_LOCATIONS, Task

__all__ = ["Decoding", "decode", "decode_from_cues", "solved_model", "tables_from_cues"]


@dataclass(frozen=True)
class Decoding:
    """Posterior over the agent's two beliefs at every step.

    Attributes
    ----------
    posterior : ndarray, shape (T, N, N)
        P(bins at t | whole record), [step, bin 1, bin 2].
    path : ndarray of int, shape (T, 2), or None
        Most probable joint path (Viterbi), [step, box]; None where it was not asked for.
    log_likelihood : float
        Of the record, nats.
    """

    posterior: np.ndarray
    path: np.ndarray | None
    log_likelihood: float

    @property
    def centers(self) -> np.ndarray:
        """Centers of the belief bins, shape (N,)."""
        return bin_centers(self.posterior.shape[1])

    @property
    def marginals(self) -> np.ndarray:
        """Posterior of each box's belief, shape (2, T, N), [box, step, bin]."""
        return np.stack([self.posterior.sum(2), self.posterior.sum(1)])

    @property
    def means(self) -> np.ndarray:
        """Posterior mean belief of each box, shape (T, 2), [step, box]."""
        return np.stack([marginal @ self.centers for marginal in self.marginals], 1)


def decode(theta: np.ndarray, record: Record, task: Task, extras: tuple[str, ...] = ()) -> Decoding:
    """Smoothed posterior and most probable path of the beliefs under parameters `theta`.

    Parameters
    ----------
    theta : ndarray, shape (10 + extras,)
        Natural coordinates, in the order of `parameters.agent_parameters`.
    record : Record
    task : Task
    extras : tuple of str
        The agent's extra parameters, in their order.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If the planner was not solved or the record is impossible under `theta`.
    """
    record.check(task)
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    model = solved_model(theta, task, extras)
    return _decoded(chain_tables(model, inputs.n_kernels), inputs, task)


def decode_from_cues(world: np.ndarray, record: Record, task: Task) -> Decoding:
    """Beliefs of an observer who follows cues and pushes, knows the world, and learns from no action.

    The decoder that knows nothing of the agent: the belief steps of docs/model.md section 3 with the
    world's parameters, every action as probable in one belief as in another. What is left is a filter:
    later steps say nothing of earlier beliefs.

    Parameters
    ----------
    world : ndarray, shape (6,)
        Natural coordinates, in the order of `parameters.WORLD_PARAMETERS`.
    record : Record
    task : Task

    Raises
    ------
    RecordError
        If the record does not fit the task.
    """
    record.check(task)
    inputs = chain_inputs(record, n_cues=task.n_cues)
    return _decoded(tables_from_cues(world, task, inputs.n_kernels), inputs, task)


def tables_from_cues(world: np.ndarray, task: Task, n_kernels: int) -> ChainTables:
    """The chain of `decode_from_cues`: all emissions are as probable in one belief as in another."""
    boxes = tuple(box_beliefs(*world[list(places)], task, 0) for places in BOX_PARAMETERS)
    shape = (N_LOCATIONS * N_ACTIONS, task.n_bins, task.n_bins)
    return belief_chain(np.full(shape, -np.log(N_ACTIONS)), boxes, n_kernels)


def solved_model(theta: np.ndarray, task: Task, extras: tuple[str, ...] = ()) -> AgentModel:
    """Model of an agent that can plan.

    Raises
    ------
    ValueError
        If the planner was not solved.
    """
    model = agent_model(theta, task, extras, with_derivatives=False)
    if not model.plan.converged:
        raise ValueError("the planner found no solution at these parameters: nothing to decode")
    return model


def _room(inputs: ChainInputs, task: Task) -> np.ndarray:
    return np.empty((inputs.n_steps, task.n_bins, task.n_bins))


def _smooth(tables: ChainTables, inputs: ChainInputs, posterior: np.ndarray) -> float:
    """Fill in the smoothed posterior; returns the log-likelihood."""
    counts = expected_counts(tables, inputs, posterior)
    if not counts.usable:
        raise ValueError("the record is impossible under these parameters: nothing to decode")
    return counts.log_likelihood


def _decoded(tables: ChainTables, inputs: ChainInputs, task: Task) -> Decoding:
    posterior = _room(inputs, task)
    log_likelihood = _smooth(tables, inputs, posterior)
    path_1, path_2, _ = most_probable_path(tables, inputs)
    return Decoding(posterior, np.stack([path_1, path_2], 1), log_likelihood)
