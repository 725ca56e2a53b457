"""The softmax Bellman equation: solve, residual, spectral radius, adjoint gradient.

Source: docs/model.md sections 4, 5 and 7. A state is (location, bin of box 1, bin of box 2); the
food-in-hand flag of the paper lumps away exactly. Transitions are applied
factor by factor and linear systems solved by series or GMRES on that operator: no matrix over all
states is formed, but for the rare system on which GMRES stalls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent import _planner_kernels
from inverse_rational_control.agent._planner_kernels import CONTINUATIONS
from inverse_rational_control.agent.beliefs import BoxBeliefs, bin_centers
from inverse_rational_control.task import DESTINATION, MIDDLE, N_ACTIONS, N_LOCATIONS, PUSH, Task

__all__ = [
    "Plan",
    "iterated_value",
    "newton_plan",
    "optimal_plan",
    "planner_gradient",
    "softmax_plan",
    "spectral_radius",
]

_SPAN_TOLERANCE = 1e-6  # value iteration hands over to Newton; larger picks wrong fixed points
_POLISH_TOLERANCE = 1e-13  # span at which value iteration alone has solved the equation
_POLISH_ITERATIONS = 200
_RESIDUAL_TOLERANCE = 1e-11
_MAX_ITERATIONS = 5_000  # ten times what any of 3000 agents drawn at random needed
_KRYLOV_SIZE = 100


@dataclass(frozen=True)
class Plan:
    """A solution of the softmax (or hard-max) Bellman equation.

    Attributes
    ----------
    value : ndarray, shape (3, N, N)
        V [location, bin 1, bin 2], in units of reward.
    q_value : ndarray, shape (3, 5, N, N)
        Q [location, action, bin 1, bin 2]; -inf where the action is not available.
    log_policy : ndarray, shape (3, 5, N, N)
        Log-probability of each action; -inf where it is not available.
    converged : bool
        Residual met and the fixed point attracts value iteration. Never go on without it.
    residual : float
        Largest |B(V) - V|, in units of reward.
    growth : float
        Per-step growth of the slowest mode of value iteration at the solution (below 1: stable).
    iterations : int
        Value-iteration steps used.
    """

    value: np.ndarray
    q_value: np.ndarray
    log_policy: np.ndarray
    converged: bool
    residual: float
    growth: float
    iterations: int

    @property
    def policy(self) -> np.ndarray:
        """Probability of each action, shape (3, 5, N, N), [location, action, bin 1, bin 2]."""
        return np.exp(self.log_policy)


def _slots() -> np.ndarray:
    """Which of its location's continuations an action leads to, [location, action]."""
    slots = np.empty((N_LOCATIONS, N_ACTIONS), dtype=np.int64)
    for location, continuations in enumerate(CONTINUATIONS):
        for action in range(N_ACTIONS):
            opens = action == PUSH and location != MIDDLE
            reached = 3 if opens else DESTINATION[location, action]
            slots[location, action] = continuations.index(reached)
    return slots


_SLOT = _slots()


