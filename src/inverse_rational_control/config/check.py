"""What the results behind Figures 1 to 6 must satisfy: section `check`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    Count,
    NonNegative,
    Positive,
    Probability,
    Share,
    pair,
    real,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["CheckSection"]

Correlation, Percentile = real(ge=-1, lt=1), real(gt=0, lt=100)
Range = pair(NonNegative)


class CheckSection(Section):
    """Bounds that a correct program practically always meets."""

    belief_correlation_minimum: Correlation = key(
        0.9, "least correlation of decoded with true beliefs, for each box", "1"
    )
    credible_tolerance: Probability = key(
        0.02,
        "largest distance of the coverage of the 90 % credible sets from their posterior mass, "
        "when decoding with the true parameters",
        "probability",
    )
    value_correlation_minimum: Correlation = key(
        0.95, "least correlation of the inferred with the true value function", "1"
    )
    start_agreement_nats: Positive = key(
        0.01,
        "largest log-likelihood difference between converged starts that count as agreeing",
        "nats",
    )
    interval_level: Probability = key(
        0.999,
        "level at which all true parameters must lie inside their intervals, and the likelihood "
        "ratio of the truth inside its chi-square",
        "probability",
    )
    null_percentile: Percentile = key(
        99.9,
        "percentile of the null distribution that no distance of Figure 5 may exceed",
        "percent",
    )
    slope_tolerance: Positive = key(
        0.02,
        "largest distance of the pooled slope of Figure 6 from -1/2, before two standard errors are "
        "added",
        "1",
    )
    efficiency_tolerance: Positive = key(
        0.15,
        "largest distance of the efficiency (squared Cramer-Rao bound over mean squared error, mean "
        "over parameters) from 1, before two standard errors are added",
        "1",
    )
    efficiency_from: Count = key(
        5000, "length from which efficiency is judged; not judged if no length reaches it", "steps"
    )
    monotone_tolerance: NonNegative = key(
        1e-6, "largest fall of the log-likelihood per EM iteration that counts as rounding", "nats"
    )
    converged_share_minimum: Share = key(
        0.9,
        "least share of the recovery fits from recovery.slope_from on that ended converged or at "
        "a bound",
        "share",
    )
    coverage_standard_errors: Positive = key(
        3.0,
        "largest distance of the intervals' coverage from fitting.confidence_level, in standard "
        "errors over records",
        "standard errors",
    )
    likelihood_ratio_range: Range = key(
        (7.0, 13.0),
        "range that the mean of 2[l(estimate) - l(truth)] must lie in; theory expects 10, one per "
        "parameter",
        "nats",
    )
    likelihood_ratio_n_steps: Count = key(
        5000,
        "length at which likelihood ratio and coverage are judged; not judged if absent from "
        "recovery.n_steps",
        "steps",
    )
