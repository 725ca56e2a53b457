"""Which parameters describe a record: the ten, extra ones, or none at all, by steps held out of the fit.

Source: docs/model.md section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.alternative_models import PAPER
from inverse_rational_control.chain.forward_backward import step_log_likelihoods
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.comparison import DESCRIPTIONS, Comparison
from inverse_rational_control.foraging.description_fits import DescriptionFits
from inverse_rational_control.foraging.holding_out import held_out_parts, without_part
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.objective import ForagingObjective, space_of
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.parameter_space import ParameterSpace, parameter_space
from inverse_rational_control.parameters import (
    agent_parameters,
    extras_among,
    ordered_extras,
)
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = [
    "FittedStepwise",
    "StepwiseBaseline",
    "compare_descriptions",
]


class FittedStepwise(Protocol):
    """A baseline fitted to a record."""

    def step_log_likelihoods(self, record: Record) -> np.ndarray:
        """Log-probability of each action of any record, nats, shape (T,)."""


class StepwiseBaseline(Protocol):
    """A model without an agent that gives every step a probability."""

    n_parameters: int

    def fit(self, record: Record) -> FittedStepwise:
        """Fit a record."""


def compare_descriptions(
    record: Record,
    task: Task,
    settings: FitSettings,
    generator: Callable[[int], np.random.Generator],
    baselines: Mapping[str, StepwiseBaseline],
    descriptions: Mapping[str, Sequence[str]] = DESCRIPTIONS,
    n_parts: int = 5,
    n_starts: int = 2,
    fixed: Mapping[str, float] | None = None,
    tied: Sequence[Sequence[str]] = (),
    bounded: Mapping[str, Sequence[float]] | None = None,
    alternatives: Mapping[str, ParameterSpace] | None = None,
    priors: Mapping[str, Mapping] | None = None,
) -> Comparison:
    """Fit descriptions to a record but a part, score that part, for each part in turn.

    Parameters
    ----------
    record : Record
    task : Task
    settings : FitSettings
    generator : callable
        Gives the random generator of a start by its number; all fits draw the same candidates.
    baselines : mapping of str to StepwiseBaseline
    descriptions : mapping of str to sequence of str
        Extra parameters by name; `PAPER`, without any, is always among them. One that has no other free
        parameters than those before it is left out.
    n_parts : int
        At most as many as there are steps to divide.
    n_starts : int
        Of each fit (see `description_fits`). Maxima are not confirmed to the last hundredth of a nat,
        which no held-out step shows.
    fixed, tied, bounded
        Of the parameters of every description that has them, as for `parameter_space`; an extra
        parameter that is fixed every description has.
    alternatives : mapping of str to ParameterSpace, optional
        Alternative models by name: fewer free parameters, or kept within narrower bounds.
    priors : mapping of str to mapping, optional
        By alternative model, the prior of those of its parameters that have one, as for `normal_prior`.
    """
    record.check(task)
    spaces = _spaces(descriptions, task, dict(fixed or {}), tied, dict(bounded or {}))
    alternatives = {name: space_of(task, space) for name, space in (alternatives or {}).items()}
    spaces |= alternatives
    fits = DescriptionFits(task, spaces, settings, generator, n_starts, priors)
    part = held_out_parts(record, n_parts)
    names = (*spaces, *baselines)
    scores = np.full((len(names), record.n_steps), np.nan)
    estimates: dict[str, list] = {name: [] for name in spaces}
    statuses: dict[str, list] = {name: [] for name in spaces}
    for number in range(part.max() + 1):
        held_out = part == number
        objective = ForagingObjective(without_part(record, held_out), task)
        for name, found in fits.of(objective).items():
            estimates[name].append(found.estimate)
            statuses[name].append(str(found.status))
            scores[names.index(name), held_out] = _scored(found, record, task)[held_out]
        for name, baseline in baselines.items():
            fitted = baseline.fit(objective.record)
            found = fitted.step_log_likelihoods(record)
            scores[names.index(name), held_out] = found[held_out]
    return Comparison(
        names,
        np.array(
            [*(s.size for s in spaces.values()), *(b.n_parameters for b in baselines.values())]
        ),
        part,
        scores,
        {name: np.array(found) for name, found in estimates.items()},
        {name: tuple(found) for name, found in statuses.items()},
        tuple(alternatives),
    )


def _spaces(descriptions, task, fixed, tied, bounded) -> dict[str, ParameterSpace]:
    """Spaces of the descriptions that differ in what is free, by name."""
    spaces: dict[str, ParameterSpace] = {}
    for name, extras in {PAPER: (), **descriptions}.items():
        own = ordered_extras({*ordered_extras(extras), *extras_among(fixed)})
        parameters = agent_parameters(own, task.n_bins)
        there = {parameter.name for parameter in parameters}
        space = parameter_space(
            {key: value for key, value in fixed.items() if key in there},
            [group for group in tied if there.issuperset(group)],
            parameters,
            {key: ends for key, ends in bounded.items() if key in there},
        )
        space = space_of(task, space)
        if space.names not in [other.names for other in spaces.values()]:
            spaces[name] = space
    return spaces


def _scored(found: Fit, record: Record, task: Task) -> np.ndarray:
    """Log-probability of each step under an estimate; NaN where there is none."""
    unknown = np.full(record.n_steps, np.nan)
    if not np.isfinite(found.estimate).all():
        return unknown
    extras = extras_among(found.space.parameter_names)
    model = agent_model(found.estimate, task, extras, with_derivatives=False)
    if not model.plan.converged:
        return unknown
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    return step_log_likelihoods(chain_tables(model, inputs.n_kernels), inputs)
