"""Read tables of events and positions in seconds, and convert them to steps."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.cells import (
    BAD,
    Reader,
    Sessions,
    only_asked_for,
    places_of,
    read_times,
    unread,
)
from inverse_rational_control.recordings.decisions import Decisions
from inverse_rational_control.recordings.event_log import (
    CUE,
    ENTER,
    LEAVE,
    REWARD,
    SAMPLE,
    UNKNOWN,
    Log,
    stretches,
)
from inverse_rational_control.recordings.events import to_steps
from inverse_rational_control.recordings.layout import EVENT_WORDS, Layout, codes_of
from inverse_rational_control.recordings.problems import Problems, shown_cell
from inverse_rational_control.recordings.tables import TextTable
from inverse_rational_control.storage.atomic import written_whole
from inverse_rational_control.task import BOX_1, BOX_2, DESTINATION, GO_BOX_2, GO_MIDDLE, Task

__all__ = ["Conversion", "convert_events", "write_tables"]

_MOST_STEPS = 20_000_000  # of a session


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
        tracked = _read(
            Path(rules.positions), task, layout, rules, problems, remarks, decisions, True
        )
        lines += problems.lines
    for path in map(Path, paths):
        problems = Problems(path)
        sessions = _read(path, task, layout, rules, problems, remarks, decisions, False)
        for name, log in sessions.items() if not problems.count else ():
            log = _merged(log, tracked.pop(name, None), rules, problems)
            parts = [] if problems.count else stretches(log, rules, decisions)
            found = [
                to_steps(part, rules, task.n_cues, _reach(task), decisions, problems)
                for part in parts
            ]
            found = [steps for steps in found if steps["time"].size]
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
        with (
            written_whole(path) as beside,
            open(beside, "w", newline="", encoding="utf-8") as file,
        ):
            csv.writer(file).writerows([list(header), *lines])


def _reach(task: Task) -> np.ndarray:
    """Which place can be reached from which within a step, bool (3, 3)."""
    reach = np.eye(3, dtype=bool)
    for action in range(GO_MIDDLE, GO_BOX_2 + 1):
        reach[np.arange(3), DESTINATION[:, action]] = True
    return reach


# --- reading --------------------------------------------------------------------------------------


def _read(path, task, layout, rules, problems, remarks, decisions, is_positions) -> dict[str, Log]:
    """What a file logs, by the name of the session."""
    table = TextTable(path, problems)
    needed = ("time", "place") if is_positions else ("time", "event")
    optional = ("session",) if is_positions else ("session", "box", "value")
    if is_positions:
        # Of the layout, only what a table of positions has counts.
        ours = {name: theirs for name, theirs in layout.columns.items() if name in needed}
        layout = replace(layout, columns=ours)
    places = {}
    if table.header:
        places = places_of(table.header, layout, needed, optional, problems)
    if any(name not in places for name in needed):
        return {}
    comma = table.separator != ","
    read = _positions_reader(layout, comma) if is_positions else _events_reader(task, layout, comma)
    sessions, parts = Sessions(layout, places), []
    for piece in table.pieces():
        piece = only_asked_for(piece, layout, places)
        cells = {name: piece.cells[theirs] for name, theirs in places.items()}
        nothing = [""] * len(piece.rows)
        part = {"session": sessions.of(piece, problems), "row": np.array(piece.rows, dtype=int)}
        part["time"] = read_times(cells["time"], piece.rows, problems, comma)
        part |= read(lambda name, c=cells, n=nothing: c.get(name, n), piece.rows, problems)
        parts.append(part)
    remarks += [f"{path}: {said}" for said in (*table.remarks, *unread(table.header, places))]
    if not parts or not sum(part["row"].size for part in parts):
        problems.say("no rows found, allowed: at least one")
        return {}
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    session = columns.pop("session")
    if is_positions:
        outside = columns["box"] == UNKNOWN
        decisions.note("outside", columns["time"][outside])
        if rules.outside == "middle":
            columns["box"][outside] = 0
        columns["event"] = np.where(columns["box"] == UNKNOWN, SAMPLE, ENTER)
    logs = {}
    for number, name in sessions.names.items():
        mine = session == number
        log = Log(*(columns[key][mine] for key in ("time", "event", "box", "value", "row")))
        logs[name] = _ordered(log, rules, decisions, problems)
    return logs


def _positions_reader(layout: Layout, comma: bool):
    reader = Reader("place", codes_of(layout, "place"), 3, comma, empty=UNKNOWN)
    reader.codes.setdefault("outside", UNKNOWN)

    def read(cells, rows, problems):
        place = reader.read(cells("place"), rows, problems)
        return {"box": place, "value": np.full_like(place, UNKNOWN), "event": place}

    return read


def _events_reader(task: Task, layout: Layout, comma: bool):
    event = Reader("event", codes_of(layout, "event"), 0, comma)
    box = Reader("box", codes_of(layout, "box"), 3, comma, empty=UNKNOWN)
    value = Reader("value", codes_of(layout, "cue"), task.n_cues, comma)

    def read(cells, rows, problems):
        kind = event.read(cells("event"), rows, problems)
        where = box.read(cells("box"), rows, problems)
        for kinds, allowed, words in (
            ((ENTER,), (0, BOX_1, BOX_2), "a place: middle, box 1 or box 2"),
            ((CUE,), (BOX_1, BOX_2), "box 1 or box 2"),
            ((REWARD, LEAVE), (UNKNOWN, BOX_1, BOX_2), "box 1, box 2 or empty"),
        ):
            wrong = np.isin(kind, kinds) & ~np.isin(where, (*allowed, BAD))
            problems.add_at(
                "box",
                np.flatnonzero(wrong),
                rows.__getitem__,
                lambda k: f"{shown_cell(cells('box')[k])} of {EVENT_WORDS[kind[k]][0]!r}",
                words,
            )
        color = np.full_like(kind, UNKNOWN)
        shown = np.flatnonzero(kind == CUE)
        color[shown] = value.read(
            [cells("value")[k] for k in shown], [rows[k] for k in shown], problems
        )
        return {"event": kind, "box": where, "value": color}

    return read


# --- one session ----------------------------------------------------------------------------------


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


def _ordered(log: Log, rules: EventRules, decisions: Decisions, problems: Problems) -> Log:
    """Rows in order of time; only what is less than a step out of order is put in order."""
    before = np.maximum.accumulate(log.time)
    back = np.flatnonzero(log.time < before)
    late = log.time[back] < before[back] - rules.step_width
    decisions.note("sorted", log.time[back[~late]])
    problems.add_at(
        "time",
        back[late],
        log.row.__getitem__,
        lambda k: f"{log.time[k]:.10g} after {before[k]:.10g}",
        "not falling within a session by more than a step",
    )
    if log.time.size and np.ptp(log.time) > _MOST_STEPS * rules.step_width:
        last = int(np.argmax(log.time))
        problems.add(
            "time",
            int(log.row[last]),
            f"{log.time[last]:.10g}",
            f"sessions of at most {_MOST_STEPS:,} steps (are these seconds? see events.step_width)",
        )
    return log.where(np.argsort(log.time, kind="stable"))


def _judge_lost(problems: Problems, decisions: Decisions, rules: EventRules, made: list) -> None:
    lost = decisions.counts["lost_push"]
    pushes = lost + sum(int((steps["action"] == 4).sum()) for _, steps in made)
    if lost > rules.lost_share_maximum * pushes:
        problems.say(
            f"{lost} of {pushes} pushes were in visits shorter than a step, allowed: a share of "
            f"{rules.lost_share_maximum:g} (events.lost_share_maximum): a smaller events.step_width"
        )
