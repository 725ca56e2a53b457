"""Solving the softmax Bellman equation: the agent's plan, and other fixed points.

Source: docs/model.md section 5. The Bellman map is not a contraction and may have several fixed points;
the agent's plan is the one that value iteration reaches from V = 0.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from inverse_rational_control.agent.bellman import (
    RESIDUAL_TOLERANCE,
    Backup,
    BellmanProblem,
    Plan,
    backup,
    constant_mode,
    iterate,
)
from inverse_rational_control.agent.jacobian import (
    by_outcome,
    is_slow,
    jacobian_weights,
    slowest_growth,
    solve,
)

__all__ = ["iterated_value", "newton_plan", "optimal_plan", "softmax_plan"]

_SPAN_TOLERANCE = 1e-6  # value iteration hands over to Newton; larger picks wrong fixed points
_POLISH_TOLERANCE = 1e-13  # span at which value iteration alone has solved the equation
_POLISH_ITERATIONS = 200
_NEWTON_STEPS = 20
# Ten times what any of 3000 agents drawn at random needed, with the usual horizon; with finer steps the
# same behavior takes more of them.
_MAX_ITERATIONS, _USUAL_HORIZON = 5_000, 100.0
# An agent whose own discount is all but 1 has no horizon, and may have no plan to be found.
_MOST_HORIZONS = 40.0
_ROUNDING_SPAN = 1e-14  # value iteration has come as far as it can


def softmax_plan(problem: BellmanProblem) -> Plan:
    """Solve the softmax Bellman equation for the fixed point that value iteration reaches from V = 0.

    Value iteration until the span of its change is below 1e-6, up to 200 steps more, then the constant
    mode at once, then Newton if still needed; where a Newton step does not shrink the residual, or
    leads to a fixed point that repels value iteration, more value iteration (docs/model.md section 5).

    Returns
    -------
    Plan
        With `converged` false if no attracting solution was found.
    """
    value = np.zeros(problem.shape)
    tolerance, iterations = _SPAN_TOLERANCE, 0
    found, growth = None, np.inf
    limit = _iteration_limit(problem)
    while iterations < limit:
        reached = iterate(problem, value, tolerance, limit - iterations)
        iterations += reached.n_iterations
        value = reached.value
        if not np.isfinite(reached.span):
            break
        # Mostly the map contracts fast here, and a few more cheap steps do without any linear solve.
        begun, reached = reached, iterate(problem, value, _POLISH_TOLERANCE, _POLISH_ITERATIONS)
        iterations += reached.n_iterations
        value = reached.value
        found = backup(problem, value + constant_mode(problem, reached.mean))
        goal = found.goal
        slow = begun.span > 0.0 and is_slow(
            problem, (reached.span / begun.span) ** (1.0 / reached.n_iterations)
        )
        for _ in range(_NEWTON_STEPS):
            if found.residual <= goal:
                break
            trial = backup(problem, found.value + _newton_step(problem, found, slow))
            if not trial.residual < found.residual:
                break
            found = trial
        if found.residual <= goal:
            growth = _growth(problem, found, reached.change)
            if growth < 1.0:
                return found.plan(True, growth, iterations)
        if reached.span < _ROUNDING_SPAN:
            break
        tolerance = min(tolerance, reached.span) * 0.1
    if found is None:
        unsolved = backup(problem, value).plan(False, growth, iterations)
        return dataclasses.replace(unsolved, residual=np.inf)
    return found.plan(False, growth, iterations)


def _iteration_limit(problem: BellmanProblem) -> int:
    """How many steps value iteration may take: more in proportion to a longer horizon, up to a limit."""
    horizon = 1.0 / (1.0 - problem.task.discount)
    horizons = max(1.0, (1.0 - 1e-9) * horizon / _USUAL_HORIZON)
    return int(_MAX_ITERATIONS * min(horizons, _MOST_HORIZONS))


def newton_plan(
    problem: BellmanProblem, value: np.ndarray, max_steps: int = 25, slow: bool = False
) -> Plan:
    """Newton's method on the softmax Bellman equation from any value function.

    Full steps: where they settle is a fixed point, one that repels value iteration as likely as one that
    attracts it. For studies of the fixed points; the agent's own plan is `softmax_plan`.

    Parameters
    ----------
    problem : BellmanProblem
    value : ndarray, shape (3, N, N)
        Where Newton begins, in units of reward.
    max_steps : int
        Newton steps at most.
    slow : bool
        Whether value iteration is expected to be slow: systems are solved by elimination if small.

    Returns
    -------
    Plan
        `converged` only if the end solves the equation and attracts value iteration; an end that solves
        it and repels has a small `residual` and a `growth` of 1 or more. `iterations` counts Newton
        steps.
    """
    found = backup(problem, np.array(value, dtype=float))
    steps, slow = 0, slow and is_slow(problem, 1.0)
    # Comparisons are false for what is not a number, so that ends the search too.
    while found.goal < found.residual < 1.0 / RESIDUAL_TOLERANCE and steps < max_steps:
        step = _newton_step(problem, found, slow)
        if not np.isfinite(step).all():
            break
        found = backup(problem, found.value + step)
        steps += 1
    growth = np.inf
    if found.residual <= found.goal:
        growth = _growth(problem, found, np.zeros(problem.shape))
    return found.plan(growth < 1.0, growth, steps)


def iterated_value(problem: BellmanProblem, value: np.ndarray, max_iterations: int) -> np.ndarray:
    """Value iteration from any value function, as far as its change spans 1e-6 or `max_iterations` go.

    Parameters
    ----------
    problem : BellmanProblem
    value : ndarray, shape (3, N, N)
        Where it begins, in units of reward.
    max_iterations : int

    Returns
    -------
    ndarray, shape (3, N, N)
        With the slow constant mode taken out in one step.
    """
    reached = iterate(problem, value, _SPAN_TOLERANCE, max_iterations)
    return reached.value + constant_mode(problem, reached.mean)


def optimal_plan(problem: BellmanProblem) -> Plan:
    """Solve the paper's Bellman equation with max instead of softmax (its equation for Q*).

    A contraction, so value iteration with the constant mode taken out converges; actions that tie for
    the best share the policy equally. The problem's temperature does not enter.
    """
    problem = dataclasses.replace(problem, temperature=0.0)
    value = np.zeros(problem.shape)
    iterations = 0
    while True:
        reached = iterate(problem, value, 1e-12, 2000)
        iterations += reached.n_iterations
        value = reached.value + constant_mode(problem, reached.mean)
        best = backup(problem, value)
        solved = best.residual <= RESIDUAL_TOLERANCE
        if solved or iterations >= _iteration_limit(problem):
            break
    plan = best.plan(solved, problem.task.discount, iterations)
    total = np.log(np.exp(plan.log_policy).sum(1, keepdims=True))
    return dataclasses.replace(plan, log_policy=plan.log_policy - total)


def _newton_step(problem: BellmanProblem, found: Backup, slow: bool = False) -> np.ndarray:
    """Solve (I - discount W P) step = B(V) - V."""
    weights, _ = jacobian_weights(problem, np.exp(found.log_policy), found.q_value, found.backed)
    change = found.backed - found.value
    return solve(problem, by_outcome(problem, weights), change, False, slow)


def _growth(problem: BellmanProblem, found: Backup, change: np.ndarray) -> float:
    weights, _ = jacobian_weights(problem, np.exp(found.log_policy), found.q_value, found.value)
    return slowest_growth(problem, by_outcome(problem, weights), change)
