"""Reduced models and others beside the full one, Figure 10: section `alternatives`."""

from __future__ import annotations

from inverse_rational_control.alternative_models import BASELINES, FULL
from inverse_rational_control.config.fields import (
    AtLeastTwo,
    Count,
    Flag,
    Limit,
    NonNegativeCount,
    Steps,
    choice,
    different,
    name_except,
    named,
    plain,
    real,
    reserve_starts,
    several,
    whole,
)
from inverse_rational_control.config.section import Allowed, Section, key
from inverse_rational_control.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS

__all__ = ["AlternativesSection"]

OfWorld = choice(*(parameter.name for parameter in WORLD_PARAMETERS))
OfAgent = choice(*(parameter.name for parameter in AGENT_PARAMETERS))
HeldAtWorld, HeldAtAgent = different(OfWorld), different(OfAgent)
Groups = several(different(OfAgent, at_least=2))


class ReducedModel(Section):
    """A model with fewer free parameters; only the keys that are given count."""

    from_world: HeldAtWorld = key((), "parameters held at the world's values")
    from_agent: HeldAtAgent = key((), "parameters held at the agent's values times factor")
    factor: real(ge=1e-3, le=1000) = key(1.0, "by which the agent's values are wrong", "1")
    tied: Groups = key((), "groups of parameters that share one value")


_KEYS = f"any of the keys {', '.join(ReducedModel.model_fields)}"
Models = named(
    name_except(FULL, *BASELINES),
    plain(ReducedModel, Allowed(f"a section with {_KEYS}")),
    f"a section of named sections, each with {_KEYS}",
)
Doublings = whole(ge=1, le=20)
# Beyond these limits a bound means nothing: wrong programs meet it.
StandardErrors, Nested, ChanceLevel = real(ge=2, le=5), real(gt=0, le=0.1), real(gt=0, le=0.05)
Majority, MissedShare = real(ge=0.5, le=1), real(ge=0, le=0.25)


class AlternativesBounds(Section):
    """Bounds that the study's results are judged against."""

    standard_errors: StandardErrors = key(
        3.0,
        "how many standard errors over pairs a mean held-out difference may be from what theory says "
        "of a true model, and must be from it for a wrong one",
        "standard errors",
    )
    asymptotic_from: Steps = key(
        5000, "shortest records that criteria from the theory of long records judge", "steps"
    )
    nested_tolerance: Nested = key(
        0.01,
        "largest log-likelihood that the full model's own starts may miss on the paired records, "
        "and by which a reduced model may end above it",
        "nats",
    )
    chance_level: ChanceLevel = key(
        0.01,
        "probability with which choosing at random may recover as many records of any model as are "
        "demanded",
        "probability",
    )
    family_wise_level: ChanceLevel = key(
        1e-3,
        "probability that BIC, working as in theory, gives more records of a reduced model to the "
        "full one than are allowed",
        "probability",
    )
    settled_share_minimum: Majority = key(
        0.9,
        "least share of the fits to the paired records, and to those of the model recovery by the "
        "model that made them, that ended converged or at a bound",
        "share",
    )
    missed_share_maximum: MissedShare = key(
        0.1,
        "largest share of the model recovery's records on which the full model's own starts miss "
        "more than nested_tolerance",
        "share",
    )


class AlternativesSection(Section):
    """Held-out likelihood, model recovery and brute-force search."""

    enabled: Flag = key(True, "whether the study is part of the run")
    models: Models = key(
        {
            "reward_only": {"from_world": tuple(parameter.name for parameter in WORLD_PARAMETERS)},
            "dynamics_only": {"from_agent": ("grooming_reward", "travel_cost", "push_cost")},
            "dynamics_only_wrong": {
                "from_agent": ("grooming_reward", "travel_cost", "push_cost"),
                "factor": 1.5,
            },
            "equal_boxes": {
                "tied": (
                    ("appearance_rate_1", "appearance_rate_2"),
                    ("disappearance_rate_1", "disappearance_rate_2"),
                )
            },
        },
        "reduced models by name: parameters held at the world's values, held at the agent's values "
        "times a factor, or tied in groups; all others are free",
    )
    memoryless_ridge: real(ge=1e-8, le=10**8) = key(
        0.01,
        "inverse variance of the Gaussian prior of the memoryless model's coefficients, for "
        "actions never taken in a situation",
        "1",
    )
    n_starts: Count = key(2, "starts of each fit", "starts")
    n_reserve_starts: NonNegativeCount = reserve_starts(0)
    max_evaluations: Limit = key(
        150,
        "limit of likelihood evaluations per start, in place of fitting.max_evaluations",
        "evaluations",
    )
    n_evidence_draws: whole(ge=100, le=100_000) = key(
        300,
        "draws of importance sampling around the posterior's mode that give each model's evidence",
        "draws",
    )
    batch_size: Count = key(
        5, "pairs of records, or records of the model recovery, handled by one job", "records"
    )
    n_pairs: AtLeastTwo = key(
        10, "pairs of records of the agent, one to fit and one held out", "pairs"
    )
    n_steps: Steps = key(5000, "steps of each of these records", "steps")
    n_replicates: Count = key(
        20,
        "records of the model recovery per generating model, each of another agent drawn over "
        "population.ranges",
        "records",
    )
    recovery_steps: Steps = key(5000, "steps of each record of the model recovery", "steps")
    search_doublings: Doublings = key(
        12, "brute-force search evaluates the likelihood at two to this power points", "1"
    )
    check: AlternativesBounds = key(
        AlternativesBounds(), "bounds that the study's results are judged against"
    )
