"""Maximum-likelihood fits: plain EM as in the paper, SQUAREM, and quasi-Newton by Fisher's identity.

All run in unconstrained coordinates from several drawn starts. Every start's history is kept, with
what stopped it. Source: docs/model.md section 8.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.chain.forward_backward import ChainInputs
from inverse_rational_control.foraging.likelihood import (
    Evaluation,
    chain_inputs,
    evaluate,
    log_likelihood,
    q_function,
)
from inverse_rational_control.inference.information import (
    inverse_root,
    is_positive_definite,
    observed_information,
)
from inverse_rational_control.inference.squarem import squarem
from inverse_rational_control.parameter_space import FULL_SPACE, ParameterSpace
from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    N_PARAMETERS,
    at_bound,
    draw_parameters,
    natural,
    natural_jacobian,
    range_ends,
    remarks,
    unconstrained,
)
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.task import BOX_1, BOX_2, LOCATIONS, PUSH, Task

__all__ = [
    "Fit",
    "FitSettings",
    "History",
    "StartResult",
    "choose_start",
    "climb",
    "climb_from_near",
    "degeneracies",
    "fit_from_random_starts",
    "fit_record",
    "generic_whitening",
    "highest",
]

# Beyond these a probability is 0 or 1 to within rounding, and a reward dwarfs all food to come.
_LARGEST_COORDINATES = np.array(
    [1e6 if parameter.coordinate == "identity" else 25.0 for parameter in AGENT_PARAMETERS]
)
_REJECTED_NATS = 100.0  # how much worse than the best a rejected trial looks to the line search
_NEWTON_ROUNDS = 20
_NEAR, _FLAT = 0.1, 1e-2  # gradient by search coordinates where L-BFGS gives way to Newton
_WELL_WITHIN = 0.1  # of the tolerance, since the information on the way is only approximate
_MEMORY_RESTARTS = 3  # of L-BFGS, where its line search fails
_SETTLED = 0.1  # gradient by search coordinates that counts as flat where nothing is curved
_BESIDE_JUMP = 0.25  # how far from a jump the starts on its two sides lie, unconstrained
_MIN_STEPS = 50


@dataclass(frozen=True)
class FitSettings:
    """How to fit.

    Attributes
    ----------
    start_ranges : mapping of str to (low, high)
        Candidates are drawn uniformly, natural coordinates, per parameter.
    candidates_per_start : int
        A start is the most likely of this many candidates.
    method : {"quasi_newton", "em", "squarem"}
        "squarem" is EM with monotone squared extrapolation.
    tolerance : float
        Converged means: Newton decrement (expected gain left, nats) at most this.
    max_evaluations : int
        E-steps per quasi-Newton start, information matrices not counted.
    difference_step : float
        For the observed information, unconstrained coordinates.
    warm_up_iterations : int
        EM iterations before quasi-Newton: from far away they are surer of the way.
    em_max_iterations, em_ascent_steps : int
        EM iterations (SQUAREM: E-steps); L-BFGS steps on the Q function per M-step.
    em_tolerance : float
        EM and SQUAREM stop when an EM step gains less than this, nats.
    """

    start_ranges: Mapping[str, Sequence[float]]
    candidates_per_start: int = 8
    method: str = "quasi_newton"
    tolerance: float = 1e-6
    max_evaluations: int = 400
    difference_step: float = 1e-3
    warm_up_iterations: int = 3
    em_max_iterations: int = 1500
    em_ascent_steps: int = 5
    em_tolerance: float = 1e-3

    @classmethod
    def from_config(cls, fitting: Mapping) -> FitSettings:
        """Settings from the `fitting` section of the configuration."""
        return cls(
            start_ranges=fitting["start_ranges"],
            candidates_per_start=fitting["candidates_per_start"],
            method=fitting["method"],
            tolerance=fitting["tolerance"],
            max_evaluations=fitting["max_evaluations"],
            difference_step=fitting["difference_step"],
            warm_up_iterations=fitting["warm_up_iterations"],
            em_max_iterations=fitting["em"]["max_iterations"],
            em_ascent_steps=fitting["em"]["ascent_steps"],
            em_tolerance=fitting["em"]["tolerance"],
        )


@dataclass
class History:
    """Accepted iterations of one start, the start itself first.

    Attributes
    ----------
    log_likelihood, evaluations, seconds : list of float
    theta : list of ndarray, shape (10,)
        Natural coordinates.
    """

    log_likelihood: list[float] = field(default_factory=list)
    theta: list[np.ndarray] = field(default_factory=list)
    evaluations: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class StartResult:
    """Where one start ended, and why.

    Attributes
    ----------
    start, end : ndarray, shape (10,)
        Natural coordinates.
    log_likelihood : float
        At the end, nats.
    converged : bool
        Newton decrement within tolerance, information positive definite, all numbers finite.
    settled : bool
        Converged, or flat within the search's own tolerance: nothing more to climb, as at a bound.
    stop_reason : str
    newton_decrement : float
        g' I^-1 g / 2, nats; NaN if the information is not positive definite.
    whitened_gradient : ndarray, shape (k,)
        Gradient by coordinates whitened with the information, sqrt(nats).
    information : ndarray, shape (k, k)
        Observed information by the space's free coordinates: of the best start exactly at its end; of
        the others to first order in the differences' step, and taken within a standard deviation of
        the end.
    jump_sides : pair of ndarray or None
        Parameters a little off a jump of the likelihood met along the way, one on each side.
    n_evaluations : int
        E-steps, information matrices included.
    history : History
    seconds : float
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
    n_evaluations: int
    history: History
    seconds: float


