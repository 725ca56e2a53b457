"""How EM, SQUAREM and quasi-Newton find the maximum, Figure 8: section `optimization`."""

from __future__ import annotations

from pydantic import model_validator

from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.fields import (
    Count,
    Flag,
    Limit,
    StepDiffusion,
    Tolerance,
    different,
    real,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["OptimizationSection"]

Gaps, Diffusions = different(real(ge=1e-9, le=10**6)), different(StepDiffusion)
# Beyond these limits a bound means nothing: wrong programs meet it.
Agreement, ReachedShare, Cost = real(gt=0, le=0.1), real(ge=0.5, le=1), real(gt=0, lt=1)


class OptimizationBounds(Section):
    """Bounds that the study's results are judged against."""

    start_agreement_nats: Agreement = key(
        0.01,
        "largest difference of log-likelihood between converged ends that lie within a standard "
        "deviation of the best one",
        "nats",
    )
    reached_share_minimum: ReachedShare = key(
        0.9,
        "least share of chosen starts that reach the best log-likelihood, before three binomial "
        "standard errors are taken off",
        "share",
    )
    squarem_cost_maximum: Cost = key(
        0.95,
        "largest ratio of the median numbers of E-steps, SQUAREM over plain EM, to reach the best "
        "log-likelihood",
        "1",
    )


class OptimizationSection(Section):
    """Each method from the same starts, and quasi-Newton from many."""

    enabled: Flag = key(True, "whether the study is part of the run")
    n_starts: Count = key(
        40, "starts of quasi-Newton, with and without the choice among candidates", "starts"
    )
    n_curve_starts: Count = key(
        5, "the first of these starts, from each of which every method runs", "starts"
    )
    max_evaluations: Limit = key(300, "limit of E-steps per start of EM and SQUAREM", "E-steps")
    tolerance: Tolerance = key(
        1e-7, "EM and SQUAREM stop when an EM step gains less log-likelihood than this", "nats"
    )
    gaps: Gaps = key(
        (1.0, 0.1, 0.01),
        "distances from the best log-likelihood, the cost of reaching which is counted; a start "
        "that comes within the smallest has reached the best",
        "nats",
    )
    diffusion_bins: Diffusions = key(
        (0.25, 0.5, 1.0),
        "diffusions sigma, in widths of a bin, of the agents on whose records EM's rate of "
        "convergence is compared",
        "bins",
    )
    batch_size: Count = key(10, "quasi-Newton starts handled by one job", "starts")
    curve_batch_size: Count = key(1, "starts of EM or SQUAREM handled by one job", "starts")
    check: OptimizationBounds = key(
        OptimizationBounds(), "bounds that the study's results are judged against"
    )

    @model_validator(mode="after")
    def _judge_between_keys(self):
        if self.n_curve_starts > self.n_starts:
            raise ConfigError(
                f"n_curve_starts: found {self.n_curve_starts}, allowed: at most optimization.n_starts "
                f"{self.n_starts}"
            )
        return self
