"""Climbs through longer and longer horizons, for records on which value iteration's plans jump.

With a short horizon there is one plan and a likelihood without folds; its plan and its maximum are
followed as the horizon grows. Source: docs/model.md section 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.agent.fineness import CUE_PARAMETERS
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.continued import ContinuedObjective
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.ridge import along_edge_from, along_flat
from inverse_rational_control.foraging.unscaled import Unscaled
from inverse_rational_control.inference.edges import EdgeClimb
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.prior import Prior, normal_prior
from inverse_rational_control.inference.search import Point
from inverse_rational_control.inference.trust_region import Ascent, by_trust_region
from inverse_rational_control.parameter_ranges import in_belief_units, range_ends
from inverse_rational_control.parameter_space import ParameterSpace

__all__ = [
    "WideRanges",
    "climb_by_horizons",
    "horizons_lead",
    "wide_start",
]

_SHORTEST = 5.0  # horizon to begin with, steps
_FACTOR, _LEAST_FACTOR = 2.0, 1.06  # from one horizon to the next
_FALL = 20.0  # nats lost by a longer horizon from which on it is made less long
_STAGES = 16
_NEARLY_FLAT, _FLAT = 1.0, 1e-4  # gain still expected on the way, and at the end, nats
_STAGE_EVALUATIONS, _LAST_EVALUATIONS = 60, 120
_CANDIDATES = 40
_GUIDED, _TIGHTER = 0.5, 0.5  # horizons, by the longest, with normals; their spread, by the ranges'
_RATES, _COSTS, _TEMPERATURE = 0.01, 0.2, 0.1  # lower ends of wide ranges, by those of the starts


@dataclass(frozen=True)
class WideRanges:
    """Ranges over orders of magnitude, as slow animals need them.

    Probabilities of food, costs and the temperature go down to far below the start ranges, by their
    logarithms.

    Attributes
    ----------
    low, high : ndarray, shape (n,)
        Natural coordinates.
    logarithmic : ndarray of bool, shape (n,)
    """

    low: np.ndarray
    high: np.ndarray
    logarithmic: np.ndarray

    @classmethod
    def of(cls, objective: ForagingObjective, settings: FitSettings) -> WideRanges:
        """Those that belong to the start ranges of settings."""
        names, n_bins = objective.space.parameter_names, objective.task.n_bins
        ranges = in_belief_units(settings.start_ranges, n_bins)
        low, high = range_ends(ranges, objective.extras, n_bins)
        by = np.array([_lower(name) for name in names])
        logarithmic = (by < 1.0) & (low > 0.0)
        low = np.where(logarithmic, by * low, low)
        resting = np.array([name == "grooming_reward" for name in names])
        return cls(np.where(resting, np.minimum(low, -high), low), high, logarithmic)

    def at(self, share: np.ndarray) -> np.ndarray:
        """Parameters a share, shape (n,), of the way up."""
        low, high = self.low, self.high
        with np.errstate(invalid="ignore", divide="ignore"):
            by_ratio = low * np.power(high / low, share)
        return np.where(self.logarithmic, by_ratio, low + share * (high - low))

    def prior(self, space: ParameterSpace) -> Prior:
        """Normals of which these are the central 95 %, in unconstrained coordinates."""
        names = space.parameter_names
        ends = np.stack([self.low, self.high], 1).tolist()
        return normal_prior(dict(zip(names, map(tuple, ends), strict=True)), space)


def horizons_lead(objective: ForagingObjective) -> bool:
    """Whether starts climb by horizons before anything else: where cues tell nothing.

    There are no cues, or their two probabilities are held or tied equal. Beliefs then only change with
    the time since a push, a plan hangs on few numbers, and value iteration switches plans where
    these hardly change. Where the discount is the agent's own there is no such climb.
    """
    space = objective.space
    if "discount" in objective.extras or not objective.task.has_cues:
        return "discount" not in objective.extras
    present, absent = (space.parameter_names.index(name) for name in CUE_PARAMETERS)
    if space.is_free[[present, absent]].any():
        return bool((space.directions[present] * space.directions[absent]).any())
    return bool(space.fixed[present] == space.fixed[absent])


def wide_start(
    objective: ForagingObjective, settings: FitSettings, rng: np.random.Generator
) -> np.ndarray:
    """The most likely of 40 draws from wide ranges, with a horizon of 5 steps.

    Parameters
    ----------
    objective : ForagingObjective
    settings : FitSettings
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,), natural coordinates, in the objective's space
    """
    ranges = WideRanges.of(objective, settings)
    short = objective.with_discount(1.0 - 1.0 / _SHORTEST)
    shares = rng.random((_CANDIDATES, len(ranges.low)))
    candidates = [objective.space.admit(ranges.at(share)) for share in shares]
    return max(candidates, key=short.log_likelihood)


def _lower(name: str) -> float:
    """Lower end of a wide range, by that of the start range."""
    if "appearance_rate" in name:
        return _RATES
    return {"temperature": _TEMPERATURE, "travel_cost": _COSTS, "push_cost": _COSTS}.get(name, 1.0)


def climb_by_horizons(
    objective: ForagingObjective,
    settings: FitSettings,
    theta: np.ndarray,
    whitening: np.ndarray,
) -> EdgeClimb | None:
    """Climb with a short horizon, and on with longer ones, each plan continued from the one before.

    Parameters
    ----------
    objective : ForagingObjective
    settings : FitSettings
        Its start ranges, made wide, are normals that keep climbs with a short horizon from bounds.
    theta : ndarray, shape (n,)
        Natural coordinates, in the objective's space.
    whitening : ndarray, shape (n, k)
        As for `Search`.

    Returns
    -------
    EdgeClimb or None
        None where the discount is the agent's own, no plan is found, or the plan that was followed is
        the agent's own nowhere near the end.
    """
    if "discount" in objective.extras:
        return None
    prior = WideRanges.of(objective, settings).prior(objective.space)
    prior = replace(prior, standard_deviation=_TIGHTER * prior.standard_deviation)
    longest = 1.0 / (1.0 - objective.task.discount)
    horizon, factor = min(_SHORTEST, longest), 1.0
    value, climb, spent = None, None, 0
    for _ in range(_STAGES):
        following = min(horizon * factor, longest)
        stage = objective if following == longest else objective.with_discount(1 - 1 / following)
        guided = prior if following < _GUIDED * longest else None
        near, begun = _begun(stage, theta, value, guided)
        spent += 1
        lost = begun is None
        fell = climb is not None and (
            lost or begun.log_likelihood < climb.point.log_likelihood - _FALL
        )
        if fell and factor > _LEAST_FACTOR:
            factor = np.sqrt(factor)
            continue
        if lost:
            return None
        if climb is None:
            ascent = Ascent(begun, near.directions(whitening, begun.eta), None)
        else:
            ascent = Ascent(begun, climb.directions, climb.information)
        last = following >= longest
        flat, most = (_FLAT, _LAST_EVALUATIONS) if last else (_NEARLY_FLAT, _STAGE_EVALUATIONS)
        climb = by_trust_region(near.point, ascent, flat, most)
        spent += near.n_evaluations
        theta, value, horizon = near.theta(climb.point.eta), _value(near), following
        if last:
            before = near.n_evaluations
            own = along_flat(near, climb)
            spent += near.n_evaluations - before
            if own is not None:
                return EdgeClimb(near.eta(own.eta), False, spent)
            found = along_edge_from(objective, settings, near, begun, climb.point)
            if found is None:
                return None
            return replace(found, n_evaluations=spent + found.n_evaluations)
        factor = min(_FACTOR, 1.5 * max(factor, 1.34))
    return None


def _begun(
    stage: ForagingObjective, theta: np.ndarray, value: np.ndarray | None, prior: Prior | None
) -> tuple[Unscaled, Point | None]:
    """An objective whose plan goes on from a value function, or begins with its own, and its point."""
    if value is None:
        continued = ContinuedObjective.own(stage, theta)
    else:
        continued = ContinuedObjective(stage, value)
    near = Unscaled(continued if prior is None else LogPosterior(continued, prior))
    return near, near.point(near.of(stage.space.unconstrained(theta)))


def _value(near: Unscaled) -> np.ndarray:
    objective = near.objective
    return (objective.objective if isinstance(objective, LogPosterior) else objective).value
