"""The posterior of a model's parameters: its mode, draws, evidence, and whether they can be trusted.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.fit import Fit, fit
from inverse_rational_control.inference.importance import ImportanceSample, importance_sample
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.metric import prepared
from inverse_rational_control.inference.nuts import Chains, nuts
from inverse_rational_control.inference.summary import posterior_table
from inverse_rational_control.inference.whitened import Whitened
from inverse_rational_control.statistics import thinned

__all__ = ["Diagnostics", "Posterior", "PosteriorStatus", "draw_posterior"]

_ROUGH_R_HAT, _ROUGH_DRAWS = 1.05, 100.0
_BFMI_MINIMUM = 0.3


class PosteriorStatus(StrEnum):
    """What a posterior's draws are worth."""

    CONVERGED = "converged"
    #: Chains agree, but there are too few independent draws for the ends of intervals.
    ROUGH = "rough"
    NOT_CONVERGED = "not_converged"


@dataclass(frozen=True)
class Diagnostics:
    """How well draws stand for the posterior.

    Attributes
    ----------
    r_hat, ess_bulk, ess_tail : ndarray, shape (n,)
        Of every parameter; NaN for a fixed one. By importance sampling, R-hat is NaN.
    n_divergences, n_at_walls, n_at_depth : int
        Draws that diverged, of these the ones whose path met a place without density, and draws that
        met the limit of doublings.
    bfmi : ndarray, shape (chains,)
        Energy's Bayesian fraction of missing information.
    """

    r_hat: np.ndarray
    ess_bulk: np.ndarray
    ess_tail: np.ndarray
    n_divergences: int
    n_at_walls: int
    n_at_depth: int
    bfmi: np.ndarray


@dataclass(frozen=True)
class Posterior:
    """Draws from a posterior, and what is known of them.

    Attributes
    ----------
    mode : Fit
        Of the log posterior density by unconstrained coordinates.
    density : LogPosterior
    sampler : {"nuts", "importance"}
        Where the draws come from.
    parameters : ndarray, shape (chains, draws, n)
        Natural coordinates.
    log_density : ndarray, shape (chains, draws)
        Log-likelihood plus log prior, nats.
    statistics : dict of str to ndarray, shape (chains, draws)
        The sampler's own.
    diagnostics : Diagnostics
    importance : ImportanceSample or None
    status : PosteriorStatus
    remarks : tuple of str
    n_evaluations : int
        Gradients, and forward passes of importance sampling.
    settings : PosteriorSettings
    """

    mode: Fit
    density: LogPosterior
    sampler: str
    parameters: np.ndarray
    log_density: np.ndarray
    statistics: dict[str, np.ndarray]
    diagnostics: Diagnostics
    importance: ImportanceSample | None
    status: PosteriorStatus
    remarks: tuple[str, ...]
    n_evaluations: int
    settings: PosteriorSettings

    @property
    def draws(self) -> np.ndarray:
        """All chains' draws in a row, natural coordinates, shape (chains * draws, n)."""
        return self.parameters.reshape(-1, self.parameters.shape[-1])

    def quantiles(self, probabilities: Sequence[float]) -> np.ndarray:
        """Quantiles of every parameter, natural coordinates, shape (probabilities, n)."""
        return np.quantile(self.draws, probabilities, axis=0)

    def summary(self) -> str:
        """The posterior as a table for people, with its status and remarks in plain words."""
        return posterior_table(self)

    def interval(self) -> np.ndarray:
        """Lower end, median and upper end at the settings' level, natural, (3, n); NaN without draws."""
        tail = 0.5 * (1.0 - self.settings.interval_level)
        if not len(self.draws):
            return np.full((3, len(self.density.space.parameters)), np.nan)
        return self.quantiles([tail, 0.5, 1.0 - tail])

    def thinned(self, n_draws: int) -> np.ndarray:
        """Evenly spaced draws over all chains, natural coordinates, shape (n_draws, n)."""
        return thinned(self.draws, n_draws)


def draw_posterior(
    density: LogPosterior,
    fitting: FitSettings,
    settings: PosteriorSettings,
    starts: Sequence[np.ndarray],
    rng: np.random.Generator,
    whitening: np.ndarray | None = None,
) -> Posterior:
    """Find the mode, weigh draws around it, and sample unless these serve.

    Parameters
    ----------
    density : LogPosterior
        With a proper prior.
    fitting : FitSettings
        How the mode is found.
    settings : PosteriorSettings
    starts : sequence of ndarray, shape (n,)
        Where the search for the mode begins, natural coordinates; the prior's middle is one more.
    rng : numpy.random.Generator
    whitening : ndarray, optional
        As for `fit`.

    Raises
    ------
    ValueError
        If the prior is not proper, or no start has a density.
    """
    if not density.prior.is_proper:
        raise ValueError("prior: found flat, allowed: a proper prior for every free parameter")
    began = [*starts, density.prior.center]
    mode = fit(density, fitting, began, whitening=whitening, challenge=False)
    if not np.isfinite(mode.log_likelihood):
        raise ValueError("posterior: found no start that has a density, allowed: at least one")
    whitened = Whitened.around(density, mode.estimate, mode.information)
    importance = importance_sample(whitened, settings, rng)
    spent = sum(start.n_evaluations for start in mode.starts)
    spent += 0 if importance is None else importance.n_evaluations
    serves = importance is not None and importance.usable
    serves = serves and importance.effective_size >= settings.ess_minimum
    chains, moved = None, whitened
    if settings.sampler == "nuts" or (settings.sampler == "auto" and not serves):
        chains, moved, taken = _by_chains(whitened, importance, settings, rng)
        spent += taken
    if chains is not None:
        found, log_density = chains.z, chains.log_density
    elif settings.sampler == "nuts":
        found, log_density = np.empty((0, 0, whitened.size)), np.empty((0, 0))
    else:
        # Draws whose weights cannot be trusted, and are judged so, say more than none.
        found, log_density = _by_importance(whitened, importance, settings, rng)
    parameters = moved.natural(found) if found.size else np.empty((0, 0, len(mode.estimate)))
    diagnostics = _diagnostics(parameters, density.space.is_free, chains, importance)
    status, said = _judged(diagnostics, chains, importance, settings, found.size > 0)
    return Posterior(
        mode,
        density,
        "importance" if chains is None and found.size else "nuts",
        parameters,
        log_density,
        {} if chains is None else chains.statistics,
        diagnostics,
        importance,
        status,
        (*said, *mode.diagnosis.remarks),
        spent,
        settings,
    )


