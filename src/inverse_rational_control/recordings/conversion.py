"""Convert what animals did, in seconds, to steps; write steps and decisions as tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.decisions import Decisions
from inverse_rational_control.recordings.event_log import (
    ENTER,
    LEAVE,
    SAMPLE,
    UNKNOWN,
    Log,
    stretches,
)
from inverse_rational_control.recordings.event_tables import read_logs
from inverse_rational_control.recordings.events import to_steps
from inverse_rational_control.recordings.layout import EVENT_WORDS, Layout
from inverse_rational_control.recordings.problems import SHOWN, Problems, shown_name
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.task import GO_BOX_2, GO_MIDDLE, N_LOCATIONS, PUSH, Task

__all__ = ["Conversion", "convert_events", "write_tables"]


@dataclass(frozen=True)
class Conversion:
    """Steps made of events.

    Attributes
    ----------
    steps : dict of str to ndarray or list, shape (T,)
        Columns session (text), step, time (seconds), location, action, reward, cue_1, cue_2.
    decisions : Decisions
    remarks : tuple of str
    """

    steps: dict[str, np.ndarray | list[str]]
    decisions: Decisions
    remarks: tuple[str, ...]


def convert_events(
    paths: Sequence[str | Path],
    task: Task,
    rules: EventRules | None = None,
    layout: Layout | None = None,
) -> Conversion:
    """Make steps of the files of one animal; docs/recordings.md states the rules.

    Parameters
    ----------
    paths : sequence of str or Path
        Tables with the columns time, event, box and value.
    task : Task
        Its cues, and who can go where.
    rules : EventRules, optional
    layout : Layout, optional

    Raises
    ------
    RecordError
        One line per problem: what cannot be read, and what cannot be decided.
    """
    rules, layout, decisions = rules or EventRules(), layout or Layout(), Decisions()
    lines, remarks, made = [], [], []
    tracked = {}
    if rules.positions is not None:
        problems = Problems(rules.positions)
        tracked = read_logs(
            Path(rules.positions), task, layout, rules, problems, remarks, decisions, True
        )
        lines += problems.lines
    for path in map(Path, paths):
        problems = Problems(path)
        sessions = read_logs(path, task, layout, rules, problems, remarks, decisions, False)
        for name, log in sessions.items() if not problems.count else ():
            log = _merged(log, tracked.pop(name, None), rules, problems)
            parts = [] if problems.count else stretches(log, rules, decisions)
            listed = len(decisions.times["reward_without_push"])
            found = [
                to_steps(part, rules, task.n_cues, _reach(task), decisions, problems)
                for part in parts
            ]
            found = [steps for steps in found if steps["time"].size]
            remarks += _left_out(path, name, decisions.times["reward_without_push"][listed:])
            for number, steps in enumerate(found, 1):
                made.append((name if len(found) == 1 else f"{name}.{number}", steps))
        _judge_lost(problems, decisions, rules, made)
        lines += problems.lines
    if not lines and tracked:
        lines.append(
            f"{rules.positions}: found positions of session {next(iter(tracked))!r}, allowed: of the "
            "sessions of the events"
        )
    if not lines and not made:
        lines.append(f"{paths[0]}: found no steps (place and cues were never known), allowed: some")
    if lines:
        raise RecordError("\n".join(lines))
    lengths = [steps["time"].size for _, steps in made]
    steps = {
        "session": [name for (name, _), n in zip(made, lengths, strict=True) for _ in range(n)],
        "step": np.concatenate([np.arange(n) for n in lengths]),
    }
    steps |= {name: np.concatenate([part[name] for _, part in made]) for name in made[0][1]}
    return Conversion(steps, decisions, tuple(remarks))


def write_tables(conversion: Conversion, steps: str | Path, decisions: str | Path) -> None:
    """Write steps and decisions as CSV, each whole or not at all."""
    columns = {
        name: column if name == "session" else np.round(column, 6)
        for name, column in conversion.steps.items()
    }
    rows = conversion.decisions.rows()
    for path, header, lines in (
        (steps, columns, zip(*(map(str, column) for column in columns.values()), strict=True)),
        (decisions, rows[0], (row.values() for row in rows)),
    ):
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([list(header), *lines])
        write_whole(path, text.getvalue())


def _left_out(path: Path, session: str, times: list[float]) -> list[str]:
    """Say which rewards of a session are not in its steps."""
    said = ", ".join(f"{time:.10g}" for time in times[:SHOWN])
    more = f" and {len(times) - SHOWN} more" * (len(times) > SHOWN)
    return [
        f"{path}: session {shown_name(session)}: rewards without a push, left out "
        f"(events.reward_without_push), at {said} s{more}"
    ] * bool(times)


def _reach(task: Task) -> np.ndarray:
    """Which place can be reached from which within a step, bool (3, 3)."""
    return task.arrives[:, GO_MIDDLE : GO_BOX_2 + 1].any(1) | np.eye(N_LOCATIONS, dtype=bool)


def _merged(events: Log, positions: Log | None, rules: EventRules, problems: Problems) -> Log:
    """Events and positions as one log; of positions only changes of place are arrivals."""
    if positions is None:
        return events
    moved = np.isin(events.event, (ENTER, LEAVE))
    problems.add_at(
        "event",
        np.flatnonzero(moved),
        events.row.__getitem__,
        lambda k: EVENT_WORDS[events.event[k]][0],
        "where the animal is in the table of positions only (events.positions)",
    )
    known = np.flatnonzero(positions.box != UNKNOWN)
    is_same = positions.box[known[1:]] == positions.box[known[:-1]]
    if rules.longest_gap is not None:
        # After a gap in tracking, what is seen is news.
        since = np.maximum.accumulate(
            np.where(_after_gap(positions, rules), positions.time, -np.inf)
        )
        is_same &= since[known[1:]] <= positions.time[known[:-1]]
    again = known[1:][is_same]
    kind = positions.event.copy()
    kind[again] = SAMPLE
    positions = replace(positions, event=kind)
    pairs = zip(positions.__dict__.values(), events.__dict__.values(), strict=True)
    both = Log(*(np.concatenate(pair) for pair in pairs))
    return both.where(np.argsort(both.time, kind="stable"))


def _after_gap(positions: Log, rules: EventRules) -> np.ndarray:
    return np.append(False, np.diff(positions.time) > rules.longest_gap)


def _judge_lost(problems: Problems, decisions: Decisions, rules: EventRules, made: list) -> None:
    lost = decisions.counts["lost_push"]
    pushes = lost + sum(int((steps["action"] == PUSH).sum()) for _, steps in made)
    if lost > rules.lost_share_maximum * pushes:
        problems.say(
            f"{lost} of {pushes} pushes were in visits shorter than a step, allowed: a share of "
            f"{rules.lost_share_maximum:g} (events.lost_share_maximum): a smaller events.step_width"
        )
