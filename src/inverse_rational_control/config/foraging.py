"""The task, the world and the agent that forages in it: sections `task`, `world` and `agent`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, model_validator

from inverse_rational_control.config.errors import ConfigError
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
    real,
)
from inverse_rational_control.config.section import Allowed, Section, key
from inverse_rational_control.task import GROOMING_OPTIONS, TRAVEL_OPTIONS, Task

__all__ = ["AgentSection", "TaskSection", "WorldSection"]

Diffusion = optional(StepDiffusion)
Lapse, OwnDiscount = optional(Probability), optional(Discount)
Perseveration = optional(Real)
Grooming = choice(*GROOMING_OPTIONS)


def _one_of(*kinds: type, words: str) -> Any:
    """Type of what `Task` judges itself, once it is of one of these kinds."""

    def checked(value: Any) -> Any:
        if not isinstance(value, kinds):
            raise ValueError(words)
        return value

    return Annotated[Any, AfterValidator(checked), Allowed(words)]


Travel = _one_of(
    str,
    dict,
    words=f"{', '.join(TRAVEL_OPTIONS)}, or lines `place: {{target: place}}` or `place: {{target: "
    "{place: probability}}`; places are middle, box_1, box_2",
)
Actions = _one_of(
    dict,
    type(None),
    words="null or lines `place: [actions]`; actions are stay, go_to_middle, go_to_box_1, "
    "go_to_box_2, push",
)
Seconds = optional(Positive)
Horizon = optional(real(ge=1e-3, le=1e7))
CueShare = real(ge=1e-6, le=1)
_LONGEST_HORIZON = 99_999  # steps, as of the discount


class TaskSection(Section):
    """What is fixed about the task and its discretization; arguments of `Task`."""

    n_bins: Bins = key(10, "N, the belief bins per box", "bins")
    n_cues: Colors = key(5, "C, the number of cue colors; 1 means that there are no cues", "colors")
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
    travel: Travel = key(
        "through_middle",
        "where a go leads: between the boxes by way of the middle, as in the paper, directly, or by a "
        "table; what a table leaves out is as in the paper",
    )
    available_actions: Actions = key(
        None, "actions by place, where not all are available; null for no restriction"
    )
    cue_share: CueShare = key(
        1.0, "share of the steps at which a box shows a cue; at the others it shows nothing", "1"
    )
    step_width: Seconds = key(
        None, "how long a step is; with it, results state rates per second too", "s"
    )
    horizon: Horizon = key(
        None,
        "time after which reward is worth 1/e, in place of discount, which is then "
        "exp(-step_width / horizon)",
        "s",
    )
    diffusion_per_second: Seconds = key(
        None,
        "diffusion of a second, in place of diffusion, which is then this times the root of step_width",
        "belief/s^0.5",
    )
    rates_per_second: Flag = key(
        False,
        "if true, all rates of the configuration (appearance_rate_1 and so on, wherever they stand) are "
        "per second: per step they are 1 - exp(-rate step_width)",
    )

    @model_validator(mode="after")
    def _judge_as_a_task(self):
        try:
            Task(**self.model_dump(exclude={"rates_per_second"}))
        except ValueError as error:
            raise ConfigError(str(error).removeprefix("task.")) from None
        if self.horizon is not None and self.horizon > _LONGEST_HORIZON * self.step_width:
            raise ConfigError(
                f"horizon: found {self.horizon:g}, allowed: at most {_LONGEST_HORIZON} times step_width"
            )
        if self.rates_per_second and self.step_width is None:
            raise ConfigError("rates_per_second: found true without step_width, allowed: with it")
        return self


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
