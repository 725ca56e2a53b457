"""Many agents, drawn over stated ranges, Figure 7: section `population`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    Count,
    Flag,
    Level,
    NonNegativeCount,
    Positive,
    Probability,
    Real,
    Share,
    Steps,
    different,
    named,
    parameter_ranges,
    plain,
    real,
    reserve_starts,
    text,
    whole,
)
from inverse_rational_control.config.foraging import WorldSection
from inverse_rational_control.config.section import Allowed, Section, key

__all__ = ["PopulationSection"]

Ranges = parameter_ranges("lowest and highest drawn")
Levels, StandardErrors = different(Level), real(gt=0, le=5)
Margin = real(gt=0, lt=1)


class SlowAgent(Section):
    """An agent by itself, whose two cue probabilities are 0.5: cues tell it nothing."""

    appearance_rate_1: Probability = key(..., "gamma_1", "1/step")
    appearance_rate_2: Probability = key(..., "gamma_2", "1/step")
    disappearance_rate_1: Probability = key(..., "epsilon_1", "1/step")
    disappearance_rate_2: Probability = key(..., "epsilon_2", "1/step")
    grooming_reward: Real = key(..., "r_g", "reward")
    travel_cost: Real = key(..., "c_t", "reward")
    push_cost: Real = key(..., "c_p", "reward")
    temperature: Positive = key(..., "tau", "reward")


_KEYS = f"the keys {', '.join(SlowAgent.model_fields)}"
SlowAgents = named(
    text(r"[A-Za-z0-9_]+", "letters, digits and _"),
    plain(SlowAgent, Allowed(f"a section with {_KEYS}")),
    f"a section of named sections, each with {_KEYS}",
)
_SLOW = tuple(SlowAgent.model_fields)


class PopulationBounds(Section):
    """Bounds that the study's results are judged against."""

    coverage_standard_errors: StandardErrors = key(
        3.0,
        "largest distance of the coverage of each level's intervals, over all agents, from that level, "
        "in standard errors clustered by agent",
        "standard errors",
    )
    likelihood_share_minimum: Share = key(
        0.99,
        "least share of agents whose fit ends at a likelihood not below that of the true parameters",
        "share",
    )
    bias_maximum: real(gt=0, le=0.5) = key(
        0.25,
        "largest mean over agents of any parameter's error by its standard error, after "
        "`bias_standard_errors` are taken off",
        "standard errors",
    )
    bias_standard_errors: StandardErrors = key(
        2.0, "standard errors of that mean that are taken off", "standard errors"
    )
    own_truth_margin: Margin = key(
        0.05,
        "least difference between an estimate's rank correlation with its own truth and with any other "
        "parameter's",
        "1",
    )
    profile_tolerance: real(gt=0, le=1) = key(
        0.1,
        "by how much twice the fall of a profile at the truth may exceed that of the likelihood there",
        "nats",
    )
    missed_maxima_maximum: whole(ge=0, le=100_000) = key(
        0, "most agents searched again whose reported maximum is missed", "agents"
    )
    missed_nats: real(gt=0, le=0.1) = key(
        0.01, "a maximum is missed if another search ends higher by more than this", "nats"
    )
    slow_reached_minimum: real(ge=0.5, le=1) = key(
        0.9,
        "least share of starts that end within missed_nats of each slow agent's highest",
        "share",
    )


class PopulationSection(Section):
    """Recovery, coverage and the fixed points of plans, over agents."""

    enabled: Flag = key(True, "whether the study is part of the run")
    n_agents: whole(ge=2, le=100_000) = key(100, "agents drawn", "agents")
    n_steps: Steps = key(5000, "steps of each agent's record", "steps")
    n_starts: Count = key(2, "starts of each fit", "starts")
    n_reserve_starts: NonNegativeCount = reserve_starts(10)
    batch_size: Count = key(10, "agents handled by one job", "agents")
    ranges: Ranges = key(
        {
            "appearance_rate_1": (0.05, 0.4),
            "appearance_rate_2": (0.05, 0.4),
            "disappearance_rate_1": (0.02, 0.2),
            "disappearance_rate_2": (0.02, 0.2),
            "cue_probability_present": (0.25, 0.45),
            "cue_probability_absent": (0.55, 0.75),
            "grooming_reward": (0.0, 0.4),
            "travel_cost": (0.05, 0.4),
            "push_cost": (0.1, 0.5),
            "temperature": (0.1, 0.4),
        },
        "range of each parameter from which the agents are drawn, [low, high]",
    )
    interval_levels: Levels = key(
        (0.5, 0.8, 0.95), "levels of the intervals whose coverage is counted", "probability"
    )
    n_planner_starts: NonNegativeCount = key(
        16, "random starts of the search for further fixed points of each agent's plan", "starts"
    )
    search_again_share: Share = key(
        0.1, "share of agents, drawn, whose maximum is searched once more, independently", "share"
    )
    n_search_again_starts: Count = key(20, "starts of that search", "starts")
    slow_agents: SlowAgents = key(
        {
            "camping": dict(
                zip(_SLOW, (0.07, 0.04, 0.005, 0.005, 0.0, 0.5, 0.3, 0.05), strict=True)
            ),
            "restless": dict(
                zip(_SLOW, (0.07, 0.04, 0.02, 0.02, -0.2, 0.4, 0.3, 0.1), strict=True)
            ),
            "doubtful": dict(
                zip(_SLOW, (0.03, 0.02, 0.005, 0.005, 0.0, 0.6, 0.4, 0.06), strict=True)
            ),
        },
        "slow agents by name, as animals in steps of a second are; their cue probabilities are held at "
        "0.5, and their fits are searched again",
    )
    slow_world: WorldSection = key(
        WorldSection(
            appearance_rate_1=0.067,
            appearance_rate_2=0.04,
            disappearance_rate_1=0.001,
            disappearance_rate_2=0.001,
            cue_probability_present=0.5,
            cue_probability_absent=0.5,
        ),
        "the world of the slow agents",
    )
    n_slow_steps: Steps = key(13_000, "steps of each slow agent's record", "steps")
    n_slow_starts: NonNegativeCount = key(
        0, "independent starts on each slow agent's record; 0 leaves these agents out", "starts"
    )
    check: PopulationBounds = key(
        PopulationBounds(), "bounds that the study's results are judged against"
    )
