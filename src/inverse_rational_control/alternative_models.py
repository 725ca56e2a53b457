"""Models beside the full one: reduced models of the agent, and baselines without an agent.

A reduced model is a choice in the configuration (`alternatives.models`): parameters held at the world's
own values, parameters held at a multiple of the agent's, groups that share one value; all others are
free.
"""

from __future__ import annotations

from collections.abc import Mapping

from inverse_rational_control.parameter_space import FULL_SPACE, ParameterSpace, parameter_space

__all__ = ["BASELINES", "FULL", "PAPER", "model_space", "model_spaces", "recovered_models"]

#: The model with all ten parameters free; always among the alternatives.
FULL = "full"
#: The same, among descriptions of an animal: the ten parameters, but for what its entry says of them.
PAPER = "paper"
#: Models of another kind, without an agent behind them; always among the alternatives. Each is a module
#: of that name in studies/alternatives, with what `studies.alternatives.baselines` asks of it.
BASELINES = ("memoryless",)


def model_space(
    choice: Mapping, world: Mapping[str, float], agent: Mapping[str, float]
) -> ParameterSpace:
    """Space of a reduced model.

    Parameters
    ----------
    choice : mapping
        Optional keys: `from_world`, names held at the world's values; `from_agent`, names held at the
        agent's values times `factor` (1 if not given); `tied`, groups of names that share one value.
    world, agent : mapping of str to float
        True parameters by name, natural coordinates.

    Raises
    ------
    ValueError
        If a name is unknown, held or tied twice, a held value is out of range, or nothing is left free.
    """
    held = [*choice.get("from_world", ()), *choice.get("from_agent", ())]
    for name in held:
        if held.count(name) > 1:
            raise ValueError(f"parameters: found {name} held twice, allowed: once")
    factor = choice.get("factor", 1.0)
    fixed = {name: world[name] for name in choice.get("from_world", ())}
    fixed |= {name: factor * agent[name] for name in choice.get("from_agent", ())}
    return parameter_space(fixed, choice.get("tied", ()))


def model_spaces(
    models: Mapping[str, Mapping], world: Mapping[str, float], agent: Mapping[str, float]
) -> dict[str, ParameterSpace]:
    """Spaces of the full model, first, and of every reduced model, by name.

    Raises
    ------
    ValueError
        As `model_space`, with the model's name in front.
    """
    spaces = {FULL: FULL_SPACE}
    for name, choice in models.items():
        try:
            spaces[name] = model_space(choice, world, agent)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return spaces


def recovered_models(models: Mapping[str, Mapping]) -> dict[str, Mapping]:
    """Reduced models that take part in the model recovery: those that hold nothing at wrong values.

    What is wrong by a known factor shows what wrong knowledge costs; it is nobody's model.
    """
    return {name: choice for name, choice in models.items() if choice.get("factor", 1.0) == 1.0}
