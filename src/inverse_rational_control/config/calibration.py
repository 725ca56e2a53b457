"""Posteriors calibrated by simulation, Figure 12: section `calibration`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    Count,
    Flag,
    Level,
    Limit,
    NonNegativeCount,
    Steps,
    different,
    real,
    whole,
)
from inverse_rational_control.config.posterior import Sampler
from inverse_rational_control.config.section import Section, key

__all__ = ["CalibrationSection"]

Levels = different(Level)


class CalibrationBounds(Section):
    """Bounds that the study's results are judged against."""

    family_wise_level: real(ge=1e-6, le=0.05) = key(
        1e-3,
        "probability that a right sampler's ranks of any quantity leave their simultaneous band",
        "probability",
    )
    standard_errors: real(ge=2, le=5) = key(
        3.5,
        "largest distance from theory of the ranks' variance, of the coverage of intervals and of that "
        "of belief sets, in standard errors clustered by agent",
        "standard errors",
    )
    gradient_error_maximum: real(gt=0, le=0.01) = key(
        1e-4,
        "largest median of the gradient's error against central differences, relative",
        "1",
    )
    usable_share_minimum: real(ge=0.5, le=1) = key(
        0.9, "least share of agents whose posterior converged or is rough", "share"
    )


class CalibrationSection(Section):
    """Agents drawn from the prior, and the posteriors of their records."""

    enabled: Flag = key(True, "whether the study is part of the run")
    n_agents: whole(ge=2, le=100_000) = key(100, "agents drawn from the section `prior`", "agents")
    n_steps: Steps = key(500, "steps of each agent's record", "steps")
    n_starts: NonNegativeCount = key(
        1, "starts of the search for each mode, besides the prior's middle", "starts"
    )
    batch_size: Count = key(10, "agents handled by one job", "agents")
    n_ranked_draws: whole(ge=19, le=999) = key(
        99, "posterior draws among which the truth is ranked", "draws"
    )
    interval_levels: Levels = key(
        (0.5, 0.8, 0.95), "levels of the intervals whose coverage is counted", "probability"
    )
    belief_mass: Level = key(0.9, "mass of the credible sets of beliefs", "probability")
    sampler: Sampler = key(
        "auto", "as `posterior.sampler`, which like the next seven keys holds elsewhere"
    )
    n_chains: whole(ge=2, le=64) = key(2, "as `posterior.n_chains`", "chains")
    n_tune: whole(ge=50, le=100_000) = key(150, "as `posterior.n_tune`", "draws")
    n_draws: whole(ge=50, le=100_000) = key(200, "as `posterior.n_draws`", "draws")
    max_tree_depth: whole(ge=1, le=12) = key(5, "as `posterior.max_tree_depth`", "doublings")
    max_evaluations: Limit = key(22_000, "as `posterior.max_evaluations`", "E-steps")
    n_importance_rounds: whole(ge=1, le=20) = key(
        10, "as `posterior.n_importance_rounds`", "rounds"
    )
    ess_minimum: real(ge=10, le=10**7) = key(400.0, "as `posterior.ess_minimum`", "draws")
    check: CalibrationBounds = key(
        CalibrationBounds(), "bounds that the study's results are judged against"
    )
