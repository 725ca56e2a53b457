"""The agent's subjective model as one object: from ten parameters to belief tables and a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import BoxBeliefs, box_beliefs
from inverse_rational_control.agent.bellman import BellmanProblem, Plan
from inverse_rational_control.agent.gradient import planner_gradient
from inverse_rational_control.agent.jacobian import spectral_radius
from inverse_rational_control.agent.planner import optimal_plan, softmax_plan
from inverse_rational_control.parameters import (
    BOX_PARAMETERS,
    N_PARAMETERS,
    REWARDS_AND_COSTS,
    TEMPERATURE,
    check_ranges,
)
from inverse_rational_control.task import Task

__all__ = ["AgentModel", "agent_model", "bellman_problem", "draw_agent"]

_TRIES = 1000


@dataclass(frozen=True)
class AgentModel:
    """What one agent believes and does.

    Attributes
    ----------
    theta : ndarray, shape (10,)
        Parameters in natural coordinates, in the order of `parameters.AGENT_PARAMETERS`.
    problem : BellmanProblem
        Belief dynamics of both boxes, rewards, temperature and task.
    plan : Plan
        Solution of the softmax Bellman equation; check `plan.converged` before use.
    """

    theta: np.ndarray
    problem: BellmanProblem
    plan: Plan

    @property
    def task(self) -> Task:
        """The task that the agent plans for."""
        return self.problem.task

    @property
    def boxes(self) -> tuple[BoxBeliefs, BoxBeliefs]:
        """Belief dynamics of box 1 and box 2."""
        return self.problem.boxes

    def policy_gradient(self, policy_counts: np.ndarray) -> np.ndarray | None:
        """Gradient of sum(policy_counts * log policy) by theta; shape (10,), None if unsolved."""
        return planner_gradient(self.problem, self.plan, policy_counts)

    def planner_radius(self) -> float:
        """Spectral radius of the Bellman map at the plan, constant mode left out."""
        return spectral_radius(self.problem, self.plan)

    def optimal_plan(self) -> Plan:
        """Hard-max plan of the same rewards and transitions."""
        return optimal_plan(self.problem)


def bellman_problem(theta: np.ndarray, task: Task) -> BellmanProblem:
    """What an agent's plan must solve: its belief tables, rewards and temperature.

    Parameters
    ----------
    theta : ndarray, shape (10,)
        Natural coordinates.
    task : Task
    """
    box_1, box_2 = (box_beliefs(*theta[list(places)], task) for places in BOX_PARAMETERS)
    reward = np.tensordot(theta[REWARDS_AND_COSTS], task.reward_jacobian, 1)
    return BellmanProblem((box_1, box_2), reward, theta[TEMPERATURE], task)


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
    problem = bellman_problem(theta, task)
    return AgentModel(theta, problem, softmax_plan(problem))


def draw_agent(draw: Callable[[], np.ndarray], task: Task) -> tuple[AgentModel, int]:
    """Draw parameters until the planner finds a solution: nothing can be simulated from others.

    Parameters
    ----------
    draw : callable
        Gives parameters, shape (10,), natural coordinates.
    task : Task

    Returns
    -------
    model : AgentModel
        With a solved plan.
    n_refused : int
        Draws before it that had none.

    Raises
    ------
    ValueError
        If none of 1000 draws has a plan.
    """
    for n_refused in range(_TRIES):
        model = agent_model(draw(), task)
        if model.plan.converged:
            return model, n_refused
    raise ValueError(f"agents: found no plan in {_TRIES} draws, allowed: agents that can plan")
