"""A psychometric function as an objective: three parameters, no foraging, for the generic fits.

P(yes | x) = lapse / 2 + (1 - lapse) / (1 + exp(-(x - threshold) / width)).
"""

import numpy as np
from scipy.special import expit

from inverse_rational_control.coordinates import Parameter
from inverse_rational_control.inference.objective import Diagnosis, Evaluation
from inverse_rational_control.parameter_space import parameter_space

PARAMETERS = (
    Parameter("threshold", r"$\mu$", "identity", "cm"),
    Parameter("width", r"$\sigma$", "log", "cm"),
    Parameter("lapse", r"$\lambda$", "logit", "1"),
)
SPACE = parameter_space(parameters=PARAMETERS)
TRUTH = np.array([0.5, 0.4, 0.1])


class NothingLatent:
    """Objective of data without latent variables: its Q function is the log-likelihood itself."""

    def q_function(self, theta, evaluation):
        found = self.evaluate(theta)
        return found.log_likelihood, found.gradient

    def degeneracies(self):
        return []

    def diagnose(self, theta, evaluation):
        return Diagnosis(evaluation is not None)


class Psychometric(NothingLatent):
    """Answers yes or no, shape (T,), to stimuli of strength x, shape (T,)."""

    def __init__(self, x, yes, space=SPACE):
        self.x, self.yes, self.space = x, yes, space
        self.n_steps = len(x)

    @classmethod
    def simulated(cls, n_steps=4000, seed=0):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-2, 3, n_steps)
        return cls(x, rng.random(n_steps) < cls(x, None).probability(TRUTH))

    def probability(self, theta):
        threshold, width, lapse = theta
        return lapse / 2 + (1 - lapse) * expit((self.x - threshold) / width)

    def within(self, space):
        return Psychometric(self.x, self.yes, space)

    def log_likelihood(self, theta):
        p = self.probability(theta)
        return float(np.log(np.where(self.yes, p, 1 - p)).sum())

    def evaluate(self, theta):
        threshold, width, lapse = theta
        p, z = self.probability(theta), (self.x - threshold) / width
        inner = (1 - lapse) * expit(z) * expit(-z)
        by_p = np.where(self.yes, 1 / p, -1 / (1 - p))
        columns = (-inner / width, -inner * z / width, 0.5 - expit(z))
        return Evaluation(self.log_likelihood(theta), np.array([by_p @ each for each in columns]))

    def degeneracies(self):
        return [] if 0 < self.yes.mean() < 1 else ["all answers are the same"]
