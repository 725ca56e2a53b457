"""What a latent chain is given, and what is found out about it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

__all__ = ["ChainInputs", "ChainTables", "ExpectedCounts"]


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

    def emission_range(self, inputs: ChainInputs) -> float:
        """Largest range over states of the log-probability of an emission that is shown, nats."""
        shown = self.log_emissions[np.bincount(inputs.emitted).nonzero()]
        lowest = shown.min((1, 2))
        return float((shown.max((1, 2)) - lowest).max()) if np.isfinite(lowest).all() else np.inf

    def with_resets_as_kernels(self) -> tuple[np.ndarray, np.ndarray]:
        """Kernels of both factors, each (2C, N, N): a reset row is one more kernel of equal rows."""
        n = self.kernels_1.shape[1]
        first, second = (
            np.concatenate([kernels, np.repeat(resets[:, None], n, axis=1)])
            for kernels, resets in (
                (self.kernels_1, self.resets_1),
                (self.kernels_2, self.resets_2),
            )
        )
        return first, second


@dataclass(frozen=True)
class ChainInputs:
    """What was observed, as indices into `ChainTables`; whole numbers, shape (T,).

    Attributes
    ----------
    emitted : ndarray of int32
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

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The indices by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def n_kernels(self) -> int:
        """Number of kernels that a factor must have."""
        return 1 + int(max(self.kernel_1.max(), self.kernel_2.max()))

    def check(self, tables: ChainTables) -> None:
        """Check that every index lies within the tables.

        Raises
        ------
        ValueError
            Naming the first array with an index outside them, or of another length than `emitted`.
        """
        n_kernels = len(tables.kernels_1)
        limits = len(tables.log_emissions), n_kernels, n_kernels, 4
        for (name, fits, most), limit in zip(self._ranges, limits, strict=True):
            if not fits or most >= limit:
                raise ValueError(f"{name}: found an index outside the tables, or a wrong length")

    @cached_property
    def _ranges(self) -> list[tuple[str, bool, int]]:
        """Of each array its name, whether it is as long as `emitted` and not negative, its largest."""
        named = (
            ("emitted", self.emitted),
            ("kernel_1", self.kernel_1),
            ("kernel_2", self.kernel_2),
            ("reset", self.reset + 1),
        )
        shape = self.emitted.shape
        return [
            (name, used.shape == shape and used.min() >= 0, int(used.max())) for name, used in named
        ]

    def with_resets_as_kernels(self, n_kernels: int) -> tuple[np.ndarray, np.ndarray]:
        """Kernel of both factors into each step, (T,), for tables whose resets are kernels.

        The number of kernels is added where a factor starts from its reset row; -1 where a chain starts.
        Both int32.
        """
        if n_kernels not in self._merged:
            indices = self.kernel_1.astype(np.int32), self.kernel_2.astype(np.int32)
            for factor, index in enumerate(indices, start=1):
                index[self.reset == factor] += n_kernels
                index[self.reset < 0] = -1
            self._merged[n_kernels] = indices
        return self._merged[n_kernels]

    @cached_property
    def _merged(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """What `with_resets_as_kernels` gave, by number of kernels: every pass asks for the same."""
        return {}


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
    """

    log_likelihood: float
    emissions: np.ndarray | None = None
    ratio_1: np.ndarray | None = None
    ratio_2: np.ndarray | None = None
    reset_ratio_1: np.ndarray | None = None
    reset_ratio_2: np.ndarray | None = None

    @property
    def usable(self) -> bool:
        """Whether the observations are possible under the tables."""
        return bool(np.isfinite(self.log_likelihood))
