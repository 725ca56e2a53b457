"""Per second and per step: what a step's width makes of rates, discount and diffusion.

Source: docs/model.md section 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "axis_of_time",
    "diffusion_per_second",
    "diffusion_per_step",
    "discount_per_step",
    "horizon",
    "rate_per_second",
    "rate_per_step",
]


def axis_of_time(attributes: Mapping[str, Any]) -> tuple[float, str]:
    """How long a step is on an axis of time, and the axis' unit: seconds where they are known.

    Parameters
    ----------
    attributes : mapping
        Of a dataset: its step_width (seconds), or its task (JSON), which may state one.
    """
    width = attributes.get("step_width")
    if width is None:
        width = json.loads(attributes.get("task") or "{}").get("step_width")
    return (1, "step") if width is None else (float(width), "s")


def rate_per_step(rate, step_width: float):
    """Probability of an event within a step of `step_width` seconds, of its rate per second."""
    return -np.expm1(-np.asarray(rate, dtype=float) * step_width)


def rate_per_second(probability, step_width: float):
    """Rate per second of an event with this probability per step; inverse of `rate_per_step`."""
    return -np.log1p(-np.asarray(probability, dtype=float)) / step_width


def discount_per_step(horizon: float, step_width: float) -> float:
    """Discount per step with which reward is worth 1/e after `horizon` seconds."""
    return math.exp(-step_width / horizon)


def horizon(discount: float, step_width: float) -> float:
    """Seconds after which reward is worth 1/e; inverse of `discount_per_step`."""
    return -step_width / math.log(discount)


def diffusion_per_step(diffusion: float, step_width: float) -> float:
    """Diffusion of a belief step, of that of one second: variances add up."""
    return diffusion * math.sqrt(step_width)


def diffusion_per_second(diffusion: float, step_width: float) -> float:
    """Diffusion of one second, belief per root second; inverse of `diffusion_per_step`."""
    return diffusion / math.sqrt(step_width)
