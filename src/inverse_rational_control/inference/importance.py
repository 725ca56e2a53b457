"""Importance sampling around a mode: draws with weights, and the evidence.

Source: docs/model.md section 10; Pareto smoothing: Vehtari et al. (2024).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln, logsumexp

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.bending import Bend, effective_size, moments
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["ImportanceSample", "importance_sample"]

_DEGREES = 5.0  # of freedom of the t distribution that proposes
K_HAT_MAXIMUM = 0.7
_ADAPTING = 3  # rounds after which a proposal always gives way: the mode's misses tails unseen
_ROUNDS_AT_LEAST = 2  # of the proposal whose draws are returned
_ROUNDS_AT_MOST = 3  # in which a proposal has to promise to suffice, to be kept


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
    n_evaluations : int
        Forward passes, those of draws included that led to these.
    """

    z: np.ndarray
    log_weight: np.ndarray
    log_density: np.ndarray
    k_hat: float
    effective_size: float
    log_evidence: float
    log_evidence_error: float
    n_evaluations: int

    @property
    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean (k,) and covariance (k, k) of the weighted draws."""
        return moments(self.z, self.log_weight)

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

    The first proposes around the mode; every further one in coordinates that bend with all draws so far,
    weighed as of the mixture of their proposals (Cornuet et al. 2012). After three rounds a proposal is
    kept that promises enough. What is returned are its draws alone: those that it was fitted to fall
    where it is high, and counted once more make the posterior too narrow and the evidence too low.

    Parameters
    ----------
    whitened : Whitened
    settings : PosteriorSettings
        Draws and rounds: forward passes.
    rng : numpy.random.Generator

    Returns
    -------
    ImportanceSample or None
        None if no draw of the last proposal has a density.
    """
    k, n = whitened.size, settings.n_importance_draws
    proposals = [_Proposal(Bend.none(np.zeros(k), np.eye(k)))]
    z, density = np.empty((0, k)), np.empty(0)
    n_own = 0  # rounds of the last proposal
    for round_ in range(settings.n_importance_rounds):
        fresh = proposals[-1].draw(n, rng)
        z = np.concatenate([z, fresh])
        density = np.append(density, [whitened.log_density(each) for each in fresh])
        n_own += 1
        own = slice(-n_own * n, None)
        found = _weighed(whitened, z[own], density[own], proposals[-1:])
        if round_ + 1 == settings.n_importance_rounds:
            break
        if round_ >= _ADAPTING:
            if n_own >= _ROUNDS_AT_LEAST and _serves(found, settings.ess_minimum):
                break
            if _serves(found, settings.ess_minimum * n_own / _ROUNDS_AT_MOST):
                continue
        pooled = _weighed(whitened, z, density, proposals)
        if pooled is None:
            return None
        proposals.append(_Proposal(Bend.of(pooled.z, pooled.log_weight)))
        n_own = 0
    return None if found is None else replace(found, n_evaluations=len(z))


def _serves(found: ImportanceSample | None, size: float) -> bool:
    return found is not None and found.usable and found.effective_size >= size


def _weighed(whitened, z, density, proposals):
    """Draws of an equal mixture of proposals, weighed by the density; None if none has one."""
    if not np.isfinite(density).any():
        return None
    mixture = logsumexp([each.log_density(z) for each in proposals], 0) - np.log(len(proposals))
    raw = density - mixture + whitened.log_volume
    smoothed, k_hat = _pareto_smoothed(raw)
    size = effective_size(smoothed)
    return ImportanceSample(z, smoothed, density, k_hat, size, *_log_mean(raw), len(z))


@dataclass(frozen=True)
class _Proposal:
    """A multivariate t in coordinates that bend."""

    bend: Bend

    def draw(self, n, rng):
        normal = rng.standard_normal((n, len(self.bend.center)))
        reach = np.sqrt(_DEGREES / rng.chisquare(_DEGREES, n))
        return self.bend.center + self.bend.bent(normal * reach[:, None])[0] @ self.bend.inner.T

    def log_density(self, z):
        k = z.shape[1]
        u, log_volume = self.bend.straightened(self.bend.principal(z))
        log_volume = log_volume + np.linalg.slogdet(self.bend.inner)[1]
        constant = gammaln(0.5 * (_DEGREES + k)) - gammaln(0.5 * _DEGREES)
        constant -= 0.5 * k * np.log(_DEGREES * np.pi)
        height = -0.5 * (_DEGREES + k) * np.log1p((u**2).sum(1) / _DEGREES)
        return constant + height - log_volume


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
