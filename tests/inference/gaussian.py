"""A Gaussian log-likelihood, whose posterior under normal priors is known in closed form."""

import numpy as np

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.coordinates import Parameter
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import parameter_space
from tests.inference.toy import NothingLatent

PARAMETERS = tuple(Parameter(name, name, "identity", "1") for name in ("a", "b", "c"))
CENTER = np.array([0.3, -0.5, 0.8])
PRECISION = np.array([[4.0, 1.5, 0.0], [1.5, 2.0, -0.5], [0.0, -0.5, 1.0]])
INTERVALS = {"a": (-2.0, 2.0), "b": (-1.0, 3.0), "c": (-3.0, 3.0)}
QUICK = PosteriorSettings(
    n_chains=2,
    n_tune=150,
    n_draws=500,
    n_importance_draws=1000,
    ess_minimum=300,
    r_hat_maximum=1.03,
)


class Gaussian(NothingLatent):
    """-(x - center)' precision (x - center) / 2; none where `wall` says so, with a step up at `step`."""

    def __init__(self, space, wall=None, step=None):
        self.space, self.n_steps, self.wall, self.step = space, 1000, wall, step

    def within(self, space):
        return Gaussian(space, self.wall, self.step)

    def log_likelihood(self, theta):
        if self.wall is not None and theta[0] > self.wall:
            return -np.inf
        value = -0.5 * (theta - CENTER) @ PRECISION @ (theta - CENTER)
        return value + (3.0 if self.step is not None and theta[0] > self.step else 0.0)

    def evaluate(self, theta):
        value = self.log_likelihood(theta)
        return Evaluation(value, -PRECISION @ (theta - CENTER) if np.isfinite(value) else None)


def density(fixed=None, **options):
    """The posterior's density, some parameters held."""
    space = parameter_space(fixed, parameters=PARAMETERS)
    return LogPosterior(Gaussian(space, **options), normal_prior(INTERVALS, space))


def exact(fixed=None):
    """Mean and standard deviation of the free parameters, and the log evidence."""
    prior = density(fixed).prior
    free = np.isfinite(prior.standard_deviation)
    held = np.array([dict(fixed or {}).get(each.name, 0.0) for each in PARAMETERS])
    prior_precision = np.diag(prior.standard_deviation[free] ** -2)
    mean = np.where(free, prior.mean, 0.0)[free]
    total = PRECISION[np.ix_(free, free)] + prior_precision
    # Completing the square, the fixed parameters moved to the right-hand side.
    right = PRECISION[free] @ CENTER - PRECISION[np.ix_(free, ~free)] @ held[~free]
    right = right + prior_precision @ mean
    found = np.linalg.solve(total, right)
    at = held.copy()
    at[free] = found
    log_height = density(fixed).log_likelihood(at)
    evidence = log_height + 0.5 * free.sum() * np.log(2 * np.pi)
    evidence -= 0.5 * np.linalg.slogdet(total)[1]
    return found, np.sqrt(np.diag(np.linalg.inv(total))), evidence
