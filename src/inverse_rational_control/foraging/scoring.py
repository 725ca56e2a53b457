"""Decoded beliefs judged against the true ones, of whole records or block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.foraging.decoding import Decoding
from inverse_rational_control.foraging.sums import BlockSums, Pairs, level_sums

__all__ = [
    "N_LEVELS",
    "DecodingScore",
    "ScoreSums",
    "credible_hits",
    "credible_sets",
    "log_scores",
    "score_decoding",
]

N_LEVELS = 10
_CREDIBLE_MASS = 0.9
_BLOCK_STEPS = 100  # beliefs remember some ten steps


@dataclass(frozen=True)
class DecodingScore:
    """Decoding against the true beliefs; leading dimension is the box.

    Attributes
    ----------
    posterior_given_true : ndarray, shape (2, N, N)
        Posterior averaged over the steps with a given true bin, [box, true bin, bin]; NaN if none.
    true_bin_steps : ndarray of int, shape (2, N)
    correlation, rmse, path_correlation : ndarray, shape (2,)
        Posterior mean (or most probable path) against the true bin's center; NaN without a path.
    calibration_predicted, calibration_observed : ndarray, shape (2, levels)
        Mean posterior probability per level, and how often such bins were the true one.
    calibration_count : ndarray of int, shape (2, levels)
    credible_coverage, credible_expected : ndarray, shape (2,)
        How often the 90 % credible set holds the true bin, and the mean mass of those sets.
    credible_error : ndarray, shape (2,)
        Standard error of the difference of these two over the record's steps, from blocks of steps.
    log_score : ndarray, shape (2,)
        Mean log posterior probability of the true bin, nats per step; -inf if one was ruled out.
    """

    posterior_given_true: np.ndarray
    true_bin_steps: np.ndarray
    correlation: np.ndarray
    rmse: np.ndarray
    path_correlation: np.ndarray
    calibration_predicted: np.ndarray
    calibration_observed: np.ndarray
    calibration_count: np.ndarray
    credible_coverage: np.ndarray
    credible_expected: np.ndarray
    credible_error: np.ndarray
    log_score: np.ndarray


def _ranked(marginal: np.ndarray, mass: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bins by falling probability, these probabilities, and which of them the credible set holds."""
    order = np.argsort(-marginal, axis=1, kind="stable")
    ranked = np.take_along_axis(marginal, order, 1)
    return order, ranked, np.cumsum(ranked, 1) - ranked < mass


def credible_sets(marginal: np.ndarray) -> np.ndarray:
    """Whether the 90 % credible set of each step holds each bin, bool (T, N)."""
    order, _, inside = _ranked(marginal, _CREDIBLE_MASS)
    sets = np.empty_like(inside)
    np.put_along_axis(sets, order, inside, 1)
    return sets


def credible_hits(
    marginal: np.ndarray, true_bin: np.ndarray, mass: float = _CREDIBLE_MASS
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each step's credible set holds the true bin, and the probability of that set.

    The set is of the most probable bins, as few as hold `mass`; bins are coarse, so it holds more.

    Parameters
    ----------
    marginal : ndarray, shape (T, N)
        Rows sum to one.
    true_bin : ndarray of int, shape (T,)
    mass : float

    Returns
    -------
    hit : ndarray of bool, shape (T,)
    held : ndarray, shape (T,)
    """
    order, ranked, inside = _ranked(marginal, mass)
    return (inside & (order == true_bin[:, None])).any(1), (ranked * inside).sum(1)


def log_scores(decoding: Decoding, true_bin: np.ndarray) -> np.ndarray:
    """Log posterior probability of the true bin of each box at every step, nats.

    Parameters
    ----------
    decoding : Decoding
    true_bin : ndarray of int, shape (T, 2)
        [step, box].

    Returns
    -------
    ndarray, shape (2, T)
        [box, step].
    """
    steps = np.arange(len(true_bin))
    with np.errstate(divide="ignore"):
        return np.log(
            [
                marginal[steps, true]
                for marginal, true in zip(decoding.marginals, true_bin.T, strict=True)
            ]
        )


class ScoreSums:
    """What a score is made of, added up over blocks of steps; of one block, as of all steps at once.

    Parameters
    ----------
    n_bins, n_steps : int
        Of all blocks together.
    """

    def __init__(self, n_bins: int, n_steps: int):
        self._n_steps = n_steps
        self._given_true = np.zeros((2, n_bins, n_bins))
        self._true_steps = np.zeros((2, n_bins), dtype=int)
        self._levels = np.zeros((2, 3, N_LEVELS))
        self._hits, self._mass, self._log_score = np.zeros((3, 2))
        self._surplus = [BlockSums(n_steps, _BLOCK_STEPS) for _ in range(2)]
        self._means, self._paths = ([Pairs() for _ in range(2)] for _ in range(2))

    def add(self, begin: int, decoding: Decoding, true_bin: np.ndarray) -> None:
        """Add a block of steps.

        Parameters
        ----------
        begin : int
            Its first step.
        decoding : Decoding
            Of its steps.
        true_bin : ndarray of int, shape (steps, 2)
            [step, box].
        """
        n, centers, means = decoding.posterior.shape[1], decoding.centers, decoding.means
        self._log_score += log_scores(decoding, true_bin).sum(1)
        for box, (marginal, true) in enumerate(zip(decoding.marginals, true_bin.T, strict=True)):
            self._true_steps[box] += np.bincount(true, minlength=n)
            sums = np.zeros((n, n))
            np.add.at(sums, true, marginal)
            self._given_true[box] += sums
            self._levels[box] += level_sums(marginal, true, N_LEVELS)
            hit, mass = credible_hits(marginal, true)
            self._hits[box] += hit.sum()
            self._mass[box] += mass.sum()
            self._surplus[box].add(begin, hit - mass)
            self._means[box].add(means[:, box], centers[true])
            if decoding.path is not None:
                self._paths[box].add(centers[decoding.path[:, box]], centers[true])

    def score(self) -> DecodingScore:
        """The score over all blocks."""
        predicted, observed, count = np.moveaxis(self._levels, 1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return DecodingScore(
                posterior_given_true=self._given_true / self._true_steps[:, :, None],
                true_bin_steps=self._true_steps,
                correlation=np.array([pairs.correlation for pairs in self._means]),
                rmse=np.array([pairs.rmse for pairs in self._means]),
                path_correlation=np.array([pairs.correlation for pairs in self._paths]),
                calibration_predicted=predicted / count,
                calibration_observed=observed / count,
                calibration_count=count.astype(int),
                credible_coverage=self._hits / self._n_steps,
                credible_expected=self._mass / self._n_steps,
                credible_error=np.array([sums.standard_error for sums in self._surplus]),
                log_score=self._log_score / self._n_steps,
            )


def score_decoding(decoding: Decoding, true_bin: np.ndarray) -> DecodingScore:
    """Compare a decoding with the true belief bins, shape (T, 2), [step, box]."""
    sums = ScoreSums(decoding.posterior.shape[1], len(true_bin))
    sums.add(0, decoding, true_bin)
    return sums.score()
