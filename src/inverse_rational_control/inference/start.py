"""One start of a fit: the configured method run from it to its end, and judged there.

Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.em import em
from inverse_rational_control.inference.information import Curvature
from inverse_rational_control.inference.newton import newton, point_beyond_saddle
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.quasi_newton import FLAT, NEAR, quasi_newton
from inverse_rational_control.inference.search import Climb, OptimizationPath, Search
from inverse_rational_control.inference.squarem import squarem
from inverse_rational_control.inference.verdict import judge_convergence, jump_sides

__all__ = [
    "AGREE",
    "Start",
    "StartResult",
    "fit_from_near",
    "fit_start",
    "run_start",
    "whitening_of_length",
]

#: Ends closer in log-likelihood than this count as the same maximum, nats.
AGREE = 0.01

_SETTLED = 0.1  # gradient by search coordinates that counts as flat where nothing is curved
# Nats under another start's end: more than what is left to gain, near a maximum and where it is flat.
_LEFT_BELOW, _LEFT_FLAT = 10.0, 0.02
_SADDLE = -0.02  # eigenvalue of the information that a climb to a maximum hardly meets near its end
_PATIENCE = 100  # E-steps until a start is near, if another one has found a maximum already


@dataclass(frozen=True)
class Start:
    """Where a start begins, and what it took to get there.

    Attributes
    ----------
    parameters : ndarray, shape (n,)
        Natural coordinates.
    n_evaluations : int
        E-steps that led there, as up an easier objective.
    beyond_jumps : callable, optional
        An independent climb for likelihoods that jump; gives an `inference.edges.EdgeClimb` or None.
    challenger : bool
        Not independent: beside the highest end of others, to ask whether there is a higher one.
    jumps_expected : bool
        Whether that climb is to come first.
    seconds : float
        Wall time that it took to get there.
    """

    parameters: np.ndarray
    n_evaluations: int = 0
    beyond_jumps: Callable | None = None
    challenger: bool = False
    jumps_expected: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class StartResult:
    """Where one start ended, and why.

    Attributes
    ----------
    start, end : ndarray, shape (n,)
        Natural coordinates.
    log_likelihood : float
        At the end, nats.
    converged : bool
        Newton decrement within tolerance, information positive definite, all numbers finite.
    settled : bool
        Converged, or flat within the search's own tolerance: nothing more to gain, as at a bound.
    stop_reason : str
    newton_decrement : float
        g' I^-1 g / 2, nats; NaN if the information is not positive definite.
    whitened_gradient : ndarray, shape (k,)
        Gradient by coordinates whitened with the information, sqrt(nats).
    information : ndarray, shape (k, k)
        Observed, by the free coordinates: within a standard deviation of the end, the best's at it.
    jump_sides : pair of ndarray or None
        Parameters a little off a jump of the likelihood met on the path, one on each side.
    em_fall : float
        Largest fall of the log-likelihood by an EM step, nats, rejected ones included; -inf without EM.
    n_evaluations : int
        E-steps, information matrices included.
    path : OptimizationPath
        From where the start begins; what led there is counted.
    seconds : float
    at_edge : bool
        The end lies at an edge beyond which the likelihood jumps, and rises up to it.
    """

    start: np.ndarray
    end: np.ndarray
    log_likelihood: float
    converged: bool
    settled: bool
    stop_reason: str
    newton_decrement: float
    whitened_gradient: np.ndarray
    information: np.ndarray
    jump_sides: tuple[np.ndarray, np.ndarray] | None
    em_fall: float
    n_evaluations: int
    path: OptimizationPath
    seconds: float
    at_edge: bool = False


def fit_start(
    objective: Objective,
    settings: FitSettings,
    start: np.ndarray,
    whitening: np.ndarray | None = None,
) -> StartResult:
    """Maximize from one start by itself: `fit` without reserve and without starts beside a jump.

    Parameters
    ----------
    objective, settings, whitening
        As for `fit`.
    start : ndarray, shape (n,)
        Natural coordinates; moved into the space.

    Returns
    -------
    StartResult
        Its information matrix is to first order in the differences' step.
    """
    search = Search(objective, whitening_of_length(objective, whitening))
    return run_start(search, objective.space.admit(start), settings)


def fit_from_near(
    objective: Objective, settings: FitSettings, start: np.ndarray, information: np.ndarray
) -> StartResult:
    """Maximize from one start that is near the maximum already, as along a profile likelihood.

    Without EM, reserve starts and a last exact information; the given information leads, and is renewed
    where it leads too slowly. The convergence criterion is that of every fit.

    Parameters
    ----------
    objective : Objective
        Its space has k free coordinates.
    settings : FitSettings
        Its method is not used: this is always quasi-Newton.
    start : ndarray, shape (n,)
        Natural coordinates; moved into the space.
    information : ndarray, shape (k, k)
        Observed information near the start, by the space's free coordinates; need not be exact, nor
        positive definite.
    """
    space = objective.space
    start = space.admit(start)
    local = Curvature.of(information, space.unconstrained(start), space)
    search = Search(objective, local.regularized_root, [local] if local.root is not None else [])
    warm = settings.model_copy(update={"method": "quasi_newton", "warm_up_iterations": 0})
    return run_start(search, start, warm)


def whitening_of_length(objective: Objective, whitening: np.ndarray | None) -> np.ndarray:
    """Whitening for all of an objective's data, (n, k), from one for 1000 steps (as for `fit`)."""
    whitening = objective.space.directions if whitening is None else whitening
    return whitening / np.sqrt(max(objective.n_steps, 1) / 1000.0)


