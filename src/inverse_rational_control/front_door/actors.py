"""The two actors by name, and all that stands for an agent: a fit, a posterior, its numbers."""

from __future__ import annotations

import numpy as np

from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.config.foraging import AgentSection, WorldSection
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.inference.posterior import Posterior, PosteriorStatus
from inverse_rational_control.parameters import (
    agent_extras,
    agent_vector,
    extras_among,
    world_vector,
)
from inverse_rational_control.task import Task

__all__ = ["Actor", "Agent", "World", "draws_of", "extras_of", "parameters_of", "solved"]


class World(WorldSection):
    """The world's six parameters; those of the paper where not given.

    Examples
    --------
    >>> World(appearance_rate_1=0.3).appearance_rate_1
    0.3
    """

    @property
    def vector(self) -> np.ndarray:
        """The parameters in order, shape (6,)."""
        return world_vector(self.model_dump())


class Agent(AgentSection):
    """The agent's parameters, natural coordinates; those of the paper where not given.

    Beyond the ten it may have a lapse, perseveration, and a diffusion and discount of its own.

    Examples
    --------
    >>> Agent(temperature=0.1).vector.round(2)
    array([0.2 , 0.15, 0.1 , 0.08, 0.42, 0.66, 0.2 , 0.2 , 0.3 , 0.1 ])
    >>> Agent(lapse=0.05).extras, Agent(lapse=0.05).vector.shape
    (('lapse',), (11,))
    """

    @property
    def vector(self) -> np.ndarray:
        """The parameters in order, shape (10 + extras,)."""
        return agent_vector(self.model_dump())

    @property
    def extras(self) -> tuple[str, ...]:
        """The extra parameters that it has, in order."""
        return agent_extras(self.model_dump())


#: Where parameters come from: an agent's own, a fit's estimate, a posterior's draws, or ten numbers.
Actor = Agent | Fit | Posterior | np.ndarray


def parameters_of(agent: Actor) -> np.ndarray:
    """One agent's parameters, shape (10 + extras,); those of the mode of a posterior."""
    if isinstance(agent, Agent):
        return agent.vector
    if isinstance(agent, Posterior):
        return agent.mode.estimate
    return agent.estimate if isinstance(agent, Fit) else np.asarray(agent, dtype=float)


def extras_of(agent: Actor) -> tuple[str, ...]:
    """Extra parameters of what stands for an agent; numbers alone have none."""
    if isinstance(agent, Agent):
        return agent.extras
    if isinstance(agent, Posterior):
        return extras_among(agent.density.space.parameter_names)
    return extras_among(agent.space.parameter_names) if isinstance(agent, Fit) else ()


def draws_of(posterior: Posterior) -> np.ndarray:
    """Draws to go on with, shape (n_carried, n); refused where they have not converged."""
    if posterior.status == PosteriorStatus.NOT_CONVERGED:
        raise ValueError(
            "posterior: found status not_converged, allowed: converged or rough (draw more, or go on "
            "with posterior.mode alone)"
        )
    return posterior.thinned(posterior.settings.n_carried)


def solved(theta: np.ndarray, task: Task, extras: tuple[str, ...] = ()) -> AgentModel:
    """An agent's model, if its plan exists."""
    model = agent_model(theta, task, extras)
    if not model.plan.converged:
        raise ValueError(
            f"agent: the planner found no solution (residual {model.plan.residual:.3g}), allowed: "
            "agents whose Bellman equation can be solved"
        )
    return model
