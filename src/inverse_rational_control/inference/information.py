"""Observed information of the likelihood, in unconstrained coordinates.

Central differences of the exact gradient (docs/model.md section 8): two E-steps per free
coordinate.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.chain.forward_backward import ChainInputs
from inverse_rational_control.foraging.likelihood import evaluate
from inverse_rational_control.parameter_space import FULL_SPACE, ParameterSpace
from inverse_rational_control.parameters import natural, natural_jacobian
from inverse_rational_control.task import Task

__all__ = [
    "inverse_root",
    "is_positive_definite",
    "observed_information",
]


def observed_information(
    eta: np.ndarray,
    inputs: ChainInputs,
    task: Task,
    difference_step: float,
    slope: np.ndarray | None = None,
    space: ParameterSpace = FULL_SPACE,
) -> np.ndarray:
    """Minus the second derivative of the log-likelihood at `eta`, by the space's free coordinates.

    Parameters
    ----------
    eta : ndarray, shape (10,)
        Unconstrained coordinates.
    inputs : ChainInputs
    task : Task
    difference_step : float
        Step of the differences of the gradient, unconstrained coordinates.
    slope : ndarray, shape (10,), optional
        Gradient at `eta`, if known: then differences are taken to one side only, which costs half the
        E-steps and is true to first order in the step. Enough to find the way, not for standard errors.
    space : ParameterSpace
        With k free coordinates.

    Returns
    -------
    ndarray, shape (k, k)
        Symmetrized; NaN throughout if a gradient beside `eta` is not usable.
    """
    hessian = np.empty((space.size, space.size))
    for k in range(space.size):
        ends = []
        for sign in (1.0, -1.0) if slope is None else (1.0,):
            theta = natural(eta + sign * difference_step * space.directions[:, k])
            evaluation = evaluate(theta, inputs, task)
            if not evaluation.usable:
                return np.full_like(hessian, np.nan)
            ends.append(evaluation.gradient * natural_jacobian(theta))
        if slope is None:
            change = (ends[0] - ends[1]) / (2.0 * difference_step)
        else:
            change = (ends[0] - slope) / difference_step
        hessian[k] = space.directions.T @ change
    return -0.5 * (hessian + hessian.T)


def is_positive_definite(information: np.ndarray) -> bool:
    """Whether an information matrix is finite and numerically positive definite."""
    if not np.isfinite(information).all():
        return False
    scale = np.sqrt(np.abs(np.diag(information)))
    if not (np.diag(information) > 0).all():
        return False
    eigenvalues = np.linalg.eigvalsh(information / np.outer(scale, scale))
    return bool(eigenvalues[0] > 1e-10 * eigenvalues[-1])


def inverse_root(information: np.ndarray) -> np.ndarray:
    """A with A A' = information^-1, so that eta = A z has unit information in z; shape (k, k)."""
    return np.linalg.inv(np.linalg.cholesky(information)).T
