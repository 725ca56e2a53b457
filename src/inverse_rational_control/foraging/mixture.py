"""Beliefs in blocks of steps: of one agent, or averaged over draws from the parameters' posterior.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.chain.best_path import BestPath
from inverse_rational_control.chain.smoothing import Block, room, smooth_in_blocks
from inverse_rational_control.chain.tables import ChainInputs, ChainTables
from inverse_rational_control.foraging.decoding import Decoding, solved_model
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.scoring import DecodingScore, ScoreSums, credible_sets
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = [
    "ALIGNED",
    "Decoded",
    "Watcher",
    "alike",
    "block_steps",
    "decode_in_blocks",
    "decode_mixture",
    "tables_of",
]

#: Of arrays over the steps of a block.
_BLOCK_BYTES = 64 << 20
#: Of the draws' marginals, which are kept over a block rather than made again.
_HELD_BYTES = 160 << 20
#: Blocks begin at multiples of this, as the chunks of files do.
ALIGNED = 1024


@dataclass(frozen=True)
class Decoded:
    """What is left of a decoding once its blocks are gone.

    Attributes
    ----------
    centers : ndarray, shape (N,)
        Of the belief bins.
    log_likelihood : float
        Of the record with the estimate, nats.
    scores : dict of str to DecodingScore
        By decoder, against the true bins: "decoding", "estimate" and all others that were asked for.
    masses : ndarray, shape (draws, 2), or None
        Probability that each draw gives to the decoding's 90 % credible sets, mean over steps. Its mean
        over draws is the sets' mass. How it varies is what the record leaves open of the sets' coverage:
        all steps of a record share one agent, so this part does not shrink with its length as the errors
        of steps do.
    """

    centers: np.ndarray
    log_likelihood: float
    scores: dict[str, DecodingScore] = field(default_factory=dict)
    masses: np.ndarray | None = None


class Watcher(Protocol):
    """Sees the posteriors that a decoding is made of, block by block: smoothing is what costs."""

    def begin(self, begin: int, end: int) -> None:
        """A block of steps."""

    def add(self, number: int, posterior: np.ndarray) -> None:
        """One draw's posterior there, (steps, N, N), not to be kept; the estimate's without draws."""

    def end(self) -> None:
        """All draws have been seen."""


def block_steps(n_bins: int) -> int:
    """Steps of a block: arrays over its steps and joint states share some 64 MiB."""
    steps = _BLOCK_BYTES // (8 * 4 * n_bins * n_bins)
    return max(ALIGNED, steps // ALIGNED * ALIGNED)


def decode_in_blocks(
    estimate: ChainTables,
    draws: Sequence[ChainTables] | None,
    inputs: ChainInputs,
    take: Callable[[int, int, Decoding, np.ndarray | None], None],
    true_bin: Callable[[int, int], np.ndarray] | None = None,
    others: Mapping[str, ChainTables] | None = None,
    block: int | None = None,
    watcher: Callable[[], Watcher] | None = None,
) -> Decoded:
    """Decode beliefs block by block, from the last steps to the first.

    Beliefs given the record alone are the mean of the smoothed posteriors of many draws. Draws from the
    parameters' posterior have weighed the record already, so all weigh the same. The most probable path,
    which has no mean, and the log-likelihood are those of the estimate.

    Parameters
    ----------
    estimate : ChainTables
    draws : sequence of ChainTables, optional
        Without, the posterior is that of the estimate.
    inputs : ChainInputs
    take : callable
        Given the first step of a block, the step after its last, the decoding of these steps and, where
        they are known, the true bins. Blocks may come a second time, all of them: what they bring then
        holds.
    true_bin : callable, optional
        The agent's belief bins from one step to before another, int (steps, 2); what is decoded is then
        scored.
    others : mapping of str to ChainTables, optional
        Further decoders to score, by name.
    block : int, optional
        Steps of a block.
    watcher : callable, optional
        Gives what sees the same posteriors; called again if blocks come a second time.

    Raises
    ------
    ValueError
        If the record is impossible for one of them, or there is an empty list of draws.
    """
    if draws is not None and not len(draws):
        raise ValueError("draws: found none, allowed: at least one")
    block = block or block_steps(estimate.kernels_1.shape[1])
    n_draws = 0 if draws is None else len(draws)
    known = {"estimate": estimate, **(others or {})}
    tables = alike([*(draws or ()), *known.values()])
    shared = room(tables[0], inputs, block)
    path = BestPath(tables[n_draws], inputs, shared.block, shared.observed)
    found: list[_Blocks] = []

    def taker():
        watch = _Nobody() if watcher is None else watcher()
        found.append(_Blocks(n_draws, list(known), inputs.n_steps, path, take, true_bin, watch))
        return found[-1].take

    log_likelihoods = smooth_in_blocks(tables, inputs, shared, taker)
    return found[-1].decoded(log_likelihoods)


class _Nobody:
    """Watches without looking."""

    def begin(self, begin, end): ...

    def add(self, number, posterior): ...

    def end(self): ...


class _Blocks:
    """Takes the chains' blocks: the draws', then the estimate's and those of other decoders."""

    def __init__(self, n_draws, known, n_steps, path, take, true_bin, watch):
        self.n_draws, self.known, self.n_steps, self.path = n_draws, known, n_steps, path
        self.hand_on, self.true_bin, self.watch = take, true_bin, watch
        self.sums: dict[str, ScoreSums] = {}
        self.masses = np.zeros((n_draws, 2))

    def take(self, block: Block) -> None:
        begin, end = block.begin, block.end
        path = self.path.block(begin, end)
        true = None if self.true_bin is None else self.true_bin(begin, end)
        self.watch.begin(begin, end)
        if self.n_draws:
            posterior = self._mixture(block, true is not None)
            decoding = Decoding(posterior, path, np.nan)
            self._score("decoding", begin, decoding, true)
            self.hand_on(begin, end, decoding, true)
        for number, name in enumerate(self.known, start=self.n_draws):
            posterior = block.smoothed(number)
            as_decoded = name == "estimate"
            decoding = Decoding(posterior, path if as_decoded else None, np.nan)
            self._score(name, begin, decoding, true)
            if as_decoded and not self.n_draws:
                self.watch.add(0, posterior)
                self.hand_on(begin, end, decoding, true)
        self.watch.end()

    def _mixture(self, block: Block, with_masses: bool) -> np.ndarray:
        """Mean of the draws' posteriors in a block."""
        n, steps = self.path.n, block.end - block.begin
        total = np.zeros((steps, n, n))
        hold = with_masses and 8 * self.n_draws * 2 * steps * n <= _HELD_BYTES
        held = []
        for number in range(self.n_draws):
            posterior = block.smoothed(number)
            total += posterior
            self.watch.add(number, posterior)
            if hold:
                held.append((posterior.sum(2), posterior.sum(1)))
        total /= self.n_draws
        if with_masses:
            inside = [credible_sets(total.sum(axis)) for axis in (2, 1)]
            for number in range(self.n_draws):
                if not hold:
                    posterior = block.smoothed(number)
                marginals = held[number] if hold else (posterior.sum(2), posterior.sum(1))
                self.masses[number] += [
                    (m * i).sum() for m, i in zip(marginals, inside, strict=True)
                ]
        return total

    def _score(self, name, begin, decoding, true) -> None:
        if true is not None:
            n_bins = decoding.posterior.shape[1]
            self.sums.setdefault(name, ScoreSums(n_bins, self.n_steps)).add(begin, decoding, true)

    def decoded(self, log_likelihoods) -> Decoded:
        masses = self.masses / self.n_steps if self.n_draws and self.true_bin else None
        scores = {name: sums.score() for name, sums in self.sums.items()}
        if scores and not self.n_draws:
            scores["decoding"] = scores["estimate"]
        return Decoded(bin_centers(self.path.n), log_likelihoods[self.n_draws], scores, masses)


