"""Fits of several descriptions to one record and to its parts, each begun where another ended.

To the whole record each is fitted from random starts, and from the most likely estimate of a description
with fewer parameters. What a part's absence changes is little: there a fit begins at the end for the
whole record, and at one more point that does not know of it. Source: docs/model.md section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening, random_start
from inverse_rational_control.inference.fit import Fit, fit, highest
from inverse_rational_control.inference.information import regularized_inverse_root
from inverse_rational_control.inference.start import Start
from inverse_rational_control.parameter_space import ParameterSpace

__all__ = ["DescriptionFits"]

_HARDLY_LAPSE = 0.005
# Nats still to be gained that no held-out step shows: here a fit has converged with these.
_TOLERANCE = 1e-4
# Where a coordinate is at its bound the gradient vanishes: starts are at least so far inside.
_INSIDE = 6.0


class DescriptionFits:
    """Fits of descriptions to a record, and from there to parts of it.

    Parameters
    ----------
    objective : ForagingObjective
        Of the whole record.
    spaces : mapping of str to ParameterSpace
        Of the descriptions by name, the one with the fewest parameters first but for those that hold
        more of them.
    settings : FitSettings
        Of its tolerance 1e-4 nats are enough.
    generator : callable
        Gives the random generator of a start by its number.
    n_starts : int
        Of each fit to the whole record.
    """

    def __init__(
        self,
        objective: ForagingObjective,
        spaces: Mapping[str, ParameterSpace],
        settings: FitSettings,
        generator: Callable[[int], np.random.Generator],
        n_starts: int,
    ):
        tolerance = max(settings.tolerance, _TOLERANCE)
        self.settings = settings.model_copy(update={"tolerance": tolerance})
        self.spaces, self.generator = spaces, generator
        self.n_steps = objective.n_steps
        self.generic = {
            name: generic_whitening(settings, objective.task, space)
            for name, space in spaces.items()
        }
        self.whole: dict[str, Fit] = {}
        for name, space in spaces.items():
            own, whitening = objective.within(space), self.generic[name]
            nested = _nested(self.whole, own)
            n_random = max(n_starts, 1) - len(nested)
            starts = [*self._random(own, range(n_random), whitening), *nested]
            self.whole[name] = fit(own, self.settings, starts, whitening=whitening, challenge=False)

    def to_part(self, objective: ForagingObjective, number: int) -> dict[str, Fit]:
        """Fits to part of the record, by name.

        Parameters
        ----------
        objective : ForagingObjective
            Of the part.
        number : int
            Which part: each draws another start.
        """
        settings = self.settings.model_copy(update={"warm_up_iterations": 0})
        fits: dict[str, Fit] = {}
        for name, space in self.spaces.items():
            own, whole, whitening = objective.within(space), self.whole[name], self.generic[name]
            if whole.wald_holds:
                per_thousand = whole.information * 1000.0 / self.n_steps
                whitening = space.directions @ regularized_inverse_root(per_thousand)
            starts = [Start(_off_bounds(whole.estimate, space))]
            nested = _nested(fits, own)
            starts += nested or list(self._random(own, [2 * number], self.generic[name]))
            fits[name] = fit(own, settings, starts, whitening=whitening, challenge=False)
        return fits

    def _random(self, objective, numbers, whitening) -> Iterator[Start]:
        for number in numbers:
            yield random_start(objective, self.settings, self.generator, number, whitening)


def _off_bounds(theta: np.ndarray, space: ParameterSpace) -> np.ndarray:
    """Parameters a little inside their bounds, natural, shape (n,): at one, no gradient leads away."""
    eta = space.unconstrained(theta)
    kinds = np.array([parameter.coordinate for parameter in space.parameters])
    low = np.where(kinds == "identity", -np.inf, -_INSIDE)
    high = np.where(kinds == "logit", _INSIDE, np.inf)
    moved = np.clip(eta, low, high)
    return np.where(moved == eta, theta, space.natural(moved))


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
