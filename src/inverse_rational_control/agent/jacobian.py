"""The Jacobian of the Bellman map, discount W P: products, linear systems, its slowest mode.

Source: docs/model.md section 7. Transitions are applied box by box and linear systems solved by GMRES on
that operator. The matrix over all states is formed only where it is small and GMRES slow, or stalls.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inverse_rational_control.agent import _operator_kernels
from inverse_rational_control.agent._bellman_kernels import OPEN
from inverse_rational_control.agent.bellman import BellmanProblem, Plan
from inverse_rational_control.task import BOX_1, BOX_2, N_LOCATIONS

__all__ = [
    "by_outcome",
    "is_slow",
    "jacobian_matrix",
    "jacobian_operator",
    "jacobian_weights",
    "slowest_growth",
    "solve",
    "spectral_radius",
]

_KRYLOV_SIZE = 100
_SMALL = 16  # states; ARPACK wants more
_SLOW = 0.9  # growth from which the Neumann series fails and GMRES takes ten times as long
_MATRIX = 500  # states up to which it does


def jacobian_weights(
    problem: BellmanProblem, policy: np.ndarray, q_value: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """W = pi (1 + (Q - V)/tau), the derivative of B(V) by Q, and the advantage Q - V.

    Returns
    -------
    weights, advantage : ndarray, shape (3, 5, N, N)
        [location, action, bin 1, bin 2]; W sums to 1 over actions but may be negative.
    """
    # Unavailable actions have no advantage; those of a policy that underflows have one.
    advantage = np.where(np.isfinite(q_value), q_value - value[:, None], 0.0)
    return policy * (1.0 + advantage / problem.temperature), advantage


def by_outcome(problem: BellmanProblem, weights: np.ndarray) -> np.ndarray:
    """Sum weights (3, 5, N, N) by what the actions lead to, (3, O, N, N), [location, outcome]."""
    return _operator_kernels.by_outcome(weights, problem.choices.slot, problem.choices.arrives)


def jacobian_operator(
    problem: BellmanProblem, weights: np.ndarray, transposed: bool = False
) -> Callable[[np.ndarray], np.ndarray]:
    """Discount * W P on values, or its transpose, as a function of flat vectors.

    Parameters
    ----------
    problem : BellmanProblem
    weights : ndarray, shape (3, O, N, N)
        W by outcome.
    transposed : bool
    """
    out, moved, opened = (np.empty(problem.shape) for _ in range(3))
    opened_rows = np.empty((2, problem.task.n_bins))

    def apply(vector):
        vector = np.ascontiguousarray(vector).reshape(problem.shape)
        _operator_kernels.apply_transition(problem.moves, weights, vector, moved, opened, out)
        return out.ravel().copy()

    def apply_transposed(vector):
        vector = np.ascontiguousarray(vector).reshape(problem.shape)
        _operator_kernels.apply_transposed_transition(
            problem.moves, weights, vector, moved, *opened_rows, out
        )
        return out.ravel().copy()

    return apply_transposed if transposed else apply


def jacobian_matrix(problem: BellmanProblem, weights: np.ndarray) -> np.ndarray:
    """Discount * W P as a matrix over all states, (3 N N, 3 N N).

    Parameters
    ----------
    problem : BellmanProblem
    weights : ndarray, shape (3, O, N, N)
        W by outcome.
    """
    moves, n = problem.moves, problem.task.n_bins
    from_1, from_2 = (np.broadcast_to(r, (n, n)) for r in (moves.reset_1, moves.reset_2))
    stays = np.kron(moves.transition_1, moves.transition_2)
    opens = {
        BOX_1: np.kron(from_1, moves.transition_2),
        BOX_2: np.kron(moves.transition_1, from_2),
    }
    matrix = np.zeros((N_LOCATIONS, n * n, N_LOCATIONS, n * n))
    for location in range(N_LOCATIONS):
        for number, which in enumerate(moves.outcome[location].tolist()):
            share = weights[location, number].reshape(-1, 1)
            if which != OPEN:
                matrix[location, :, which] += share * stays
            else:
                matrix[location, :, location] += share * opens[location]
    size = N_LOCATIONS * n * n
    return moves.discount * matrix.reshape(size, size)


def is_slow(problem: BellmanProblem, growth: float) -> bool:
    """Whether systems of a map whose slowest mode grows so per step are for `solve` with `direct`."""
    return bool(np.prod(problem.shape) <= _MATRIX and not growth <= _SLOW)


def solve(
    problem: BellmanProblem,
    weights: np.ndarray,
    right_side: np.ndarray,
    transposed: bool = False,
    direct: bool = False,
) -> np.ndarray:
    """Solve (I - discount W P) x = b, or the transposed system.

    Parameters
    ----------
    problem : BellmanProblem
    weights : ndarray, shape (3, O, N, N)
        W by outcome.
    right_side : ndarray, shape (3, N, N)
    transposed : bool
    direct : bool
        By elimination instead of GMRES; see `is_slow`.

    Returns
    -------
    ndarray, shape (3, N, N)
        NaN if the system is singular.
    """
    if direct:
        return _eliminated(problem, weights, right_side, transposed)
    from scipy.sparse.linalg import LinearOperator, gmres  # most agents never need it

    apply = jacobian_operator(problem, weights, transposed)
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
        step, failed = gmres(operator, rest, rtol=1e-9, atol=0.0, restart=_KRYLOV_SIZE, maxiter=1)
        if failed:
            return _eliminated(problem, weights, right_side, transposed)
        solution = solution + step
    return solution.reshape(right_side.shape)


def _eliminated(problem, weights, right_side, transposed):
    """By elimination on the whole matrix; NaN if it is singular."""
    system = np.eye(right_side.size) - jacobian_matrix(problem, weights)
    try:
        solution = np.linalg.solve(system.T if transposed else system, right_side.ravel())
    except np.linalg.LinAlgError:
        return np.full_like(right_side, np.nan)
    return solution.reshape(right_side.shape)


def slowest_growth(problem: BellmanProblem, weights: np.ndarray, change: np.ndarray) -> float:
    """Growth per step of the mode that value iteration was last moving along (constant removed).

    Parameters
    ----------
    problem : BellmanProblem
    weights : ndarray, shape (3, O, N, N)
        W by outcome.
    change : ndarray, shape (3, N, N)
        The last change of value iteration; where it is constant, an arbitrary mode is followed.
    """
    mode = change - change.mean()
    if not np.ptp(mode) > 0:
        mode = np.cos(np.arange(mode.size)).reshape(mode.shape)
    return _operator_kernels.transition_growth(problem.moves, weights, mode / np.ptp(mode))


def spectral_radius(problem: BellmanProblem, plan: Plan) -> float:
    """Spectral radius of the Bellman map at a solution, the constant mode (= discount) left out.

    The constant is projected out on the left-over space: differences to the mean over states evolve on
    their own, since the weights sum to 1. NaN if the eigenvalue iteration did not converge.
    """
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs

    weights, _ = jacobian_weights(problem, plan.policy, plan.q_value, plan.value)
    apply = jacobian_operator(problem, by_outcome(problem, weights))

    def without_constant(vector):
        moved = apply(vector - vector.mean())
        return moved - moved.mean()

    size = plan.value.size
    operator = LinearOperator((size, size), matvec=without_constant, dtype=float)
    if size <= _SMALL:
        return float(np.abs(np.linalg.eigvals(operator @ np.eye(size))).max())
    start = np.cos(np.arange(size))  # fixed, so that the result is reproducible
    try:
        leading = eigs(operator, k=1, which="LM", v0=start, return_eigenvectors=False, tol=1e-8)
    except (ArpackNoConvergence, ArpackError):
        return float("nan")
    return float(np.abs(leading).max())
