"""Read tables of events, and of positions, in seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from inverse_rational_control.config.animals import EventRules
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
)
from inverse_rational_control.recordings.layout import EVENT_WORDS, Layout, codes_of
from inverse_rational_control.recordings.problems import Problems, shown_cell
from inverse_rational_control.recordings.tables import TextTable
from inverse_rational_control.task import BOX_1, BOX_2, Task

__all__ = ["read_logs"]

_MOST_STEPS = 20_000_000  # of a session


def read_logs(
    path: Path,
    task: Task,
    layout: Layout,
    rules: EventRules,
    problems: Problems,
    remarks: list[str],
    decisions: Decisions,
    is_positions: bool,
) -> dict[str, Log]:
    """What a file logs, by the name of the session, each in order of time.

    Parameters
    ----------
    path : Path
    task : Task
        Gives the number of colors.
    layout : Layout
    rules : EventRules
    problems, remarks, decisions
        Receive what is wrong, what is unusual, and what is decided.
    is_positions : bool
        Whether the table is one of time and place, not of events.
    """
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
    known = np.where(np.isfinite(log.time), log.time, np.nan)
    with np.errstate(over="ignore"):
        lasts = 0.0 if np.isnan(known).all() else np.nanmax(known) - np.nanmin(known)
    if lasts > _MOST_STEPS * rules.step_width:
        last = int(np.nanargmax(known))
        problems.add(
            "time",
            int(log.row[last]),
            f"{log.time[last]:.10g}",
            f"sessions of at most {_MOST_STEPS:,} steps (are these seconds? see events.step_width)",
        )
    return log.where(np.argsort(log.time, kind="stable"))
