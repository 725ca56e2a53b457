"""The task, the world and the agent that forages in it: sections `task`, `world` and `agent`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    Bins,
    Colors,
    Discount,
    Flag,
    Positive,
    Probability,
    Real,
    StepDiffusion,
    choice,
    optional,
)
from inverse_rational_control.config.section import Section, key
from inverse_rational_control.task import GROOMING_OPTIONS

__all__ = ["AgentSection", "TaskSection", "WorldSection"]

Diffusion = optional(StepDiffusion)
Lapse, OwnDiscount = optional(Probability), optional(Discount)
Perseveration = optional(Real)
Grooming = choice(*GROOMING_OPTIONS)


class TaskSection(Section):
    """What is fixed about the task and its discretization; arguments of `Task`."""

    n_bins: Bins = key(10, "N, the belief bins per box", "bins")
    n_cues: Colors = key(5, "C, the number of cue colors", "colors")
    diffusion: Diffusion = key(
        None, "sigma, the diffusion of the belief step; null means half a bin, 1/(2N)", "belief"
    )
    discount: Discount = key(0.99, "discount of future reward per step", "1")
    grooming: Grooming = key(
        "waiting",
        "which actions earn the grooming reward: staying in the middle (waiting) or every action "
        "that ends there (presence)",
    )
    restricted_actions: Flag = key(
        False, "if true, pushing in the middle and going to where one already is are not available"
    )


class WorldSection(Section):
    """The true dynamics of the two boxes."""

    appearance_rate_1: Probability = key(
        0.15, "gamma_1, probability per step that food appears in box 1 while it is empty", "1/step"
    )
    appearance_rate_2: Probability = key(
        0.10, "gamma_2, probability per step that food appears in box 2 while it is empty", "1/step"
    )
    disappearance_rate_1: Probability = key(
        0.05, "epsilon_1, probability per step that food vanishes from box 1", "1/step"
    )
    disappearance_rate_2: Probability = key(
        0.04, "epsilon_2, probability per step that food vanishes from box 2", "1/step"
    )
    cue_probability_present: Probability = key(
        0.4, "q_1, binomial probability of the cue while food is present", "1"
    )
    cue_probability_absent: Probability = key(
        0.6, "q_2, binomial probability of the cue while food is absent", "1"
    )


class AgentSection(Section):
    """The simulated agent: what it believes of the world, what it likes and what it pays."""

    appearance_rate_1: Probability = key(
        0.2, "gamma_1 of the world as the agent believes it", "1/step"
    )
    appearance_rate_2: Probability = key(
        0.15, "gamma_2 of the world as the agent believes it", "1/step"
    )
    disappearance_rate_1: Probability = key(
        0.1, "epsilon_1 of the world as the agent believes it", "1/step"
    )
    disappearance_rate_2: Probability = key(
        0.08, "epsilon_2 of the world as the agent believes it", "1/step"
    )
    cue_probability_present: Probability = key(
        0.42, "q_1 of the world as the agent believes it", "1"
    )
    cue_probability_absent: Probability = key(
        0.66, "q_2 of the world as the agent believes it", "1"
    )
    grooming_reward: Real = key(0.2, "r_g, reward for grooming in the middle", "reward")
    travel_cost: Real = key(0.2, "c_t, cost of one travel step", "reward")
    push_cost: Real = key(0.3, "c_p, cost of pushing the button", "reward")
    temperature: Positive = key(0.2, "tau, softmax temperature of the policy", "reward")
    lapse: Lapse = key(
        None, "lambda, probability of an action at random; null means no such parameter", "1"
    )
    perseveration: Perseveration = key(
        None, "kappa, log odds that the last action gains; null means no such parameter", "1"
    )
    diffusion: Diffusion = key(
        None,
        "sigma of the agent's own, a tenth of a bin or more; null means task.diffusion",
        "belief",
    )
    discount: OwnDiscount = key(
        None, "discount of the agent's own per step; null means task.discount", "1"
    )
