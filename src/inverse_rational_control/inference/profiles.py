"""Profile likelihoods: one coordinate held at a value, all others at their maximum (Figure 9).

A profile is followed outwards from the estimate, each point started from the line through the two before
it. Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq
from scipy.special import chdtri

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.start import StartResult, fit_from_near
from inverse_rational_control.parameter_space import perpendicular_space

__all__ = [
    "Profile",
    "likelihood_cut",
    "profile_interval",
    "signed_root",
    "trace_profile",
    "wald_standard_deviation",
]


@dataclass(frozen=True)
class Profile:
    """Maxima of the likelihood under one constraint, by rising constraint.

    Attributes
    ----------
    offset : ndarray, shape (points,)
        How far along the direction from the estimate, unconstrained coordinates; the estimate is 0.
    log_likelihood : ndarray, shape (points,)
        Nats; NaN where the planner failed.
    parameters : ndarray, shape (points, n)
        Where the maximum lies, natural coordinates.
    converged : ndarray of bool, shape (points,)
    stop_reason : list of str
    n_evaluations : ndarray of int, shape (points,)
        E-steps; none at the estimate.
    """

    offset: np.ndarray
    log_likelihood: np.ndarray
    parameters: np.ndarray
    converged: np.ndarray
    stop_reason: list[str]
    n_evaluations: np.ndarray


def wald_standard_deviation(information: np.ndarray, direction: np.ndarray) -> float:
    """Wald's standard deviation of the offset along a unit direction, unconstrained coordinates.

    Where the information is not positive definite, a stand-in to space a profile by: its eigenvalues
    without sign, and one at most.

    Parameters
    ----------
    information : ndarray, shape (n, n)
        Unconstrained coordinates.
    direction : ndarray, shape (n,)
        Of length one.
    """
    if is_positive_definite(information):
        return float(np.sqrt(direction @ np.linalg.solve(information, direction)))
    if not np.isfinite(information).all():
        return 1.0
    eigenvalues, vectors = np.linalg.eigh(information)
    along = vectors.T @ direction
    sizes = np.maximum(np.abs(eigenvalues), np.finfo(float).tiny)
    return float(min(1.0, np.sqrt(np.sum(along**2 / sizes))))


def trace_profile(
    objective: Objective,
    estimate: np.ndarray,
    log_likelihood: float,
    converged: bool,
    information: np.ndarray,
    direction: np.ndarray,
    offsets: Sequence[float],
    settings: FitSettings,
) -> Profile:
    """Maximize the likelihood at every offset along a direction from the estimate.

    The offset of a point is the projection of its distance from the estimate on the direction; across
    it all is free. Along a parameter's own axis that is the parameter held at a value.

    Parameters
    ----------
    objective : Objective
        All its n parameters free.
    estimate : ndarray, shape (n,)
        Natural coordinates.
    log_likelihood : float
        At the estimate, nats.
    converged : bool
        Whether the estimate's own fit converged.
    information : ndarray, shape (n, n)
        At the estimate, unconstrained coordinates.
    direction : ndarray, shape (n,)
        Unconstrained coordinates, of length one.
    offsets : sequence of float
        Other than 0, which is the estimate itself.
    settings : FitSettings

    Raises
    ------
    ValueError
        If an offset is 0 or not finite, or given twice.
    """
    offsets = np.asarray(offsets, dtype=float)
    if not np.isfinite(offsets).all() or (offsets == 0).any() or _repeats(offsets):
        raise ValueError(f"offsets: found {offsets.tolist()}, allowed: different numbers, not 0")
    full = objective.space
    center = full.unconstrained(estimate)
    tangent = _tangent(information, direction)
    ends: dict[float, StartResult] = {}
    for sign in (-1.0, 1.0):
        # The estimate, and the point that the information foresees on the other side of it.
        before, here = (-1.0, center - sign * tangent), (0.0, center)
        known = None
        for distance in np.sort(np.abs(offsets[np.sign(offsets) == sign])):
            origin = center + sign * distance * direction
            space = perpendicular_space(origin, direction, full.parameters)
            across = objective.within(space)
            if known is None:
                known = space.directions.T @ information @ space.directions
            ahead = (distance - here[0]) / (here[0] - before[0])
            foreseen = full.natural(here[1] + ahead * (here[1] - before[1]))
            end = fit_from_near(across, settings, foreseen, known)
            if not np.isfinite(end.log_likelihood):
                # The line led out of what the planner solves: from the neighbor straight across.
                end = fit_from_near(across, settings, full.natural(here[1]), known)
            ends[sign * distance] = end
            if np.isfinite(end.log_likelihood):
                before, here = here, (distance, full.unconstrained(end.end))
                known = end.information
    ordered = sorted(ends)
    place = int(np.searchsorted(ordered, 0.0))
    results = [ends[offset] for offset in ordered]

    def column(values, at_estimate):
        return np.array([*values[:place], at_estimate, *values[place:]])

    return Profile(
        column(ordered, 0.0),
        column([end.log_likelihood for end in results], float(log_likelihood)),
        column([end.end for end in results], np.asarray(estimate, dtype=float)),
        column([end.converged for end in results], bool(converged)),
        column([end.stop_reason for end in results], "the estimate").tolist(),
        column([end.n_evaluations for end in results], 0),
    )


def _repeats(offsets: np.ndarray) -> bool:
    return np.unique(offsets).size < offsets.size


def _tangent(information: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """How the constrained maximum moves per unit of offset, to first order; shape (n,)."""
    if not is_positive_definite(information):
        return direction
    along = np.linalg.solve(information, direction)
    return along / (direction @ along)


def likelihood_cut(confidence_level: float) -> float:
    """Chi-square quantile, one degree of freedom: 2 [l_max - l_profile] at an interval's ends."""
    return float(chdtri(1, 1.0 - confidence_level))


