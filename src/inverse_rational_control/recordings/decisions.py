"""What a conversion decided, and how often: a table that a person can look at."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["MEANINGS", "Decisions", "remarks_on_decisions"]

_SHOWN = 5  # times shown of each kind
#: What is not in the steps at all: every time is listed, for a person to look at.
_LISTED = ("reward_without_push",)

#: Every kind of decision, in the order of the table.
MEANINGS = {
    "sorted": "rows a little out of order were put in order",
    "sessions": "sessions that were begun: starts, intervals, gaps, or the file's own",
    "gap": "no row for longer than longest_gap: a new session begins",
    "before_known": "steps left out because place or cues were not known yet",
    "outside": "positions in no place: where it was last, or the middle (outside)",
    "left_already": "leaving a box where it was not: no change",
    "between_boxes": "box to box within a step: a step in the middle was put between",
    "short_visit": "visits shorter than a step: left out",
    "heading_box": "moves to the middle that went on to the other box: heading there",
    "heading_middle": "moves to the middle after which no other box was entered in time: heading there",
    "several_pushes": "further pushes in one step: counted once",
    "shifted_push": "pushes in a step with a move: put in the step beside it",
    "lost_push": "pushes in visits shorter than a step: left out",
    "rewards": "rewards that a push brought",
    "late_reward": "rewards later than the step after their push: put there",
    "several_candidates": "rewards with several pushes in their window: credited to the last",
    "several_rewards": "further rewards of one push: counted once",
    "lost_reward": "rewards of pushes left out, or before the first or after the last step: left out",
    "reward_without_push": "rewards without a push in their window: left out, and all listed here",
    "no_cue": "steps at which a box showed nothing (absent): beliefs move by prediction alone",
    "missing_cue": "steps at which a box's cue was not recorded (missing)",
    "several_cues": "further changes of a cue within a step: the last before cues are read",
}


@dataclass
class Decisions:
    """Counts and first times of each kind of decision.

    Attributes
    ----------
    counts : dict of str to int
    times : dict of str to list of float
        The first few, in seconds; of rewards without a push all.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MEANINGS, 0))
    times: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in MEANINGS})

    def note(self, kind: str, times: Iterable[float]) -> None:
        """Count decisions of a kind at some times."""
        times = [float(time) for time in times]
        self.counts[kind] += len(times)
        room = len(times) if kind in _LISTED else max(0, _SHOWN - len(self.times[kind]))
        self.times[kind] += times[:room]

    def rows(self) -> list[dict[str, str | int]]:
        """The table: kind, how often, the first times in seconds, what it means."""
        return [
            {
                "kind": kind,
                "count": self.counts[kind],
                "first_times": " ".join(f"{time:.10g}" for time in self.times[kind]),
                "meaning": meaning,
            }
            for kind, meaning in MEANINGS.items()
        ]

    def summary(self) -> str:
        """What was decided at least once, a line each, for people."""
        return "\n".join(
            f"{count:6d}  {MEANINGS[kind]}" for kind, count in self.counts.items() if count
        )


def remarks_on_decisions(path: str | Path) -> list[str]:
    """What of a written table of decisions a reader of the results should know, in words."""
    with open(path, newline="", encoding="utf-8") as file:
        counts = {row["kind"]: int(row["count"]) for row in csv.DictReader(file)}
    left_out = counts["reward_without_push"]
    if not left_out:
        return []
    return [
        f"{left_out} of {left_out + counts['rewards']} rewards had no push that can have brought them, "
        "and were left out (events.reward_without_push; decisions.csv lists them): beliefs and values "
        "go on there as if nothing had been eaten"
    ]
