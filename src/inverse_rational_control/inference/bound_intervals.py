"""Profile-likelihood intervals of single parameters, for estimates where Wald's do not hold.

At a bound, or where the information is not positive definite, an interval is the set of values whose
profile likelihood lies within the chi-square quantile of the maximum; at a bound, the bound is one of
its ends. Source: docs/model.md section 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.inference.constrained import ConstrainedMaxima
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.inference.intervals import IntervalKind, Intervals, no_intervals
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.profiles import likelihood_cut

__all__ = [
    "ProfileInterval",
    "ProfileIntervals",
    "held_deviations",
    "profile_interval_of",
    "with_profile_intervals",
]

# Beyond these a coordinate is at its bound for all that a likelihood can say.
_LIMITS = {"logit": (-15.0, 15.0), "log": (-15.0, 10.0), "identity": (-1e4, 1e4)}
_LONGEST = 1.5  # step of the search for an end, by log odds or log distance
_CLOSE = 0.05  # of log deviance: this near the cut the last step needs no evaluation
_NARROW = 0.02  # a bracket this narrow holds a jump of the profile
_ROUNDS, _FAILURES, _TINY = 14, 3, 1e-9
_BUDGET = 300  # E-steps for one end
# Where searches fail and a value inside is this close to the bound (as a share of an interval's width),
# the bound is the end: no less than the truth.
_NEXT_TO_BOUND = 0.05
_RISE = 0.01  # nats above the estimate that are worth a word


@dataclass(frozen=True)
class ProfileIntervals:
    """Profile-likelihood intervals of a fit at which Wald's do not hold.

    Attributes
    ----------
    intervals : Intervals
        None of any kind where their ends were not looked for.
    deviance : ndarray, shape (n,)
        2 [l_max - l_profile] at the truth, nats: the interval of any level holds it where this is
        within that level's chi-square quantile. NaN where it is not known, or no search settled.
    n_evaluations : int
        E-steps that they took.
    rise : float
        How far above the estimate the searches came, nats: more than rounding means that the estimate
        is not the maximum. Intervals are around the highest point known.
    """

    intervals: Intervals
    deviance: np.ndarray
    n_evaluations: int
    rise: float


class ProfileInterval(NamedTuple):
    """Ends of an interval, natural coordinates, and why an end was not found (NaN), or ""."""

    lower: float
    upper: float
    said: str


def with_profile_intervals(
    fit: Fit, objective: Objective, truth: np.ndarray | None = None, ends: bool = True
) -> Fit:
    """A fit with profile-likelihood intervals of all its parameters, if Wald's do not hold for it.

    All, not only those at a bound: with one of them held at its bound, Wald's intervals of the others
    are too short, since it may as well lie inside.

    Parameters
    ----------
    fit : Fit
    objective : Objective
        What was fitted.
    truth : ndarray, shape (n,), optional
        Natural values at which to take each parameter's deviance, others at their maximum.
    ends : bool
        Whether to look for the intervals' ends; they take most of the E-steps.

    Returns
    -------
    Fit
        The same where Wald's intervals hold, or where no start led anywhere.
    """
    if fit.wald_holds or not np.isfinite(fit.log_likelihood):
        return fit
    maxima = ConstrainedMaxima(objective, fit.settings, fit.estimate, fit.information)
    found = _intervals(fit, maxima) if ends else None
    deviance = np.full(len(fit.space.parameters), np.nan)
    if truth is not None:
        eta = fit.space.unconstrained(truth)
        # Of every profile at the truth the truth is a point; far from the estimate, searches from there
        # alone may end lower.
        maxima.remember(eta)
        solved = [maxima.solve(k, float(eta[maxima.member[k]])) for k in range(fit.space.size)]
        for moved, point in zip(maxima.moved, solved, strict=True):
            if point is not None and point.settled:
                deviance[moved] = maxima.deviance(point)
    rise = float(maxima.highest - fit.log_likelihood)
    intervals = found or no_intervals(fit.estimate, fit.settings.confidence_level, fit.space)
    if rise > _RISE:
        said = f"profiles come {rise:.2g} nats above the estimate, which is not the maximum"
        intervals = replace(intervals, remarks=(*intervals.remarks, said))
    return replace(fit, profiles=ProfileIntervals(intervals, deviance, maxima.n_evaluations, rise))


def _intervals(fit: Fit, maxima: ConstrainedMaxima) -> Intervals:
    level, space = fit.settings.confidence_level, fit.space
    flagged = fit.at_bound[maxima.member]
    deviations = held_deviations(maxima, flagged)
    nothing = no_intervals(fit.estimate, level, space)
    lower, upper, kind, remarks = nothing.lower, nothing.upper, list(nothing.kind), []
    for k, moved in enumerate(maxima.moved):
        interval = profile_interval_of(maxima, k, level, deviations[k], bool(flagged[k]))
        if interval.said:
            remarks.append(f"no interval for {space.names[k]}: {interval.said}")
            continue
        lower[moved], upper[moved] = interval.lower, interval.upper
        for place in np.flatnonzero(moved):
            kind[place] = IntervalKind.PROFILE
    return replace(nothing, lower=lower, upper=upper, kind=tuple(kind), remarks=tuple(remarks))


def held_deviations(maxima: ConstrainedMaxima, flagged: np.ndarray) -> np.ndarray:
    """Standard deviations of the coordinates with those at a bound held there; to begin searches.

    Parameters
    ----------
    maxima : ConstrainedMaxima
    flagged : ndarray of bool, shape (k,)
        Coordinates at a bound.

    Returns
    -------
    ndarray, shape (k,)
        Unconstrained; a stand-in where the information says nothing.
    """
    found = np.full(flagged.size, 0.5)
    inner = maxima.information[np.ix_(~flagged, ~flagged)]
    if inner.size and is_positive_definite(inner):
        found[~flagged] = np.sqrt(np.diag(np.linalg.inv(inner)))
    return found


def profile_interval_of(
    maxima: ConstrainedMaxima,
    coordinate: int,
    confidence_level: float,
    deviation: float,
    at_bound: bool,
) -> ProfileInterval:
    """The values of one coordinate that the profile likelihood does not exclude, around the estimate.

    Parameters
    ----------
    maxima : ConstrainedMaxima
    coordinate : int
        Which free coordinate; the interval is of the parameters that it moves.
    confidence_level : float
        In (0, 1).
    deviation : float
        About its standard deviation, unconstrained.
    at_bound : bool
        Whether it is at a bound: then the search goes by the coordinate itself, away from the bound,
        otherwise by the logarithm of the distance from the estimate.

    Returns
    -------
    ProfileInterval
        An end is the bound (or infinity) where the profile does not reach the cut on the way there.
    """
    parameter = maxima.objective.space.parameters[maxima.member[coordinate]]
    at_limits = parameter.limits
    cut, here = likelihood_cut(confidence_level), maxima.estimate[coordinate].held
    ends, said = [], []
    for side, sign in enumerate((-1.0, 1.0)):
        limit, at_limit = _LIMITS[parameter.coordinate][side], at_limits[side]
        away = at_bound and sign * here < 0
        if at_bound and not away:
            # Towards the bound: it is the end unless the profile falls below the cut on the way.
            point = (
                maxima.solve(coordinate, limit, thorough=False)
                if sign * (limit - here) > 1.0
                else None
            )
            if point is None or maxima.deviance(point) <= cut:
                ends.append(at_limit)
                continue
        end, words = _Walk(maxima, coordinate, cut, sign, limit, deviation, away).end()
        natural = at_limit if end == limit else _natural(parameter, end)
        ends.append(natural)
        said += [words] if words else []
    return ProfileInterval(*ends, "; ".join(said))


def _natural(parameter, held):
    return float(Coordinates((parameter,)).natural(np.array([held]))[0])


class _Walk:
    """From the estimate outwards to where the deviance reaches the cut.

    The logarithm of the deviance is nearly linear in the coordinate where that is a logit or logarithm
    near its bound, and in the logarithm of the distance elsewhere, so Newton's method by its slope gets
    there in a few points; a bracket guards it.
    """

    def __init__(self, maxima, coordinate, cut, sign, limit, deviation, away):
        member = maxima.member[coordinate]
        self.parameter = maxima.objective.space.parameters[member]
        self.maxima, self.coordinate, self.cut, self.sign = maxima, coordinate, cut, sign
        self.limit, self.away = limit, away
        self.start = maxima.estimate[coordinate]
        self.deviation = deviation

    def held(self, u):
        """The coordinate, from how far out it is: by itself, or by the logarithm of the distance."""
        value = self.sign * u if self.away else self.start.held + self.sign * np.exp(u)
        return self.limit if self.sign * (value - self.limit) > 0 else value

    def _first(self):
        if not self.away:
            return np.log(np.sqrt(self.cut) * self.deviation)
        # The slope by the natural value at the bound foresees where the deviance reaches the cut.
        probability = 1.0 / (1.0 + np.exp(abs(self.start.held)))
        slope = -self.sign * self.start.slope / probability
        foreseen = self.cut / (2.0 * slope) if slope > 0 else np.inf
        return float(np.clip(np.log(foreseen), -6.0, -1.0))

    def end(self):
        """The end, unconstrained, and why there is none (NaN) in words; the limit where it is open."""
        u, inner, outer, suspect, failures = self._first(), -np.inf, np.inf, np.inf, 0
        while self.sign * (self.held(u) - self.start.held) <= 0:
            u += 1.0
        enough = self.maxima.n_evaluations + _BUDGET
        for _ in range(_ROUNDS):
            if self.maxima.n_evaluations > enough:
                return self._beyond(inner)
            point = self.maxima.solve(self.coordinate, self.held(u), thorough=False)
            inside = point is not None and self.maxima.deviance(point) <= self.cut
            if point is None or not (point.settled or inside):
                failures, suspect = failures + 1, min(suspect, u)
                if failures > _FAILURES:
                    return self._beyond(inner)
                u = 0.5 * (inner + suspect) if np.isfinite(inner) else u - 0.7
                continue
            if inside and point.held == self.limit:
                return self.limit, ""
            inner, outer = (max(inner, u), outer) if inside else (inner, min(outer, u))
            deviance = max(self.maxima.deviance(point), _TINY)
            rise = -2.0 * self.sign * point.slope / deviance
            rise *= 1.0 if self.away else np.exp(u)
            short = np.log(self.cut) - np.log(deviance)
            if point.settled and abs(short) < _CLOSE and rise > 0.1:
                return self.held(u + short / rise), ""
            if outer - inner < _NARROW:
                return self.held(0.5 * (inner + outer)), ""
            step = short / max(rise, 0.3) if point.settled else _LONGEST
            u += np.clip(step, -_LONGEST, _LONGEST)
            if not inner < u < min(outer, suspect):
                u = 0.5 * (inner + min(outer, suspect)) if np.isfinite(inner) else outer - _LONGEST
        if np.isinf(min(outer, suspect)):
            return self.limit, ""
        return self._beyond(inner)

    def _beyond(self, inner):
        """The bound, if it is so close to a value inside that the interval may as well reach it."""
        if np.isfinite(inner):
            ends = [_natural(self.parameter, held) for held in (self.held(inner), self.limit)]
            reach = np.ptp(self.parameter.limits) if self.parameter.coordinate == "logit" else 1.0
            if abs(ends[1] - ends[0]) < _NEXT_TO_BOUND * reach:
                return self.limit, ""
        return np.nan, "no search with the parameter held settled"