@dataclass(frozen=True)
class Fit:
    """Result of a fit over all starts.

    Attributes
    ----------
    starts : list of StartResult
    best : int
        Index of the start with the highest log-likelihood.
    status : {"converged", "at_bound", "not_converged", "degenerate_record"}
        Of the best start; only "converged" estimates are free of reservations.
    parameter_at_bound : ndarray of bool, shape (10,)
    information : ndarray, shape (k, k)
        At the estimate, by the k free coordinates of the space.
    space : ParameterSpace
        Which parameters moved.
    planner_residual, planner_radius : float
        At the estimate.
    remarks : list of str
    """

    starts: list[StartResult]
    best: int
    status: str
    parameter_at_bound: np.ndarray
    information: np.ndarray
    planner_residual: float
    planner_radius: float
    remarks: list[str]
    space: ParameterSpace

    @property
    def estimate(self) -> np.ndarray:
        """Best end over starts, natural coordinates, shape (10,)."""
        return self.starts[self.best].end

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood at the estimate, nats."""
        return self.starts[self.best].log_likelihood


def degeneracies(record: Record) -> list[str]:
    """Say why a record cannot identify an agent, if it cannot; one line per reason."""
    reasons = []
    if record.n_steps < _MIN_STEPS:
        reasons.append(f"only {record.n_steps} steps (at least {_MIN_STEPS} are needed)")
    visited = np.unique(record.location)
    if visited.size == 1:
        reasons.append(f"the agent never leaves one place ({LOCATIONS[visited[0]]})")
    if record.session_starts.all():
        reasons.append("no session has two steps")
    if np.unique(record.action).size == 1:
        reasons.append("the agent takes only one action")
    at_box = np.isin(record.location, (BOX_1, BOX_2))
    if not (record.action[at_box] == PUSH).any():
        reasons.append("the agent never opens a box")
    return reasons


def choose_start(
    record: Record,
    task: Task,
    settings: FitSettings,
    rng: np.random.Generator,
    space: ParameterSpace = FULL_SPACE,
) -> np.ndarray:
    """Draw candidates uniformly from the start ranges and keep the one most likely for the record.

    A few forward passes; they keep starts away from regions where the planner has several solutions
    and the likelihood jumps.

    Parameters
    ----------
    record : Record
    task : Task
    settings : FitSettings
        Gives the ranges and the number of candidates.
    rng : numpy.random.Generator
    space : ParameterSpace
        Candidates are moved into it.

    Returns
    -------
    ndarray, shape (10,), natural coordinates

    Raises
    ------
    RecordError
        If the record does not fit the task.
    """
    candidates = [
        space.admit(draw_parameters(settings.start_ranges, rng))
        for _ in range(settings.candidates_per_start)
    ]
    record.check(task)
    inputs = chain_inputs(record)
    return max(candidates, key=lambda theta: log_likelihood(theta, inputs, task))


def generic_whitening(
    settings: FitSettings, task: Task, space: ParameterSpace = FULL_SPACE
) -> np.ndarray:
    """Scale of the search: inverse root of a generic agent's information per 1000 steps.

    The generic agent sits in the middle of the start ranges and forages 2000 steps in a world as it
    believes it to be. Only how fast a fit goes depends on it, not where it ends.

    Parameters
    ----------
    settings : FitSettings
        Gives the start ranges and the difference step.
    task : Task
    space : ParameterSpace
        With k free coordinates.

    Returns
    -------
    ndarray, shape (10, k)
        A step in search coordinates times this is one in unconstrained coordinates.
    """
    middle = space.admit(range_ends(settings.start_ranges).mean(0))
    model = agent_model(middle, task)
    if model.plan.converged:
        record = simulate(model, middle[:6], 2000, stream(0, "generic agent"))
        information = observed_information(
            unconstrained(middle),
            chain_inputs(record),
            task,
            settings.difference_step,
            space=space,
        )
        # At a point that is not the record's optimum some eigenvalues may be small or negative.
        return space.directions @ _root_of_size(information / 2.0)
    return space.directions


class _Search:
    """The likelihood in unconstrained coordinates, counted and remembered along one start's way."""

    def __init__(self, inputs: ChainInputs, task: Task, space: ParameterSpace):
        self.inputs = inputs
        self.task = task
        self.space = space
        self.n_evaluations = 0
        self.began = time.perf_counter()
        self.history = History()
        self.way: list[tuple[np.ndarray, float, np.ndarray]] = []
        self._last: tuple[bytes, Evaluation | None] = (b"", None)

    def evaluate(self, eta: np.ndarray) -> Evaluation | None:
        """Evaluation at eta; None if it is outside the domain or not usable.

        The last one is remembered, since one method often begins where another ended.
        """
        if not _inside(eta):
            return None
        if self._last[0] != eta.tobytes():
            self.n_evaluations += 1
            evaluation = evaluate(natural(eta), self.inputs, self.task)
            self._last = (eta.tobytes(), evaluation if evaluation.usable else None)
            if evaluation.usable:
                slope = evaluation.gradient * natural_jacobian(natural(eta))
                self.way.append((eta.copy(), evaluation.log_likelihood, slope))
        return self._last[1]

    def point(self, eta: np.ndarray) -> tuple[float, np.ndarray] | None:
        """(log-likelihood, gradient by eta) at eta, or None if not usable."""
        if self.evaluate(eta) is None:
            return None
        return self.way[-1][1:]

    def accept(self, eta: np.ndarray, log_likelihood: float) -> None:
        """Add an accepted iteration to the history."""
        self.history.log_likelihood.append(float(log_likelihood))
        self.history.theta.append(natural(eta))
        self.history.evaluations.append(self.n_evaluations)
        self.history.seconds.append(time.perf_counter() - self.began)

    def information(self, eta: np.ndarray, difference_step: float, two_sided: bool) -> np.ndarray:
        """Observed information: one E-step per free coordinate, or two for differences to both sides."""
        slope = None if two_sided else self.point(eta)[1]
        self.n_evaluations += (2 if two_sided else 1) * self.space.size
        return observed_information(eta, self.inputs, self.task, difference_step, slope, self.space)


