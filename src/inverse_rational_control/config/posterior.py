"""What is thought before and after a record is seen: sections `prior` and `posterior`."""

from __future__ import annotations

from functools import partial

from inverse_rational_control.config.fields import (
    Flag,
    Level,
    Limit,
    choice,
    pair_or,
    parameter_ranges,
    real,
    some_ranges,
    whole,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["PRIOR", "PosteriorSettings", "PriorIntervals", "Sampler", "SomePrior"]

Sampler = choice("nuts", "importance", "auto")
_EXTRA_PRIOR = {
    "lapse": (0.002, 0.3),
    "perseveration": (-2.0, 4.0),
    "diffusion_bins": (0.15, 2.0),
    "discount": (0.4, 0.999),
}
_MEANING, _INTERVAL = "central 95 % interval of the prior of", partial(pair_or, "flat")
PriorIntervals = parameter_ranges(_MEANING, _INTERVAL, _EXTRA_PRIOR)
#: What differs from that: of an animal, or from Python.
SomePrior = some_ranges("prior", _MEANING, _INTERVAL)

#: Weak, for plausible foragers.
PRIOR = {
    "appearance_rate_1": (0.01, 0.6),
    "appearance_rate_2": (0.01, 0.6),
    "disappearance_rate_1": (0.01, 0.6),
    "disappearance_rate_2": (0.01, 0.6),
    "cue_probability_present": (0.1, 0.6),
    "cue_probability_absent": (0.4, 0.9),
    "grooming_reward": (-0.2, 0.8),
    "travel_cost": (0.0, 0.8),
    "push_cost": (0.0, 0.8),
    "temperature": (0.05, 0.8),
    **_EXTRA_PRIOR,
}


class PosteriorSettings(Section):
    """How the posterior is drawn from; `PosteriorSettings()` are the paper's settings."""

    paper: Flag = key(True, "whether the posterior of the paper's agent is drawn from")
    animals: Flag = key(True, "whether the posteriors of one's own animals are")
    sampler: Sampler = key(
        "nuts",
        "nuts draws by the No-U-Turn Sampler; importance by importance sampling; auto by "
        "importance sampling where its k-hat and effective sample allow it, else by NUTS",
    )
    n_chains: whole(ge=2, le=64) = key(4, "chains, from dispersed starts", "chains")
    n_tune: whole(ge=50, le=100_000) = key(
        60, "draws of each chain that tune the sampler and are left out", "draws"
    )
    n_draws: whole(ge=50, le=100_000) = key(
        900,
        "draws of each chain that are kept at most; first 300, then 150 at a time until all criteria of "
        "`converged` are met",
        "draws",
    )
    max_tree_depth: whole(ge=1, le=12) = key(
        7, "a draw doubles its path at most so many times", "doublings"
    )
    target_acceptance: real(ge=0.5, lt=1) = key(
        0.7, "mean acceptance that the step size is tuned to", "probability"
    )
    max_evaluations: Limit = key(
        200_000, "limit of gradients over all chains; what is left then is not drawn", "E-steps"
    )
    n_importance_draws: whole(ge=100, le=1_000_000) = key(
        1000, "draws of a round of importance sampling, which also gives the evidence", "draws"
    )
    n_importance_rounds: whole(ge=1, le=20) = key(
        6, "rounds at most, each proposing by what the rounds before found", "rounds"
    )
    interval_level: Level = key(
        0.95, "level of the central intervals that are reported", "probability"
    )
    n_carried: whole(ge=2, le=10_000) = key(
        200,
        "draws, evenly spaced over all, that decoding, resimulation and value functions are made with",
        "draws",
    )
    r_hat_maximum: real(ge=1.001, le=1.05) = key(
        1.01, "largest R-hat with which draws count as converged", "1"
    )
    ess_minimum: real(ge=10, le=10**7) = key(
        400.0,
        "least effective sample, of bulk and tails, with which draws count as converged",
        "draws",
    )
