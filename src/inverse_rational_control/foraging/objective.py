"""A record of foraging as an objective: made once, checked, and passed as one thing."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from inverse_rational_control.agent.fineness import CUE_PARAMETERS, remarks_on_agent
from inverse_rational_control.foraging.likelihood import (
    ForagingEvaluation,
    chain_inputs,
    evaluate,
    log_likelihood,
    q_function,
)
from inverse_rational_control.inference.objective import Diagnosis
from inverse_rational_control.parameter_space import FULL_SPACE, ParameterSpace, without
from inverse_rational_control.parameters import extras_among
from inverse_rational_control.record import Record
from inverse_rational_control.task import LOCATIONS, Task

__all__ = ["ForagingObjective", "space_of"]

_MIN_STEPS = 50


class ForagingObjective:
    """Log-likelihood of a record by the agent's parameters (an `inference.objective.Objective`).

    Parameters
    ----------
    record : Record
    task : Task
        Its discretization is the model's.
    space : ParameterSpace
        The agent's parameters, extra ones after the ten, and which of them are free; without cues the
        two of cues do not exist.

    Attributes
    ----------
    extras : tuple of str
        The agent's extra parameters.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    """

    def __init__(self, record: Record, task: Task, space: ParameterSpace = FULL_SPACE):
        record.check(task)
        self.record, self.task, self.space = record, task, space_of(task, space)
        self.record_remarks = record.remarks(task)
        self.extras = extras_among(space.parameter_names)
        self.inputs = chain_inputs(record, self.extras, n_cues=task.n_cues)

    @property
    def n_steps(self) -> int:
        """Steps of the record, over all sessions."""
        return self.record.n_steps

    def within(self, space: ParameterSpace) -> ForagingObjective:
        """The same record and task, with other parameters free, or other extra ones."""
        if extras_among(space.parameter_names) != self.extras:
            return ForagingObjective(self.record, self.task, space)
        other = copy.copy(self)
        other.space = space_of(self.task, space)
        return other

    def with_discount(self, discount: float) -> ForagingObjective:
        """The same record for agents with another discount per step, but where it is their own."""
        other = copy.copy(self)
        other.task = replace(self.task, discount=discount)
        return other

    def continued(self, theta: np.ndarray) -> ForagingObjective:
        """The same under one plan, the agent's own at natural parameters (n,), continued from there."""
        from inverse_rational_control.foraging import continued  # which is made of this class

        return continued.ContinuedObjective.own(self, theta)

    def log_likelihood(self, theta: np.ndarray) -> float:
        """Log-likelihood at natural parameters, shape (n,), nats; -inf if the planner is unsolved."""
        return log_likelihood(theta, self.inputs, self.task, self.extras)

    def evaluate(self, theta: np.ndarray) -> ForagingEvaluation:
        """Log-likelihood, gradient and expected counts at natural parameters, shape (n,)."""
        return evaluate(theta, self.inputs, self.task, self.extras)

    def q_function(
        self, theta: np.ndarray, evaluation: ForagingEvaluation
    ) -> tuple[float, np.ndarray | None]:
        """The paper's Q(theta | theta_old) and its gradient; `evaluation` is that at theta_old."""
        return q_function(theta, self.task, evaluation.counts, evaluation.model)

    def degeneracies(self) -> list[str]:
        """Why the record cannot identify an agent, if it cannot; one line per reason."""
        record, reasons = self.record, []
        if record.n_steps < _MIN_STEPS:
            reasons.append(f"only {record.n_steps} steps (at least {_MIN_STEPS} are needed)")
        visited = np.unique(record.location)
        if visited.size == 1:
            reasons.append(f"the agent never leaves one place ({LOCATIONS[visited[0]]})")
        if record.session_starts.all():
            reasons.append("no session has two steps")
        if np.unique(record.action).size == 1:
            reasons.append("the agent takes only one action")
        if not record.opened.any():
            reasons.append("the agent never opens a box")
        return reasons

    def diagnose(self, theta: np.ndarray, evaluation: ForagingEvaluation | None) -> Diagnosis:
        """How well the planner was solved, whether its fixed point attracts, and what is unusual."""
        if evaluation is None:
            return Diagnosis(False, (), {"planner_residual": np.nan, "planner_radius": np.nan})
        radius = evaluation.model.planner_radius()
        said = [*self.record_remarks, *remarks_on_agent(theta, evaluation.model.task)]
        if not radius < 1.0:
            said.insert(
                0, f"the planner's fixed point is not attracting (spectral radius {radius:.4g})"
            )
        residual = evaluation.model.plan.residual
        measures = {"planner_residual": residual, "planner_radius": radius}
        return Diagnosis(radius < 1.0, tuple(said), measures)


def space_of(task: Task, space: ParameterSpace) -> ParameterSpace:
    """A space without the parameters that agents in a task do not have."""
    gone = () if task.has_cues else CUE_PARAMETERS
    return space if space.absent == gone else without(space, gone)
