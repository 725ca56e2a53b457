"""Quasi-Newton: L-BFGS on the observed log-likelihood, whose gradient each E-step gives.

Fisher's identity makes the Q function's gradient at its own counts that of the log-likelihood, so an
E-step and an adjoint solve serve both. Source: docs/model.md sections 7 and 8.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.em import REJECTED_NATS, em
from inverse_rational_control.inference.search import Climb, Search

__all__ = ["FLAT", "NEAR", "quasi_newton"]

#: Largest entry of the gradient by search coordinates where L-BFGS gives way to another method: where
#: information is worth its price, and where a start may be compared with others.
NEAR, FLAT = 0.1, 1e-2
_MEMORY_RESTARTS = 3  # of L-BFGS, where its line search fails
_LINE_SEARCH_FAILED = 2  # SciPy's status


def quasi_newton(
    search: Search,
    start: np.ndarray,
    settings: FitSettings,
    flat: float = FLAT,
    from_afar: bool = False,
) -> Climb:
    """L-BFGS in search coordinates, from a start that a few EM iterations may move first.

    Parameters
    ----------
    search : Search
    start : ndarray, shape (n,)
        A usable point, unconstrained coordinates.
    settings : FitSettings
    flat : float
        It ends where no entry of the gradient by search coordinates exceeds this, sqrt(nats).
    from_afar : bool
        Whether `settings.warm_up_iterations` of EM come before, and it also ends where information is
        known that was found within a standard deviation.
    """
    if from_afar and settings.warm_up_iterations:
        iterations = {"max_iterations": settings.warm_up_iterations}
        start = em(search, start, settings.em.model_copy(update=iterations)).end
    descent = _Descent(search, start, stop_near_known=from_afar)
    for _ in range(_MEMORY_RESTARTS):
        result = minimize(
            descent,
            np.zeros(search.whitening.shape[1]),
            jac=True,
            method="L-BFGS-B",
            callback=descent.accept,
            options={
                "maxcor": 30,
                "maxfun": max(1, settings.max_evaluations - search.n_evaluations),
                "maxiter": settings.max_evaluations,
                "ftol": 1e-12,
                "gtol": flat,
            },
        )
        descent.begin_at_highest()
        if result.status != _LINE_SEARCH_FAILED or search.n_evaluations >= settings.max_evaluations:
            break
    reason = f"L-BFGS: {str(result.message).strip().lower()}"
    return search.climbed(descent.highest, descent.log_likelihood, reason)


class _Descent:
    """Minus the log-likelihood by search coordinates around an origin, for SciPy; knows its lowest.

    L-BFGS ends at its last iteration, which need not be the highest point that it tried.
    """

    def __init__(self, search: Search, origin: np.ndarray, stop_near_known: bool):
        self.search, self.stop_near_known = search, stop_near_known
        self.origin = origin.copy()
        self.highest, self.log_likelihood = origin, search.point(origin).log_likelihood
        self._tried: dict[bytes, float] = {}  # log-likelihoods since the last accepted iteration
        if search.accepted_log_likelihood == -np.inf:
            search.accept(origin, self.log_likelihood)

    def __call__(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        trial = self.origin + self.search.whitening @ z
        point = self.search.point(trial)
        if point is None:
            # A rejected step: high and flat, so that the line search comes back.
            return -self.log_likelihood + REJECTED_NATS, np.zeros(z.size)
        self._tried[z.tobytes()] = point.log_likelihood
        if point.log_likelihood > self.log_likelihood:
            self.highest, self.log_likelihood = trial, point.log_likelihood
        return -point.log_likelihood, -(self.search.whitening.T @ point.gradient)

    def accept(self, z: np.ndarray) -> None:
        """SciPy's callback after an iteration."""
        log_likelihood = self._tried.get(np.asarray(z).tobytes())
        if log_likelihood is not None:
            eta = self.origin + self.search.whitening @ z
            self.search.accept(eta, log_likelihood)
            self._tried = {np.asarray(z).tobytes(): log_likelihood}
            if self.stop_near_known and self.search.known_near(eta) is not None:
                raise StopIteration

    def begin_at_highest(self) -> None:
        """Move the origin to the highest point found, for another run without memory."""
        if self.log_likelihood > self.search.accepted_log_likelihood:
            self.search.accept(self.highest, self.log_likelihood)
        self.origin = self.highest.copy()