def _inside(eta: np.ndarray) -> bool:
    return bool(np.isfinite(eta).all() and (np.abs(eta) < _LARGEST_COORDINATES).all())


def _quasi_newton(search: _Search, eta, scale, settings, flat) -> tuple[np.ndarray, str]:
    """L-BFGS on the observed likelihood, coordinates whitened by `scale`; returns (end, reason).

    It stops where no entry of the gradient by those coordinates exceeds `flat`.
    """
    if settings.warm_up_iterations:
        eta, _ = _expectation_maximization(
            search, eta, scale, settings, settings.warm_up_iterations
        )
    origin = eta.copy()
    best = {"eta": eta, "log_likelihood": -np.inf}
    last = {}

    def objective(z):
        trial = origin + scale @ z
        found = search.point(trial)
        if found is None:
            # A rejected step: high and flat, so that the line search comes back.
            return -best["log_likelihood"] + _REJECTED_NATS, np.zeros(scale.shape[1])
        log_likelihood, slope = found
        last[z.tobytes()] = log_likelihood
        if log_likelihood > best["log_likelihood"]:
            best.update(eta=trial, log_likelihood=log_likelihood)
        return -log_likelihood, -(scale.T @ slope)

    def callback(z):
        log_likelihood = last.get(np.asarray(z).tobytes())
        if log_likelihood is not None:
            search.accept(origin + scale @ z, log_likelihood)
            last.clear()
            last[np.asarray(z).tobytes()] = log_likelihood

    best["log_likelihood"] = search.point(origin)[0]
    if not search.history.log_likelihood:
        search.accept(origin, best["log_likelihood"])
    for _ in range(_MEMORY_RESTARTS):
        result = minimize(
            objective,
            np.zeros(scale.shape[1]),
            jac=True,
            method="L-BFGS-B",
            callback=callback,
            options={
                "maxcor": 30,
                "maxfun": max(1, settings.max_evaluations - search.n_evaluations),
                "maxiter": settings.max_evaluations,
                "ftol": 1e-12,
                "gtol": flat,
            },
        )
        if best["log_likelihood"] > search.history.log_likelihood[-1]:
            search.accept(best["eta"], best["log_likelihood"])
        origin = best["eta"].copy()
        if result.status != 2 or search.n_evaluations >= settings.max_evaluations:
            break
    return best["eta"], f"L-BFGS: {str(result.message).strip().lower()}"


