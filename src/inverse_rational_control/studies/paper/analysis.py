"""The paper's one agent: the log-likelihood over a plane (Figure 3A), states it visits (Figure 5E)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.model import AgentModel
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.foraging.likelihood import chain_inputs, model_log_likelihood
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.record import Record
from inverse_rational_control.task import N_LOCATIONS

__all__ = [
    "Surface",
    "held_out_log_likelihoods",
    "held_out_loss_bound",
    "likelihood_surface",
    "principal_plane",
    "visit_frequency",
]

_MARGIN = 0.15  # how far the map reaches beyond what it shows
_N_HELD_OUT = 10  # further records of the true agent, which the estimate has to predict
_DENSE_SHARE = 0.01  # share of the width around the origin with evenly spaced grid points


@dataclass(frozen=True)
class Surface:
    """Log-likelihood on a grid over a plane.

    Attributes
    ----------
    u, v : ndarray, shape (points,)
        Offsets from the origin along the two directions, unconstrained coordinates.
    log_likelihood : ndarray, shape (points, points)
        [u, v], nats; NaN where the planner found no solution.
    """

    u: np.ndarray
    v: np.ndarray
    log_likelihood: np.ndarray


def principal_plane(trajectory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First two principal components of a trajectory.

    Parameters
    ----------
    trajectory : ndarray, shape (iterations, 10)
        Unconstrained coordinates.

    Returns
    -------
    directions : ndarray, shape (2, 10)
        Unit vectors; each one's largest entry is positive.
    explained : ndarray, shape (2,)
        Share of the trajectory's variance.
    """
    centered = trajectory - trajectory.mean(0)
    _, singular, vectors = np.linalg.svd(centered, full_matrices=True)
    power = np.zeros(vectors.shape[0])
    power[: singular.size] = singular**2
    directions = vectors[:2]
    largest = directions[np.arange(2), np.abs(directions).argmax(1)]
    explained = power[:2] / power.sum() if power.sum() > 0 else np.zeros(2)
    return directions * np.sign(largest)[:, None], explained


def likelihood_surface(
    origin: np.ndarray,
    directions: np.ndarray,
    shown: np.ndarray,
    n_points: int,
    objective: ForagingObjective,
) -> Surface:
    """Evaluate the log-likelihood on a grid that covers the points to be shown, with a margin.

    Grid points follow a hyperbolic sine: even near the origin, wider and wider apart far from it.

    Parameters
    ----------
    origin : ndarray, shape (10,)
        Unconstrained coordinates.
    directions : ndarray, shape (2, 10)
    shown : ndarray, shape (points, 2)
        Offsets (u, v) that must lie inside.
    n_points : int
        Grid points per axis.
    objective : ForagingObjective
    """
    low, high = shown.min(0), shown.max(0)
    width = np.maximum(high - low, 1e-3)
    # Denser around the origin, where the contours are narrow.
    scale = _DENSE_SHARE * width
    ends = np.stack([low - _MARGIN * width, high + _MARGIN * width])
    axes = [
        scale[k] * np.sinh(np.linspace(*np.arcsinh(ends[:, k] / scale[k]), n_points))
        for k in range(2)
    ]
    grid = np.empty((n_points, n_points))
    for i, u in enumerate(axes[0]):
        for j, v in enumerate(axes[1]):
            grid[i, j] = objective.log_likelihood(
                objective.space.natural(origin + directions.T @ (u, v))
            )
    return Surface(axes[0], axes[1], np.where(np.isfinite(grid), grid, np.nan))


def held_out_log_likelihoods(
    models: Sequence[AgentModel],
    world: np.ndarray,
    n_steps: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Log-likelihood of further records of the last of some agents under each of them, nats.

    Parameters
    ----------
    models : sequence of AgentModel
        The last one is simulated.
    world : ndarray, shape (6,)
        Natural coordinates.
    n_steps : int
        Of each record.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (agents, records)
    """
    found = []
    for _ in range(_N_HELD_OUT):
        record = simulate(models[-1], world, n_steps, rng)
        found.append(
            [
                model_log_likelihood(
                    each, chain_inputs(record, each.extras, n_cues=each.task.n_cues)
                )
                for each in models
            ]
        )
    return np.array(found).T


def held_out_loss_bound(n_parameters: int, n_records: int, level: float) -> float:
    """What an estimate loses on held-out records like its own, on average, at most at a level; nats.

    Of k parameters, 2 [l(truth) - l(estimate)] of one held-out record is in theory Q + 2 sqrt(Q) Z:
    Q, the squared distance of truth and estimate in standard errors, is chi-square with k degrees of
    freedom, Z normal and the record's own. Over m records Z shrinks by the square root of m.

    Parameters
    ----------
    n_parameters, n_records : int
    level : float
        In (0, 1).
    """
    # Here, because scripts that need neither import this module.
    from scipy.special import chdtri, ndtr

    quantiles = (np.arange(20_000) + 0.5) / 20_000
    squared = chdtri(n_parameters, quantiles)
    low, high = 0.0, 10.0 * squared.max()
    while high - low > 1e-6 * high:
        middle = 0.5 * (low + high)
        below = ndtr((middle - 0.5 * squared) / np.sqrt(squared / n_records)).mean()
        low, high = (middle, high) if below < level else (low, middle)
    return high


def visit_frequency(record: Record, n_bins: int) -> np.ndarray:
    """Share of steps in each state.

    Parameters
    ----------
    record : Record
        With the agent's true beliefs.
    n_bins : int

    Returns
    -------
    ndarray, shape (3, N, N)
        [location, bin 1, bin 2]; sums to 1.
    """
    visits = np.zeros((N_LOCATIONS, n_bins, n_bins))
    np.add.at(visits, (record.location, *record.belief_bin.T), 1.0)
    visits /= record.n_steps
    return visits
