"""Every model fitted to one record: the agent's, full and reduced, and the baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.alternative_models import FULL
from inverse_rational_control.foraging.likelihood import chain_inputs, log_likelihood
from inverse_rational_control.inference.fitting import (
    Fit,
    FitSettings,
    fit_from_random_starts,
    fit_record,
    generic_whitening,
    highest,
)
from inverse_rational_control.parameter_space import ParameterSpace
from inverse_rational_control.parameters import N_PARAMETERS
from inverse_rational_control.record import Record
from inverse_rational_control.studies.alternatives.baselines import Baseline
from inverse_rational_control.task import Task

__all__ = ["AgentModels", "ModelFit", "fit_models"]


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
        Optimizer's starts, and further ones taken one by one while none has converged.
    """

    def __init__(
        self,
        spaces: Mapping[str, ParameterSpace],
        task: Task,
        settings: FitSettings,
        n_starts: int,
        n_reserve_starts: int,
    ):
        self.spaces, self.task, self.settings = spaces, task, settings
        self.n_starts, self.n_reserve_starts = n_starts, n_reserve_starts
        # One per model, not per record: they depend on settings, task and space alone.
        self.whitenings = {
            name: generic_whitening(settings, task, space) for name, space in spaces.items()
        }

    def fit(
        self,
        record: Record,
        held_out: Record | None,
        generator: Callable[[int], np.random.Generator],
    ) -> list[ModelFit]:
        """Fit all to a record, and score them on another; see `fit_models`."""

        def scored(name: str, fit: Fit) -> ModelFit:
            known = np.isfinite(fit.estimate).all() and held_out is not None
            return ModelFit(
                name,
                float(fit.log_likelihood),
                log_likelihood(fit.estimate, chain_inputs(held_out), self.task)
                if known
                else np.nan,
                self.spaces[name].size,
                fit.estimate,
                str(fit.status),
                sum(result.n_evaluations for result in fit.starts),
            )

        fitted = {
            name: scored(name, self._from_random_starts(name, record, generator))
            for name in self.spaces
        }
        if FULL not in fitted:
            return list(fitted.values())
        # A maximum over more parameters cannot be lower.
        own, fits = fitted[FULL], list(fitted.values())
        best = fits[highest(fits)]
        if best.log_likelihood > own.log_likelihood:
            again = scored(FULL, self._full_from(best.estimate, record))
            if again.log_likelihood > own.log_likelihood:
                fitted[FULL] = replace(
                    again,
                    n_evaluations=own.n_evaluations + again.n_evaluations,
                    missed=again.log_likelihood - own.log_likelihood,
                )
        return list(fitted.values())

    def _from_random_starts(self, name, record, generator) -> Fit:
        return fit_from_random_starts(
            record,
            self.task,
            self.settings,
            generator,
            self.n_starts,
            self.n_reserve_starts,
            self.whitenings[name],
            self.spaces[name],
        )

    def _full_from(self, theta, record) -> Fit:
        return fit_record(record, self.task, self.settings, [theta], scale=self.whitenings[FULL])


def fit_models(
    record: Record,
    held_out: Record | None,
    agents: AgentModels,
    baselines: Mapping[str, Baseline],
    generator: Callable[[int], np.random.Generator],
) -> list[ModelFit]:
    """Fit every model to a record, baselines last, and score them on another.

    Where a reduced model ends above the full one, the full one's own starts missed its maximum, and it
    is fitted once more, from the reduced estimate.

    Parameters
    ----------
    record, held_out : Record
        `held_out` may be None.
    agents : AgentModels
    baselines : mapping of str to Baseline
    generator : callable
        Gives the random generator of a start by its number: all models draw the same candidates.

    Raises
    ------
    RecordError
        If a record does not fit the task.
    """
    fits = agents.fit(record, held_out, generator)
    for name, baseline in baselines.items():
        fitted = baseline.fit(record)
        fits.append(
            ModelFit(
                name,
                fitted.log_likelihood(record),
                np.nan if held_out is None else fitted.log_likelihood(held_out),
                baseline.n_parameters,
                np.full(N_PARAMETERS, np.nan),
                "converged" if fitted.converged else "not_converged",
                0,
            )
        )
    return fits
