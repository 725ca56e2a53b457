"""Acceleration of a monotone fixed-point map such as EM's: SQUAREM.

Squared extrapolation, scheme S3 (Varadhan and Roland 2008, Scandinavian Journal of Statistics 35,
335-353), guarded so that the objective never falls. It knows nothing of what is maximised.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["squarem"]

_GROWTH = (
    4.0  # of the longest step allowed, where one that long was good; its fall, where one failed
)


def squarem(
    em_map: Callable[[np.ndarray], np.ndarray | None],
    objective: Callable[[np.ndarray], float],
    start: np.ndarray,
    max_objectives: int,
    tolerance: float,
    accept: Callable[[np.ndarray, float], None] | None = None,
) -> tuple[np.ndarray, str]:
    """Climb to a fixed point of an EM map by squared extrapolation.

    A cycle begins at x0 and takes x1 = M(x0), x2 = M(x1). With r = x1 - x0 and v = (x2 - x1) - r, it
    jumps to x' = x0 + 2 s r + s^2 v, where s = |r| / |v|, at least 1 (then x' = x2) and at most a bound
    that grows where it was reached and shrinks where it failed. If the objective at x' is below that at
    x1, x2 is taken instead. One more map, from there, ends the cycle.

    Parameters
    ----------
    em_map : callable
        M: a point to the next one, shape (k,) both; None if no point above it was found.
    objective : callable
        What the map raises, e.g. a log-likelihood; -inf where a point is not usable. It is always called
        right before `em_map` at the same point, so the two can share their work.
    start : ndarray, shape (k,)
        A usable point.
    max_objectives : int
        Limit of calls of `objective`, the one at the start not counted.
    tolerance : float
        The climb ends where one map gains less than this.
    accept : callable, optional
        Called with every accepted point and its objective, the start first.

    Returns
    -------
    end : ndarray, shape (k,)
        The last accepted point: the highest one.
    reason : str
        What ended the climb, in words.

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

    def mapped(point):
        """M of a point whose objective was just taken, the objective there, and why to stop."""
        nonlocal calls
        following = em_map(point)
        if following is None:
            return point, height, "the map found no higher point"
        if calls >= max_objectives:
            return point, height, "evaluations used up"
        calls += 1
        reached = float(objective(following))
        if not reached >= height:
            return point, height, "the map lowered the objective; the step was not taken"
        accept(following, reached)
        if reached - height < tolerance:
            return following, reached, f"a map gained less than {tolerance:g}"
        return following, reached, None

    while True:
        first = here
        second, height, reason = mapped(first)
        if reason:
            return second, reason
        third = em_map(second)
        if third is None:
            return second, "the map found no higher point"
        step = second - first
        bend = (third - second) - step
        size = np.linalg.norm(bend)
        length = max(1.0, min(longest, np.linalg.norm(step) / size if size > 0 else longest))
        leap = first + 2.0 * length * step + length**2 * bend if length > 1.0 else third
        for trial in (leap, third):
            if calls >= max_objectives:
                return second, "evaluations used up"
            calls += 1
            reached = float(objective(trial))
            if reached >= height:
                break
            if trial is third:
                return second, "the map lowered the objective; the step was not taken"
            longest, length = max(1.0, longest / _GROWTH), 0.0
        if length == longest:
            longest *= _GROWTH
        here, height = trial, reached
        accept(here, height)
        # The map smooths what the leap has roughened.
        here, height, reason = mapped(here)
        if reason:
            return here, reason
