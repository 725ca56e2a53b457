"""How much is measured, and what was found: handed from study to study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.measure import Measurement

__all__ = ["QUICK", "Findings", "Sizes"]


@dataclass(frozen=True)
class Sizes:
    """How much is measured; the defaults are those of the targets."""

    n_steps: int = 5000
    n_bins: int = 10
    repetitions: int = 31
    squares: Sequence[int] = (250, 500, 1000, 2000)  # matrices whose product gives the core's rate
    e_step_bins: Sequence[int] = (10, 16, 20, 32)
    product_repetitions: int = 15
    n_agents: int = 100
    n_fits: int = 16
    bins: Sequence[int] = (10, 14, 20, 28, 40)
    n_agents_by_bins: int = 15
    steps: Sequence[int] = (10_000, 30_000, 100_000, 300_000, 1_000_000)
    scaling_repetitions: int = 7
    peer_repetitions: int = 5
    longest: int = 10_000_000
    long_fit: int = 1_000_000
    n_scripts: int | None = None
    records: Sequence[int] = (4, 8, 16, 32)
    record_steps: int = 500
    job_factors: Sequence[int] = (1, 4, 10, 23)
    job_target: str = "all"


#: Sizes at which everything is run, and nothing is learnt.
QUICK = Sizes(
    n_steps=200,
    n_bins=4,
    repetitions=2,
    squares=(10, 20),
    e_step_bins=(4, 5),
    product_repetitions=1,
    n_agents=2,
    n_fits=1,
    bins=(4, 5),
    n_agents_by_bins=1,
    steps=(200, 400),
    scaling_repetitions=1,
    peer_repetitions=1,
    longest=400,
    long_fit=400,
    n_scripts=1,
    records=(1, 2),
    record_steps=200,
    job_factors=(1, 2),
    job_target="paper",
)


@dataclass
class Findings:
    """What all studies found.

    Attributes
    ----------
    rows : list of Measurement
        Of the table.
    points : list of dict
        Of the figure: panel, series, x, seconds.
    multiply_adds_per_second : float
        Of the matrix product, NaN until it was measured.
    """

    rows: list[Measurement] = field(default_factory=list)
    points: list[dict] = field(default_factory=list)
    multiply_adds_per_second: float = np.nan

    def draw(self, panel: str, series: str, x: Sequence[float], values: Sequence[float]) -> None:
        """Add points to the figure."""
        self.points += [
            {"panel": panel, "series": series, "x": float(at), "seconds": float(value)}
            for at, value in zip(x, values, strict=True)
        ]