class _Planner:
    """The arrays that every planner loop takes, for one agent."""

    def __init__(self, boxes: tuple[BoxBeliefs, BoxBeliefs], action_reward: np.ndarray, task: Task):
        self.task = task
        self.transition_1 = np.ascontiguousarray(boxes[0].planner_transition)
        self.transition_2 = np.ascontiguousarray(boxes[1].planner_transition)
        self.transition_2_t = np.ascontiguousarray(self.transition_2.T)
        self.reset_1 = np.ascontiguousarray(boxes[0].planner_reset)
        self.reset_2 = np.ascontiguousarray(boxes[1].planner_reset)
        self.action_reward = np.ascontiguousarray(action_reward)
        self.centers = bin_centers(task.n_bins)
        self.shape = (N_LOCATIONS, task.n_bins, task.n_bins)

    @property
    def _forward(self):
        return self.transition_1, self.transition_2_t, self.reset_1, self.reset_2

    @property
    def _backward(self):
        return self.transition_1, self.transition_2, self.reset_1, self.reset_2

    def backup(self, value, temperature):
        n = self.task.n_bins
        q_value = np.empty((N_LOCATIONS, N_ACTIONS, n, n))
        log_policy = np.empty_like(q_value)
        new_value = np.empty(self.shape)
        _planner_kernels.policy_backup(
            value,
            self.action_reward,
            self.task.available,
            _SLOT,
            *self._forward,
            self.centers,
            self.task.discount,
            temperature,
            q_value,
            log_policy,
            new_value,
        )
        return q_value, log_policy, new_value

    def iterate(self, value, temperature, tolerance, max_iterations):
        """Advance `value` in place; returns (iterations, span, mean change, last change)."""
        change = np.zeros(self.shape)
        iterations, span, mean = _planner_kernels.value_iteration(
            value,
            *self._forward,
            self.centers,
            self.task.discount,
            temperature,
            self.action_reward,
            self.task.available,
            _SLOT,
            tolerance,
            max_iterations,
            change,
        )
        return iterations, span, mean, change

    def constant_mode(self, mean_change):
        """What the constant still rises by, if every step of value iteration adds `mean_change`."""
        return mean_change * self.task.discount / (1.0 - self.task.discount)

    def policy_operator(self, weights, transposed=False):
        """Discount * W P on values, or its transpose, as a function of flat vectors.

        weights: [location, slot, N, N], from `_weights`.
        """
        out, moved, opened = (np.empty(self.shape) for _ in range(3))
        opened_rows = np.empty((2, self.task.n_bins))
        discount = self.task.discount

        def apply(vector):
            _planner_kernels.apply_transition(
                np.ascontiguousarray(vector).reshape(self.shape),
                weights,
                *self._forward,
                discount,
                moved,
                opened,
                out,
            )
            return out.ravel().copy()

        def apply_transposed(vector):
            _planner_kernels.apply_transposed_transition(
                weights,
                np.ascontiguousarray(vector).reshape(self.shape),
                *self._backward,
                discount,
                moved,
                *opened_rows,
                out,
            )
            return out.ravel().copy()

        return apply_transposed if transposed else apply

    @staticmethod
    def _solve_dense(operator, right_side):
        """Where GMRES stalls, near a fold: rare, so the whole matrix is affordable."""
        try:
            return np.linalg.solve(operator @ np.eye(right_side.size), right_side)
        except np.linalg.LinAlgError:
            return np.full_like(right_side, np.nan)

    def solve(self, weights, right_side, transposed=False):
        """Solve (I - discount W P) x = b, or the transposed system."""
        from scipy.sparse.linalg import LinearOperator, gmres  # most agents never need it

        apply = self.policy_operator(weights, transposed)
        size = right_side.size
        operator = LinearOperator(
            (size, size), matvec=lambda vector: vector.ravel() - apply(vector), dtype=float
        )
        b = right_side.ravel()
        solution = np.zeros(size)
        # A second pass refines: GMRES measures its residual relative to the right side.
        for _ in range(2):
            rest = b - (solution - apply(solution))
            if not np.abs(rest).max() > 1e-14 * np.abs(b).max():
                break
            step, failed = gmres(
                operator, rest, rtol=1e-9, atol=0.0, restart=_KRYLOV_SIZE, maxiter=1
            )
            if failed:
                return self._solve_dense(operator, b).reshape(right_side.shape)
            solution = solution + step
        return solution.reshape(right_side.shape)


def _weights(q_value, log_policy, value, temperature):
    """W = pi (1 + (Q - V)/tau), the derivative of V by Q, summed over each continuation's actions.

    Shape (3, 3, N, N), [location, slot, bin 1, bin 2]; sums to 1 over slots.
    """
    policy = np.exp(log_policy)
    advantage = np.where(policy > 0, q_value - value[:, None], 0.0)
    return _planner_kernels.by_continuation(policy * (1.0 + advantage / temperature), _SLOT)


