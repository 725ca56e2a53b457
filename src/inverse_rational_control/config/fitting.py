"""How to fit: the section `fitting` of the configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from inverse_rational_control.parameters import AGENT_PARAMETERS

__all__ = ["EMSettings", "FitSettings"]


class EMSettings(BaseModel):
    """Of EM, as in the paper, and of its extrapolation SQUAREM."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_iterations: int = 1500
    ascent_steps: int = 5
    tolerance: float = 1e-3


class FitSettings(BaseModel):
    """Of every fit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: Literal["quasi_newton", "em", "squarem"] = "quasi_newton"
    candidates_per_start: int = 8
    start_ranges: dict[str, tuple[float, float]] = dict(
        zip(
            [parameter.name for parameter in AGENT_PARAMETERS],
            [
                *[(0.05, 0.5)] * 2,
                *[(0.02, 0.3)] * 2,
                (0.25, 0.5),
                (0.5, 0.75),
                (0.0, 0.5),
                (0.05, 0.5),
                (0.1, 0.6),
                (0.1, 0.5),
            ],
            strict=True,
        )
    )
    tolerance: float = 1e-6
    max_evaluations: int = 400
    warm_up_iterations: int = 3
    em: EMSettings = EMSettings()
    confidence_level: float = 0.95
    difference_step: float = 1e-3
