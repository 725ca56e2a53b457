"""How to fit: the section `fitting` of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inverse_rational_control.config.fields import (
    Count,
    Discount,
    Level,
    Limit,
    NonNegativeCount,
    Tolerance,
    choice,
    different,
    parameter_ranges,
    real,
    whole,
)
from inverse_rational_control.config.section import Section, key
from inverse_rational_control.parameters import EXTRA_PARAMETERS

__all__ = ["EMSettings", "FitSettings", "fit_settings"]

Method = choice("quasi_newton", "em", "squarem")
Estimator = choice("ml", "map")
_EXTRA_STARTS = {
    "lapse": (0.005, 0.2),
    "perseveration": (-1.0, 3.0),
    "diffusion_bins": (0.2, 1.0),
    "discount": (0.5, 0.995),
}
StartRanges = parameter_ranges("lowest and highest start of", extras=_EXTRA_STARTS)
Extras = different(choice(*(parameter.name for parameter in EXTRA_PARAMETERS)), at_least=0)


class EMSettings(Section):
    """How EM, as in the paper, and SQUAREM, its extrapolation, run."""

    max_iterations: Limit = key(
        1500, "limit of EM iterations per start; of SQUAREM, limit of E-steps", "iterations"
    )
    ascent_steps: whole(ge=1, le=1000) = key(
        5, "L-BFGS steps on the Q function per M-step", "steps"
    )
    tolerance: Tolerance = key(
        1e-3, "EM stops when an iteration gains less log-likelihood than this", "nats"
    )


class FitSettings(Section):
    """How a fit runs; `FitSettings()` are the paper's settings."""

    method: Method = key(
        "quasi_newton",
        "quasi_newton is fast; em is the paper's method, which mostly stops before it meets "
        "`tolerance`, so that its fits are marked not_converged and the check fails; squarem "
        "extrapolates EM to the same maxima in fewer E-steps, still far behind quasi_newton. The "
        "paper's EM trajectory is always EM",
    )
    estimator: Estimator = key(
        "ml",
        "ml is maximum likelihood, as in the paper; map the posterior's mode under the section `prior`, "
        "for the paper's agent, one's own animals, recovery and population",
    )
    extras: Extras = key(
        (),
        "parameters of one's own animals beyond the ten; the simulated agent's fits have those that "
        "it has",
    )
    candidates_per_start: Count = key(
        8, "draws from the start ranges, of which the most likely is the start", "draws"
    )
    start_ranges: StartRanges = key(
        {
            "appearance_rate_1": (0.05, 0.5),
            "appearance_rate_2": (0.05, 0.5),
            "disappearance_rate_1": (0.02, 0.3),
            "disappearance_rate_2": (0.02, 0.3),
            "cue_probability_present": (0.25, 0.5),
            "cue_probability_absent": (0.5, 0.75),
            "grooming_reward": (0.0, 0.5),
            "travel_cost": (0.05, 0.5),
            "push_cost": (0.1, 0.6),
            "temperature": (0.1, 0.5),
            **_EXTRA_STARTS,
        },
        "range of each parameter from which the starts are drawn, [low, high]",
    )
    approach_discount: Discount = key(
        0.9,
        "every other start first climbs, until nearly flat, the likelihood with this discount, or the "
        "task's if that is smaller, times normals around the middle of the start ranges; quasi_newton "
        "only",
        "per step",
    )
    tolerance: Tolerance = key(
        1e-6, "a fit has converged when its Newton decrement is below this", "nats"
    )
    max_evaluations: Limit = key(
        400, "limit of likelihood evaluations per quasi-Newton start", "evaluations"
    )
    warm_up_iterations: NonNegativeCount = key(
        0, "EM iterations before quasi-Newton takes over", "iterations"
    )
    em: EMSettings = key(EMSettings(), "settings of EM and SQUAREM")
    confidence_level: Level = key(0.95, "level of the reported intervals", "probability")
    # To one side: a step of 1e-3 would leave errors of 20 % in the weakest directions.
    difference_step: real(ge=1e-8, le=1e-5) = key(
        1e-6,
        "step, in unconstrained coordinates, of the differences that give the observed information",
        "unconstrained",
    )


def fit_settings(
    fitting: Mapping[str, Any], start_ranges: Mapping[str, Any] | None = None, **differing: Any
) -> FitSettings:
    """The section `fitting` with start ranges of an animal's own, and other keys that differ."""
    ranges = fitting["start_ranges"] | dict(start_ranges or {})
    return FitSettings(**fitting | {"start_ranges": ranges} | differing)
