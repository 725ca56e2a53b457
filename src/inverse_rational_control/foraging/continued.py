"""A record's likelihood under one plan continued from point to point, as a smooth objective.

The agent's own plan is the fixed point that value iteration reaches from V = 0, and it may switch to
another one where parameters hardly change. A fixed point followed from that of a point nearby has no
such edges. Source: docs/model.md section 8.
"""

from __future__ import annotations

import copy

import numpy as np

from inverse_rational_control.agent.bellman import BellmanProblem, constant_mode, iterate
from inverse_rational_control.agent.model import AgentModel, agent_model, bellman_problem
from inverse_rational_control.agent.planner import iterated_value, newton_plan
from inverse_rational_control.foraging.likelihood import (
    ForagingEvaluation,
    evaluate_model,
    model_log_likelihood,
)
from inverse_rational_control.foraging.objective import ForagingObjective

__all__ = ["ContinuedObjective"]

_SPAN, _ITERATIONS = 1e-13, 1000  # cheap steps, which mostly do without any linear solve
_NEWTON_STEPS = 12
_OWN_ITERATIONS = 5000
_SAME = 1e-3  # of a plan's range: different plans differ by far more


class ContinuedObjective(ForagingObjective):
    """A record's likelihood under plans continued from that of the most likely point so far.

    Parameters
    ----------
    objective : ForagingObjective
    value : ndarray, shape (3, N, N)
        The first plan's, in units of reward.
    """

    def __init__(self, objective: ForagingObjective, value: np.ndarray):
        self.__dict__.update(copy.copy(objective).__dict__)
        self.value, self.highest = value, -np.inf

    @classmethod
    def own(cls, objective: ForagingObjective, theta: np.ndarray) -> ContinuedObjective:
        """That of the agent's own plan at natural parameters, shape (n,)."""
        own = agent_model(theta, objective.task, objective.extras, with_derivatives=False)
        return cls(objective, own.plan.value)

    def model(self, theta: np.ndarray, with_derivatives: bool = True) -> AgentModel:
        """The agent at natural parameters, shape (n,), with its continued plan; see `agent_model`."""
        problem = bellman_problem(theta, self.task, self.extras, with_derivatives)
        reached = iterate(problem, self.value, _SPAN, _ITERATIONS)
        value = reached.value + constant_mode(problem, reached.mean)
        return AgentModel(theta, problem, newton_plan(problem, value, _NEWTON_STEPS, slow=True))

    def log_likelihood(self, theta: np.ndarray) -> float:
        """Log-likelihood at natural parameters, shape (n,), nats; -inf where the plan is lost."""
        return model_log_likelihood(self.model(theta, with_derivatives=False), self.inputs)

    def evaluate(self, theta: np.ndarray) -> ForagingEvaluation:
        """Log-likelihood and gradient; a higher point's plan is the one continued from then on."""
        found = evaluate_model(self.model(theta), self.inputs)
        if found.usable and found.log_likelihood > self.highest:
            self.value, self.highest = found.model.plan.value, found.log_likelihood
        return found

    def follow(self, theta: np.ndarray) -> None:
        """Continue from natural parameters, shape (n,), on, whatever was higher before."""
        self.highest = -np.inf
        self.evaluate(theta)

    def holds(self, theta: np.ndarray) -> bool:
        """Whether the continued plan is the agent's own at natural parameters, shape (n,)."""
        problem = bellman_problem(theta, self.task, self.extras, with_derivatives=False)
        own = _settled_value(problem, np.zeros(problem.shape))
        here = _settled_value(problem, self.value)
        return bool(np.abs(own - here).max() < _SAME * max(1.0, np.ptp(here)))


def _settled_value(problem: BellmanProblem, value: np.ndarray) -> np.ndarray:
    return iterated_value(problem, value, _OWN_ITERATIONS)