def _expectation_maximization(
    search: _Search, eta, scale, settings, max_iterations
) -> tuple[np.ndarray, str]:
    """Plain EM; returns (end, reason). The likelihood never falls: checked at every iteration."""
    evaluation = search.evaluate(eta)
    search.accept(eta, evaluation.log_likelihood)
    for _ in range(max_iterations):
        trial = _maximize_q_function(evaluation, eta, scale, settings, search.task)
        if trial is None:
            return eta, "EM: no ascent step raised the Q function"
        following = search.evaluate(trial)
        if following is None:
            return eta, "EM: the planner or the likelihood failed at the M-step's end"
        gain = following.log_likelihood - evaluation.log_likelihood
        if gain < -1e-9 * abs(evaluation.log_likelihood):
            return eta, f"EM: the likelihood fell by {-gain:.3g} nats; the step was not taken"
        eta, evaluation = trial, following
        search.accept(eta, evaluation.log_likelihood)
        if gain < settings.em_tolerance:
            return eta, f"EM: an iteration gained less than {settings.em_tolerance:g} nats"
    return eta, "EM: iterations used up"


def _quasi_newton_em(search: _Search, eta, scale, settings) -> tuple[np.ndarray, str]:
    """EM with squared extrapolation, monotone; returns (end, reason)."""

    def height(trial):
        evaluation = search.evaluate(trial)
        return -np.inf if evaluation is None else evaluation.log_likelihood

    def em_map(point):
        return _maximize_q_function(search.evaluate(point), point, scale, settings, search.task)

    end, reason = squarem(
        em_map, height, eta, settings.em_max_iterations, settings.em_tolerance, search.accept
    )
    return end, f"SQUAREM: {reason}"


