"""A recording like a laboratory's: two subjects, three sessions each, in seconds, by simulation.

Its clock jitters, rewards come late, and the second sessions have a gap in tracking. What really
happened, step by step, is kept beside it, to compare with what is inferred:

    python examples/record_events.py FOLDER

writes FOLDER/events.csv and FOLDER/truth.csv.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

import inverse_rational_control as irc

STEP_WIDTH = 1.0  # s
N_SESSIONS = 3
#: At these boxes nobody can push in the middle.
TASK = irc.Task(restricted_actions=True)
SUBJECTS = {
    "Ada": irc.Agent(),
    "Bo 2": irc.Agent(push_cost=0.2, travel_cost=0.25, grooming_reward=0.15),
}
#: Share of the step at which things happen, and how far into a step its cues change.
ACTION_TIMES, CUE_JITTER = (0.55, 0.95), 0.2
#: How long after the push food is delivered, s: mostly within the step after it, sometimes later.
DELIVERY, LATE_SHARE, LATE = (0.1, 0.4), 0.1, (1.5, 2.5)
_GAP = (0.3, 0.45)  # of the second session, shares of its length


def events_of(record: irc.Record, rng: np.random.Generator, gap: range = range(0)) -> list[tuple]:
    """What a recorder logs of a record: rows of time, event, box, value.

    Parameters
    ----------
    record : Record
        One session.
    rng : numpy.random.Generator
        Of the jitter.
    gap : range
        Steps during which nothing is logged; what is shown then is logged anew.
    """
    rows, n_steps = [(0.0, "start", "", "")], record.n_steps
    shown, place = {1: None, 2: None}, None
    for step in range(n_steps):
        begin = step * STEP_WIDTH
        if step in gap:
            shown, place = {1: None, 2: None}, None
            continue
        if place is None:
            place = int(record.location[step])
            rows.append((begin, "enter", place, ""))
        for box in (1, 2):
            color = int(record.cue[step, box - 1])
            if color != shown[box]:
                late = rng.uniform(0.0, CUE_JITTER) * (step > 0)
                rows.append((begin + late * STEP_WIDTH, "cue", box, color))
                shown[box] = color
        if step + 1 == n_steps or step + 1 in gap:
            continue
        moment = begin + rng.uniform(*ACTION_TIMES) * STEP_WIDTH
        there = int(record.location[step + 1])
        if record.action[step] == 4:
            rows.append((moment, "push", place, ""))
            if record.reward[step + 1]:
                is_late = rng.uniform() < LATE_SHARE
                rows.append(
                    (moment + rng.uniform(*(LATE if is_late else DELIVERY)), "reward", place, "")
                )
        if there != place:
            rows.append(
                (moment, "leave", place, "") if there == 0 else (moment, "enter", there, "")
            )
            place = there
    rows.append((n_steps * STEP_WIDTH, "stop", "", ""))
    return sorted(rows, key=lambda row: row[0])


def main(folder: str = "examples", n_steps: int = 1000, seed: int = 5) -> None:
    """Write the recording and the truth into a folder."""
    events, truth = [], []
    for number, (subject, agent) in enumerate(SUBJECTS.items()):
        for session in range(N_SESSIONS):
            name = f"day {session + 1}"
            seeded = 1000 * seed + 10 * number + session
            made = irc.simulate(agent, irc.World(), n_steps, TASK, seeded)
            rng = np.random.default_rng([seed, number, session])
            gap = range(*(int(share * n_steps) for share in _GAP)) if session == 1 else range(0)
            for time, event, box, value in events_of(made, rng, gap):
                events.append((subject, name, f"{time:.3f}", event, box, value))
            bins = made.belief_bin
            truth += [(subject, name, step, *bins[step]) for step in range(n_steps)]
    for name, header, rows in (
        ("events", ("subject", "session", "time", "event", "box", "value"), events),
        ("truth", ("subject", "session", "step", "belief_bin_1", "belief_bin_2"), truth),
    ):
        with open(Path(folder) / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    main(*sys.argv[1:2])