def run_start(
    search: Search,
    start: np.ndarray,
    settings: FitSettings,
    known: float = -np.inf,
    thorough: bool = True,
) -> StartResult:
    """Run a fresh search from natural parameters, shape (n,), and judge its end.

    Parameters
    ----------
    search : Search
    start : ndarray, shape (n,)
    settings : FitSettings
    known : float
        Log-likelihood where another start ended, nats: quasi-Newton seeks no last digits far below it,
        nor twice those of a flat end.
    thorough : bool
        Whether a flat end somewhat below it is looked at for a saddle or a ridge that leads on.
    """
    space, eta = search.space, search.space.unconstrained(start)
    if search.evaluate(eta) is None:
        return StartResult(
            start=start,
            end=np.full(len(space.parameters), np.nan),
            log_likelihood=np.nan,
            converged=False,
            settled=False,
            stop_reason="the likelihood failed at the start itself",
            newton_decrement=np.nan,
            whitened_gradient=np.full(space.size, np.nan),
            information=np.full((space.size, space.size), np.nan),
            jump_sides=None,
            em_fall=search.em_fall,
            n_evaluations=search.n_evaluations,
            path=search.path,
            seconds=search.seconds,
        )
    climb = _climb(search, eta, settings, known, thorough)
    gradient = search.point(climb.end).gradient
    local = climb.curvature
    if local is None:
        local = search.curvature(climb.end, settings.difference_step)
    found = judge_convergence(local, gradient, settings.tolerance)
    sides = jump_sides(search)
    # Differences across a jump are no information: whatever the gradient, it would look flat by them.
    by = [search.whitening] if sides is not None else [search.whitening, local.regularized_root]
    flat = min(np.abs(whitening.T @ gradient).max() for whitening in by)
    return StartResult(
        start=start,
        end=space.natural(climb.end),
        log_likelihood=climb.log_likelihood,
        converged=found.converged,
        settled=bool(found.converged or flat < _SETTLED),
        stop_reason=found.said or climb.reason,
        newton_decrement=found.newton_decrement,
        whitened_gradient=found.whitened_gradient,
        information=local.information,
        jump_sides=sides,
        em_fall=search.em_fall,
        n_evaluations=search.n_evaluations,
        path=search.path,
        seconds=search.seconds,
    )


def _climb(
    search: Search, eta: np.ndarray, settings: FitSettings, known: float, thorough: bool
) -> Climb:
    """The configured method from a usable point, unconstrained coordinates."""
    if settings.method == "em":
        return em(search, eta, settings.em)
    if settings.method == "squarem":
        return squarem(search, eta, settings.em)
    if np.isfinite(known):
        enough = min(settings.max_evaluations, _PATIENCE)
        settings = settings.model_copy(update={"max_evaluations": enough})
    near = quasi_newton(search, eta, settings, NEAR if thorough else FLAT, from_afar=True)
    spent = search.n_evaluations >= settings.max_evaluations
    below = _LEFT_FLAT if spent else _LEFT_BELOW
    if near.log_likelihood < known - below:
        return _left(near, known, Curvature.unknown(near.end, search.space))
    local = search.known_near(near.end)
    if not thorough and local is None and abs(near.log_likelihood - known) <= AGREE:
        return replace(near, curvature=Curvature.unknown(near.end, search.space))
    if local is None:
        local = search.curvature(near.end, settings.difference_step)
    flat = _along(near, local, search, settings, FLAT)
    if abs(flat.log_likelihood - known) <= AGREE:
        return flat
    lower = flat.log_likelihood < known - _LEFT_FLAT
    if lower and not (thorough or local.lowest < _SADDLE):
        return _left(flat, known, local)
    climb = _newton_after(flat, search, settings)
    beyond = point_beyond_saddle(search, climb)
    if beyond is None:
        return climb
    return _newton_after(quasi_newton(search, beyond, settings, FLAT), search, settings)


def _left(climb, known, curvature):
    """A climb that ends below where another did."""
    reason = f"left {known - climb.log_likelihood:.2g} nats below another start; {climb.reason}"
    return replace(climb, reason=reason, curvature=curvature)


def _newton_after(flat, search, settings):
    """Newton's method from where another method ended, to the last digits."""
    climb = newton(search, flat.end, settings)
    return replace(climb, reason=f"{flat.reason}; {climb.reason}" if climb.failed else flat.reason)


def _along(climb, local, search, settings, flat):
    """L-BFGS in coordinates whitened by information from near a climb's end, from there on."""
    generic, root = search.whitening, local.regularized_root
    # L-BFGS' first step has length one: where the information is true, that is to be Newton's.
    length = np.linalg.norm(root.T @ search.point(climb.end).gradient)
    search.whitening = length * root
    climb = quasi_newton(search, climb.end, settings, length * flat)
    search.whitening = generic
    return replace(climb, curvature=local)
