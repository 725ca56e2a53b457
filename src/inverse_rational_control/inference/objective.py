"""What a fit needs to know of a model and its data: one object, made once and passed as one thing.

Nothing here knows a task. An objective of any model whose parameters have `Coordinates` can be fitted:
see `foraging.objective.ForagingObjective` for the two boxes, and the psychometric function of
tests/inference/toy.py for a small one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from inverse_rational_control.parameter_space import ParameterSpace

__all__ = ["Diagnosis", "Evaluation", "Objective"]


@dataclass(frozen=True)
class Evaluation:
    """Log-likelihood and gradient at one parameter vector; an objective may keep more in a subclass.

    Attributes
    ----------
    log_likelihood : float
        Nats; -inf if not usable.
    gradient : ndarray, shape (n,), or None
        By natural coordinates; None if not usable.
    """

    log_likelihood: float
    gradient: np.ndarray | None

    @property
    def usable(self) -> bool:
        """Whether likelihood and gradient are finite numbers."""
        return self.gradient is not None


@dataclass(frozen=True)
class Diagnosis:
    """What an objective says of an estimate besides its likelihood.

    Attributes
    ----------
    sound : bool
        Whether the model itself can be trusted there; if not, no fit counts as converged.
    remarks : tuple of str
        What is unusual, in words.
    measures : mapping of str to float
        Numbers to keep with the fit, by the name of their variable; NaN where nothing was found.
    """

    sound: bool
    remarks: tuple[str, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)


class Objective(Protocol):
    """A log-likelihood of data by n parameters, and what a fit has to know beyond it.

    Attributes
    ----------
    space : ParameterSpace
        The parameters, and which of them are free.
    n_steps : int
        How much data there are; information grows in proportion to it.
    """

    space: ParameterSpace
    n_steps: int

    def within(self, space: ParameterSpace) -> Objective:
        """The same likelihood of the same data, with other parameters free."""
        ...

    def log_likelihood(self, theta: np.ndarray) -> float:
        """Log-likelihood at natural parameters, shape (n,), in nats; -inf if there is none."""
        ...

    def evaluate(self, theta: np.ndarray) -> Evaluation:
        """Log-likelihood and gradient at natural parameters, shape (n,): one E-step."""
        ...

    def q_function(
        self, theta: np.ndarray, evaluation: Evaluation
    ) -> tuple[float, np.ndarray | None]:
        """Expected complete-data log-likelihood Q(theta | theta_old) and its gradient.

        `evaluation` is that at theta_old. Without latent variables Q is the log-likelihood itself.
        The value may lack what does not depend on theta; (-inf, None) if theta is not usable.
        """
        ...

    def degeneracies(self) -> list[str]:
        """Why the data cannot identify the parameters, if they cannot; one line per reason."""
        ...

    def diagnose(self, theta: np.ndarray, evaluation: Evaluation | None) -> Diagnosis:
        """What is to be said of an estimate; `evaluation` is None where no start led anywhere."""
        ...
