"""Maximum-likelihood fits from several starts: plain EM as in the paper, SQUAREM, and quasi-Newton.

All run in unconstrained coordinates. Every start's optimization path is kept, with what stopped it.
Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
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
from inverse_rational_control.inference.objective import Diagnosis, Evaluation, Objective
from inverse_rational_control.inference.search import Search
from inverse_rational_control.inference.start import StartResult, run_start, whitening_of_length
from inverse_rational_control.inference.summary import summary_table
from inverse_rational_control.inference.verdict import FitStatus, fit_status, judge_convergence
from inverse_rational_control.parameter_space import ParameterSpace

if TYPE_CHECKING:
    from inverse_rational_control.inference.bound_intervals import ProfileIntervals

__all__ = ["Fit", "fit", "highest"]


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
    remarks: tuple[str, ...]
    space: ParameterSpace
    settings: FitSettings
    profiles: ProfileIntervals | None = None

    @property
    def wald_holds(self) -> bool:
        """Whether the information gives standard errors: an interior estimate where it is definite."""
        return not self.at_bound.any() and is_positive_definite(self.information)

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


def highest(results: Sequence) -> int:
    """Index of the result with the highest `log_likelihood`; one that led nowhere (NaN) is below all."""
    return int(np.argmax([np.nan_to_num(result.log_likelihood, nan=-np.inf) for result in results]))


def fit(
    objective: Objective,
    settings: FitSettings,
    starts: Sequence[np.ndarray],
    reserve: Iterable[np.ndarray] = (),
    whitening: np.ndarray | None = None,
) -> Fit:
    """Maximize an objective from several starts.

    Where the best start met a jump of the likelihood, two more starts are made, one on each side.

    Parameters
    ----------
    objective : Objective
        Its space says which parameters move.
    settings : FitSettings
    starts : sequence of ndarray, shape (n,)
        Starting parameters, natural coordinates; moved into the space.
    reserve : iterable of ndarray, shape (n,)
        Further starts, taken one by one while no start has converged (some run to a bound although a
        higher maximum lies inside).
    whitening : ndarray, shape (n, k), optional
        Search coordinates in which the information of 1000 steps is about one; a step in them times
        this is one in unconstrained coordinates. The free coordinates themselves if not given.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        If no start is given.
    """
    if not len(starts):
        raise ValueError("starts: found none, allowed: at least one")
    admit, curvatures = objective.space.admit, []
    whitening = whitening_of_length(objective, whitening)

    def run(start):
        return run_start(Search(objective, whitening, curvatures), start, settings)

    results = [run(start) for start in [admit(start) for start in starts]]
    reasons = objective.degeneracies()
    # More starts cannot mend a record that says too little.
    waiting = iter(() if reasons else reserve)
    while not any(result.converged for result in results):
        start = next(waiting, None)
        if start is None:
            break
        results.append(run(admit(start)))
    # Jumps on the path of a start that ended lower than another say nothing of the estimate.
    sides = results[highest(results)].jump_sides
    for side in sides if sides is not None and not reasons else ():
        results.append(run(side))
    return _judged(objective, settings, results, reasons)


def _judged(
    objective: Objective, settings: FitSettings, results: list[StartResult], reasons: list[str]
) -> Fit:
    """The fit that the starts amount to; its information is taken exactly at the estimate."""
    space, best = objective.space, highest(results)
    jumped = any(result.jump_sides is not None for result in results)
    remarks = [f"record: {reason}" for reason in reasons]
    chosen = results[best]
    if np.isfinite(chosen.log_likelihood):
        evaluation = objective.evaluate(chosen.end)
        chosen = _at_exact_information(objective, settings, chosen, evaluation)
        results[best] = chosen
        diagnosis = objective.diagnose(chosen.end, evaluation)
        bounds = space.at_bound(chosen.end) & space.is_free
        definite = is_positive_definite(chosen.information)
        names = [p.name for p, bound in zip(space.parameters, bounds, strict=True) if bound]
        if names:
            remarks.append(f"at a bound: {', '.join(names)}")
        if not definite:
            remarks.append("the observed information is not positive definite")
        if jumped:
            remarks.append("the likelihood jumps along the optimization path: see jump_met")
        interior = not names and definite
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
        remarks=(*remarks, *diagnosis.remarks),
        space=space,
        settings=settings,
    )


def _at_exact_information(
    objective: Objective, settings: FitSettings, chosen: StartResult, evaluation: Evaluation
) -> StartResult:
    """A start's end judged by the exact information there instead of what led to it."""
    space, eta = objective.space, objective.space.unconstrained(chosen.end)
    gradient = evaluation.gradient * space.natural_jacobian(chosen.end)
    information = observed_information(objective, eta, settings.difference_step)
    found = judge_convergence(Curvature.of(information, eta, space), gradient, settings.tolerance)
    reason = found.said or chosen.stop_reason
    if chosen.converged and not found.converged:
        reason = (
            f"the exact information gives a Newton decrement of {found.newton_decrement:.2g} nats"
        )
    return replace(
        chosen,
        information=information,
        newton_decrement=found.newton_decrement,
        whitened_gradient=found.whitened_gradient,
        converged=found.converged,
        stop_reason=reason,
        n_evaluations=chosen.n_evaluations + 2 * space.size + 1,
    )