def decode_mixture(
    draws: np.ndarray,
    record: Record,
    task: Task,
    estimate: np.ndarray,
    extras: tuple[str, ...] = (),
) -> Decoding:
    """Beliefs given the record alone, of all steps at once: see `decode_in_blocks`.

    Parameters
    ----------
    draws : ndarray, shape (draws, 10 + extras)
        Natural coordinates, from the posterior given this record.
    record : Record
    task : Task
    estimate : ndarray, shape (10 + extras,)
    extras : tuple of str
        As for `decode`.

    Raises
    ------
    RecordError, ValueError
        As `decode`, for any of them; ValueError also without draws.
    """
    record.check(task)
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    posterior = np.empty((record.n_steps, task.n_bins, task.n_bins))
    path = np.empty((record.n_steps, 2), dtype=np.int64)

    def take(begin, end, decoding, _):
        posterior[begin:end], path[begin:end] = decoding.posterior, decoding.path

    at_estimate, *tables = tables_of([estimate, *draws], inputs, task, extras)
    found = decode_in_blocks(at_estimate, tables, inputs, take)
    return Decoding(posterior, path, found.log_likelihood)


def alike(tables: Sequence[ChainTables]) -> list[ChainTables]:
    """Tables of the same number of emissions: where the action before does not matter, as if it did."""
    most = max(len(each.log_emissions) for each in tables)
    return [
        each
        if len(each.log_emissions) == most
        else replace(
            each, log_emissions=np.tile(each.log_emissions, (most // len(each.log_emissions), 1, 1))
        )
        for each in tables
    ]


def tables_of(
    thetas: Sequence[np.ndarray], inputs: ChainInputs, task: Task, extras: tuple[str, ...] = ()
) -> list[ChainTables]:
    """The chain's tables under several parameter vectors.

    Raises
    ------
    ValueError
        If the planner finds no solution under one of them.
    """
    return [chain_tables(solved_model(theta, task, extras), inputs.n_kernels) for theta in thetas]
