"""Maximum-likelihood fits from several starts: plain EM as in the paper, SQUAREM, and quasi-Newton.

All run in unconstrained coordinates. Every start's optimization path is kept, with what stopped it.
Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.agreement import Agreement
from inverse_rational_control.inference.edges import continuation
from inverse_rational_control.inference.information import (
    Curvature,
    is_positive_definite,
    observed_information,
)
from inverse_rational_control.inference.intervals import (
    Intervals,
    no_intervals,
    wald_intervals,
)
from inverse_rational_control.inference.jumping import AT_EDGE
from inverse_rational_control.inference.objective import Diagnosis, Evaluation, Objective
from inverse_rational_control.inference.searches import Searches
from inverse_rational_control.inference.start import Start, StartResult
from inverse_rational_control.inference.summary import summary_table
from inverse_rational_control.inference.verdict import FitStatus, fit_status, judge_convergence
from inverse_rational_control.parameter_space import ParameterSpace

if TYPE_CHECKING:
    from inverse_rational_control.inference.bound_intervals import ProfileIntervals

__all__ = ["Fit", "fit"]


@dataclass(frozen=True)
class Fit:
    """Result of a fit over all starts.

    Attributes
    ----------
    starts : tuple of StartResult
    best : int
        Index of the start with the highest log-likelihood.
    status : FitStatus
        Of the best start; only "converged" estimates are free of reservations.
    at_bound : ndarray of bool, shape (n,)
        Which free parameters are at a bound.
    information : ndarray, shape (k, k)
        At the estimate, by the k free coordinates of the space.
    diagnosis : Diagnosis
        What the objective says of the estimate.
    n_agreeing : int
        Searches that ended flat within `AGREE` nats of the highest, itself included; 0 if it is not
        flat.
    remarks : tuple of str
        All that is unusual, in words.
    space : ParameterSpace
        The parameters, and which of them moved.
    settings : FitSettings
    profiles : ProfileIntervals or None
        Intervals where Wald's do not hold, once `with_profile_intervals` has found them.
    """

    starts: tuple[StartResult, ...]
    best: int
    status: FitStatus
    at_bound: np.ndarray
    information: np.ndarray
    diagnosis: Diagnosis
    n_agreeing: int
    remarks: tuple[str, ...]
    space: ParameterSpace
    settings: FitSettings
    profiles: ProfileIntervals | None = None

    @property
    def wald_holds(self) -> bool:
        """Whether the information gives standard errors: an interior estimate where it is definite."""
        interior = not (self.at_bound.any() or self.at_edge)
        return interior and is_positive_definite(self.information)

    @property
    def at_edge(self) -> bool:
        """Whether the likelihood rises up to the estimate and jumps there."""
        return self.starts[self.best].at_edge

    @property
    def estimate(self) -> np.ndarray:
        """Best end over starts, natural coordinates, shape (n,)."""
        return self.starts[self.best].end

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood at the estimate, nats."""
        return self.starts[self.best].log_likelihood

    def intervals(self, confidence_level: float | None = None) -> Intervals:
        """Standard errors and confidence intervals; the level is the settings' if not given.

        Where they do not hold, profile-likelihood intervals at the level for which
        `with_profile_intervals` found them, and none (NaN) at any other.
        """
        level = self.settings.confidence_level if confidence_level is None else confidence_level
        if self.wald_holds:
            return wald_intervals(self.estimate, self.information, level, self.space)
        if self.profiles is not None and self.profiles.intervals.confidence_level == level:
            return self.profiles.intervals
        return no_intervals(self.estimate, level, self.space)

    def summary(self, confidence_level: float | None = None) -> str:
        """The fit as a table for people, with its status and remarks in plain words."""
        return summary_table(self, self.intervals(confidence_level))


