"""Which parameters describe a record: the ten, extra ones, or none at all, by steps held out of the fit.

Source: docs/model.md section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.chain.forward_backward import step_log_likelihoods
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.holding_out import held_out_parts, without_part
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening, random_start
from inverse_rational_control.inference.fit import Fit, fit, highest
from inverse_rational_control.inference.start import Start
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
_HARDLY_LAPSE = 0.005


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
    """

    names: tuple[str, ...]
    n_parameters: np.ndarray
    part: np.ndarray
    step_log_likelihood: np.ndarray
    estimates: dict[str, np.ndarray]
    statuses: dict[str, tuple[str, ...]]

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
        words = f"described best by {_in_words(best)} ({self.mean[self.names.index(best)]:.3f}"
        words += " nats per held-out step)"
        others = [name for name in self.names if name not in (*self.estimates, PAPER)]
        for name in (PAPER, *others):
            if name != best:
                words += f"; {_in_words(name)} {self.mean[self.names.index(name)]:.3f}"
        for name in others:
            gain, error = self.difference(PAPER, name)
            verb = "beats" if gain > 0 else "does not beat"
            words += f"; the paper's model {verb} the {name} baseline ({gain:+.3f} +- {error:.3f}"
            words += ")" if abs(gain) > 2 * error else ", within chance)"
        return words


def _in_words(name: str) -> str:
    if name == PAPER:
        return "the paper's model"
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
        Extra parameters by name; `PAPER`, without any, is always among them.
    n_parts : int
        At most as many as there are steps to divide.
    n_starts : int
        Of each fit; where extra parameters are added to those of descriptions before, the last begins at
        the most likely estimate of these. Maxima are not confirmed to the last hundredth of a nat, which
        no held-out step shows.
    fixed, tied
        Of the parameters of every description that has them, as for `parameter_space`.
    """
    record.check(task)
    wanted = {PAPER: (), **{name: ordered_extras(extras) for name, extras in descriptions.items()}}
    spaces = {name: _space(extras, task, fixed, tied) for name, extras in wanted.items()}
    whitenings = {name: generic_whitening(settings, task, space) for name, space in spaces.items()}
    part = held_out_parts(record, n_parts)
    names = (*spaces, *baselines)
    scores = np.full((len(names), record.n_steps), np.nan)
    estimates: dict[str, list] = {name: [] for name in spaces}
    statuses: dict[str, list] = {name: [] for name in spaces}
    for number in range(part.max() + 1):
        held_out = part == number
        objective = ForagingObjective(without_part(record, held_out), task)
        fits: list[Fit] = []
        for name, space in spaces.items():
            found = _fit(
                objective.within(space), settings, generator, fits, n_starts, whitenings[name]
            )
            fits.append(found)
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
    )


def _space(extras, task, fixed, tied) -> ParameterSpace:
    parameters = agent_parameters(extras, task.n_bins)
    there = {parameter.name for parameter in parameters}
    held = {name: value for name, value in (fixed or {}).items() if name in there}
    return parameter_space(held, [g for g in tied if there.issuperset(g)], parameters)


def _fit(objective, settings, generator, fits, n_starts, whitening) -> Fit:
    """A fit from random starts, and from the best of earlier fits with fewer parameters."""
    fewer = [
        found
        for found in fits
        if set(found.space.parameter_names) <= set(objective.space.parameter_names)
        and np.isfinite(found.log_likelihood)
    ]

    def starts() -> Iterator[Start]:
        for number in range(n_starts - bool(fewer)):
            yield random_start(objective, settings, generator, number, whitening)
        if fewer:
            yield Start(_extended(fewer[highest(fewer)], objective))

    return fit(objective, settings, starts(), whitening=whitening, challenge=False)


def _extended(found: Fit, objective: ForagingObjective) -> np.ndarray:
    """An estimate with extra parameters added, that hardly change behavior; shape (n,)."""
    task = objective.task
    values = {
        "lapse": _HARDLY_LAPSE,
        "perseveration": 0.0,
        "diffusion": task.sigma,
        "discount": task.discount,
    }
    values |= dict(zip(found.space.parameter_names, found.estimate, strict=True))
    return np.array([values[name] for name in objective.space.parameter_names])


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