def _residual_goal(value):
    """Residual at which the equation counts as solved: small, but not below rounding of the value."""
    return max(_RESIDUAL_TOLERANCE, 64 * np.finfo(float).eps * np.abs(value).max())


def softmax_plan(
    boxes: tuple[BoxBeliefs, BoxBeliefs], action_reward: np.ndarray, temperature: float, task: Task
) -> Plan:
    """Solve the softmax Bellman equation for the fixed point that value iteration reaches from V = 0.

    Value iteration until the span of its change is below 1e-6, up to 200 steps more, then the constant
    mode at once, then Newton if still needed; where a Newton step does not shrink the residual, or
    leads to a fixed point that repels value iteration, more value iteration (docs/model.md section 5).

    Parameters
    ----------
    boxes : pair of BoxBeliefs
    action_reward : ndarray, shape (3, 5)
        The belief-free part of the reward, [location, action].
    temperature : float
        Softmax temperature, > 0, in units of reward.
    task : Task

    Returns
    -------
    Plan
        With `converged` false if no attracting solution was found.
    """
    planner = _Planner(boxes, action_reward, task)
    iterated = np.zeros(planner.shape)
    tolerance = _SPAN_TOLERANCE
    iterations = 0
    q_value = log_policy = value = None
    residual = growth = np.inf
    while iterations < _MAX_ITERATIONS:
        used, span, _, _ = planner.iterate(
            iterated, temperature, tolerance, _MAX_ITERATIONS - iterations
        )
        iterations += used
        if not np.isfinite(span):
            break
        # Mostly the map contracts fast here, and a few more cheap steps do without any linear solve.
        more, span, mean, change = planner.iterate(
            iterated, temperature, _POLISH_TOLERANCE, _POLISH_ITERATIONS
        )
        iterations += more
        value = iterated + planner.constant_mode(mean)
        q_value, log_policy, backed = planner.backup(value, temperature)
        residual = np.abs(backed - value).max()
        goal = _residual_goal(value)
        for _ in range(20):
            if residual <= goal:
                break
            step = planner.solve(_weights(q_value, log_policy, backed, temperature), backed - value)
            trial = value + step
            trial_q, trial_log, trial_backed = planner.backup(trial, temperature)
            trial_residual = np.abs(trial_backed - trial).max()
            if not trial_residual < residual:
                break
            value, q_value, log_policy, backed = trial, trial_q, trial_log, trial_backed
            residual = trial_residual
        if residual <= goal:
            growth = _growth(planner, _weights(q_value, log_policy, value, temperature), change)
            if growth < 1.0:
                return Plan(value, q_value, log_policy, True, residual, growth, iterations)
        if span < 1e-14:
            break
        tolerance = min(tolerance, span) * 0.1
    if value is None:
        value = iterated
        q_value, log_policy, _ = planner.backup(value, temperature)
    return Plan(value, q_value, log_policy, False, float(residual), float(growth), iterations)


def newton_plan(
    boxes: tuple[BoxBeliefs, BoxBeliefs],
    action_reward: np.ndarray,
    temperature: float,
    task: Task,
    value: np.ndarray,
    max_steps: int = 25,
) -> Plan:
    """Newton's method on the softmax Bellman equation from any value function.

    Full steps: where they settle is a fixed point, one that repels value iteration as likely as one that
    attracts it. For studies of the fixed points; the agent's own plan is `softmax_plan`.

    Parameters
    ----------
    boxes, action_reward, temperature, task
        As for `softmax_plan`.
    value : ndarray, shape (3, N, N)
        Where Newton begins, in units of reward.
    max_steps : int
        Newton steps at most.

    Returns
    -------
    Plan
        `converged` only if the end solves the equation and attracts value iteration; an end that solves
        it and repels has a small `residual` and a `growth` of 1 or more. `iterations` counts Newton
        steps.
    """
    planner = _Planner(boxes, action_reward, task)
    value = np.array(value, dtype=float)
    steps = 0
    while True:
        q_value, log_policy, backed = planner.backup(value, temperature)
        residual = np.abs(backed - value).max()
        goal = _residual_goal(value)
        # Written so that numbers that are none end the search too.
        if residual <= goal or steps == max_steps or not residual < 1.0 / _RESIDUAL_TOLERANCE:
            break
        weights = _weights(q_value, log_policy, backed, temperature)
        step = planner.solve(weights, backed - value)
        if not np.isfinite(step).all():
            break
        value = value + step
        steps += 1
    growth = np.inf
    if residual <= goal:
        weights = _weights(q_value, log_policy, value, temperature)
        growth = _growth(planner, weights, np.zeros(planner.shape))
    solved = bool(residual <= goal and growth < 1.0)
    return Plan(value, q_value, log_policy, solved, float(residual), float(growth), steps)


