"""How EM, SQUAREM and quasi-Newton find the maximum, Figure 8: section `optimization`."""

from __future__ import annotations

from pydantic import model_validator

from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.fields import (
    Count,
    Flag,
    NonNegative,
    Positive,
    Share,
    different,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["OptimizationSection"]

Distances = different(Positive)


class OptimizationBounds(Section):
    """Bounds that the study's results are judged against."""

    monotone_tolerance: NonNegative = key(
        1e-6,
        "largest fall of the log-likelihood between accepted iterations that counts as rounding",
        "nats",
    )
    start_agreement_nats: Positive = key(
        0.01,
        "largest difference of log-likelihood between converged ends that lie within a standard "
        "deviation of the best one",
        "nats",
    )
    reached_share_minimum: Share = key(
        0.5,
        "least share of chosen starts that reach the best log-likelihood, before three binomial "
        "standard errors are taken off",
        "share",
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
    max_evaluations: Count = key(300, "limit of E-steps per start of EM and SQUAREM", "E-steps")
    tolerance: Positive = key(
        1e-7, "EM and SQUAREM stop when an EM step gains less log-likelihood than this", "nats"
    )
    gaps: Distances = key(
        (1.0, 0.1, 0.01),
        "distances from the best log-likelihood, the cost of reaching which is counted; a start "
        "that comes within the smallest has reached the best",
        "nats",
    )
    diffusion_bins: Distances = key(
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
