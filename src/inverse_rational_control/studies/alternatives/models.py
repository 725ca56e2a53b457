"""Every model fitted to one record: the agent's, full and reduced, and the baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.alternative_models import FULL
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts, generic_whitening
from inverse_rational_control.inference.agreement import highest
from inverse_rational_control.inference.fit import Fit, fit
from inverse_rational_control.parameter_space import ParameterSpace
from inverse_rational_control.parameters import N_PARAMETERS
from inverse_rational_control.studies.alternatives.baselines import Baseline
from inverse_rational_control.studies.alternatives.evidence import (
    NO_EVIDENCE,
    Evidence,
    model_evidence,
)
from inverse_rational_control.task import Task

__all__ = ["AgentModels", "ModelFit", "fit_models", "n_charged"]


@dataclass(frozen=True)
class ModelFit:
    """One model's fit to one record.

    Attributes
    ----------
    name : str
    log_likelihood : float
        At the estimate, nats; NaN if the fit led nowhere.
    held_out_log_likelihood : float
        Of the other record, nats; NaN without one.
    n_parameters : int
        Free parameters.
    estimate : ndarray, shape (10,)
        Natural coordinates, held parameters included; NaN for a baseline.
    status : str
        As of a `Fit`; of a baseline converged or not_converged.
    n_evaluations : int
        E-steps over all starts; 0 for a baseline.
    n_charged : int
        Free parameters that AIC charges: those at a bound were not adjusted to the record.
    evidence : Evidence
        Under the configuration's prior; a baseline's is by Laplace's approximation under its own.
    missed : float
        By how much the model's own starts fell short of the maximum, which was then found from a reduced
        model's estimate, nats; 0 if no reduced model was above it.
    """

    name: str
    log_likelihood: float
    held_out_log_likelihood: float
    n_parameters: int
    estimate: np.ndarray
    status: str
    n_evaluations: int
    n_charged: int
    evidence: Evidence = NO_EVIDENCE
    missed: float = 0.0


class AgentModels:
    """The agent's models, full and reduced, and how their parameters are searched for.

    Parameters
    ----------
    spaces : mapping of str to ParameterSpace
        By model, `FULL` among them or not.
    task : Task
    settings : FitSettings
    n_starts, n_reserve_starts : int
        Optimizer's starts, and further ones.
    prior : mapping
        The section `prior` of the configuration.
    n_evidence_draws : int
        Of importance sampling, for each model's evidence.
    """

    def __init__(
        self,
        spaces: Mapping[str, ParameterSpace],
        task: Task,
        settings: FitSettings,
        n_starts: int,
        n_reserve_starts: int,
        prior: Mapping,
        n_evidence_draws: int,
    ):
        self.spaces, self.settings = spaces, settings
        self.n_starts, self.n_reserve_starts = n_starts, n_reserve_starts
        self.prior, self.n_evidence_draws = prior, n_evidence_draws
        # One per model, not per record: they depend on settings, task and space alone.
        self.whitenings = {
            name: generic_whitening(settings, task, space) for name, space in spaces.items()
        }

    def fit(
        self,
        objective: ForagingObjective,
        held_out: ForagingObjective | None,
        generator: Callable[[int], np.random.Generator],
        evidence_generator: Callable[[str], np.random.Generator],
    ) -> list[ModelFit]:
        """Fit all to a record, score them on another, and weigh them; see `fit_models`."""
        fitted = {}
        for name, space in self.spaces.items():
            found = fit_from_random_starts(
                objective.within(space),
                self.settings,
                generator,
                self.n_starts,
                self.n_reserve_starts,
                self.whitenings[name],
            )
            fitted[name] = _scored(name, found, held_out)
        if FULL in fitted:
            fitted[FULL] = self._full_model_again(fitted, objective, held_out)
        return [
            replace(found, evidence=self._evidence(found, objective, evidence_generator(name)))
            for name, found in fitted.items()
        ]

    def _evidence(self, found: ModelFit, objective: ForagingObjective, rng) -> Evidence:
        return model_evidence(
            objective.within(self.spaces[found.name]),
            found.estimate,
            self.prior,
            self.settings,
            self.n_evidence_draws,
            rng,
            self.whitenings[found.name],
        )

    def _full_model_again(self, fitted, objective, held_out) -> ModelFit:
        """The full model's fit, made again from the best one where that is a reduced model's."""
        own, fits = fitted[FULL], list(fitted.values())
        best = fits[highest(fits)]
        # A maximum over more parameters cannot be lower.
        if best.log_likelihood > own.log_likelihood:
            full, whitening = objective.within(self.spaces[FULL]), self.whitenings[FULL]
            found = fit(full, self.settings, [best.estimate], whitening=whitening)
            again = _scored(FULL, found, held_out)
            if again.log_likelihood > own.log_likelihood:
                return replace(
                    again,
                    n_evaluations=own.n_evaluations + again.n_evaluations,
                    missed=again.log_likelihood - own.log_likelihood,
                )
        return own


def _scored(name: str, found: Fit, held_out: ForagingObjective | None) -> ModelFit:
    known = np.isfinite(found.estimate).all() and held_out is not None
    return ModelFit(
        name,
        float(found.log_likelihood),
        held_out.log_likelihood(found.estimate) if known else np.nan,
        found.space.size,
        found.estimate,
        str(found.status),
        sum(start.n_evaluations for start in found.starts),
        n_charged(found),
    )


def n_charged(found: Fit) -> int:
    """Free coordinates none of whose parameters is at a bound (docs/model.md section 8)."""
    at_bound = found.space.directions.T.astype(bool) & found.at_bound
    return int((~at_bound.any(1)).sum())


def fit_models(
    objective: ForagingObjective,
    held_out: ForagingObjective | None,
    agents: AgentModels,
    baselines: Mapping[str, Baseline],
    generator: Callable[[int], np.random.Generator],
    evidence_generator: Callable[[str], np.random.Generator],
) -> list[ModelFit]:
    """Fit every model to a record, baselines last, and score them on another.

    Where a reduced model ends above the full one, the full one's own starts missed its maximum, and it
    is fitted once more, from the reduced estimate.

    Parameters
    ----------
    objective, held_out : ForagingObjective
        Of one task; `held_out` may be None.
    agents : AgentModels
    baselines : mapping of str to Baseline
    generator : callable
        Gives the random generator of a start by its number: all models draw the same candidates.
    evidence_generator : callable
        Gives that of a model's evidence by the model's name.
    """
    fits = agents.fit(objective, held_out, generator, evidence_generator)
    for name, baseline in baselines.items():
        fitted = baseline.fit(objective.record)
        fits.append(
            ModelFit(
                name,
                fitted.log_likelihood(objective.record),
                np.nan if held_out is None else fitted.log_likelihood(held_out.record),
                baseline.n_parameters,
                np.full(N_PARAMETERS, np.nan),
                "converged" if fitted.converged else "not_converged",
                0,
                baseline.n_parameters,
                Evidence(fitted.log_evidence, np.nan),
            )
        )
    return fits
