"""Which parameters describe a record: the ten, extra ones, or none at all, by steps held out of the fit.

Source: docs/model.md section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.chain.forward_backward import step_log_likelihoods
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.description_fits import DescriptionFits
from inverse_rational_control.foraging.holding_out import held_out_parts, without_part
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.objective import ForagingObjective, space_of
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.parameter_space import ParameterSpace, parameter_space
from inverse_rational_control.parameters import (
    EXTRA_PARAMETERS,
    agent_parameters,
    extras_among,
    ordered_extras,
)
from inverse_rational_control.record import Record
from inverse_rational_control.statistics import block_standard_error
from inverse_rational_control.task import Task

__all__ = [
    "DESCRIPTIONS",
    "PAPER",
    "Comparison",
    "StepwiseBaseline",
    "compare_descriptions",
]

#: The paper's model: the ten parameters.
PAPER = "paper"
#: Extra parameters of each description that is compared by default.
DESCRIPTIONS: Mapping[str, tuple[str, ...]] = {
    PAPER: (),
    **{parameter.name: (parameter.name,) for parameter in EXTRA_PARAMETERS},
    "all": tuple(parameter.name for parameter in EXTRA_PARAMETERS),
}
_BLOCK_STEPS = 100  # neighboring steps share beliefs and habits


class FittedStepwise(Protocol):
    """A baseline fitted to a record."""

    def step_log_likelihoods(self, record: Record) -> np.ndarray:
        """Log-probability of each action of any record, nats, shape (T,)."""


class StepwiseBaseline(Protocol):
    """A model without an agent that gives every step a probability."""

    n_parameters: int

    def fit(self, record: Record) -> FittedStepwise:
        """Fit a record."""


@dataclass(frozen=True)
class Comparison:
    """Descriptions of one record, scored on steps that were held out when they were fitted.

    Attributes
    ----------
    names : tuple of str
        Of the descriptions, baselines last.
    n_parameters : ndarray of int, shape (descriptions,)
        Free ones.
    part : ndarray of int, shape (T,)
        Which part each step is of.
    step_log_likelihood : ndarray, shape (descriptions, T)
        Log-probability of each action given all that was recorded before it, fitted to the other parts;
        nats; NaN where a fit led nowhere.
    estimates : dict of str to ndarray, shape (parts, n)
        By description, natural coordinates, in the order of `parameters.agent_parameters`.
    statuses : dict of str to tuple of str
        Of each part's fit.
    alternatives : tuple of str
        Those of the descriptions that are alternative models, with fewer free parameters.
    """

    names: tuple[str, ...]
    n_parameters: np.ndarray
    part: np.ndarray
    step_log_likelihood: np.ndarray
    estimates: dict[str, np.ndarray]
    statuses: dict[str, tuple[str, ...]]
    alternatives: tuple[str, ...] = ()

    @property
    def mean(self) -> np.ndarray:
        """Held-out log-likelihood per step, nats, shape (descriptions,)."""
        return self.step_log_likelihood.mean(1)

    @property
    def best(self) -> str:
        """Of those within a standard error of the highest mean, the one with the fewest parameters.

        Breiman et al. (1984): what is not told apart from the highest is not worth more parameters.
        """
        highest = self.names[int(np.nanargmax(self.mean))]
        near = [highest]
        for name in self.names:
            below, error = self.difference(highest, name)
            if below <= error:
                near.append(name)
        return min(near, key=lambda name: self.n_parameters[self.names.index(name)])

    def difference(self, one: str, other: str) -> tuple[float, float]:
        """How far one mean is above another, nats per step, and its standard error."""
        first, second = (self.step_log_likelihood[self.names.index(name)] for name in (one, other))
        apart = first - second
        return float(apart.mean()), float(block_standard_error(apart, _BLOCK_STEPS))

    def said(self) -> str:
        """Which description is best, and whether the paper's model beats each baseline."""
        best = self.best
        words = f"described best by {self._in_words(best)} ({self.mean[self.names.index(best)]:.3f}"
        words += " nats per held-out step)"
        others = [name for name in self.names if name not in (*self.estimates, PAPER)]
        for name in (PAPER, *others):
            if name != best:
                words += f"; {self._in_words(name)} {self.mean[self.names.index(name)]:.3f}"
            if name == PAPER != best:
                less, error = self.difference(best, PAPER)
                words += f" ({less:.2g} +- {error:.1g} less"
                words += ")" if less > 2 * error else ", within chance)"
        for name in others:
            gain, error = self.difference(PAPER, name)
            verb = "beats" if gain > 0 else "does not beat"
            words += f"; the paper's model {verb} the {name} baseline ({gain:+.3f} +- {error:.3f}"
            words += ")" if abs(gain) > 2 * error else ", within chance)"
        return words

    def _in_words(self, name: str) -> str:
        if name == PAPER:
            return "the paper's model"
        if name in self.alternatives:
            return f"the alternative model {name}"
        if name in DESCRIPTIONS:
            extras = DESCRIPTIONS[name]
            return f"the paper's model with {' and '.join(extras) if len(extras) < 3 else 'all extras'}"
        return name


def compare_descriptions(
    record: Record,
    task: Task,
    settings: FitSettings,
    generator: Callable[[int], np.random.Generator],
    baselines: Mapping[str, StepwiseBaseline],
    descriptions: Mapping[str, Sequence[str]] = DESCRIPTIONS,
    n_parts: int = 5,
    n_starts: int = 3,
    fixed: Mapping[str, float] | None = None,
    tied: Sequence[Sequence[str]] = (),
    bounded: Mapping[str, Sequence[float]] | None = None,
    alternatives: Mapping[str, ParameterSpace] | None = None,
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
        Of each description's fit to the whole record (see `description_fits`). Maxima are not confirmed
        to the last hundredth of a nat, which no held-out step shows.
    fixed, tied, bounded
        Of the parameters of every description that has them, as for `parameter_space`; an extra
        parameter that is fixed every description has.
    alternatives : mapping of str to ParameterSpace, optional
        Alternative models by name, with fewer free parameters than the paper's.
    """
    record.check(task)
    spaces = _spaces(descriptions, task, dict(fixed or {}), tied, dict(bounded or {}))
    alternatives = {name: space_of(task, space) for name, space in (alternatives or {}).items()}
    spaces |= alternatives
    fits = DescriptionFits(ForagingObjective(record, task), spaces, settings, generator, n_starts)
    part = held_out_parts(record, n_parts)
    names = (*spaces, *baselines)
    scores = np.full((len(names), record.n_steps), np.nan)
    estimates: dict[str, list] = {name: [] for name in spaces}
    statuses: dict[str, list] = {name: [] for name in spaces}
    for number in range(part.max() + 1):
        held_out = part == number
        objective = ForagingObjective(without_part(record, held_out), task)
        for name, found in fits.to_part(objective, number).items():
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
    model = agent_model(found.estimate, task, extras)
    if not model.plan.converged:
        return unknown
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    return step_log_likelihoods(chain_tables(model, inputs.n_kernels), inputs)
