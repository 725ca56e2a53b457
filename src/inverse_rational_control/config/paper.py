"""The paper's single example, Figures 1 to 5: sections `paper`, `surface`, `resimulation`, `figures`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    AtLeastTwo,
    Count,
    NonNegativeCount,
    Steps,
    reserve_starts,
    whole,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["FiguresSection", "PaperSection", "ResimulationSection", "SurfaceSection"]


class PaperSection(Section):
    """One long record of the agent, and its fit."""

    n_steps: Steps = key(5000, "steps of the simulated record", "steps")
    n_starts: Count = key(4, "starts of the fit", "starts")
    n_reserve_starts: NonNegativeCount = reserve_starts(4)


class SurfaceSection(Section):
    """The log-likelihood over a plane of parameters."""

    n_points: whole(ge=2, le=501) = key(31, "grid points per axis", "points")


class ResimulationSection(Section):
    """Agents simulated with the inferred parameters."""

    n_replicates: whole(ge=2, le=1_000_000) = key(
        1000,
        "simulations of the inferred agent, and of the agent of the null distribution",
        "replicates",
    )


class FiguresSection(Section):
    """The stretch of the record that figures show step by step."""

    example_start: whole(ge=0, le=10**7) = key(
        200, "first step of the stretch shown in Figures 2 and 4A", "step"
    )
    example_steps: AtLeastTwo = key(80, "length of that stretch", "steps")
