"""The worked example from Python alone: python examples/tutorial.py (docs/tutorial.md explains it)."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

import inverse_rational_control as irc

# What is known of the task: at these boxes nobody can push in the middle.
TASK = irc.Task(restricted_actions=True)


def beliefs_of(folder: Path, subject: str, **fitting) -> tuple[irc.EventSteps, np.ndarray]:
    """Make steps of one subject's events, fit its parameters, decode its beliefs."""
    layout = irc.Layout(subject="subject", session="session", only_subject=subject)
    steps = irc.read_events(
        folder / "events.csv", 1.0, TASK, layout, reward_window=[0, 3], longest_gap=30
    )
    print(f"--- {subject}: {steps.record.n_steps} steps; what was decided, how often:")
    print(steps.decisions.summary())

    fit = irc.fit(steps.record, TASK, **fitting)
    print(fit.summary())
    return steps, irc.decode(steps.record, fit, TASK).means


def true_beliefs(folder: Path, subject: str, steps: irc.EventSteps) -> np.ndarray:
    """What the simulated subject believed at the same steps, shape (T, 2)."""
    known = {}
    with open(folder / "truth.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            bins = float(row["belief_bin_1"]), float(row["belief_bin_2"])
            known[row["subject"], row["session"], int(row["step"])] = bins
    # A session in several stretches has a number after its name.
    days = [name.removeprefix(f"{subject} ").split(".")[0] for name in steps.session]
    at = [(subject, day, round(time)) for day, time in zip(days, steps.time, strict=True)]
    return (np.array([known[each] for each in at]) + 0.5) / TASK.n_bins


def main(folder: str = "examples", **fitting) -> dict[str, float]:
    """Print what is inferred of both subjects; return how it correlates with what they believed."""
    correlations = {}
    for subject in ("Ada", "Bo 2"):
        steps, means = beliefs_of(Path(folder), subject, **fitting)
        truth = true_beliefs(Path(folder), subject, steps)
        correlations[subject] = float(np.corrcoef(means.ravel(), truth.ravel())[0, 1])
        print(f"correlation of decoded and true beliefs: {correlations[subject]:.3f}\n")
    return correlations


if __name__ == "__main__":
    main(*sys.argv[1:2])
