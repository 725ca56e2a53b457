"""Many records of one agent, fitted at several lengths, Figure 6: section `recovery`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import model_validator

from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.fields import (
    Count,
    NonNegativeCount,
    Steps,
    different,
    real,
    reserve_starts,
    whole,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["RecoverySection", "long_batch_size"]

Lengths = different(Steps, ascending=True)
Precisions = different(real(ge=1e-6, lt=1), ascending=True)


#: Steps of all records of a job, where records are fitted at long lengths too.
_STEPS_TOGETHER = 2_000_000


def long_batch_size(recovery: Mapping[str, Any]) -> int:
    """Records of one job, of those fitted at long lengths too: fewer where they are very long."""
    return max(1, min(recovery["batch_size"], _STEPS_TOGETHER // max(recovery["n_steps"])))


class RecoverySection(Section):
    """How error shrinks with the length of the record."""

    n_seeds: whole(ge=2, le=100_000) = key(200, "simulated records, one per seed", "records")
    n_steps: Lengths = key(
        (500, 1000, 2000, 5000, 10000, 20000),
        "lengths of the records; shorter ones are the beginnings of the longest",
        "steps",
    )
    long_from: Steps = key(
        10000, "length from which only the first n_seeds_long records are fitted", "steps"
    )
    n_seeds_long: whole(ge=2, le=100_000) = key(
        20,
        "records that are fitted at long lengths too; they also give the expected information at "
        "every length",
        "records",
    )
    n_starts: Count = key(2, "starts of each fit", "starts")
    n_reserve_starts: NonNegativeCount = reserve_starts(4)
    batch_size: Count = key(20, "records handled by one job", "records")
    slope_from: Steps = key(
        2000, "shortest length used for the slope of error against length", "steps"
    )
    precisions: Precisions = key(
        (0.1, 0.2, 0.5),
        "wanted precisions for the table of steps needed: half widths of the interval by the true value",
        "1",
    )

    @model_validator(mode="after")
    def _judge_between_keys(self):
        long_enough = sum(n >= self.slope_from for n in self.n_steps)
        if long_enough < 2:
            raise ConfigError(
                f"slope_from: found {self.slope_from}, which leaves {long_enough} of recovery.n_steps "
                f"{list(self.n_steps)}, allowed: a length that at least 2 of them reach (a slope needs "
                "two lengths)"
            )
        if self.n_seeds_long > self.n_seeds:
            raise ConfigError(
                f"n_seeds_long: found {self.n_seeds_long}, allowed: at most recovery.n_seeds "
                f"{self.n_seeds}"
            )
        return self
