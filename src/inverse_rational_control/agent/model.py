"""The agent's subjective model as one object: from ten parameters to belief tables and a plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import BoxBeliefs, box_beliefs
from inverse_rational_control.agent.planner import (
    Plan,
    optimal_plan,
    planner_gradient,
    softmax_plan,
    spectral_radius,
)
from inverse_rational_control.parameters import N_PARAMETERS, check_ranges
from inverse_rational_control.task import Task

__all__ = ["AgentModel", "agent_model"]


@dataclass(frozen=True)
class AgentModel:
    """What one agent believes and does.

    Attributes
    ----------
    theta : ndarray, shape (10,)
        Parameters in natural coordinates, in the order of `parameters.AGENT_PARAMETERS`.
    task : Task
    boxes : pair of BoxBeliefs
        Belief dynamics of box 1 and box 2.
    action_reward : ndarray, shape (3, 5)
        Belief-free part of the expected reward, [location, action].
    plan : Plan
        Solution of the softmax Bellman equation; check `plan.converged` before use.
    """

    theta: np.ndarray
    task: Task
    boxes: tuple[BoxBeliefs, BoxBeliefs]
    action_reward: np.ndarray
    plan: Plan

    def policy_gradient(self, policy_counts: np.ndarray) -> np.ndarray | None:
        """Gradient of sum(policy_counts * log policy) by theta; shape (10,), None if unsolved."""
        return planner_gradient(
            self.boxes, self.action_reward, self.theta[9], self.task, self.plan, policy_counts
        )

    def planner_radius(self) -> float:
        """Spectral radius of the Bellman map at the plan, constant mode left out."""
        return spectral_radius(self.boxes, self.action_reward, self.theta[9], self.task, self.plan)

    def optimal_plan(self) -> Plan:
        """Hard-max plan of the same rewards and transitions."""
        return optimal_plan(self.boxes, self.action_reward, self.task)


def agent_model(theta: np.ndarray, task: Task) -> AgentModel:
    """Build belief tables and plan of an agent.

    Parameters
    ----------
    theta : ndarray, shape (10,)
        Natural coordinates; probabilities strictly inside (0, 1), temperature > 0.
    task : Task

    Raises
    ------
    ValueError
        If a parameter is outside its range.
    """
    theta = np.asarray(theta, dtype=float)
    if theta.shape != (N_PARAMETERS,):
        raise ValueError(f"theta: found shape {theta.shape}, allowed: ({N_PARAMETERS},)")
    check_ranges(theta)
    boxes = tuple(
        box_beliefs(theta[box], theta[2 + box], theta[4], theta[5], task) for box in (0, 1)
    )
    action_reward = np.tensordot(theta[6:9], task.reward_jacobian, 1)
    return AgentModel(
        theta, task, boxes, action_reward, softmax_plan(boxes, action_reward, theta[9], task)
    )
