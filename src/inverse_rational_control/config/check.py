"""What the results behind Figures 1 to 6 must satisfy: section `check`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    Share,
    Steps,
    pair,
    real,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["CheckSection"]

# Beyond these limits a bound means nothing: wrong programs meet it.
Information, Tolerance, Agreement = real(ge=0.3, lt=1), real(gt=0, le=0.03), real(gt=0, le=0.1)
Level, Percentile, StandardErrors = real(ge=0.9, lt=1), real(ge=90, lt=100), real(gt=0, le=5)
Range = pair(real(ge=0, le=10**6))


class CheckSection(Section):
    """Bounds that a correct program practically always meets."""

    asymptotic_from: Steps = key(
        5000,
        "shortest record of Figures 3 and 4 that criteria from the theory of long records judge",
        "steps",
    )
    belief_information_minimum: Information = key(
        0.5,
        "least share, for each box, of what actions tell about beliefs beyond cues and pushes that "
        "decoding with the estimate has",
        "1",
    )
    credible_tolerance: Tolerance = key(
        0.02,
        "largest distance of the coverage of the 90 % credible sets from their posterior mass, "
        "when decoding with the true parameters",
        "probability",
    )
    start_agreement_nats: Agreement = key(
        0.01,
        "largest distance from the best end of a start that counts as having reached it, too",
        "nats",
    )
    interval_level: Level = key(
        0.999,
        "level of the intervals in which theory expects the likelihood ratio of the truth, its "
        "distance in standard errors, and the estimate's loss on further records",
        "probability",
    )
    null_percentile: Percentile = key(
        99.9,
        "percentile of the null distribution that no distance of Figure 5 may exceed",
        "percent",
    )
    slope_tolerance: real(gt=0, le=0.05) = key(
        0.02,
        "largest distance of the pooled slope of Figure 6 from -1/2, before two standard errors are "
        "added",
        "1",
    )
    efficiency_tolerance: real(gt=0, le=0.3) = key(
        0.15,
        "largest distance of the efficiency (squared Cramer-Rao bound over mean squared error, mean "
        "over parameters) from 1, before two standard errors are added",
        "1",
    )
    efficiency_from: Steps = key(
        5000, "length from which efficiency is judged; not judged if no length reaches it", "steps"
    )
    converged_share_minimum: Share = key(
        0.9,
        "least share of the recovery fits from recovery.slope_from on that ended converged or at "
        "a bound",
        "share",
    )
    coverage_standard_errors: StandardErrors = key(
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
    likelihood_ratio_n_steps: Steps = key(
        5000,
        "length at which likelihood ratio and coverage are judged; not judged if absent from "
        "recovery.n_steps",
        "steps",
    )
