"""Coordinates in which the ridge along which agents hardly differ is nearly straight.

Rewards and costs enter choices divided by the temperature; what food is then worth, the
agent's beliefs make up for. Source: docs/model.md section 8.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.search import Point
from inverse_rational_control.parameter_space import ParameterSpace
from inverse_rational_control.parameters import REWARDS_AND_COSTS, TEMPERATURE

__all__ = ["Unscaled"]


class Unscaled:
    """An objective by unconstrained coordinates, but rewards and costs divided by the temperature.

    Those that are fixed or tied stay as they are; all do where the temperature is.

    Parameters
    ----------
    objective : Objective

    Attributes
    ----------
    n_evaluations : int
        E-steps so far.
    """

    def __init__(self, objective: Objective):
        self.objective, self.space = objective, objective.space
        self.divided = _alone(self.space, np.arange(len(self.space.parameters))[REWARDS_AND_COSTS])
        if not _alone(self.space, np.array([TEMPERATURE])).size:
            self.divided = self.divided[:0]
        self.n_evaluations = 0

    def of(self, eta: np.ndarray) -> np.ndarray:
        """These coordinates of unconstrained ones, both shape (n,)."""
        x = np.array(eta, dtype=float)
        x[self.divided] /= np.exp(eta[TEMPERATURE])
        return x

    def eta(self, x: np.ndarray) -> np.ndarray:
        """Unconstrained coordinates of these, both shape (n,)."""
        eta = np.array(x, dtype=float)
        eta[self.divided] *= np.exp(x[TEMPERATURE])
        return eta

    def theta(self, x: np.ndarray) -> np.ndarray:
        """Natural coordinates of these, both shape (n,)."""
        return self.space.natural(self.eta(x))

    def directions(self, whitening: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Steps in unconstrained coordinates, (n, k), as steps in these at x."""
        steps, temperature = np.array(whitening, dtype=float), np.exp(x[TEMPERATURE])
        steps[self.divided] /= temperature
        steps[self.divided] -= np.outer(x[self.divided], whitening[TEMPERATURE])
        return steps

    def point(self, x: np.ndarray) -> Point | None:
        """The objective and its gradient by these coordinates, or None if not usable."""
        with np.errstate(over="ignore"):
            eta = self.eta(x)
        if not (np.isfinite(eta).all() and self.space.contains(eta)):
            return None
        self.n_evaluations += 1
        theta = self.space.natural(eta)
        found = self.objective.evaluate(theta)
        if not found.usable:
            return None
        gradient = found.gradient * self.space.natural_jacobian(theta)
        gradient[TEMPERATURE] += gradient[self.divided] @ eta[self.divided]
        gradient[self.divided] *= np.exp(x[TEMPERATURE])
        return Point(x.copy(), found.log_likelihood, gradient)


def _alone(space: ParameterSpace, places: np.ndarray) -> np.ndarray:
    """Those of the parameters that move by themselves."""
    single = space.directions[:, (space.directions != 0).sum(0) == 1]
    return places[(single[places] != 0).any(1)]