def fit(
    objective: Objective,
    settings: FitSettings,
    starts: Iterable[Start | np.ndarray],
    reserve: Iterable[Start | np.ndarray] = (),
    whitening: np.ndarray | None = None,
    challenge: bool = True,
) -> Fit:
    """Maximize an objective from several starts, until they agree on the highest maximum.

    Once they do, it is challenged (see `inference.agreement.challengers`). Where jumps of the likelihood
    keep the searches from any maximum, each is led on (see `inference.jumping`); otherwise, if the best
    start met a jump, two more starts are made, one on each side.

    Parameters
    ----------
    objective : Objective
        Its space says which parameters move.
    settings : FitSettings
    starts : iterable of Start, or of ndarray, shape (n,)
        Starting parameters, natural coordinates; moved into the space.
    reserve : iterable of Start, or of ndarray, shape (n,)
        Further starts, independent of the first, taken one by one until enough agree (see
        `inference.agreement`).
    whitening : ndarray, shape (n, k), optional
        Search coordinates in which the information of 1000 steps is about one; a step in them times
        this is one in unconstrained coordinates. The free coordinates themselves if not given.
    challenge : bool
        Whether an agreed maximum is challenged; a density that falls off towards every bound, as a
        posterior's does, has no need of it.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        If no start is given.
    """
    searches = Searches(objective, settings, whitening)
    for start in starts:
        searches.run(start)
    if not searches.results:
        raise ValueError("starts: found none, allowed: at least one")
    reasons = objective.degeneracies()
    # More starts cannot mend a record that says too little.
    agreed = searches.until_agreed(() if reasons else reserve, challenge and not reasons)
    if not reasons:
        agreed = searches.beside_jumps(agreed)
    return _judged(searches, reasons, agreed)


def _judged(searches: Searches, reasons: list[str], agreed: Agreement) -> Fit:
    """The fit that the starts amount to; its information is taken exactly at the estimate."""
    objective, settings, results = searches.objective, searches.settings, searches.results
    space, best = objective.space, searches.top
    jumped = any(result.jump_sides is not None for result in results)
    remarks = [f"record: {reason}" for reason in reasons]
    chosen = results[best]
    if np.isfinite(chosen.log_likelihood):
        evaluation = objective.evaluate(chosen.end)
        near = continuation(objective, chosen.end) if chosen.at_edge else objective
        known = [] if chosen.at_edge else searches.curvatures
        chosen = _at_exact_information(near, settings, chosen, evaluation, known)
        results[best] = chosen
        diagnosis = objective.diagnose(chosen.end, evaluation)
        bounds = space.at_bound(chosen.end) & space.is_free
        definite = is_positive_definite(chosen.information)
        names = space.labels(bounds)
        if names:
            remarks.append(f"at a bound: {', '.join(names)}")
        if not definite:
            remarks.append("the observed information is not positive definite")
        if agreed.n_agreeing < 2:
            remarks.append(
                f"the highest maximum was found by one start only, of {len(results)}: another may be "
                "higher"
            )
        if chosen.at_edge:
            remarks.append(f"the estimate lies {AT_EDGE}")
        if jumped:
            remarks.append("the likelihood jumps along the optimization path: see jump_met")
        interior = not (names or chosen.at_edge) and definite
    else:
        remarks.append("no start led anywhere")
        diagnosis = objective.diagnose(chosen.end, None)
        bounds, interior = np.zeros(len(space.parameters), dtype=bool), False
    return Fit(
        starts=tuple(results),
        best=best,
        status=fit_status(
            bool(reasons), chosen.settled, chosen.converged, interior, diagnosis.sound
        ),
        at_bound=bounds,
        information=chosen.information,
        diagnosis=diagnosis,
        n_agreeing=agreed.n_agreeing,
        remarks=(*remarks, *diagnosis.remarks),
        space=space,
        settings=settings,
    )


def _at_exact_information(
    objective: Objective,
    settings: FitSettings,
    chosen: StartResult,
    evaluation: Evaluation,
    known: list[Curvature],
) -> StartResult:
    """A start's end judged by the information exactly there instead of what led to it."""
    space, eta = objective.space, objective.space.unconstrained(chosen.end)
    gradient = evaluation.gradient * space.natural_jacobian(chosen.end)
    there = (c for c in known if np.array_equal(space.natural(c.center), chosen.end))
    local, n_evaluations = next(there, None), 1
    if local is None:
        information = observed_information(objective, eta, settings.difference_step, gradient)
        local, n_evaluations = Curvature.of(information, eta, space), space.size + 1
    found = judge_convergence(local, gradient, settings.tolerance)
    reason = found.said if found.said and not chosen.at_edge else chosen.stop_reason
    if chosen.converged and not found.converged:
        reason = (
            f"the information there gives a Newton decrement of {found.newton_decrement:.2g} nats"
        )
    return replace(
        chosen,
        information=local.information,
        newton_decrement=found.newton_decrement,
        whitened_gradient=found.whitened_gradient,
        converged=found.converged and not chosen.at_edge,
        stop_reason=reason,
        n_evaluations=chosen.n_evaluations + n_evaluations,
    )
