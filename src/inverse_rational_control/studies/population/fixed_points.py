"""How many fixed points an agent's softmax Bellman equation has, and which of them attract.

The equation may have several solutions (docs/model.md section 5); the agent's plan is the one that value
iteration reaches from V = 0. No method finds all solutions for certain: counts are lower bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from inverse_rational_control.agent.bellman import Plan
from inverse_rational_control.agent.jacobian import spectral_radius
from inverse_rational_control.agent.model import AgentModel
from inverse_rational_control.agent.planner import iterated_value, newton_plan

__all__ = ["FixedPoint", "find_fixed_points", "search_starts"]

_RESIDUAL = 1e-9  # largest |B(V) - V| of a solution, in units of reward
_SAME = 1e-6  # solutions whose difference spans less, constant aside, are one
_ITERATIONS = (0, 3, 5000)  # of value iteration before Newton: none, a little, to its end
_BLENDS = (-0.5, 0.25, 0.5, 0.75, 1.5)
_ROUNDS = 3


@dataclass(frozen=True)
class FixedPoint:
    """One solution of an agent's softmax Bellman equation.

    Attributes
    ----------
    value : ndarray, shape (3, N, N)
        V [location, bin 1, bin 2], in units of reward.
    policy : ndarray, shape (3, 5, N, N)
        Probability of each action, [location, action, bin 1, bin 2].
    radius : float
        Spectral radius of the Bellman map there, constant mode left out; below 1 it attracts.
    residual : float
        Largest |B(V) - V|, in units of reward.
    n_found : int
        Searches that ended there.
    """

    value: np.ndarray
    policy: np.ndarray
    radius: float
    residual: float
    n_found: int


def search_starts(model: AgentModel, n_random: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Value functions to search from.

    Zero, the agent's plan, the hard-max solution, blends of the two, and random ones: per location an
    affine function of the two beliefs with some noise, from a tenth to ten times as steep as the
    hard-max solution.

    Parameters
    ----------
    model : AgentModel
    n_random : int
    rng : numpy.random.Generator

    Returns
    -------
    list of ndarray, shape (3, N, N)
    """
    plan, best = model.plan.value, model.optimal_plan().value
    starts = [np.zeros_like(plan), plan, best]
    starts += [plan + blend * (best - plan) for blend in _BLENDS]
    belief = np.linspace(-1.0, 1.0, model.task.n_bins)
    for _ in range(n_random):
        level, tilt_1, tilt_2 = rng.normal(size=(3, 3, 1, 1))
        shape = level + tilt_1 * belief[:, None] + tilt_2 * belief
        shape = shape + 0.3 * rng.normal(size=plan.shape)
        starts.append(np.ptp(best) * 10.0 ** rng.uniform(-1.0, 1.0) * shape)
    return starts


def find_fixed_points(model: AgentModel, starts: Sequence[np.ndarray]) -> list[FixedPoint]:
    """Search the fixed points of an agent's softmax Bellman equation.

    Newton from every start, at once and after some and after much value iteration; then from blends of
    every two solutions found, since between two that attract lies one that does not.

    Parameters
    ----------
    model : AgentModel
        Its own plan comes first if it is solved.
    starts : sequence of ndarray, shape (3, N, N)
        From `search_starts`.

    Returns
    -------
    list of FixedPoint
        Different by more than a constant; after the first, in the order of falling mean value.
    """
    plans: list[Plan] = [model.plan] if model.plan.converged else []
    counts = [0] * len(plans)

    def search(start):
        for n_iterations in _ITERATIONS:
            value = start
            if n_iterations:
                value = iterated_value(model.problem, start, n_iterations)
            if not np.isfinite(value).all():
                continue
            found = newton_plan(model.problem, value)
            if not found.residual <= _RESIDUAL:
                continue
            for k, known in enumerate(plans):
                if np.ptp(found.value - known.value) < _SAME:
                    counts[k] += 1
                    break
            else:
                plans.append(found)
                counts.append(1)

    for start in starts:
        search(start)
    done: set[tuple[int, int]] = set()
    for _ in range(_ROUNDS):
        pairs = set(combinations(range(len(plans)), 2)) - done
        for first, second in sorted(pairs):
            one, other = plans[first].value, plans[second].value
            for blend in _BLENDS:
                search(one + blend * (other - one))
        done |= pairs
    points = [
        FixedPoint(
            plan.value, plan.policy, spectral_radius(model.problem, plan), plan.residual, n_found
        )
        for plan, n_found in zip(plans, counts, strict=True)
    ]
    own = int(model.plan.converged)
    return points[:own] + sorted(points[own:], key=lambda point: -point.value.mean())