def _by_chains(whitened, importance, settings, rng):
    """Chains, None if none has a draw; the coordinates that they moved in; and evaluations spent."""
    moved, starts, taken = whitened, None, 0
    if importance is not None:
        moved, starts, taken = prepared(whitened, importance, settings.n_chains, rng)

    def serves(chains):
        parameters, is_free = moved.natural(chains.z), whitened.density.space.is_free
        diagnostics = _diagnostics(parameters, is_free, chains, importance)
        return _judged(diagnostics, chains, importance, settings, True)[0] == "converged"

    chains = nuts(moved, settings, rng, starts, serves)
    if chains is None:
        return None, whitened, taken
    taken += chains.n_evaluations
    own = chains.log_density - moved.log_stretch(chains.z)
    chains = replace(chains, log_density=own)
    return (chains, moved, taken) if chains.z.size else (None, whitened, taken)


def _by_importance(whitened, importance, settings, rng):
    """Draws resampled by weight as one chain; none if no draw has a density."""
    if importance is None:
        return np.empty((0, 0, whitened.size)), np.empty((0, 0))
    chosen = importance.resampled(settings.n_chains * settings.n_draws, rng)
    return importance.z[None, chosen], importance.log_density[None, chosen]


def _diagnostics(
    parameters: np.ndarray,
    is_free: np.ndarray,
    chains: Chains | None,
    importance: ImportanceSample | None,
) -> Diagnostics:
    n = parameters.shape[-1]
    nothing, none = np.full(n, np.nan), np.zeros(0)
    if chains is None:
        size = np.nan if importance is None else importance.effective_size
        return Diagnostics(
            nothing, np.where(is_free, size, np.nan), np.where(is_free, size, np.nan), 0, 0, 0, none
        )
    # Takes seconds to import, which who only reads a posterior need not wait for.
    from arviz import bfmi, ess, rhat

    def of_each(measure, **options):
        values = nothing.copy()
        for k in np.flatnonzero(is_free):
            values[k] = measure(parameters[..., k], **options)
        return values

    return Diagnostics(
        of_each(rhat),
        of_each(ess, method="bulk"),
        of_each(ess, method="tail"),
        int(chains.statistics["diverging"].sum()),
        chains.n_at_walls,
        int(chains.statistics["reached_max_treedepth"].sum()),
        np.asarray(bfmi(chains.statistics["energy"])),
    )


def _judged(diagnostics, chains, importance, settings, drawn):
    """Status of the draws, and all that is to be said of them in words."""
    if not drawn:
        return PosteriorStatus.NOT_CONVERGED, ("no draws: the limit of evaluations was met",)
    least = np.nanmin(np.append(diagnostics.ess_bulk, diagnostics.ess_tail))
    said = []
    if chains is None:
        trusted = importance.usable
        enough, rough = trusted and least >= settings.ess_minimum, trusted and least >= _ROUGH_DRAWS
        if not trusted:
            said.append(f"importance weights cannot be trusted (k-hat {importance.k_hat:.2f})")
    else:
        r_hat = np.nanmax(diagnostics.r_hat)
        n_draws = chains.log_density.size
        stuck = diagnostics.bfmi.min() < _BFMI_MINIMUM
        enough = r_hat <= settings.r_hat_maximum and least >= settings.ess_minimum
        enough &= not chains.diverge_too_often and not stuck
        rough = r_hat <= _ROUGH_R_HAT and least >= _ROUGH_DRAWS
        if r_hat > settings.r_hat_maximum:
            said.append(f"chains differ (largest R-hat {r_hat:.3f})")
        if chains.n_diverged:
            said.append(f"{chains.n_diverged} of {n_draws} draws diverged")
        if diagnostics.n_at_walls:
            said.append(
                f"{diagnostics.n_at_walls} of {n_draws} draws met parameters without a plan"
            )
        if diagnostics.n_at_depth:
            said.append(f"{diagnostics.n_at_depth} of {n_draws} draws met the limit of doublings")
        if stuck:
            said.append(f"energy mixes badly (E-BFMI {diagnostics.bfmi.min():.2f})")
        if chains.exhausted:
            said.append("the limit of evaluations was met")
        if chains.jump_met:
            said.append("the density jumps between draws (a fold of the planner)")
    if least < settings.ess_minimum:
        said.append(f"few independent draws ({least:.0f})")
    if enough:
        return PosteriorStatus.CONVERGED, tuple(said)
    return PosteriorStatus.ROUGH if rough else PosteriorStatus.NOT_CONVERGED, tuple(said)
