"""The memoryless baseline: a softmax over what is in sight, without beliefs, plans or memory.

At each location an action's logit is linear in the colors of the two cues: a multinomial logistic
regression per location. Linear, because colors are binomial: what one says about its box's food, as a
log-likelihood ratio, is linear in its number (docs/model.md section 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from inverse_rational_control.agent.simulation import simulate_tables
from inverse_rational_control.record import Record
from inverse_rational_control.task import MIDDLE, N_ACTIONS, N_LOCATIONS, Task

__all__ = ["Memoryless", "MemorylessPolicy", "baseline", "penalized_negative_log_likelihood"]

# On the gradient, nats by coefficient; the value's own tolerance is next to none.
_OPTIONS = {"maxiter": 5000, "maxfun": 10000, "maxcor": 30, "ftol": 1e-13, "gtol": 1e-5}


@dataclass(frozen=True)
class MemorylessPolicy:
    """A memoryless policy: a fitted baseline (see `baselines.FittedBaseline`).

    Attributes
    ----------
    task : Task
    log_policy : ndarray, shape (3, C, C, 5)
        log P(action | location, cue 1, cue 2), nats; -inf for actions that are not available.
    converged : bool
        Whether the optimizer met its criterion at every location.
    log_evidence : float
        Of the record that it was fitted to, by Laplace's approximation under the ridge as a prior, nats.
    """

    task: Task
    log_policy: np.ndarray
    converged: bool = True
    log_evidence: float = np.nan

    def log_likelihood(self, record: Record) -> float:
        """Log-likelihood of a record's actions, nats, without the penalty of the fit.

        Raises
        ------
        RecordError
            If the record does not fit the task.
        """
        record.check(self.task)
        counts = _counts(record, self.task)
        log_policy = self._of_situations(counts.shape[1])
        return float((counts * np.where(counts > 0, log_policy, 0.0)).sum())

    def _of_situations(self, n: int) -> np.ndarray:
        """The policy for n cues, one more than there are colors if some steps have none.

        No cue counts as the color in the middle: logits are linear in the color, so these are the mean.
        """
        log_policy = self.log_policy[:, :n, :n]
        for axis in (1, 2) if n > log_policy.shape[1] else ():
            middle = log_softmax(log_policy.mean(axis, keepdims=True), axis=-1)
            log_policy = np.concatenate([log_policy, middle], axis)
        return log_policy

    def step_log_likelihoods(self, record: Record) -> np.ndarray:
        """Log-probability of each action of a record, nats, shape (T,)."""
        situation, n_seen = _situation(record, self.task)
        return self._of_situations(n_seen)[*situation, record.action]

    def simulate(self, world: np.ndarray, n_steps: int, rng: np.random.Generator) -> Record:
        """Simulate one session of this policy in the world.

        It is an agent whose belief about a box is the box's cue: one bin per cue, and a belief step
        that leads to the cue just seen. Its first belief is of no cue, so the first step is not
        recorded.

        Parameters
        ----------
        world : ndarray, shape (6,)
            The world's parameters, in the order of `parameters.WORLD_PARAMETERS`.
        n_steps : int
        rng : numpy.random.Generator

        Returns
        -------
        Record
            With the true food, without beliefs.
        """
        log_policy = self._of_situations(self.task.n_cues + (self.task.cue_share < 1))
        n_seen = log_policy.shape[1]
        resets = np.broadcast_to(np.eye(n_seen), (n_seen, n_seen))
        kernels = np.broadcast_to(resets[:, None, :], (n_seen, n_seen, n_seen))
        record = simulate_tables(
            np.exp(log_policy),
            (kernels, kernels),
            (resets, resets),
            self.task,
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


@dataclass(frozen=True)
class Memoryless:
    """All memoryless policies: a baseline (see `baselines.Baseline`).

    Attributes
    ----------
    task : Task
    ridge : float
        Inverse variance of the Gaussian prior of every coefficient, > 0. It keeps the logits finite
        where an action was never taken in a situation, so that a new record in which it is taken has a
        likelihood; it is worth a small part of one observation.
    """

    task: Task
    ridge: float

    def __post_init__(self):
        if not self.ridge > 0:
            raise ValueError(f"ridge: found {self.ridge}, allowed: numbers > 0")

    @property
    def n_parameters(self) -> int:
        """Number of identifiable parameters: per location, (actions - 1) (1 + 2); 1 without cues."""
        return int((self.task.available.sum(1) - 1).sum()) * (3 if self.task.has_cues else 1)

    def fit(self, record: Record) -> MemorylessPolicy:
        """Fit a policy to a record by penalized maximum likelihood.

        Raises
        ------
        RecordError
            If the record does not fit the task.
        """
        record.check(self.task)
        counts = _counts(record, self.task)
        n_seen = counts.shape[1]
        cue_1, cue_2 = (grid.ravel() for grid in np.indices((n_seen, n_seen)))
        # Colors from -1 to 1, so that the penalty means the same for any number of them; none is 0.
        color = np.linspace(-1.0, 1.0, self.task.n_cues) if self.task.has_cues else np.zeros(1)
        color = np.append(color, np.zeros(n_seen - color.size))
        features = np.column_stack([np.ones(n_seen**2), color[cue_1], color[cue_2]])
        log_policy = np.full(counts.shape, -np.inf)
        converged, log_evidence = True, 0.0
        for location in range(N_LOCATIONS):
            actions = np.flatnonzero(self.task.available[location])
            seen = counts[location].reshape(n_seen**2, N_ACTIONS)[:, actions]
            found = minimize(
                penalized_negative_log_likelihood,
                np.zeros(features.shape[1] * actions.size),
                args=(features, seen, self.ridge),
                jac=True,
                method="L-BFGS-B",
                options=_OPTIONS,
            )
            converged = converged and bool(found.success)
            log_evidence += _laplace(found.x, found.fun, features, seen, self.ridge)
            logits = features @ found.x.reshape(features.shape[1], actions.size)
            fitted = log_softmax(logits, axis=1).reshape(n_seen, n_seen, actions.size)
            log_policy[location][..., actions] = fitted
        return MemorylessPolicy(self.task, log_policy, converged, log_evidence)


def baseline(task: Task, options: Mapping[str, Any]) -> Memoryless:
    """The baseline as the section `alternatives` of the configuration wants it."""
    return Memoryless(task, options["memoryless_ridge"])


def _counts(record: Record, task: Task) -> np.ndarray:
    """How often each action was taken, [location, cue 1, cue 2, action]."""
    situation, n_seen = _situation(record, task)
    counts = np.zeros((N_LOCATIONS, n_seen, n_seen, N_ACTIONS))
    np.add.at(counts, (*situation, record.action), 1.0)
    return counts


def _situation(record: Record, task: Task) -> tuple[tuple[np.ndarray, ...], int]:
    """Location, cue 1 and cue 2 of every step, and how many cues there are to see.

    With one cue more than colors, for none, if some steps have none.
    """
    lacks = record.cue < 0
    cue = np.where(lacks, task.n_cues, record.cue)
    return (record.location, *cue.T), task.n_cues + bool(lacks.any())


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


def _laplace(
    weights: np.ndarray, value: float, features: np.ndarray, counts: np.ndarray, ridge: float
) -> float:
    """Log evidence of one location's actions: Laplace's approximation at the penalized optimum, nats."""
    matrix = weights.reshape(features.shape[1], counts.shape[1])
    policy = np.exp(log_softmax(features @ matrix, axis=1))
    total = counts.sum(1)
    # Of a multinomial logit: sum of total x x' (diag p - p p') over situations, features first.
    spread = policy[:, :, None] * np.eye(counts.shape[1]) - policy[:, :, None] * policy[:, None, :]
    curvature = np.einsum("s,si,sj,sab->iajb", total, features, features, spread)
    curvature = curvature.reshape(weights.size, weights.size) + ridge * np.eye(weights.size)
    _, log_determinant = np.linalg.slogdet(curvature)
    return float(-value + 0.5 * weights.size * np.log(ridge) - 0.5 * log_determinant)
