"""The records that the models are fitted to: pairs of one agent's, and records of each model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.model import AgentModel, draw_agent
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.alternative_models import FULL
from inverse_rational_control.parameter_ranges import draw_parameters
from inverse_rational_control.parameter_space import ParameterSpace
from inverse_rational_control.record import Record
from inverse_rational_control.studies.alternatives.baselines import Baseline
from inverse_rational_control.task import Task

__all__ = ["SimulatedRecords", "draw_agent_of", "pair_of_records", "record_of_model"]


@dataclass(frozen=True)
class SimulatedRecords:
    """A record to fit, and what is known about it.

    Attributes
    ----------
    record : Record
    held_out : Record or None
        Another record of the same agent.
    truth : ndarray, shape (10,)
        The agent's parameters, natural coordinates; NaN for a record of a baseline.
    n_discarded : int
        Agents drawn before it whose plan could not be solved.
    """

    record: Record
    held_out: Record | None
    truth: np.ndarray
    n_discarded: int


def draw_agent_of(
    space: ParameterSpace,
    ranges: Mapping[str, Sequence[float]],
    task: Task,
    rng: np.random.Generator,
) -> tuple[np.ndarray, AgentModel, int]:
    """Draw an agent of a model: uniform over ranges, then moved into the model's space.

    Parameters
    ----------
    space : ParameterSpace
    ranges : mapping of str to (low, high)
        Per parameter name, natural coordinates.
    task : Task
    rng : numpy.random.Generator

    Returns
    -------
    theta : ndarray, shape (10,)
        Natural coordinates.
    model : AgentModel
        With a solved plan.
    n_discarded : int
        Draws before it whose plan could not be solved.

    Raises
    ------
    ValueError
        As `draw_agent`.
    """
    model, n_discarded = draw_agent(lambda: space.admit(draw_parameters(ranges, rng)), task)
    return model.theta, model, n_discarded


def pair_of_records(
    model: AgentModel,
    world: np.ndarray,
    n_steps: int,
    random: Callable[[str], np.random.Generator],
) -> SimulatedRecords:
    """Two records of one agent, one to fit and one held out.

    Parameters
    ----------
    model : AgentModel
        Its plan must have converged.
    world : ndarray, shape (6,)
    n_steps : int
        Of each.
    random : callable
        Gives the random generator of a purpose by its name.
    """
    record, held_out = (simulate(model, world, n_steps, random(part)) for part in ("fit", "test"))
    return SimulatedRecords(record, held_out, model.theta, 0)


def record_of_model(
    name: str,
    spaces: Mapping[str, ParameterSpace],
    baselines: Mapping[str, Baseline],
    ranges: Mapping[str, Sequence[float]],
    task: Task,
    world: np.ndarray,
    n_steps: int,
    random: Callable[[str], np.random.Generator],
) -> SimulatedRecords:
    """A record of a model: of an agent drawn from it, or of a baseline fitted to such an agent.

    Parameters
    ----------
    name : str
        The generating model, among `spaces` or `baselines`.
    spaces : mapping of str to ParameterSpace
        Of the agent's models, `FULL` among them.
    baselines : mapping of str to Baseline
    ranges : mapping of str to (low, high)
        Where agents are drawn, natural coordinates.
    task : Task
    world : ndarray, shape (6,)
    n_steps : int
    random : callable
        Gives the random generator of a purpose by its name.
    """
    space = spaces[FULL if name in baselines else name]
    theta, model, n_discarded = draw_agent_of(space, ranges, task, random("agent"))
    record = simulate(model, world, n_steps, random("fit"))
    if name in baselines:
        # The baseline that looks most like such an agent.
        record = baselines[name].fit(record).simulate(world, n_steps, random(name))
        theta = np.full(theta.shape, np.nan)
    return SimulatedRecords(record, None, theta, n_discarded)
