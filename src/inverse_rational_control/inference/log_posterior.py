"""Log posterior density as an objective: likelihood and prior together, for the mode and its draws.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.inference.edges import continuation
from inverse_rational_control.inference.objective import Diagnosis, Evaluation, Objective
from inverse_rational_control.inference.prior import Prior, normal_prior
from inverse_rational_control.parameter_space import ParameterSpace

__all__ = ["LogPosterior", "PosteriorEvaluation", "maximized"]


@dataclass(frozen=True)
class PosteriorEvaluation(Evaluation):
    """Log posterior density and gradient; `likelihood` is the evaluation of the likelihood alone."""

    likelihood: Evaluation


class LogPosterior:
    """Log-likelihood plus log prior (an `inference.objective.Objective`).

    Its "log-likelihood" is the log posterior density by unconstrained coordinates, but for the evidence:
    maximized, it gives the posterior's mode in these coordinates (MAP).

    Parameters
    ----------
    objective : Objective
    prior : Prior
        Of the objective's space.
    """

    def __init__(self, objective: Objective, prior: Prior):
        self.objective, self.prior = objective, prior
        self.space, self.n_steps = objective.space, objective.n_steps

    def within(self, space: ParameterSpace) -> LogPosterior:
        """The same density, with other parameters free: a section, not normalized anew."""
        return LogPosterior(self.objective.within(space), self.prior)

    def continued(self, theta: np.ndarray) -> LogPosterior | None:
        """With the likelihood continued from natural parameters, shape (n,), if it jumps."""
        likelihood = continuation(self.objective, theta)
        return None if likelihood is None else LogPosterior(likelihood, self.prior)

    def holds(self, theta: np.ndarray) -> bool:
        """Of a continued one: whether its likelihood is the model's own there."""
        return self.objective.holds(theta)

    def log_prior(self, theta: np.ndarray) -> float:
        """Log prior density by unconstrained coordinates at natural parameters, shape (n,)."""
        return self.prior.log_density(self.space.unconstrained(theta))

    def log_likelihood(self, theta: np.ndarray) -> float:
        """Log posterior density at natural parameters, shape (n,); -inf if there is none."""
        return self.objective.log_likelihood(theta) + self.log_prior(theta)

    def evaluate(self, theta: np.ndarray) -> PosteriorEvaluation:
        """Log posterior density and gradient at natural parameters, shape (n,): one E-step."""
        likelihood = self.objective.evaluate(theta)
        gradient = likelihood.gradient
        if gradient is not None:
            gradient = gradient + self._prior_gradient(theta)
        value = likelihood.log_likelihood + self.log_prior(theta)
        return PosteriorEvaluation(value, gradient, likelihood)

    def q_function(
        self, theta: np.ndarray, evaluation: PosteriorEvaluation
    ) -> tuple[float, np.ndarray | None]:
        """The likelihood's Q function plus the log prior, and its gradient."""
        value, gradient = self.objective.q_function(theta, evaluation.likelihood)
        if gradient is not None:
            gradient = gradient + self._prior_gradient(theta)
        return value + self.log_prior(theta), gradient

    def degeneracies(self) -> list[str]:
        """Why the data identify nothing; a proper prior gives every record a mode."""
        return [] if self.prior.is_proper else self.objective.degeneracies()

    def diagnose(self, theta: np.ndarray, evaluation: PosteriorEvaluation | None) -> Diagnosis:
        """What the likelihood's objective says, and the log prior of the estimate."""
        likelihood = None if evaluation is None else evaluation.likelihood
        found = self.objective.diagnose(theta, likelihood)
        log_prior = np.nan if evaluation is None else self.log_prior(theta)
        said = found.remarks
        if self.prior.is_proper:
            said += tuple(f"record: {reason}" for reason in self.objective.degeneracies())
        return replace(found, remarks=said, measures={**found.measures, "log_prior": log_prior})

    def _prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        by_eta = self.prior.gradient(self.space.unconstrained(theta))
        return by_eta / self.space.natural_jacobian(theta)


def maximized(objective: Objective, estimator: str, intervals: Mapping) -> Objective | LogPosterior:
    """What an estimator maximizes: the likelihood ("ml"), or with the prior ("map").

    Parameters
    ----------
    objective : Objective
    estimator : {"ml", "map"}
    intervals : mapping
        As for `normal_prior`.
    """
    if estimator == "ml":
        return objective
    return LogPosterior(objective, normal_prior(intervals, objective.space))