def iterated_value(
    boxes: tuple[BoxBeliefs, BoxBeliefs],
    action_reward: np.ndarray,
    temperature: float,
    task: Task,
    value: np.ndarray,
    max_iterations: int,
) -> np.ndarray:
    """Value iteration from any value function, as far as its change spans 1e-6 or `max_iterations` go.

    Parameters
    ----------
    boxes, action_reward, temperature, task
        As for `softmax_plan`.
    value : ndarray, shape (3, N, N)
        Where it begins, in units of reward.
    max_iterations : int

    Returns
    -------
    ndarray, shape (3, N, N)
        With the slow constant mode taken out in one step.
    """
    planner = _Planner(boxes, action_reward, task)
    value = np.array(value, dtype=float)
    _, _, mean, _ = planner.iterate(value, temperature, _SPAN_TOLERANCE, max_iterations)
    return value + planner.constant_mode(mean)


def _growth(planner, weights, change):
    """Growth per step of the mode that value iteration was last moving along (constant removed)."""
    mode = change - change.mean()
    if not np.ptp(mode) > 0:
        mode = np.cos(np.arange(mode.size)).reshape(mode.shape)
    return _planner_kernels.transition_growth(
        mode / np.ptp(mode), weights, *planner._forward, planner.task.discount
    )


def spectral_radius(
    boxes: tuple[BoxBeliefs, BoxBeliefs],
    action_reward: np.ndarray,
    temperature: float,
    task: Task,
    plan: Plan,
) -> float:
    """Spectral radius of the Bellman map at a solution, the constant mode (= discount) left out.

    The constant is projected out on the left-over space: differences to the mean over states evolve on
    their own, since the weights sum to 1. NaN if the eigenvalue iteration did not converge.
    """
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs

    planner = _Planner(boxes, action_reward, task)
    apply = planner.policy_operator(
        _weights(plan.q_value, plan.log_policy, plan.value, temperature)
    )

    def without_constant(vector):
        moved = apply(vector - vector.mean())
        return moved - moved.mean()

    size = plan.value.size
    operator = LinearOperator((size, size), matvec=without_constant, dtype=float)
    if size <= 16:
        return float(np.abs(np.linalg.eigvals(operator @ np.eye(size))).max())
    start = np.cos(np.arange(size))  # fixed, so that the result is reproducible
    try:
        leading = eigs(operator, k=1, which="LM", v0=start, return_eigenvectors=False, tol=1e-8)
    except (ArpackNoConvergence, ArpackError):
        return float("nan")
    return float(np.abs(leading).max())


def optimal_plan(
    boxes: tuple[BoxBeliefs, BoxBeliefs], action_reward: np.ndarray, task: Task
) -> Plan:
    """Solve the paper's Bellman equation with max instead of softmax (its equation for Q*).

    A contraction, so value iteration with the constant mode taken out converges; actions that tie for
    the best share the policy equally.
    """
    planner = _Planner(boxes, action_reward, task)
    value = np.zeros(planner.shape)
    iterations = 0
    residual = np.inf
    while iterations < _MAX_ITERATIONS and residual > _RESIDUAL_TOLERANCE:
        used, _, mean, _ = planner.iterate(value, 0.0, 1e-12, 2000)
        iterations += used
        value += planner.constant_mode(mean)
        residual = np.abs(planner.backup(value, 0.0)[2] - value).max()
    q_value, log_policy, _ = planner.backup(value, 0.0)
    log_policy = log_policy - np.log(np.exp(log_policy).sum(1, keepdims=True))
    converged = bool(residual <= _RESIDUAL_TOLERANCE)
    return Plan(value, q_value, log_policy, converged, float(residual), task.discount, iterations)


