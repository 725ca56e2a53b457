"""One start's search: an objective in unconstrained coordinates, counted and remembered.

The methods (`em`, `squarem`, `quasi_newton`, `newton`) each take a search, a point and options and
give a `Climb`: one can go on where another ended, and every evaluation is counted once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inverse_rational_control.inference.information import Curvature, observed_information
from inverse_rational_control.inference.objective import Evaluation, Objective

__all__ = ["Climb", "OptimizationPath", "Point", "Search", "tolerated_fall"]

_ROUNDING = 1e-10  # of a log-likelihood, relative: of its sum over steps and of the plan behind it


def tolerated_fall(log_likelihood: float) -> float:
    """Fall of a log-likelihood of this size that counts as rounding, nats."""
    return _ROUNDING * abs(log_likelihood)


class Point(NamedTuple):
    """A usable point: unconstrained coordinates (n,), log-likelihood in nats, gradient by them (n,)."""

    eta: np.ndarray
    log_likelihood: float
    gradient: np.ndarray


@dataclass(frozen=True)
class OptimizationPath:
    """Accepted iterations of one start, the start itself first.

    Attributes
    ----------
    log_likelihood : ndarray, shape (iterations,)
        Nats.
    parameters : ndarray, shape (iterations, n)
        Natural coordinates.
    evaluations : ndarray of int, shape (iterations,)
        E-steps so far.
    seconds : ndarray, shape (iterations,)
        Wall time so far.
    """

    log_likelihood: np.ndarray
    parameters: np.ndarray
    evaluations: np.ndarray
    seconds: np.ndarray

    def __len__(self) -> int:
        return len(self.log_likelihood)


@dataclass(frozen=True)
class Climb:
    """Where one method ended, and why.

    Attributes
    ----------
    end : ndarray, shape (n,)
        Unconstrained coordinates.
    log_likelihood : float
        At the end, nats.
    reason : str
        What ended it, in words.
    path : OptimizationPath
        Of the whole search so far.
    curvature : Curvature or None
        Of the likelihood around the end, from the method that needs it (Newton's).
    failed : bool
        Whether there was more to gain, but the method found no step to it; only Newton's can tell.
    """

    end: np.ndarray
    log_likelihood: float
    reason: str
    path: OptimizationPath
    curvature: Curvature | None = None
    failed: bool = False


class Search:
    """An objective along one start's optimization path.

    Parameters
    ----------
    objective : Objective
    whitening : ndarray, shape (n, k)
        A step in search coordinates times this is one in unconstrained coordinates.
    curvatures : list of Curvature
        Those found at ends of earlier searches, which this one may use; it adds its own.

    Attributes
    ----------
    n_evaluations : int
        E-steps so far.
    visited : list of Point
        All usable points, in order.
    em_fall : float
        Largest fall of the log-likelihood by an EM step, nats, whether the step was then taken or not;
        negative if all rose, -inf if there were none.
    """

    def __init__(
        self, objective: Objective, whitening: np.ndarray, curvatures: list[Curvature] | None = None
    ):
        self.objective = objective
        self.space = objective.space
        self.whitening = whitening
        self.curvatures = [] if curvatures is None else curvatures
        self.n_evaluations = 0
        self.visited: list[Point] = []
        self.em_fall = -np.inf
        self._began = time.perf_counter()
        self._accepted: list[tuple[float, np.ndarray, int, float]] = []
        self._last: tuple[bytes, Evaluation | None] = (b"", None)

    @property
    def seconds(self) -> float:
        """Wall time since the search began."""
        return time.perf_counter() - self._began

    @property
    def path(self) -> OptimizationPath:
        """Accepted iterations so far."""
        columns = list(zip(*self._accepted, strict=True)) or [(), (), (), ()]
        log_likelihood, theta, evaluations, seconds = columns
        return OptimizationPath(
            np.array(log_likelihood),
            np.array(theta).reshape(-1, len(self.space.parameters)),
            np.array(evaluations, dtype=np.int64),
            np.array(seconds),
        )

    @property
    def accepted_log_likelihood(self) -> float:
        """Log-likelihood of the last accepted iteration; -inf before any."""
        return self._accepted[-1][0] if self._accepted else -np.inf

    def evaluate(self, eta: np.ndarray) -> Evaluation | None:
        """Evaluation at eta; None if it is outside the domain or not usable.

        The last one is remembered, since one method often begins where another ended.
        """
        if not self.space.contains(eta):
            return None
        if self._last[0] != eta.tobytes():
            self.n_evaluations += 1
            theta = self.space.natural(eta)
            evaluation = self.objective.evaluate(theta)
            self._last = (eta.tobytes(), evaluation if evaluation.usable else None)
            if evaluation.usable:
                gradient = evaluation.gradient * self.space.natural_jacobian(theta)
                self.visited.append(Point(eta.copy(), evaluation.log_likelihood, gradient))
        return self._last[1]

    def point(self, eta: np.ndarray) -> Point | None:
        """Log-likelihood and gradient at eta, or None if not usable."""
        return None if self.evaluate(eta) is None else self.visited[-1]

    def em_stepped(self, before: float, after: float) -> None:
        """Note what an EM step did to the log-likelihood, before it is judged."""
        self.em_fall = max(self.em_fall, before - after)

    def accept(self, eta: np.ndarray, log_likelihood: float) -> None:
        """Add an iteration to the optimization path."""
        self._accepted.append(
            (float(log_likelihood), self.space.natural(eta), self.n_evaluations, self.seconds)
        )

    def known_near(self, eta: np.ndarray) -> Curvature | None:
        """Information that this or an earlier search found within a standard deviation of eta."""
        return next((known for known in self.curvatures if known.reaches(eta)), None)

    def climbed(self, end: np.ndarray, log_likelihood: float, reason: str, **more) -> Climb:
        """What a method gives back where it ends; `more` as of `Climb`."""
        return Climb(end, float(log_likelihood), reason, self.path, **more)

    def curvature(self, eta: np.ndarray, difference_step: float) -> Curvature:
        """Observed information at a usable point: one E-step per free coordinate."""
        gradient = self.point(eta).gradient
        self.n_evaluations += self.space.size
        information = observed_information(self.objective, eta, difference_step, gradient)
        self.curvatures.append(Curvature.of(information, eta.copy(), self.space))
        return self.curvatures[-1]
