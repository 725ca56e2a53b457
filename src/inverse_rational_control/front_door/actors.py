"""The two actors by name, and all that stands for an agent: a fit, a posterior, ten numbers."""

from __future__ import annotations

import numpy as np

from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.config.foraging import AgentSection, WorldSection
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.inference.posterior import Posterior, PosteriorStatus
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.task import Task

__all__ = ["Actor", "Agent", "World", "draws_of", "parameters_of", "solved"]


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
    """The agent's ten parameters, natural coordinates; those of the paper where not given.

    Examples
    --------
    >>> Agent(temperature=0.1).vector.round(2)
    array([0.2 , 0.15, 0.1 , 0.08, 0.42, 0.66, 0.2 , 0.2 , 0.3 , 0.1 ])
    """

    @property
    def vector(self) -> np.ndarray:
        """The parameters in order, shape (10,)."""
        return agent_vector(self.model_dump())


#: Where parameters come from: an agent's own, a fit's estimate, a posterior's draws, or the ten numbers.
Actor = Agent | Fit | Posterior | np.ndarray


def parameters_of(agent: Actor) -> np.ndarray:
    """One agent's parameters, shape (10,); those of the mode of a posterior."""
    if isinstance(agent, Agent):
        return agent.vector
    if isinstance(agent, Posterior):
        return agent.mode.estimate
    return agent.estimate if isinstance(agent, Fit) else np.asarray(agent, dtype=float)


def draws_of(posterior: Posterior) -> np.ndarray:
    """Draws to go on with, shape (n_carried, 10); refused where they have not converged."""
    if posterior.status == PosteriorStatus.NOT_CONVERGED:
        raise ValueError(
            "posterior: found status not_converged, allowed: converged or rough (draw more, or go on "
            "with posterior.mode alone)"
        )
    return posterior.thinned(posterior.settings.n_carried)


def solved(theta: np.ndarray, task: Task) -> AgentModel:
    """An agent's model, if its plan exists."""
    model = agent_model(theta, task)
    if not model.plan.converged:
        raise ValueError(
            f"agent: the planner found no solution (residual {model.plan.residual:.3g}), allowed: "
            "agents whose Bellman equation can be solved"
        )
    return model