def planner_gradient(
    boxes: tuple[BoxBeliefs, BoxBeliefs],
    action_reward: np.ndarray,
    temperature: float,
    task: Task,
    plan: Plan,
    policy_counts: np.ndarray,
) -> np.ndarray | None:
    """Gradient of sum(policy_counts * log policy) by all ten parameters, through the planner.

    One adjoint solve gives all ten derivatives (docs/model.md section 7).

    Parameters
    ----------
    policy_counts : ndarray, shape (3, 5, N, N)
        Weights of the log-policy, [location, action, bin 1, bin 2].

    Returns
    -------
    ndarray, shape (10,), in natural coordinates, or None if the linear solve failed.
    """
    planner = _Planner(boxes, action_reward, task)
    discount = task.discount
    policy = plan.policy
    advantage = np.where(policy > 0, plan.q_value - plan.value[:, None], 0.0)
    weights = policy * (1.0 + advantage / temperature)
    by_q = (policy_counts - policy_counts.sum(1, keepdims=True) * policy) / temperature

    grouped_by_q = _planner_kernels.by_continuation(by_q, _SLOT)
    transposed = planner.policy_operator(grouped_by_q, transposed=True)
    right_side = transposed(np.ones(planner.shape)).reshape(planner.shape)
    # The right side sums to zero, so it has no part along the slow constant mode and the Neumann series
    # converges as fast as value iteration does; GMRES where that is slow.
    adjoint = np.empty(planner.shape)
    grouped = _planner_kernels.by_continuation(weights, _SLOT)
    if not _planner_kernels.neumann_adjoint(
        right_side, grouped, *planner._backward, discount, 1e-14, 300, adjoint
    ):
        adjoint = planner.solve(grouped, right_side, transposed=True)
    if not np.isfinite(adjoint).all():
        return None
    total = by_q + adjoint[:, None] * weights  # derivative by the direct part of dQ

    gradient = np.zeros(10)
    gradient[6:9] = task.reward_jacobian.reshape(3, -1) @ total.sum((2, 3)).ravel()
    variance = (policy * advantage**2).sum(1)
    gradient[9] = (-(adjoint * variance).sum() - (policy_counts * advantage).sum()) / temperature**2

    # Derivative by the planner's transition tables, then by what they depend on.
    t1, t2, r1, r2 = (
        planner.transition_1,
        planner.transition_2,
        planner.reset_1,
        planner.reset_2,
    )
    moved = np.empty(planner.shape)
    opened_1, opened_2 = np.empty((2, task.n_bins))
    _planner_kernels.gather_by_expectation(
        _planner_kernels.by_continuation(total, _SLOT),
        np.ones(planner.shape),
        moved,
        opened_1,
        opened_2,
    )
    by_t1 = np.zeros_like(t1)
    by_t2 = np.zeros_like(t2)
    for location in range(N_LOCATIONS):
        v = plan.value[location]
        by_t1 += moved[location] @ t2 @ v.T
        by_t2 += moved[location].T @ t1 @ v
    by_r1 = plan.value[1] @ (t2.T @ opened_1)
    by_t2 += np.outer(opened_1, r1 @ plan.value[1])
    by_r2 = plan.value[2].T @ (t1.T @ opened_2)
    by_t1 += np.outer(opened_2, plan.value[2] @ r2)
    for box, by_t, by_r in ((0, by_t1, by_r1), (1, by_t2, by_r2)):
        slopes = discount * (
            (boxes[box].planner_transition_jacobian * by_t).sum((1, 2))
            + boxes[box].planner_reset_jacobian @ by_r
        )
        gradient[[box, 2 + box, 4, 5]] += slopes
    return gradient
