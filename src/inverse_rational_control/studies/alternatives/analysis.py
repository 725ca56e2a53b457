"""Alternatives fitted side by side, agents drawn from a model, and what a search cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.alternative_models import FULL, MEMORYLESS
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts
from inverse_rational_control.inference.fit import fit, highest
from inverse_rational_control.inference.start import StartResult
from inverse_rational_control.parameter_space import ParameterSpace
from inverse_rational_control.parameters import N_PARAMETERS, draw_parameters
from inverse_rational_control.studies.alternatives.memoryless import (
    fit_memoryless,
    memoryless_log_likelihood,
    n_memoryless_parameters,
)
from inverse_rational_control.task import Task

__all__ = [
    "ModelFit",
    "draw_agent_of",
    "fit_models",
    "running_gap",
    "search_course",
]


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
        Natural coordinates, held parameters included; NaN for the memoryless model.
    status : str
        As of a `Fit`; of the memoryless model converged or not_converged.
    n_evaluations : int
        E-steps over all starts; 0 for the memoryless model.
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


def fit_models(
    objective: ForagingObjective,
    held_out: ForagingObjective | None,
    settings: FitSettings,
    spaces: Mapping[str, ParameterSpace],
    whitenings: Mapping[str, np.ndarray],
    generator: Callable[[int], np.random.Generator],
    n_starts: int,
    n_reserve_starts: int,
    ridge: float,
) -> list[ModelFit]:
    """Fit every model to a record, the memoryless one last, and score them on another.

    A maximum over more parameters cannot be lower: where a reduced model ends above the full one, the
    full one's own starts missed its maximum, and it is fitted once more, from the reduced estimate.

    Parameters
    ----------
    objective, held_out : ForagingObjective
        Of one task, all parameters free; `held_out` may be None.
    settings : FitSettings
    spaces, whitenings : mapping of str to ParameterSpace and to ndarray
        By model; whitenings from `generic_whitening` for the same space.
    generator : callable
        Gives the random generator of a start by its number: all models draw the same candidates.
    n_starts, n_reserve_starts : int
        As of `fit_from_random_starts`.
    ridge : float
        Of the memoryless model.
    """
    record, task = objective.record, objective.task

    def one(name, space):
        return scored(
            name,
            fit_from_random_starts(
                *(objective.within(space), settings, generator),
                *(n_starts, n_reserve_starts, whitenings[name]),
            ),
        )

    def scored(name, found):
        known = np.isfinite(found.estimate).all() and held_out is not None
        return ModelFit(
            name,
            float(found.log_likelihood),
            held_out.log_likelihood(found.estimate) if known else np.nan,
            found.space.size,
            found.estimate,
            str(found.status),
            sum(result.n_evaluations for result in found.starts),
        )

    fitted = {name: one(name, space) for name, space in spaces.items()}
    if FULL in fitted:
        own, fits = fitted[FULL], list(fitted.values())
        best = fits[highest(fits)]
        if best.log_likelihood > own.log_likelihood:
            full = objective.within(spaces[FULL])
            found = fit(full, settings, [best.estimate], whitening=whitenings[FULL])
            again = scored(FULL, found)
            if again.log_likelihood > own.log_likelihood:
                fitted[FULL] = replace(
                    again,
                    n_evaluations=own.n_evaluations + again.n_evaluations,
                    missed=again.log_likelihood - own.log_likelihood,
                )
    floor = fit_memoryless(record, task, ridge)
    floor_held_out = np.nan
    if held_out is not None:
        floor_held_out = memoryless_log_likelihood(floor.log_policy, held_out.record, task)
    return [
        *fitted.values(),
        ModelFit(
            MEMORYLESS,
            floor.log_likelihood,
            floor_held_out,
            n_memoryless_parameters(task),
            np.full(N_PARAMETERS, np.nan),
            "converged" if floor.converged else "not_converged",
            0,
        ),
    ]


def draw_agent_of(
    space: ParameterSpace,
    ranges: Mapping[str, Sequence[float]],
    task: Task,
    rng: np.random.Generator,
) -> tuple[np.ndarray, AgentModel, int]:
    """Draw an agent of a model: uniform over ranges, then moved into the model's space.

    Parameters
    ----------
    space : ParameterSpace
    ranges : mapping of str to (low, high)
        Per parameter name, natural coordinates.
    task : Task
    rng : numpy.random.Generator

    Returns
    -------
    theta : ndarray, shape (10,)
        Natural coordinates.
    model : AgentModel
        With a solved plan.
    n_discarded : int
        Draws before it whose plan could not be solved: nothing can be simulated from those.
    """
    n_discarded = 0
    while True:
        theta = space.admit(draw_parameters(ranges, rng))
        model = agent_model(theta, task)
        if model.plan.converged:
            return theta, model, n_discarded
        n_discarded += 1


def search_course(starts: list[StartResult], candidates: int) -> tuple[np.ndarray, np.ndarray]:
    """Likelihood evaluations used so far and the best log-likelihood, over starts made one by one.

    Parameters
    ----------
    starts : list of StartResult
    candidates : int
        Evaluations that each start cost before it began.

    Returns
    -------
    evaluations : ndarray of int, shape (points,)
    log_likelihood : ndarray, shape (points,)
        Running best, nats.
    """
    evaluations, values, used = [], [], 0
    for start in starts:
        used += candidates
        evaluations += [used + count for count in start.path.evaluations]
        values += list(start.path.log_likelihood)
        used += start.n_evaluations
    # What comes after the last accepted iteration (information matrices) is paid for too.
    evaluations.append(used)
    values.append(max(values))
    return np.array(evaluations), np.maximum.accumulate(values)


def running_gap(log_likelihoods: np.ndarray, maximum: float) -> np.ndarray:
    """How far below `maximum` the best so far is, after each evaluation; inf before any is finite."""
    return maximum - np.maximum.accumulate(log_likelihoods)
