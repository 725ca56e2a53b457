"""A latent chain whose state is a product of two factors: smoothing, expected counts, best path.

Knows nothing of foraging. At each step the chain emits (one of a few emission tables over the joint
state); into each step, each factor moves by one of a few kernels, or from a reset row that forgets where
the factor was. Cost is 7 N^3 multiply-adds per step; no array over N^2 x N^2 is formed.
Source: docs/model.md section 6 (scaled forward-backward).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irc import _kernels

__all__ = [
    "ChainInputs",
    "ChainTables",
    "ExpectedCounts",
    "chain_log_likelihood",
    "expected_counts",
    "most_probable_path",
]


@dataclass(frozen=True)
class ChainTables:
    """The chain's probabilities.

    Attributes
    ----------
    log_emissions : ndarray, shape (E, N, N)
        Log-probability of each kind of emission, [emission, factor 1, factor 2]; -inf allowed.
    kernels_1, kernels_2 : ndarray, shape (C, N, N)
        [kernel, from, to].
    resets_1, resets_2 : ndarray, shape (C, N)
        [kernel, to].
    """

    log_emissions: np.ndarray
    kernels_1: np.ndarray
    kernels_2: np.ndarray
    resets_1: np.ndarray
    resets_2: np.ndarray

    def scaled_emissions(self) -> tuple[np.ndarray, np.ndarray]:
        """Emissions divided by their largest entry, and the log of that entry, shape (E,)."""
        highest = self.log_emissions.max((1, 2))
        offset = np.where(np.isfinite(highest), highest, 0.0)
        return np.exp(self.log_emissions - offset[:, None, None]), offset


@dataclass(frozen=True)
class ChainInputs:
    """What was observed, as indices into `ChainTables`; all int64, shape (T,).

    Attributes
    ----------
    emitted : ndarray
        Which emission each step shows.
    kernel_1, kernel_2 : ndarray
        Which kernel each factor uses on the move into each step (unused at starts).
    reset : ndarray
        On the move into each step: 0 none, 1 or 2 that factor starts from its reset row, -1 a chain
        starts here (uniform over the N^2 joint states).
    """

    emitted: np.ndarray
    kernel_1: np.ndarray
    kernel_2: np.ndarray
    reset: np.ndarray

    @property
    def n_steps(self) -> int:
        """Number of steps over all chains."""
        return self.emitted.size


@dataclass(frozen=True)
class ExpectedCounts:
    """Log-likelihood and the expected counts under the posterior over latent paths.

    Attributes
    ----------
    log_likelihood : float
        In nats; -inf if the observations are impossible (then all else is None).
    emissions : ndarray, shape (E, N, N)
        Expected counts; they sum to T.
    ratio_1, ratio_2 : ndarray, shape (C, N, N)
        Expected counts of each factor's moves divided by the kernel entry itself.
    reset_ratio_1, reset_ratio_2 : ndarray, shape (C, N)
        The same for the reset rows.
    posterior : ndarray, shape (T, N, N), or None
        Smoothed posterior over the joint state, if asked for.
    """

    log_likelihood: float
    emissions: np.ndarray | None = None
    ratio_1: np.ndarray | None = None
    ratio_2: np.ndarray | None = None
    reset_ratio_1: np.ndarray | None = None
    reset_ratio_2: np.ndarray | None = None
    posterior: np.ndarray | None = None

    @property
    def usable(self) -> bool:
        """Whether the observations are possible under the tables."""
        return bool(np.isfinite(self.log_likelihood))


def _forward(tables: ChainTables, inputs: ChainInputs):
    emissions, offset = tables.scaled_emissions()
    n = emissions.shape[1]
    alpha = np.empty((inputs.n_steps, n, n))
    log_scale = _kernels.chain_forward(
        emissions,
        tables.kernels_1,
        tables.kernels_2,
        tables.resets_1,
        tables.resets_2,
        inputs.emitted,
        inputs.kernel_1,
        inputs.kernel_2,
        inputs.reset,
        alpha,
    )
    return emissions, alpha, float(log_scale + offset[inputs.emitted].sum())


def chain_log_likelihood(tables: ChainTables, inputs: ChainInputs) -> float:
    """Log-likelihood alone, in nats: the forward pass."""
    return _forward(tables, inputs)[2]


def expected_counts(
    tables: ChainTables, inputs: ChainInputs, keep_posterior: bool = False
) -> ExpectedCounts:
    """E-step: scaled forward-backward, adding up all that the M-step needs.

    Parameters
    ----------
    tables : ChainTables
    inputs : ChainInputs
    keep_posterior : bool
        Also return the smoothed posterior of every step.

    Returns
    -------
    ExpectedCounts
    """
    emissions, alpha, log_likelihood = _forward(tables, inputs)
    if not np.isfinite(log_likelihood):
        return ExpectedCounts(-np.inf)
    counts = np.zeros_like(emissions)
    ratios = [
        np.zeros_like(table)
        for table in (tables.kernels_1, tables.kernels_2, tables.resets_1, tables.resets_2)
    ]
    _kernels.chain_backward(
        emissions,
        tables.kernels_1,
        tables.kernels_2,
        tables.resets_1,
        tables.resets_2,
        inputs.emitted,
        inputs.kernel_1,
        inputs.kernel_2,
        inputs.reset,
        alpha,
        keep_posterior,
        counts,
        *ratios,
    )
    return ExpectedCounts(log_likelihood, counts, *ratios, alpha if keep_posterior else None)


def most_probable_path(
    tables: ChainTables, inputs: ChainInputs
) -> tuple[np.ndarray, np.ndarray, float]:
    """Most probable joint path (Viterbi) and the log-probability of path and observations.

    Returns
    -------
    path_1, path_2 : ndarray of int, shape (T,)
    log_probability : float
    """
    path_1 = np.zeros(inputs.n_steps, dtype=np.int64)
    path_2 = np.zeros(inputs.n_steps, dtype=np.int64)
    with np.errstate(divide="ignore"):
        logs = [
            np.log(table)
            for table in (tables.kernels_1, tables.kernels_2, tables.resets_1, tables.resets_2)
        ]
    log_probability = _kernels.chain_viterbi(
        tables.log_emissions,
        *logs,
        inputs.emitted,
        inputs.kernel_1,
        inputs.kernel_2,
        inputs.reset,
        path_1,
        path_2,
    )
    return path_1, path_2, float(log_probability)
