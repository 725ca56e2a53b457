"""The softmax Bellman equation of one agent: the problem, one backup of it, value iteration.

Source: docs/model.md sections 4 and 5. A state is (location, bin of box 1, bin of box 2); the
food-in-hand flag of the paper lumps away exactly. `plain.softmax_backup` is the backup to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inverse_rational_control.agent import _bellman_kernels
from inverse_rational_control.agent.beliefs import BoxBeliefs, bin_centers
from inverse_rational_control.agent.continuations import continuations
from inverse_rational_control.task import N_ACTIONS, N_LOCATIONS, Task

__all__ = [
    "RESIDUAL_TOLERANCE",
    "Backup",
    "BellmanProblem",
    "Iterated",
    "Plan",
    "backup",
    "constant_mode",
    "iterate",
]

#: Residual at which the equation counts as solved, in units of reward.
RESIDUAL_TOLERANCE = 1e-11


@dataclass(frozen=True)
class BellmanProblem:
    """What one agent's plan must solve.

    Attributes
    ----------
    boxes : pair of BoxBeliefs
        Belief dynamics of box 1 and box 2.
    reward : ndarray, shape (3, 5)
        Belief-free part of the expected reward, [location, action].
    temperature : float
        Softmax temperature, in units of reward; 0 for the maximum instead of the softmax.
    task : Task
        With the agent's own diffusion and discount where these are its parameters.
    extras : tuple of str
        The agent's extra parameters.
    """

    boxes: tuple[BoxBeliefs, BoxBeliefs]
    reward: np.ndarray
    temperature: float
    task: Task
    extras: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of a value function, (3, N, N), [location, bin 1, bin 2]."""
        return N_LOCATIONS, self.task.n_bins, self.task.n_bins

    @cached_property
    def moves(self) -> _bellman_kernels.Moves:
        """How beliefs move, as the planner's loops take it."""
        box_1, box_2 = self.boxes
        return _bellman_kernels.Moves(
            transition_1=np.ascontiguousarray(box_1.planner_transition),
            transition_2=np.ascontiguousarray(box_2.planner_transition),
            transition_2_t=np.ascontiguousarray(box_2.planner_transition.T),
            reset_1=np.ascontiguousarray(box_1.planner_reset),
            reset_2=np.ascontiguousarray(box_2.planner_reset),
            discount=float(self.task.discount),
            outcome=continuations(self.task).outcome,
        )

    @cached_property
    def choices(self) -> _bellman_kernels.Choices:
        """What the agent chooses from, as the planner's loops take it."""
        ahead = continuations(self.task)
        return _bellman_kernels.Choices(
            reward=np.ascontiguousarray(self.reward),
            available=self.task.available,
            slot=ahead.slot,
            arrives=ahead.arrives,
            food=bin_centers(self.task.n_bins),
            temperature=float(self.temperature),
        )


@dataclass(frozen=True)
class Plan:
    """A solution of the softmax (or hard-max) Bellman equation.

    Attributes
    ----------
    value : ndarray, shape (3, N, N)
        V [location, bin 1, bin 2], in units of reward.
    q_value : ndarray, shape (3, 5, N, N)
        Q [location, action, bin 1, bin 2]; -inf where the action is not available.
    log_policy : ndarray, shape (3, 5, N, N)
        Log-probability of each action; -inf where it is not available.
    converged : bool
        Residual met and the fixed point attracts value iteration. Never go on without it.
    residual : float
        Largest |B(V) - V|, in units of reward.
    growth : float
        Per-step growth of the slowest mode of value iteration at the solution (below 1: stable).
    iterations : int
        Value-iteration steps used.
    """

    value: np.ndarray
    q_value: np.ndarray
    log_policy: np.ndarray
    converged: bool
    residual: float
    growth: float
    iterations: int

    @property
    def policy(self) -> np.ndarray:
        """Probability of each action, shape (3, 5, N, N), [location, action, bin 1, bin 2]."""
        return np.exp(self.log_policy)


class Backup(NamedTuple):
    """A value function V and its Bellman backup.

    Attributes
    ----------
    value, backed : ndarray, shape (3, N, N)
        V and B(V), [location, bin 1, bin 2], in units of reward.
    q_value, log_policy : ndarray, shape (3, 5, N, N)
        [location, action, bin 1, bin 2]; -inf where the action is not available.
    residual : float
        Largest |B(V) - V|, in units of reward.
    """

    value: np.ndarray
    q_value: np.ndarray
    log_policy: np.ndarray
    backed: np.ndarray
    residual: float

    @property
    def goal(self) -> float:
        """Residual at which it counts as solved: small, but not below rounding of the value."""
        return max(RESIDUAL_TOLERANCE, 64 * np.finfo(float).eps * np.abs(self.value).max())

    def plan(self, converged: bool, growth: float, iterations: int) -> Plan:
        """The plan of this value function; see `Plan`."""
        tables = self.value, self.q_value, self.log_policy
        return Plan(*tables, converged, self.residual, growth, iterations)


def backup(problem: BellmanProblem, value: np.ndarray) -> Backup:
    """Back a value function, shape (3, N, N), up once.

    Q = R + discount E[V'], policy softmax(Q / temperature), B(V) the policy's average of Q.
    """
    log_policy = np.empty((N_LOCATIONS, N_ACTIONS, *problem.shape[1:]))
    q_value, backed = np.empty_like(log_policy), np.empty(problem.shape)
    _bellman_kernels.policy_backup(
        problem.moves, problem.choices, value, q_value, log_policy, backed
    )
    residual = float(np.abs(backed - value).max())
    return Backup(value, q_value, log_policy, backed, residual)


class Iterated(NamedTuple):
    """Where value iteration came to: value and its last change [location, N, N], their statistics."""

    value: np.ndarray
    n_iterations: int
    span: float  # largest minus smallest entry of the last change
    mean: float  # mean of the last change
    change: np.ndarray


def iterate(
    problem: BellmanProblem, value: np.ndarray, span_tolerance: float, max_iterations: int
) -> Iterated:
    """Value iteration from `value`, shape (3, N, N), until the span of its change is small."""
    value, change = np.array(value, dtype=float), np.zeros(problem.shape)
    n_iterations, span, mean = _bellman_kernels.value_iteration(
        problem.moves, problem.choices, value, span_tolerance, max_iterations, change
    )
    return Iterated(value, n_iterations, span, mean, change)


def constant_mode(problem: BellmanProblem, mean_change: float) -> float:
    """What V still rises by everywhere, if the last step of value iteration added `mean_change`."""
    return mean_change * problem.task.discount / (1.0 - problem.task.discount)
