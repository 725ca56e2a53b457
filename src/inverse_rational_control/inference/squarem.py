"""EM extrapolated: SQUAREM.

Squared extrapolation of a monotone fixed-point map, scheme S3 (Varadhan and Roland 2008, Scandinavian
Journal of Statistics 35, 335-353), guarded so that what the map raises never falls.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inverse_rational_control.config.fitting import EMSettings
from inverse_rational_control.inference.em import m_step
from inverse_rational_control.inference.search import Climb, Search

__all__ = ["extrapolate", "squarem"]

# Of the longest step allowed, where one that long was good; its fall, where one failed.
_GROWTH = 4.0


def squarem(search: Search, start: np.ndarray, options: EMSettings) -> Climb:
    """EM with squared extrapolation; the likelihood never falls.

    Parameters
    ----------
    search : Search
    start : ndarray, shape (n,)
        A usable point, unconstrained coordinates.
    options : EMSettings
        `max_iterations` limits E-steps.
    """
    mapped = None, -np.inf  # what the last EM step led to, and the log-likelihood before it

    def log_likelihood(eta):
        evaluation = search.evaluate(eta)
        value = -np.inf if evaluation is None else evaluation.log_likelihood
        if evaluation is not None and eta is mapped[0]:
            search.em_stepped(mapped[1], value)
        return value

    def em_map(eta):
        nonlocal mapped
        evaluation = search.evaluate(eta)
        mapped = m_step(search, eta, evaluation, options.ascent_steps), evaluation.log_likelihood
        return mapped[0]

    end, reached, reason = extrapolate(
        *(em_map, log_likelihood, start),
        *(options.max_iterations, options.tolerance, search.accept),
    )
    return search.climbed(end, reached, f"SQUAREM: {reason}")


class _UsedUp(Exception):
    """No further call of the objective is allowed."""


def extrapolate(
    em_map: Callable[[np.ndarray], np.ndarray | None],
    objective: Callable[[np.ndarray], float],
    start: np.ndarray,
    max_objectives: int,
    tolerance: float,
    accept: Callable[[np.ndarray, float], None] | None = None,
) -> tuple[np.ndarray, float, str]:
    """Rise to a fixed point of an EM map by squared extrapolation.

    A cycle begins at x0 and takes x1 = M(x0), x2 = M(x1). With r = x1 - x0 and v = (x2 - x1) - r, it
    leaps to x' = x0 + 2 s r + s^2 v, where s = |r| / |v|, at least 1 (then x' = x2) and at most a bound
    that grows where it was reached and shrinks where it failed. The next cycle begins at M(x'), if the
    objective there is not below that at x1, else at x2.

    Parameters
    ----------
    em_map : callable
        M: a point to the next one, shape (k,) both; None if no point above it was found.
    objective : callable
        What the map raises, e.g. a log-likelihood; -inf where a point is not usable. `em_map` is called
        only where it was called last, so the two can share their work.
    start : ndarray, shape (k,)
        A usable point.
    max_objectives : int
        Limit of calls of `objective`, the one at the start not counted.
    tolerance : float
        It ends where one map gains less than this.
    accept : callable, optional
        Called with every accepted point and its objective, the start first.

    Returns
    -------
    end : ndarray, shape (k,)
        The last accepted point: the highest one.
    height : float
        The objective there.
    reason : str
        What ended it, in words.

    Raises
    ------
    ValueError
        If the start is not usable.
    """
    accept = accept or (lambda point, value: None)
    here, height = np.asarray(start, dtype=float), float(objective(start))
    if not np.isfinite(height):
        raise ValueError(f"start: found an objective of {height}, allowed: finite numbers")
    accept(here, height)
    longest, calls = 1.0, 0

    def judged(point):
        nonlocal calls
        if calls >= max_objectives:
            raise _UsedUp
        calls += 1
        return float(objective(point))

    def stalled(reached):
        """What a map that did not rise means: at a fixed point it may fall by rounding."""
        if reached > height - tolerance:
            return f"a map gained less than {tolerance:g}"
        return "the map lowered the objective; the step was not taken"

    def landing(leap):
        """Where a leap ends once the map has smoothed it, and the objective there; -inf if nowhere."""
        landed = em_map(leap) if np.isfinite(judged(leap)) else None
        return (landed, -np.inf) if landed is None else (landed, judged(landed))

    try:
        while True:
            first = here
            second = em_map(first)
            if second is None:
                return here, height, "the map found no higher point"
            reached = judged(second)
            if not reached >= height:
                return here, height, stalled(reached)
            gain, here, height = reached - height, second, reached
            accept(here, height)
            if gain < tolerance:
                return here, height, f"a map gained less than {tolerance:g}"
            third = em_map(second)
            if third is None:
                return here, height, "the map found no higher point"
            step = second - first
            bend = (third - second) - step
            size = np.linalg.norm(bend)
            length = np.linalg.norm(step) / size if size > 0 else np.inf
            length = max(1.0, min(longest, length))
            following, reached = None, -np.inf
            if length > 1.0:
                following, reached = landing(first + 2.0 * length * step + length**2 * bend)
            if length > 1.0 and not reached >= height:
                longest = max(1.0, longest / _GROWTH)
            elif length == longest:
                longest *= _GROWTH
            if not reached >= height:
                following, reached = third, judged(third)
            if not reached >= height:
                return here, height, stalled(reached)
            here, height = following, reached
            accept(here, height)
    except _UsedUp:
        return here, height, "evaluations used up"
