"""Plain EM as in the paper: an E-step, then a few ascent steps on the Q function.

Source: the paper's expectation-maximization; docs/model.md sections 7 and 8.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from inverse_rational_control.config.fitting import EMSettings
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.inference.search import Climb, Search, tolerated_fall

__all__ = ["REJECTED_NATS", "em", "m_step"]

#: How much worse than the best a trial that is not usable looks to a line search: it comes back.
REJECTED_NATS = 100.0


def em(search: Search, start: np.ndarray, options: EMSettings) -> Climb:
    """Iterate E-step and M-step. The likelihood never falls: checked at every iteration.

    Parameters
    ----------
    search : Search
    start : ndarray, shape (n,)
        A usable point, unconstrained coordinates.
    options : EMSettings
    """
    eta, evaluation = start, search.evaluate(start)
    search.accept(eta, evaluation.log_likelihood)

    def ended(reason):
        return search.climbed(eta, evaluation.log_likelihood, f"EM: {reason}")

    for _ in range(options.max_iterations):
        trial = m_step(search, eta, evaluation, options.ascent_steps)
        if trial is None:
            return ended("no ascent step raised the Q function")
        following = search.evaluate(trial)
        if following is None:
            return ended("the likelihood failed at the M-step's end")
        search.em_stepped(evaluation.log_likelihood, following.log_likelihood)
        gain = following.log_likelihood - evaluation.log_likelihood
        if gain < -tolerated_fall(evaluation.log_likelihood):
            return ended(f"the likelihood fell by {-gain:.3g} nats; the step was not taken")
        eta, evaluation = trial, following
        search.accept(eta, evaluation.log_likelihood)
        if gain < options.tolerance:
            return ended(f"an iteration gained less than {options.tolerance:g} nats")
    return ended("iterations used up")


def m_step(
    search: Search, eta: np.ndarray, evaluation: Evaluation, ascent_steps: int
) -> np.ndarray | None:
    """A few steps of L-BFGS up the Q function Q(. | eta); None if none of them raised it.

    Parameters
    ----------
    search : Search
    eta : ndarray, shape (n,)
        Where the E-step was made, unconstrained coordinates.
    evaluation : Evaluation
        What it gave.
    ascent_steps : int

    Returns
    -------
    ndarray, shape (n,), or None
    """
    space, whitening, q_function = search.space, search.whitening, search.objective.q_function

    def descent(z):
        trial = eta + whitening @ z
        value, gradient = -np.inf, None
        if space.contains(trial):
            value, gradient = q_function(space.natural(trial), evaluation)
        if gradient is None:
            return -first + REJECTED_NATS, np.zeros(whitening.shape[1])
        by_eta = gradient * space.natural_jacobian(space.natural(trial))
        return -value, -(whitening.T @ by_eta)

    first, _ = q_function(space.natural(eta), evaluation)
    result = minimize(
        descent,
        np.zeros(whitening.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": ascent_steps, "maxcor": 30, "ftol": 0.0, "gtol": 1e-8},
    )
    return eta + whitening @ result.x if -result.fun > first else None