def _maximize_q_function(evaluation, eta, scale, settings, task):
    """A few ascent steps on Q(. | eta); None if none of them raised it."""

    def objective(z):
        trial = eta + scale @ z
        value, slope = -np.inf, None
        if _inside(trial):
            value, slope = q_function(natural(trial), task, evaluation.counts, evaluation.model)
        if slope is None:
            return -first + _REJECTED_NATS, np.zeros(scale.shape[1])
        return -value, -(scale.T @ (slope * natural_jacobian(natural(trial))))

    first, _ = q_function(natural(eta), task, evaluation.counts, evaluation.model)
    result = minimize(
        objective,
        np.zeros(scale.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": settings.em_ascent_steps, "maxcor": 30, "ftol": 0.0, "gtol": 1e-8},
    )
    return eta + scale @ result.x if -result.fun > first else None


@dataclass
class _Local:
    """Quadratic picture of the likelihood around an end."""

    information: np.ndarray  # by the space's free coordinates
    root: np.ndarray | None  # (10, k), inverse root of the information; None if it has none
    space: ParameterSpace

    @classmethod
    def at(cls, information, space):
        definite = is_positive_definite(information)
        root = space.directions @ inverse_root(information) if definite else None
        return cls(information, root, space)

    def scaled(self, slope):
        return self.root.T @ slope if self.root is not None else np.full(self.space.size, np.nan)

    def near(self, one, other):
        """Whether two points are within a standard deviation of each other."""
        apart = self.space.coordinates(one - other)
        return self.root is not None and float(apart @ self.information @ apart) < 1.0


def _polish(search: _Search, eta, settings, known: list[tuple[np.ndarray, _Local]]):
    """Newton steps on the observed information until the decrement is well within tolerance.

    `known` holds information matrices of earlier ends: starts that meet there share them.
    Returns (eta, log_likelihood, local picture, scaled gradient, reason or None).
    """

    def look(two_sided):
        information = search.information(eta, settings.difference_step, two_sided)
        known.append((eta, _Local.at(information, search.space)))
        return known[-1][1]

    log_likelihood, slope = search.point(eta)
    local = next((seen for where, seen in known if seen.near(eta, where)), None)
    fresh, two_sided = local is None, False
    if fresh:
        local = look(two_sided)
    for _ in range(_NEWTON_ROUNDS):
        if local.root is None and not two_sided:
            # What the data say of a weak direction can be lost in the error of one-sided differences.
            two_sided = True
            local = look(two_sided)
        if local.root is None:
            return eta, log_likelihood, local, "the information is not positive definite"
        scaled = local.scaled(slope)
        decrement = 0.5 * float(scaled @ scaled)
        if decrement <= _WELL_WITHIN * settings.tolerance:
            return eta, log_likelihood, local, None
        step = local.root @ scaled
        for _ in range(12):
            found = search.point(eta + step)
            # Below rounding of the likelihood itself, a smaller gradient decides.
            if found is not None and (
                found[0] > log_likelihood
                or (
                    found[0] > log_likelihood - 1e-10 * abs(log_likelihood)
                    and np.linalg.norm(local.scaled(found[1])) < np.linalg.norm(scaled)
                )
            ):
                break
            step = 0.5 * step
        else:
            if fresh and two_sided:
                return eta, log_likelihood, local, "no Newton step raised the likelihood"
            found = None
        left_over = np.inf
        if found is not None:
            eta = eta + step
            log_likelihood, slope = found
            search.accept(eta, log_likelihood)
            left_over = 0.5 * float(np.sum(local.scaled(slope) ** 2))
        # The same matrix serves again while it leads on fast; one that was made here and does not lead
        # on fast is too rough.
        if left_over > max(_WELL_WITHIN * settings.tolerance, 0.4 * decrement):
            two_sided = two_sided or fresh
            local = look(two_sided)
            fresh = True
        else:
            fresh = False
    return eta, log_likelihood, local, f"{_NEWTON_ROUNDS} Newton rounds used up"


def _leave_saddle(search: _Search, eta, log_likelihood, local: _Local):
    """A higher point along the direction of negative information, or None if there is none."""
    if local.root is not None or not np.isfinite(local.information).all():
        return None
    eigenvalues, vectors = np.linalg.eigh(local.information)
    if not eigenvalues[0] < 0.0:
        return None
    for length in (1.0, 0.3):
        for sign in (1.0, -1.0):
            trial = eta + sign * length * local.space.directions @ vectors[:, 0]
            found = search.point(trial)
            if found is not None and found[0] > log_likelihood + 1e-3:
                return trial
    return None


def _find_jump(search: _Search):
    """Look for a jump of the likelihood along the way: a point on each side, natural, or None.

    Between two points, a smooth function changes by the mean of the end slopes up to third order; what
    is left shrinks eightfold where the interval halves. A jump stays.
    """

    def mismatch(one, other):
        change = other[0] - one[0]
        expected = 0.5 * (one[2] + other[2]) @ change
        return abs(other[1] - one[1] - expected), abs(one[2] @ change) + abs(other[2] @ change)

    suspects = []
    for one, other in pairwise(search.way):
        left_over, scale = mismatch(one, other)
        if left_over > max(1.0, 0.5 * scale):
            suspects.append((left_over, one, other))
    suspects.sort(key=lambda suspect: -suspect[0])
    for left_over, one, other in suspects[:2]:
        for halving in range(10):
            if search.point(0.5 * (one[0] + other[0])) is None:
                break
            middle = search.way[-1]
            halves = [(mismatch(*pair)[0], pair) for pair in ((one, middle), (middle, other))]
            half_left_over, (one, other) = max(halves, key=lambda half: half[0])
            if half_left_over < max(0.5, 0.4 * left_over):
                break
            left_over = half_left_over
            if halving == 9:
                away = other[0] - one[0]
                away *= _BESIDE_JUMP / np.linalg.norm(away)
                return natural(one[0] - away), natural(other[0] + away)
    return None


def _fit_start(start, inputs, task, settings, scale, known, space) -> StartResult:
    search = _Search(inputs, task, space)
    eta = unconstrained(start)
    nothing = np.full(N_PARAMETERS, np.nan)
    if search.evaluate(eta) is None:
        return StartResult(
            start=start,
            end=nothing,
            log_likelihood=np.nan,
            converged=False,
            settled=False,
            stop_reason="the planner or the likelihood failed at the start itself",
            newton_decrement=np.nan,
            whitened_gradient=np.full(space.size, np.nan),
            information=np.full((space.size, space.size), np.nan),
            jump_sides=None,
            n_evaluations=search.n_evaluations,
            history=search.history,
            seconds=time.perf_counter() - search.began,
        )
    if settings.method in ("em", "squarem"):
        if settings.method == "em":
            eta, reason = _expectation_maximization(
                search, eta, scale, settings, settings.em_max_iterations
            )
        else:
            eta, reason = _quasi_newton_em(search, eta, scale, settings)
        log_likelihood, slope = search.point(eta)
        local = _Local.at(search.information(eta, settings.difference_step, False), search.space)
    else:
        eta, reason = _quasi_newton(search, eta, scale, settings, _NEAR)
        eta, log_likelihood, local, failure = _polish(search, eta, settings, known)
        once = replace(settings, warm_up_iterations=0)
        if failure:
            eta, reason = _quasi_newton(search, eta, scale, once, _FLAT)
            eta, log_likelihood, local, failure = _polish(search, eta, settings, known)
        beyond = _leave_saddle(search, eta, log_likelihood, local)
        if beyond is not None:
            eta, reason = _quasi_newton(search, beyond, scale, once, _FLAT)
            eta, log_likelihood, local, failure = _polish(search, eta, settings, known)
        slope = search.point(eta)[1]
        reason = f"{reason}; {failure}" if failure else reason
    scaled, decrement, converged, said = _verdict(local, slope, settings)
    reason = said or reason
    return StartResult(
        start=start,
        end=natural(eta),
        log_likelihood=float(log_likelihood),
        converged=converged,
        settled=converged or bool(np.abs(scale.T @ slope).max() < _SETTLED),
        stop_reason=reason,
        newton_decrement=decrement,
        whitened_gradient=scaled,
        information=local.information,
        jump_sides=_find_jump(search),
        n_evaluations=search.n_evaluations,
        history=search.history,
        seconds=time.perf_counter() - search.began,
    )


def climb_from_near(
    inputs: ChainInputs,
    task: Task,
    settings: FitSettings,
    start: np.ndarray,
    information: np.ndarray,
    space: ParameterSpace = FULL_SPACE,
) -> StartResult:
    """Climb to the maximum from one start that is near it already, as along a profile likelihood.

    Without EM, reserve starts and a last exact information; the given information leads, and is renewed
    where it leads too slowly. The convergence criterion is that of every fit.

    Parameters
    ----------
    inputs : ChainInputs
        From `chain_inputs(record)`.
    task : Task
    settings : FitSettings
        Its method is not used: this is always quasi-Newton.
    start : ndarray, shape (10,)
        Natural coordinates; moved into the space.
    information : ndarray, shape (k, k)
        Observed information near the start, by the space's free coordinates; need not be exact, nor
        positive definite.
    space : ParameterSpace
        With k free coordinates.
    """
    start = space.admit(start)
    local = _Local.at(information, space)
    known = [(unconstrained(start), local)] if local.root is not None else []
    scale = space.directions @ _root_of_size(information)
    warm = replace(settings, method="quasi_newton", warm_up_iterations=0)
    return _fit_start(start, inputs, task, warm, scale, known, space)


def _root_of_size(information: np.ndarray) -> np.ndarray:
    """A with A A' about information^-1, small and negative eigenvalues made positive; (k, k)."""
    if not np.isfinite(information).all():
        return np.eye(len(information))
    eigenvalues, vectors = np.linalg.eigh(information)
    floor = max(1e-4 * np.abs(eigenvalues).max(), np.finfo(float).tiny)
    return vectors / np.sqrt(np.maximum(np.abs(eigenvalues), floor))


def climb(
    record: Record,
    task: Task,
    settings: FitSettings,
    start: np.ndarray,
    scale: np.ndarray | None = None,
    space: ParameterSpace = FULL_SPACE,
) -> StartResult:
    """Climb from one start by itself: `fit_record` without reserve and without starts beside a jump.

    Parameters
    ----------
    record : Record
        Checked against `task`.
    task : Task
    settings : FitSettings
    start : ndarray, shape (10,)
        Natural coordinates; moved into the space.
    scale : ndarray, shape (10, k), optional
        As in `fit_record`.
    space : ParameterSpace

    Returns
    -------
    StartResult
        Its information matrix is to first order in the differences' step.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    """
    record.check(task)
    scale = _search_scale(scale, record, task, settings, space)
    return _fit_start(space.admit(start), chain_inputs(record), task, settings, scale, [], space)


def _search_scale(scale, record, task, settings, space):
    """Search coordinates in which this record's information is about one."""
    if scale is None:
        scale = generic_whitening(settings, task, space)
    return scale / np.sqrt(max(record.n_steps, 1) / 1000.0)


def _verdict(local: _Local, slope, settings):
    """(scaled gradient, Newton decrement, whether that means converged, and then why, in words)."""
    scaled = local.scaled(slope)
    decrement = 0.5 * float(scaled @ scaled)
    if decrement <= settings.tolerance:
        said = f"converged: Newton decrement {decrement:.2g} <= {settings.tolerance:g} nats"
        return scaled, decrement, True, said
    return scaled, decrement, False, None


def _judged_by(information, chosen: StartResult, slope, settings, space) -> StartResult:
    """A start's end with the exact information there instead of what led to it."""
    local = _Local.at(information, space)
    scaled, decrement, converged, said = _verdict(local, slope, settings)
    reason = said or chosen.stop_reason
    if chosen.converged and not converged:
        reason = f"the exact information gives a Newton decrement of {decrement:.2g} nats"
    return replace(
        chosen,
        information=information,
        newton_decrement=decrement,
        whitened_gradient=scaled,
        converged=converged,
        stop_reason=reason,
        n_evaluations=chosen.n_evaluations + 2 * space.size + 1,
    )


def highest(results: Sequence) -> int:
    """Index of the result with the highest `log_likelihood`; one that led nowhere (NaN) is below all."""
    return int(np.argmax([np.nan_to_num(result.log_likelihood, nan=-np.inf) for result in results]))


def fit_record(
    record: Record,
    task: Task,
    settings: FitSettings,
    starts: Sequence[np.ndarray],
    reserve: Iterable[np.ndarray] = (),
    scale: np.ndarray | None = None,
    space: ParameterSpace = FULL_SPACE,
) -> Fit:
    """Fit an agent's parameters to a record.

    Where the best start met a jump of the likelihood, two more starts are made, one on each side.

    Parameters
    ----------
    record : Record
        Checked against `task`.
    task : Task
    settings : FitSettings
    starts : sequence of ndarray, shape (10,)
        Starting parameters, natural coordinates; see `choose_start`.
    reserve : iterable of ndarray, shape (10,)
        Further starts, taken one by one while no start has converged (some run to a bound although a
        higher maximum lies inside).
    scale : ndarray, shape (10, k), optional
        From `generic_whitening` for the same space, to share it between fits; made here if not given.
    space : ParameterSpace
        Which parameters move; starts are moved into it.

    Returns
    -------
    Fit

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If no start is given.
    """
    record.check(task)
    if not len(starts):
        raise ValueError("starts: found none, allowed: at least one")
    scale = _search_scale(scale, record, task, settings, space)
    inputs = chain_inputs(record)
    starts = [space.admit(start) for start in starts]
    reserve = map(space.admit, reserve)
    known: list[tuple[np.ndarray, _Local]] = []
    results = [_fit_start(start, inputs, task, settings, scale, known, space) for start in starts]
    reasons = degeneracies(record)
    # More starts cannot mend a record that says too little.
    waiting = iter(() if reasons else reserve)
    while not any(result.converged for result in results):
        start = next(waiting, None)
        if start is None:
            break
        results.append(_fit_start(start, inputs, task, settings, scale, known, space))
    # Jumps on the way of a start that ended lower than another say nothing of the estimate.
    sides = results[highest(results)].jump_sides
    for side in sides if sides is not None and not reasons else ():
        results.append(_fit_start(side, inputs, task, settings, scale, known, space))

    best = highest(results)
    chosen = results[best]
    said = [f"record: {reason}" for reason in reasons]
    if not np.isfinite(chosen.log_likelihood):
        said.append("no start led anywhere")
        bounds = np.zeros(N_PARAMETERS, dtype=bool)
        status = "degenerate_record" if reasons else "not_converged"
        return Fit(results, best, status, bounds, chosen.information, np.nan, np.nan, said, space)

    evaluation = evaluate(chosen.end, inputs, task)
    model = evaluation.model
    slope = evaluation.gradient * natural_jacobian(chosen.end)
    # The information that goes with the estimate is taken exactly there, and judges the convergence.
    information = observed_information(
        unconstrained(chosen.end), inputs, task, settings.difference_step, space=space
    )
    chosen = _judged_by(information, chosen, slope, settings, space)
    results[best] = chosen
    definite = is_positive_definite(information)
    bounds = at_bound(chosen.end) & space.is_free
    radius = model.planner_radius()
    names = [p.name for p, bound in zip(AGENT_PARAMETERS, bounds, strict=True) if bound]
    if names:
        said.append(f"at a bound: {', '.join(names)}")
    if not definite:
        said.append("the observed information is not positive definite: no standard errors")
    if any(result.jump_sides is not None for result in results):
        said.append("the likelihood jumps along the way (a fold of the planner): see jump_met")
    if not radius < 1.0:
        said.append(f"the planner's fixed point is not attracting (spectral radius {radius:.4g})")
    said += remarks(chosen.end)
    if reasons:
        status = "degenerate_record"
    elif chosen.settled and (names or not definite):
        status = "at_bound"
    elif chosen.converged and radius < 1.0:
        status = "converged"
    else:
        status = "not_converged"
    return Fit(results, best, status, bounds, information, model.plan.residual, radius, said, space)


def fit_from_random_starts(
    record: Record,
    task: Task,
    settings: FitSettings,
    generator: Callable[[int], np.random.Generator],
    n_starts: int,
    n_reserve_starts: int = 0,
    scale: np.ndarray | None = None,
    space: ParameterSpace = FULL_SPACE,
) -> Fit:
    """Fit from starts that `choose_start` makes, those in reserve only if `fit_record` wants them.

    Parameters
    ----------
    record, task, settings, scale, space
        As for `fit_record`.
    generator : callable
        Gives the random generator of a start by its number.
    n_starts, n_reserve_starts : int

    Raises
    ------
    RecordError
        If the record does not fit the task.
    """

    def start(number):
        return choose_start(record, task, settings, generator(number), space)

    starts = [start(number) for number in range(n_starts)]
    reserve = (start(n_starts + number) for number in range(n_reserve_starts))
    return fit_record(record, task, settings, starts, reserve, scale, space)
