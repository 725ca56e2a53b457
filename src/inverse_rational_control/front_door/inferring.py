"""From a record to parameters: maximum likelihood, and the posterior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PRIOR, PosteriorSettings, SomePrior
from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import (
    choose_start,
    fit_from_random_starts,
    generic_whitening,
)
from inverse_rational_control.front_door.actors import Agent, extras_of, parameters_of
from inverse_rational_control.front_door.arguments import judge
from inverse_rational_control.front_door.one_thread import on_one_thread
from inverse_rational_control.inference.bound_intervals import with_profile_intervals
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.posterior import Posterior, draw_posterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_ranges import in_belief_units
from inverse_rational_control.parameter_space import ParameterSpace, parameter_space
from inverse_rational_control.parameters import agent_parameters, ordered_extras
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = ["fit", "posterior"]


@on_one_thread
def fit(
    record: Record,
    task: Task | None = None,
    n_starts: int = 4,
    n_reserve_starts: int = 4,
    seed: int = 0,
    fixed: Mapping[str, float] | None = None,
    tied: Sequence[Sequence[str]] = (),
    settings: FitSettings | None = None,
    extras: Sequence[str] | None = None,
    bounded: Mapping[str, Sequence[float]] | None = None,
) -> Fit:
    """Infer an agent's parameters from its record by maximum likelihood.

    Parameters
    ----------
    record : Record
    task : Task, optional
        The paper's if not given.
    n_starts : int
        Optimizer starts, each the most likely of some drawn candidates.
    n_reserve_starts : int
        Further starts, taken one by one until two agree on the highest maximum.
    seed : int
        Of the drawn starts.
    fixed : mapping of str to float, optional
        Parameters held at a value, by name.
    tied : sequence of sequences of str
        Groups of parameters that share one value.
    settings : FitSettings, optional
        Method, tolerances, start ranges; those of the paper's run if not given.
    extras : sequence of str, optional
        Parameters beyond the ten: any of lapse, perseveration, diffusion, discount; those of the
        settings, usually none, if not given.
    bounded : mapping of str to (low, high), optional
        Free parameters that are kept within an interval, natural coordinates.

    Returns
    -------
    Fit
        `.summary()` for people; `.status`, `.estimate`, `.intervals()`, `.information` for programs.
        Where the estimate is at a bound, intervals are by profile likelihood, at the level of the
        settings.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If a parameter is unknown, given twice, fixed or tied twice, or bounded outside its range.

    Examples
    --------
    >>> task = Task(n_bins=5)
    >>> record = simulate(Agent(), World(), n_steps=2000, task=task, seed=1)
    >>> found = fit(record, task, n_starts=1)
    >>> str(found.status), found.estimate.shape
    ('converged', (10,))
    >>> print(found.summary().splitlines()[0].split()[:3])
    ['parameter', 'unit', 'estimate']
    """
    judge(locals(), FitSettings)
    task, settings = task or Task(), settings or FitSettings()
    space = _space(fixed, tied, settings.extras if extras is None else extras, task, bounded)
    objective = ForagingObjective(record, task, space)
    found = fit_from_random_starts(
        objective,
        settings,
        lambda number: stream(seed, "front door", "start", number),
        n_starts,
        n_reserve_starts,
    )
    return with_profile_intervals(found, objective)


@on_one_thread
def posterior(
    record: Record,
    start: Agent | Fit | np.ndarray | None = None,
    task: Task | None = None,
    seed: int = 0,
    prior: Mapping[str, Sequence[float]] | None = None,
    fixed: Mapping[str, float] | None = None,
    tied: Sequence[Sequence[str]] = (),
    settings: PosteriorSettings | None = None,
    extras: Sequence[str] | None = None,
    bounded: Mapping[str, Sequence[float]] | None = None,
) -> Posterior:
    """Draw from the posterior of an agent's parameters given its record (docs/model.md section 10).

    Parameters
    ----------
    record : Record
    start : Agent, Fit or ndarray, optional
        Where the search for the mode begins, usually the fit; drawn if not given.
    task : Task, optional
        The paper's if not given.
    seed : int
    prior : mapping of str to (low, high), optional
        Central 95 % interval per parameter, natural coordinates; the paper's run's where not given.
    fixed, tied : optional
        As for `fit`.
    settings : PosteriorSettings, optional
        Sampler, chains, draws; those of the paper's run if not given.
    extras : sequence of str, optional
        Parameters beyond the ten, as for `fit`; those of `start` if not given.
    bounded : optional
        As for `fit`.

    Returns
    -------
    Posterior
        `.summary()` for people; `.status`, `.draws`, `.quantiles([0.025, 0.5, 0.975])` for programs.

    Raises
    ------
    RecordError, ValueError
        As `fit`; ValueError also if the prior is not proper, names what is no parameter, or has an
        interval that is empty or outside the parameter's range.

    Examples
    --------
    >>> task = Task(n_bins=4)
    >>> record = simulate(Agent(), World(), n_steps=500, task=task, seed=1)
    >>> held = Agent().model_dump(exclude={"push_cost", "temperature"})
    >>> quick = PosteriorSettings(n_chains=2, n_tune=100, n_draws=100, ess_minimum=10)
    >>> found = posterior(record, Agent(), task, fixed=held, settings=quick)
    >>> found.draws.shape, found.status in ("converged", "rough", "not_converged")
    ((200, 10), True)
    """
    judge(locals(), PosteriorSettings)
    task, fitting = task or Task(), FitSettings()
    if extras is None:
        extras = () if start is None else extras_of(start)
    objective = ForagingObjective(record, task, _space(fixed, tied, extras, task, bounded))
    own = SomePrior(**{name: _plain(interval) for name, interval in (prior or {}).items()})
    given = own.model_dump(exclude_unset=True)
    intervals = in_belief_units(PRIOR | given, task.n_bins)
    if start is None:
        start = choose_start(objective, fitting, stream(seed, "front door", "start", 0))
    begin, size = parameters_of(start), len(objective.space.parameters)
    if begin.shape != (size,):
        raise ValueError(f"start: found {begin.size} parameters, allowed: {size}")
    if isinstance(start, np.ndarray):
        Coordinates(agent_parameters(ordered_extras(extras), task.n_bins)).check_ranges(
            begin, "start"
        )
    return draw_posterior(
        LogPosterior(objective, normal_prior(intervals, objective.space)),
        fitting,
        settings or PosteriorSettings(),
        [begin],
        stream(seed, "front door", "posterior"),
        generic_whitening(fitting, task, objective.space),
    )


def _plain(value: object) -> object:
    """Numbers as Python has them, which the models of the configuration ask for."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _space(
    fixed: Mapping[str, float | None] | None,
    tied: Sequence[Sequence[str]],
    extras: Sequence[str],
    task: Task,
    bounded: Mapping[str, Sequence[float]] | None,
) -> ParameterSpace:
    """The space to search; None fixes nothing, so an `Agent`'s own dictionary may be given."""
    held = {name: value for name, value in (fixed or {}).items() if value is not None}
    parameters = agent_parameters(ordered_extras(extras), task.n_bins)
    return parameter_space(held, tied, parameters, bounded)
