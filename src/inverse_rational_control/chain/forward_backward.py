"""A latent chain whose state is a product of two factors: smoothing, expected counts, best path.

Knows nothing of foraging. At each step the chain emits (one of a few emission tables over the joint
state); into each step, each factor moves by one of a few kernels, or from a reset row that forgets where
the factor was. Cost is 7 N^3 multiply-adds per step, with many bins only those on the kernels' bands; no
array over N^2 x N^2 is formed.
Source: docs/model.md section 6 (scaled forward-backward).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.chain import _kernels as _chain_kernels
from inverse_rational_control.chain._kernels import LANES, NEGLIGIBLE, UNROLLED, Bands, tile_shape

__all__ = [
    "ChainInputs",
    "ChainTables",
    "ExpectedCounts",
    "chain_log_likelihood",
    "expected_counts",
    "most_probable_path",
]

_TAIL = 1e-20  # of a row of a kernel: not used where products skip what is off the kernels' band
_BLOCK_BYTES = (
    8 << 20
)  # of the forward pass kept at once: near the processor, and the same for any length


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
    """What was observed, as indices into `ChainTables`; all int32, shape (T,).

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


def _aligned(shape, allocate=np.zeros) -> np.ndarray:
    """Array that begins where a vector does: those across two cache lines cost twice."""
    size = int(np.prod(shape))
    memory = allocate(size + LANES)
    first = -(memory.ctypes.data // memory.itemsize) % LANES
    return memory[first : first + size].reshape(shape)


def _without_tails(kernels: np.ndarray) -> np.ndarray:
    return np.where(kernels > _TAIL * kernels.sum(-1, keepdims=True), kernels, 0.0)


def _any_of_each(size: int, inside: np.ndarray, axis: int) -> np.ndarray:
    return np.logical_or.reduceat(inside, range(0, inside.shape[axis], size), axis)


def _ranges(banded: str, inside: np.ndarray, width: int) -> np.ndarray:
    """Range of k for every tile of a product: [kernel, row block, column block, 2].

    inside tells where kernels have entries, laid out as what is banded: left [kernel, row, k], right
    [kernel, k, column], out [kernel, row, column].
    """
    n = inside.shape[-1]
    rows, vectors = tile_shape(n, width, banded)
    columns = vectors * LANES
    if banded == "out":
        high = n * _any_of_each(columns, _any_of_each(rows, inside, 1), 2)
        low = np.zeros_like(high)
    else:
        if banded == "left":
            used = _any_of_each(rows, inside, 1)[:, :, None]  # [kernel, row block, 1, k]
            shape = -(-n // rows), width // columns
        else:
            used = _any_of_each(columns, inside, 2).transpose(0, 2, 1)[:, None]
            shape = -(-n // rows), used.shape[2]
        low = used.argmax(-1)
        high = np.where(used.any(-1), n - used[..., ::-1].argmax(-1), 0)
        low, high = (np.broadcast_to(end, (len(inside), *shape)) for end in (low, high))
    return np.ascontiguousarray(np.stack([low, high], -1), dtype=np.intp)


def _bands(kernels_1: np.ndarray, kernels_2: np.ndarray, width: int) -> Bands:
    if width <= UNROLLED:
        return Bands(*[np.empty((0, 0, 0, 2), dtype=np.intp)] * len(Bands._fields))
    inside_1, inside_2 = kernels_1 > 0.0, kernels_2 > 0.0
    turned_1, turned_2 = inside_1.transpose(0, 2, 1), inside_2.transpose(0, 2, 1)
    return Bands(
        from_1=_ranges("left", turned_1, width),
        to_1=_ranges("left", inside_1, width),
        from_2=_ranges("right", inside_2, width),
        to_2=_ranges("right", turned_2, width),
        ratio_1_t=_ranges("out", turned_1, width),
        ratio_2=_ranges("out", inside_2, width),
    )


class _Chain:
    """Tables and indices in the layout of the loops, and the forward pass in blocks of steps.

    A reset row is one more kernel, all of whose rows are that row. The forward pass keeps the state at
    the start of each block, and the whole of the last block; the backward pass runs forward again over
    the others. So memory does not grow with the number of steps, but for the normalizers.
    """

    def __init__(self, tables: ChainTables, inputs: ChainInputs):
        self.n = n = tables.kernels_1.shape[1]
        self.width = -(-n // LANES) * LANES
        emissions, self.offset = tables.scaled_emissions()
        kernels = [
            np.concatenate([kernel, np.repeat(reset[:, None], n, axis=1)])
            for kernel, reset in (
                (tables.kernels_1, tables.resets_1),
                (tables.kernels_2, tables.resets_2),
            )
        ]
        if self.width > UNROLLED:
            kernels = [_without_tails(table) for table in kernels]
        self.bands = _bands(*kernels, self.width)
        self.emissions = self._flat(emissions)
        self.kernels_1 = self._flat(kernels[0])
        self.kernels_2 = self._flat(kernels[1])
        self.kernels_2_t = self._flat(kernels[1].transpose(0, 2, 1))
        n_kernels = tables.kernels_1.shape[0]
        starts = inputs.reset < 0
        self.emitted = inputs.emitted
        self.index_1, self.index_2 = inputs.kernel_1.copy(), inputs.kernel_2.copy()
        for box, index in enumerate((self.index_1, self.index_2), start=1):
            index[inputs.reset == box] += n_kernels
            index[starts] = -1
        for name, used, limit in (
            ("emitted", inputs.emitted, len(tables.log_emissions)),
            ("kernel_1", inputs.kernel_1, n_kernels),
            ("kernel_2", inputs.kernel_2, n_kernels),
            ("reset", inputs.reset + 1, 4),
        ):
            if used.shape != inputs.emitted.shape or used.min() < 0 or used.max() >= limit:
                raise ValueError(f"{name}: found an index outside the tables, or a wrong length")
        self.compiled_sizes = ((0,) * n, (0,) * self.width)
        self.work = _aligned((4, n * self.width))
        block = max(1, _BLOCK_BYTES // (8 * n * self.width))
        self.n_steps = inputs.n_steps
        self.begins = range(0, self.n_steps, block)
        self.block = min(block, self.n_steps)

    def _flat(self, tables):
        """Pad the last axis to whole vectors, flatten the last two, drop what is negligible."""
        padded = _aligned((*tables.shape[:-1], self.width))
        padded[..., : self.n] = np.where(tables > NEGLIGIBLE, tables, 0.0)
        return padded.reshape(len(tables), -1)

    def from_flat(self, tables):
        """Undo `_flat`: shape (tables, N, N)."""
        return tables.reshape(-1, self.n, self.width)[:, :, : self.n]

    def forward(self, begin: int, alpha: np.ndarray, normalizer: np.ndarray) -> bool:
        """Forward pass over one block; row 0 of `alpha` is the state before it."""
        return _chain_kernels.chain_forward(
            self.emissions,
            self.kernels_1,
            self.kernels_2,
            self.bands,
            self.emitted,
            self.index_1,
            self.index_2,
            begin,
            min(begin + self.block, self.n_steps),
            self.work,
            alpha,
            normalizer,
            *self.compiled_sizes,
        )

    def run(self):
        """Forward pass over all blocks.

        Returns log-likelihood, alpha of the last block, the states before each block, normalizers.
        """
        alpha = _aligned((self.block + 1, self.n * self.width), np.empty)
        alpha[0] = 0.0
        normalizer = np.ones(self.n_steps)
        checkpoints = np.zeros((len(self.begins), alpha.shape[1]))
        for number, begin in enumerate(self.begins):
            if number:
                alpha[0] = alpha[self.block]
            checkpoints[number] = alpha[0]
            if not self.forward(begin, alpha, normalizer):
                return -np.inf, alpha, checkpoints, normalizer
        n_emitted = np.bincount(self.emitted, minlength=self.offset.size)
        log_likelihood = n_emitted @ self.offset - np.log(normalizer).sum()
        return float(log_likelihood), alpha, checkpoints, normalizer


def chain_log_likelihood(tables: ChainTables, inputs: ChainInputs) -> float:
    """Log-likelihood alone, in nats: the forward pass."""
    return _Chain(tables, inputs).run()[0]


def expected_counts(tables: ChainTables, inputs: ChainInputs, posterior=None) -> ExpectedCounts:
    """E-step: scaled forward-backward, adding up all that the M-step needs.

    Parameters
    ----------
    tables : ChainTables
    inputs : ChainInputs
    posterior : array_like, shape (T, N, N), optional
        Filled with the smoothed posterior over the joint state of every step, block by block from the
        last: an array, a memory map or a NetCDF variable, so a long record's need not fit in memory.

    Returns
    -------
    ExpectedCounts
    """
    chain = _Chain(tables, inputs)
    log_likelihood, alpha, checkpoints, normalizer = chain.run()
    if not np.isfinite(log_likelihood):
        return ExpectedCounts(-np.inf)
    n = chain.n
    block_posterior = np.empty((0 if posterior is None else chain.block, n, n))
    emission_counts = _aligned(chain.emissions.shape)
    ratio_1_t = _aligned(chain.kernels_1.shape)
    ratio_2 = _aligned(chain.kernels_2.shape)
    beta = _aligned((n, chain.width))
    beta[:, :n] = normalizer[-1]
    beta = beta.ravel()
    for number in reversed(range(len(chain.begins))):
        begin = chain.begins[number]
        end = min(begin + chain.block, chain.n_steps)
        if number < len(chain.begins) - 1:
            alpha[0] = checkpoints[number]
            chain.forward(begin, alpha, normalizer)
        _chain_kernels.chain_backward(
            chain.emissions,
            chain.kernels_1,
            chain.kernels_2,
            chain.kernels_2_t,
            chain.bands,
            chain.emitted,
            chain.index_1,
            chain.index_2,
            begin,
            end,
            chain.work,
            alpha,
            normalizer,
            beta,
            emission_counts,
            ratio_1_t,
            ratio_2,
            block_posterior[: end - begin],
            *chain.compiled_sizes,
        )
        if posterior is not None:
            posterior[begin:end] = block_posterior[: end - begin]
    if not (np.isfinite(ratio_1_t).all() and np.isfinite(ratio_2).all()):
        return ExpectedCounts(-np.inf)
    n_kernels = tables.kernels_1.shape[0]
    ratio_1 = chain.from_flat(ratio_1_t).transpose(0, 2, 1)
    ratio_2 = chain.from_flat(ratio_2)
    return ExpectedCounts(
        log_likelihood,
        np.ascontiguousarray(chain.from_flat(emission_counts)),
        ratio_1[:n_kernels],
        ratio_2[:n_kernels],
        ratio_1[n_kernels:].sum(1),
        ratio_2[n_kernels:].sum(1),
    )


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
    log_probability = _chain_kernels.chain_viterbi(
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
