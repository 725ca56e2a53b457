"""Fits of several descriptions to the same steps, each begun also where one with fewer parameters ended.

Nothing of what is held out reaches them: no start, no search coordinates, no choice between maxima.
Source: docs/model.md section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening, random_start
from inverse_rational_control.inference.agreement import highest
from inverse_rational_control.inference.fit import Fit, fit
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.prior import FLAT, normal_prior
from inverse_rational_control.inference.start import Start
from inverse_rational_control.parameter_space import ParameterSpace
from inverse_rational_control.task import Task

__all__ = ["DescriptionFits"]

_HARDLY_LAPSE = 0.005
# Nats still to be gained that no held-out step shows: here a fit has converged with these.
_TOLERANCE = 1e-4


class DescriptionFits:
    """How descriptions are fitted to any steps of a task.

    Parameters
    ----------
    task : Task
    spaces : mapping of str to ParameterSpace
        Of the descriptions by name, the one with the fewest parameters first but for those that hold
        more of them.
    settings : FitSettings
        Of its tolerance 1e-4 nats are enough.
    generator : callable
        Gives the random generator of a start by its number.
    n_starts : int
        Of each fit: random ones, and one where the most likely fit that lacks extra parameters ended.
    priors : mapping of str to mapping, optional
        By description, the prior of those of its parameters that have one, as for `normal_prior`.
    """

    def __init__(
        self,
        task: Task,
        spaces: Mapping[str, ParameterSpace],
        settings: FitSettings,
        generator: Callable[[int], np.random.Generator],
        n_starts: int,
        priors: Mapping[str, Mapping] | None = None,
    ):
        tolerance = max(settings.tolerance, _TOLERANCE)
        self.settings = settings.model_copy(update={"tolerance": tolerance})
        self.spaces, self.generator, self.n_starts = spaces, generator, n_starts
        self.priors = {
            name: normal_prior(_flat_but(intervals, spaces[name]), spaces[name])
            for name, intervals in (priors or {}).items()
        }
        self.whitenings = {
            name: generic_whitening(settings, task, space) for name, space in spaces.items()
        }

    def of(self, objective: ForagingObjective) -> dict[str, Fit]:
        """Fits to the steps of an objective, by name; the most likely end of each counts."""
        fits: dict[str, Fit] = {}
        for name, space in self.spaces.items():
            own, whitening = objective.within(space), self.whitenings[name]
            starts = _nested(fits, own)
            if name in self.priors:
                own = LogPosterior(own, self.priors[name])
            starts += [
                random_start(own, self.settings, self.generator, number, whitening)
                for number in range(max(self.n_starts - len(starts), 1))
            ]
            fits[name] = fit(own, self.settings, starts, whitening=whitening, challenge=False)
        return fits


def _flat_but(intervals: Mapping, space: ParameterSpace) -> dict:
    return dict.fromkeys(space.parameter_names, FLAT) | dict(intervals)


def _nested(fits: Mapping[str, Fit], objective: ForagingObjective) -> list[Start]:
    """A start at the most likely of the fits that only lack extra parameters of an objective."""
    names = set(objective.space.parameter_names)
    known = [
        found
        for found in fits.values()
        if set(found.space.parameter_names) <= names and np.isfinite(found.log_likelihood)
    ]
    if not known:
        return []
    return [Start(_extended(known[highest(known)], objective))]


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
    extended = []
    for parameter in objective.space.parameters:
        low, high = parameter.limits
        value = values[parameter.name]
        # What hardly changes behavior may be out of bounds; then the middle is as good as any.
        extended.append(value if low < value < high else 0.5 * (low + high))
    return np.array(extended)
