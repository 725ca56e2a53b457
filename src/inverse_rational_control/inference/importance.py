"""Importance sampling around a mode: draws with weights, and the evidence.

Source: docs/model.md section 10; Pareto smoothing: Vehtari et al. (2024).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["ImportanceSample", "importance_sample"]

_DEGREES = 8.0  # of freedom of the t distribution that proposes
K_HAT_MAXIMUM = 0.7
SHRINKAGE = 20.0  # draws that the mode's own covariance counts as
_SETTLED = 2.0  # standard errors by which the evidence may move in the round that confirms


@dataclass(frozen=True)
class ImportanceSample:
    """Weighted draws.

    Attributes
    ----------
    z : ndarray, shape (draws, k)
        Whitened coordinates.
    log_weight : ndarray, shape (draws,)
        Pareto-smoothed, normalized to sum to one.
    log_density : ndarray, shape (draws,)
        Nats; -inf where there is none.
    k_hat : float
        Shape of the weights' tail; beyond 0.7 they cannot be trusted.
    effective_size : float
        1 / sum of squared weights.
    log_evidence, log_evidence_error : float
        Log of the density's integral over the free coordinates, and its standard error, nats.
    """

    z: np.ndarray
    log_weight: np.ndarray
    log_density: np.ndarray
    k_hat: float
    effective_size: float
    log_evidence: float
    log_evidence_error: float

    @property
    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean (k,) and covariance (k, k) of the weighted draws."""
        return _moments(self.z, self.log_weight)

    @property
    def usable(self) -> bool:
        """Whether the weights can be trusted."""
        return bool(self.k_hat < K_HAT_MAXIMUM)

    def resampled(self, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        """Indices of draws chosen by weight, systematically and then shuffled, shape (n_draws,)."""
        edges = np.cumsum(np.exp(self.log_weight))
        places = (np.arange(n_draws) + rng.random()) / n_draws
        chosen = np.searchsorted(edges / edges[-1], places)
        return rng.permutation(np.minimum(chosen, len(edges) - 1))


def importance_sample(
    whitened: Whitened, settings: PosteriorSettings, rng: np.random.Generator
) -> ImportanceSample | None:
    """Weigh draws of multivariate t distributions by the density, in a few rounds.

    The first proposes around the mode; every further one has the mean and covariance that the weights of
    all draws so far give, and counts all draws as of the mixture of its predecessors and itself (Cornuet
    et al. 2012). It ends when the draws serve in two rounds one after the other and the evidence has not
    moved: weights do not tell of mass that no draw has found yet, and posteriors would be too narrow.

    Parameters
    ----------
    whitened : Whitened
    settings : PosteriorSettings
        Draws and rounds: forward passes.
    rng : numpy.random.Generator

    Returns
    -------
    ImportanceSample or None
        None if no draw has a density.
    """
    k, n = whitened.size, settings.n_importance_draws
    proposals = [_Proposal(np.zeros(k), np.eye(k))]
    z, density = np.empty((0, k)), np.empty(0)
    before = None
    for round_ in range(settings.n_importance_rounds):
        fresh = proposals[-1].draw(n, rng)
        z = np.concatenate([z, fresh])
        density = np.append(density, [whitened.log_density(each) for each in fresh])
        if not np.isfinite(density).any():
            return None
        mixture = logsumexp([each.log_density(z) for each in proposals], 0) - np.log(len(proposals))
        raw = density - mixture + whitened.log_volume
        smoothed, k_hat = _pareto_smoothed(raw)
        size = float(np.exp(-logsumexp(2.0 * smoothed)))
        found = ImportanceSample(z, smoothed, density, k_hat, size, *_log_mean(raw))
        last = round_ + 1 == settings.n_importance_rounds
        serves = found.usable and size >= settings.ess_minimum
        if last or (serves and _confirms(found, before)):
            return found
        before = found if serves else None
        following = _Proposal.of(z, smoothed)
        if following is None:
            return found
        proposals.append(following)
    return found


def _confirms(found: ImportanceSample, before: ImportanceSample | None) -> bool:
    """Whether a round that serves found the evidence of the round before, which served too."""
    if before is None:
        return False
    moved = abs(found.log_evidence - before.log_evidence)
    return moved <= _SETTLED * found.log_evidence_error


@dataclass(frozen=True)
class _Proposal:
    """A multivariate t with a center (k,) and a root (k, k) of its scale matrix."""

    center: np.ndarray
    root: np.ndarray

    @classmethod
    def of(cls, z, log_weight):
        """That with the mean and covariance of weighted draws; None if they have none."""
        mean, covariance = _moments(z, log_weight)
        # Few draws carry much weight at first: what they say of the covariance is drawn to the mode's.
        trust = np.exp(-logsumexp(2.0 * log_weight))
        covariance = (trust * covariance + SHRINKAGE * np.eye(len(mean))) / (trust + SHRINKAGE)
        try:
            return cls(mean, np.linalg.cholesky(covariance))
        except np.linalg.LinAlgError:
            return None

    def draw(self, n, rng):
        normal = rng.standard_normal((n, len(self.center)))
        reach = np.sqrt(_DEGREES / rng.chisquare(_DEGREES, n))
        return self.center + (normal * reach[:, None]) @ self.root.T

    def log_density(self, z):
        k = len(self.center)
        scaled = np.linalg.solve(self.root, (z - self.center).T).T
        constant = gammaln(0.5 * (_DEGREES + k)) - gammaln(0.5 * _DEGREES)
        constant -= 0.5 * k * np.log(_DEGREES * np.pi) + np.log(np.diag(self.root)).sum()
        return constant - 0.5 * (_DEGREES + k) * np.log1p((scaled**2).sum(1) / _DEGREES)


def _moments(z, log_weight):
    """Mean (k,) and covariance (k, k) of weighted draws."""
    weight = np.exp(log_weight)
    mean = weight @ z
    return mean, (weight[:, None] * (z - mean)).T @ (z - mean)


def _pareto_smoothed(log_weight):
    """Smoothed log weights that sum to one, and k-hat."""
    # Takes seconds to import, which who only reads a posterior need not wait for.
    from arviz import psislw

    finite = np.isfinite(log_weight)
    smoothed = np.full(log_weight.size, -np.inf)
    smoothed[finite], k_hat = psislw(log_weight[finite])
    return smoothed - logsumexp(smoothed), float(k_hat)


def _log_mean(log_weight):
    """Log of the weights' mean, and its standard error by the delta method."""
    top = log_weight.max()
    weight = np.exp(log_weight - top)
    mean = weight.mean()
    error = weight.std(ddof=1) / np.sqrt(weight.size) / mean
    return float(top + np.log(mean)), float(error)
