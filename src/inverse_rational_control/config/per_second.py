"""What a configuration states per second, as what it is per step (docs/model.md section 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inverse_rational_control import seconds

__all__ = ["in_steps", "rates_in_steps"]

RATES = ("appearance_rate_1", "appearance_rate_2", "disappearance_rate_1", "disappearance_rate_2")


def in_steps(config: Mapping[str, Any]) -> dict[str, Any]:
    """A checked configuration with horizon, diffusion and rates per step; the same if all are.

    The keys for what is stated per second are null or false in the result.
    """
    task = dict(config["task"])
    width, per_second = task["step_width"], task["rates_per_second"]
    if width is None:
        return dict(config)
    horizon, diffusion = task["horizon"], task["diffusion_per_second"]
    if horizon is not None:
        task["discount"] = seconds.discount_per_step(horizon, width)
    if diffusion is not None:
        task["diffusion"] = seconds.diffusion_per_step(diffusion, width)
    task |= {"horizon": None, "diffusion_per_second": None, "rates_per_second": False}
    return (rates_in_steps(config, width) if per_second else dict(config)) | {"task": task}


def rates_in_steps(section: Mapping[str, Any], step_width: float) -> dict[str, Any]:
    """Turn every rate in a section, at any depth, a number or a range, into one per step."""

    def turned(name: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return rates_in_steps(value, step_width)
        if name in RATES and isinstance(value, int | float):
            return float(seconds.rate_per_step(value, step_width))
        if name in RATES and isinstance(value, list | tuple):
            return [turned(name, end) for end in value]
        return value

    return {name: turned(name, value) for name, value in section.items()}