def signed_root(offset: np.ndarray, log_likelihood: np.ndarray, maximum: float) -> np.ndarray:
    """sign(offset) sqrt(2 [l_max - l_profile]): Wald's z where the likelihood is quadratic.

    A profile above the maximum counts as at it.
    """
    below = np.maximum(2.0 * (maximum - np.asarray(log_likelihood)), 0.0)
    return np.sign(offset) * np.sqrt(below)


def profile_interval(offset: np.ndarray, root: np.ndarray, cut: float) -> tuple[float, float]:
    """Offsets where the signed root first reaches -sqrt(cut) and sqrt(cut), going outwards.

    Between points it is interpolated monotonically (PCHIP).

    Parameters
    ----------
    offset, root : ndarray, shape (points,)
        Rising offsets, the estimate's 0 among them; points without a number are left out.
    cut : float
        See `likelihood_cut`.

    Returns
    -------
    lower, upper : float
        -inf or inf where the profile does not reach the cut: the interval is open on that side as far
        as the profile was followed.

    Raises
    ------
    ValueError
        If the estimate, offset 0 with root 0, is not among the points.
    """
    if not np.any((np.asarray(offset) == 0) & (np.asarray(root) == 0)):
        raise ValueError(
            "offset: found no estimate, allowed: offset 0 with signed root 0 among them"
        )
    good = np.isfinite(root)
    offset, root, level = np.asarray(offset)[good], np.asarray(root)[good], np.sqrt(cut)
    curve = PchipInterpolator(offset, root) if offset.size > 1 else None
    ends = []
    for sign in (-1.0, 1.0):
        # From the estimate outwards, both positive.
        side = np.flatnonzero(sign * offset >= 0)
        side = side[np.argsort(np.abs(offset[side]))]
        over = np.flatnonzero(np.abs(root[side]) >= level)
        if over.size:
            inner, outer = offset[side[over[0] - 1]], offset[side[over[0]]]
            ends.append(brentq(lambda x, s=sign: float(curve(x)) - s * level, inner, outer))
        else:
            ends.append(sign * np.inf)
    return float(ends[0]), float(ends[1])
