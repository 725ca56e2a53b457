"""The agent's subjective model as one object: from its parameters to beliefs, plan and behavior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from inverse_rational_control.agent.behavior_policy import BehaviorPolicy, behavior_policy
from inverse_rational_control.agent.beliefs import BoxBeliefs, box_beliefs
from inverse_rational_control.agent.bellman import BellmanProblem, Plan
from inverse_rational_control.agent.gradient import planner_gradient
from inverse_rational_control.agent.jacobian import spectral_radius
from inverse_rational_control.agent.planner import optimal_plan, softmax_plan
from inverse_rational_control.parameters import (
    N_PARAMETERS,
    REWARDS_AND_COSTS,
    TEMPERATURE,
    agent_parameters,
    box_places,
    check_ranges,
    place_of,
)
from inverse_rational_control.task import Task

__all__ = ["AgentModel", "agent_model", "bellman_problem", "draw_agent"]

_TRIES = 1000
_LARGEST_DIFFUSION = 100.0  # all bins alike, long before


@dataclass(frozen=True)
class AgentModel:
    """What one agent believes and does.

    Attributes
    ----------
    theta : ndarray, shape (10 + extras,)
        Parameters in natural coordinates, in the order of `parameters.agent_parameters`.
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
        """The task that the agent plans for, with its own diffusion and discount."""
        return self.problem.task

    @property
    def extras(self) -> tuple[str, ...]:
        """Names of the agent's extra parameters."""
        return self.problem.extras

    @property
    def boxes(self) -> tuple[BoxBeliefs, BoxBeliefs]:
        """Belief dynamics of box 1 and box 2."""
        return self.problem.boxes

    @cached_property
    def behavior(self) -> BehaviorPolicy | None:
        """How behavior departs from the plan's policy; None if it does not."""
        values = dict(zip(self.extras, self.theta[N_PARAMETERS:].tolist(), strict=True))
        return behavior_policy(self.plan.log_policy, self.task, values)

    @property
    def log_policy(self) -> np.ndarray:
        """Log-probability of actions in behavior, (layers, 3, 5, N, N), [action before, location, ..].

        One layer where the action before does not matter, else one for each and a last one for none.
        """
        return self.plan.log_policy[None] if self.behavior is None else self.behavior.log_policy

    def policy_gradient(self, policy_counts: np.ndarray) -> np.ndarray | None:
        """Gradient of sum(policy_counts * log_policy) by theta; shape of theta, None if unsolved.

        `policy_counts` has the shape of `log_policy`.
        """
        if self.behavior is None:
            policy_counts = policy_counts.reshape(self.plan.log_policy.shape)
            return planner_gradient(self.problem, self.plan, policy_counts)
        by_plan, *by_extras = self.behavior.pulled_back(policy_counts)
        gradient = planner_gradient(self.problem, self.plan, by_plan)
        if gradient is not None:
            for name, value in zip(("perseveration", "lapse"), by_extras, strict=True):
                if name in self.extras:
                    gradient[place_of(self.extras, name)] = value
        return gradient

    def planner_radius(self) -> float:
        """Spectral radius of the Bellman map at the plan, constant mode left out."""
        return spectral_radius(self.problem, self.plan)

    def optimal_plan(self) -> Plan:
        """Hard-max plan of the same rewards and transitions."""
        return optimal_plan(self.problem)


def bellman_problem(
    theta: np.ndarray, task: Task, extras: tuple[str, ...] = (), with_derivatives: bool = True
) -> BellmanProblem:
    """What an agent's plan must solve: its belief tables, rewards and temperature.

    Parameters
    ----------
    theta : ndarray, shape (10 + extras,)
        Natural coordinates.
    task : Task
        Its diffusion and discount are the agent's where that has none of its own.
    extras : tuple of str
        The agent's extra parameters, in their order.
    with_derivatives : bool
        Whether belief tables come with those that a gradient needs.
    """
    diffusion, discount = (place_of(extras, name) for name in ("diffusion", "discount"))
    if diffusion is not None:
        task = replace(task, diffusion=min(float(theta[diffusion]), _LARGEST_DIFFUSION))
    if discount is not None:
        task = replace(task, discount=float(theta[discount]))
    n_derivatives = (4 if diffusion is None else 5) if with_derivatives else 0
    box_1, box_2 = (
        box_beliefs(*theta[list(places[:4])], task, n_derivatives) for places in box_places(extras)
    )
    reward = np.tensordot(theta[REWARDS_AND_COSTS], task.reward_jacobian, 1)
    return BellmanProblem((box_1, box_2), reward, theta[TEMPERATURE], task, extras)


def agent_model(
    theta: np.ndarray, task: Task, extras: tuple[str, ...] = (), with_derivatives: bool = True
) -> AgentModel:
    """Build belief tables and plan of an agent.

    Parameters
    ----------
    theta : ndarray, shape (10 + extras,)
        Natural coordinates; probabilities strictly inside (0, 1), temperature > 0.
    task : Task
        Its diffusion and discount are the agent's where that has none of its own.
    extras : tuple of str
        The agent's extra parameters, in their order (docs/model.md section 13).
    with_derivatives : bool
        Whether a gradient may be asked for; without, the tables take less time.

    Raises
    ------
    ValueError
        If a parameter is outside its range.
    """
    theta = np.asarray(theta, dtype=float)
    shape = (len(agent_parameters(extras, task.n_bins)),)
    if theta.shape != shape:
        raise ValueError(f"theta: found shape {theta.shape}, allowed: {shape}")
    check_ranges(theta, extras, task.n_bins)
    problem = bellman_problem(theta, task, extras, with_derivatives)
    return AgentModel(theta, problem, softmax_plan(problem))


def draw_agent(
    draw: Callable[[], np.ndarray], task: Task, extras: tuple[str, ...] = ()
) -> tuple[AgentModel, int]:
    """Draw parameters until the planner finds a solution: nothing can be simulated from others.

    Parameters
    ----------
    draw : callable
        Gives parameters, natural coordinates.
    task : Task
    extras : tuple of str
        As for `agent_model`.

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
        model = agent_model(draw(), task, extras)
        if model.plan.converged:
            return model, n_refused
    raise ValueError(f"agents: found no plan in {_TRIES} draws, allowed: agents that can plan")
