"""The floor among the alternatives: a softmax over what is in sight, without beliefs, plans or memory.

At each location an action's logit is linear in the colors of the two cues: a multinomial logistic
regression per location. Linear, because colors are binomial: what one says about its box's food, as a
log-likelihood ratio, is linear in its number (docs/model.md section 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from inverse_rational_control.agent.simulation import simulate_tables
from inverse_rational_control.record import Record
from inverse_rational_control.task import MIDDLE, N_ACTIONS, N_LOCATIONS, Task

__all__ = [
    "MemorylessFit",
    "fit_memoryless",
    "memoryless_log_likelihood",
    "n_memoryless_parameters",
    "simulate_memoryless",
]


@dataclass(frozen=True)
class MemorylessFit:
    """A fitted memoryless policy.

    Attributes
    ----------
    log_policy : ndarray, shape (3, C, C, 5)
        log P(action | location, cue 1, cue 2), nats; -inf for actions that are not available.
    log_likelihood : float
        Of the record it was fitted to, nats, without the penalty.
    converged : bool
        Whether the optimizer met its criterion at every location.
    """

    log_policy: np.ndarray
    log_likelihood: float
    converged: bool


def n_memoryless_parameters(task: Task) -> int:
    """Number of identifiable parameters: per location, (actions - 1) (1 + 2)."""
    return int((task.available.sum(1) - 1).sum()) * 3


def _counts(record: Record, task: Task) -> np.ndarray:
    """How often each action was taken, [location, cue 1, cue 2, action]."""
    counts = np.zeros((N_LOCATIONS, task.n_cues, task.n_cues, N_ACTIONS))
    np.add.at(counts, (record.location, *record.cue.T, record.action), 1.0)
    return counts


def memoryless_log_likelihood(log_policy: np.ndarray, record: Record, task: Task) -> float:
    """Log-likelihood of a record's actions under a memoryless policy, nats.

    Parameters
    ----------
    log_policy : ndarray, shape (3, C, C, 5)
    record : Record
        Checked against `task`.
    task : Task

    Raises
    ------
    RecordError
        If the record does not fit the task.
    """
    record.check(task)
    counts = _counts(record, task)
    return float((counts * np.where(counts > 0, log_policy, 0.0)).sum())


def penalized_negative_log_likelihood(
    weights: np.ndarray, features: np.ndarray, counts: np.ndarray, ridge: float
) -> tuple[float, np.ndarray]:
    """Objective of one location's fit and its gradient.

    Parameters
    ----------
    weights : ndarray, shape (features * actions,)
    features : ndarray, shape (situations, features)
    counts : ndarray, shape (situations, actions)
    ridge : float
        Half of it times the squared length of `weights` is added, nats.

    Returns
    -------
    value : float
        Nats.
    gradient : ndarray, shape (features * actions,)
    """
    matrix = weights.reshape(features.shape[1], counts.shape[1])
    log_policy = log_softmax(features @ matrix, axis=1)
    surplus = counts.sum(1, keepdims=True) * np.exp(log_policy) - counts
    value = -(counts * log_policy).sum() + 0.5 * ridge * weights @ weights
    return float(value), (features.T @ surplus).ravel() + ridge * weights


def fit_memoryless(record: Record, task: Task, ridge: float) -> MemorylessFit:
    """Fit a memoryless policy to a record by penalized maximum likelihood.

    The penalty keeps the logits finite where an action was never taken in a situation, so that a new
    record in which it is taken has a likelihood; it is worth a small part of one observation.

    Parameters
    ----------
    record : Record
        Checked against `task`.
    task : Task
    ridge : float
        Inverse variance of the Gaussian prior of every coefficient, > 0.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If `ridge` is not positive.
    """
    if not ridge > 0:
        raise ValueError(f"ridge: found {ridge}, allowed: numbers > 0")
    record.check(task)
    counts = _counts(record, task)
    n_cues = task.n_cues
    cue_1, cue_2 = (grid.ravel() for grid in np.indices((n_cues, n_cues)))
    # Colors from -1 to 1, so that the penalty means the same for any number of them.
    color = np.linspace(-1.0, 1.0, n_cues)
    features = np.column_stack([np.ones(n_cues**2), color[cue_1], color[cue_2]])
    log_policy = np.full(counts.shape, -np.inf)
    converged = True
    for location in range(N_LOCATIONS):
        actions = np.flatnonzero(task.available[location])
        seen = counts[location].reshape(n_cues**2, N_ACTIONS)[:, actions]
        found = minimize(
            penalized_negative_log_likelihood,
            np.zeros(features.shape[1] * actions.size),
            args=(features, seen, ridge),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 5000, "maxfun": 10000, "maxcor": 30, "ftol": 1e-13, "gtol": 1e-5},
        )
        converged = converged and bool(found.success)
        logits = features @ found.x.reshape(features.shape[1], actions.size)
        fitted = log_softmax(logits, axis=1).reshape(n_cues, n_cues, actions.size)
        log_policy[location][..., actions] = fitted
    return MemorylessFit(log_policy, memoryless_log_likelihood(log_policy, record, task), converged)


def simulate_memoryless(
    log_policy: np.ndarray, world: np.ndarray, n_steps: int, rng: np.random.Generator
) -> Record:
    """Simulate one session of a memoryless policy in the world.

    It is an agent whose belief about a box is the box's cue: one bin per cue, and a belief step that
    leads to the cue just seen. Its first belief is of no cue, so the first step is not recorded.

    Parameters
    ----------
    log_policy : ndarray, shape (3, C, C, 5)
        Nats.
    world : ndarray, shape (6,)
    n_steps : int
    rng : numpy.random.Generator

    Returns
    -------
    Record
        With the true food, without beliefs.
    """
    n_cues = log_policy.shape[1]
    resets = np.broadcast_to(np.eye(n_cues), (n_cues, n_cues))
    kernels = np.broadcast_to(resets[:, None, :], (n_cues, n_cues, n_cues))
    record = simulate_tables(
        np.exp(log_policy),
        (kernels, kernels),
        (resets, resets),
        n_cues,
        world,
        n_steps + 1,
        rng,
        MIDDLE,
    )
    columns = {
        name: np.ascontiguousarray(column[1:])
        for name, column in record.__dict__.items()
        if not name.startswith("belief")
    }
    return Record(**columns)
