"""The gradient of the plan's policy by all parameters, through the planner.

Source: docs/model.md section 7.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.agent import _operator_kernels
from inverse_rational_control.agent.bellman import BellmanProblem, Plan
from inverse_rational_control.agent.jacobian import (
    by_outcome,
    is_slow,
    jacobian_operator,
    jacobian_weights,
    solve,
)
from inverse_rational_control.parameters import (
    N_PARAMETERS,
    REWARDS_AND_COSTS,
    TEMPERATURE,
    box_places,
    place_of,
)
from inverse_rational_control.task import BOX_1, BOX_2, N_LOCATIONS

__all__ = ["planner_gradient"]

_SERIES_TOLERANCE = 1e-14
_SERIES_TERMS = 300


def planner_gradient(
    problem: BellmanProblem, plan: Plan, policy_counts: np.ndarray
) -> np.ndarray | None:
    """Gradient of sum(policy_counts * log policy) by all parameters, through the planner.

    One adjoint solve gives all derivatives (docs/model.md section 7). Lapse and perseveration have none
    here: planning knows nothing of them.

    Parameters
    ----------
    problem : BellmanProblem
    plan : Plan
        Its solution.
    policy_counts : ndarray, shape (3, 5, N, N)
        Weights of the log-policy, [location, action, bin 1, bin 2].

    Returns
    -------
    ndarray, shape (10 + extras,), in natural coordinates, or None if the linear solve failed.
    """
    temperature, task = problem.temperature, problem.task
    policy = plan.policy
    weights, advantage = jacobian_weights(problem, policy, plan.q_value, plan.value)
    by_q = (policy_counts - policy_counts.sum(1, keepdims=True) * policy) / temperature
    slow = is_slow(problem, plan.growth)
    adjoint = _adjoint(problem, by_outcome(problem, weights), by_outcome(problem, by_q), slow)
    if not np.isfinite(adjoint).all():
        return None
    total = by_q + adjoint[:, None] * weights  # derivative by the direct part of dQ

    gradient = np.zeros(N_PARAMETERS + len(problem.extras))
    gradient[REWARDS_AND_COSTS] = task.reward_jacobian.reshape(3, -1) @ total.sum((2, 3)).ravel()
    variance = (policy * advantage**2).sum(1)
    gradient[TEMPERATURE] = (
        -(adjoint * variance).sum() - (policy_counts * advantage).sum()
    ) / temperature**2
    by_tables = _by_planner_tables(problem, plan.value, by_outcome(problem, total))
    by_discount = place_of(problem.extras, "discount")
    if by_discount is not None:
        # Every expectation is linear in the tables of box 1, so this is the sum of its derivative by Q.
        box, (by_transition, by_reset) = problem.boxes[0], by_tables[0]
        gradient[by_discount] = (box.planner_transition * by_transition).sum()
        gradient[by_discount] += box.planner_reset @ by_reset
    for box, parameters, (by_transition, by_reset) in zip(
        problem.boxes, box_places(problem.extras), by_tables, strict=True
    ):
        gradient[list(parameters)] += task.discount * (
            (box.planner_transition_jacobian * by_transition).sum((1, 2))
            + box.planner_reset_jacobian @ by_reset
        )
    return gradient


def _adjoint(
    problem: BellmanProblem, weights: np.ndarray, by_q: np.ndarray, slow: bool
) -> np.ndarray:
    """Solve the transposed system: the derivative by V of all that V leads to, shape (3, N, N).

    The right side sums to zero, so it has no part along the slow constant mode and the Neumann series
    converges as fast as value iteration does; GMRES where that is slow, elimination where `slow`.
    """
    through_q = jacobian_operator(problem, by_q, transposed=True)
    right_side = through_q(np.ones(problem.shape)).reshape(problem.shape)
    adjoint = np.empty(problem.shape)
    if not slow and _operator_kernels.neumann_adjoint(
        problem.moves, weights, right_side, _SERIES_TOLERANCE, _SERIES_TERMS, adjoint
    ):
        return adjoint
    return solve(problem, weights, right_side, transposed=True, direct=slow)


def _by_planner_tables(problem: BellmanProblem, value: np.ndarray, by_q: np.ndarray):
    """Derivatives by each box's (planner_transition, planner_reset), discount left out.

    by_q: [location, outcome, N, N], the derivative by each outcome's share of Q.
    """
    moves = problem.moves
    moved = np.empty(problem.shape)
    opened_1, opened_2 = np.empty((2, problem.task.n_bins))
    _operator_kernels.gather_by_expectation(
        moves.outcome, by_q, np.ones(problem.shape), moved, opened_1, opened_2
    )
    transition_1, transition_2 = moves.transition_1, moves.transition_2
    by_1, by_2 = np.zeros_like(transition_1), np.zeros_like(transition_2)
    for location in range(N_LOCATIONS):
        by_1 += moved[location] @ transition_2 @ value[location].T
        by_2 += moved[location].T @ transition_1 @ value[location]
    by_reset_1 = value[BOX_1] @ (transition_2.T @ opened_1)
    by_2 += np.outer(opened_1, moves.reset_1 @ value[BOX_1])
    by_reset_2 = value[BOX_2].T @ (transition_1.T @ opened_2)
    by_1 += np.outer(opened_2, value[BOX_2] @ moves.reset_2)
    return (by_1, by_reset_1), (by_2, by_reset_2)
