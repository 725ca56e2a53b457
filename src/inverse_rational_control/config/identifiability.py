"""What the data cannot tell, Figure 9: section `identifiability`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    Count,
    Flag,
    real,
    whole,
)
from inverse_rational_control.config.section import Section, key
from inverse_rational_control.parameters import N_PARAMETERS

__all__ = ["IdentifiabilitySection"]

Directions = whole(ge=1, le=N_PARAMETERS)
# Beyond these limits a bound means nothing: wrong programs meet it.
Excess, Majority = real(gt=0, le=0.1), real(ge=0.5, le=1)
Curvature, Level = real(gt=0, le=0.2), real(ge=0.9, lt=1)


class IdentifiabilityBounds(Section):
    """Bounds that the study's results are judged against."""

    excess_nats: Excess = key(
        0.01,
        "largest log-likelihood by which a profile may exceed the maximum found by the fit",
        "nats",
    )
    converged_share_minimum: Majority = key(
        0.9, "least share of the profiles' points that converged", "share"
    )
    curvature_tolerance: Curvature = key(
        0.05,
        "largest relative distance of the profiles' curvature next to the estimate from the "
        "information's",
        "1",
    )
    interval_level: Level = key(
        0.999,
        "level at which all true parameters together must lie inside their profile intervals",
        "probability",
    )


class IdentifiabilitySection(Section):
    """The information, its weakest directions and profile likelihoods."""

    enabled: Flag = key(True, "whether the study is part of the run")
    points_per_side: whole(ge=2, le=1000) = key(
        8, "points of a profile likelihood on either side of the estimate", "points"
    )
    reach: real(gt=0, le=20) = key(
        4.0,
        "how far a profile goes from the estimate, in Wald's standard errors",
        "standard errors",
    )
    n_directions: Directions = key(3, "weakest directions shown and put into words", "directions")
    batch_size: Count = key(6, "profiles traced by one job", "profiles")
    check: IdentifiabilityBounds = key(
        IdentifiabilityBounds(), "bounds that the study's results are judged against"
    )
