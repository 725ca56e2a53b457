"""From events in seconds to steps: places, actions, rewards, cues, and what was decided on the way.

A session's steps begin at its start and are `step_width` long. A step's location is the place at its
beginning, its cues are those at the moment `cue_phase` of it, its action is what happens during it: a
push, or the move that its end shows, or nothing. docs/recordings.md states the rules in words.
"""

from __future__ import annotations

import bisect
from operator import itemgetter

import numpy as np

from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.recordings.decisions import Decisions
from inverse_rational_control.recordings.event_log import (
    CUE,
    ENTER,
    LEAVE,
    PUSHED,
    REWARD,
    UNKNOWN,
    Log,
    Stretch,
)
from inverse_rational_control.recordings.matching import assign
from inverse_rational_control.recordings.problems import Problems
from inverse_rational_control.task import (
    ABSENT,
    BOX_1,
    BOX_2,
    GO_MIDDLE,
    LOCATIONS,
    MIDDLE,
    MISSING,
    PUSH,
    STAY,
)

__all__ = ["to_steps"]

#: A cue of which nothing was logged yet: other than one that was not shown, or not recorded.
NOT_YET = -9
_SAME = 1e-6  # steps: a time so close to a border is at the border


def to_steps(
    stretch: Stretch,
    rules: EventRules,
    n_cues: int,
    reach: np.ndarray,
    decisions: Decisions,
    problems: Problems,
) -> dict[str, np.ndarray]:
    """Make the steps of a stretch.

    Parameters
    ----------
    stretch : Stretch
    rules : EventRules
    n_cues : int
        Number of colors; with one, none need be logged.
    reach : ndarray of bool, shape (3, 3)
        Which place can be reached from which within a step.
    decisions : Decisions
        What is decided is counted here.
    problems : Problems
        What cannot be decided is noted here.

    Returns
    -------
    dict of str to ndarray, shape (T,)
        time (seconds), location, action, reward, cue_1, cue_2; empty where nothing was known.
    """
    log, n_steps = stretch.log, stretch.n_steps
    at = (log.time - stretch.start) / rules.step_width  # in steps
    nearest = np.round(at)
    at = np.where(np.abs(at - nearest) < _SAME, nearest, at)

    def seconds(steps):
        return stretch.start + np.asarray(steps) * rules.step_width

    moves, places = _places(log, at, n_steps, decisions)
    place_at = at[moves]
    place = _held(place_at, places, np.arange(n_steps + 1))
    location = place.copy()
    _through_the_middle(location, reach, decisions, seconds)
    _note_short_visits(place_at, places, location, decisions, seconds)
    cue = _cues(log, at, n_steps, rules, decisions, seconds)
    known = location[:-1] != UNKNOWN
    if n_cues > 1:
        known &= (cue != NOT_YET).all(1)
    first = int(np.argmax(known)) if known.any() else n_steps
    decisions.note("before_known", seconds(np.arange(first)))
    pushed, credited = _pushes(
        log, at, place_at, places, location, first, decisions, problems, seconds
    )
    reward = _rewards(log, at, credited, n_steps, first, rules, decisions, problems)
    action = np.where(pushed, PUSH, STAY)
    moving = np.flatnonzero((location[1:] != location[:-1]) & (np.arange(n_steps) >= first))
    for step in moving:
        action[step] = GO_MIDDLE + _heading(location, int(step), reach, rules, decisions, seconds)
    steps = {"time": seconds(np.arange(n_steps)), "location": location[:-1], "action": action}
    steps |= {"reward": reward, "cue_1": cue[:, 0], "cue_2": cue[:, 1]}
    if n_cues == 1:
        steps |= {name: np.zeros_like(reward) for name in ("cue_1", "cue_2")}
    for name, code in (("no_cue", ABSENT), ("missing_cue", MISSING)):
        lacks = (cue[first:] == code).any(1) & (n_cues > 1)
        decisions.note(name, seconds(first + np.flatnonzero(lacks)))
    return {name: column[first:] for name, column in steps.items()}


# --- places ---------------------------------------------------------------------------------------


def _places(
    log: Log, at: np.ndarray, n_steps: int, decisions: Decisions
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that say where the animal is from then on, and where that is."""
    rows = np.flatnonzero((log.event == ENTER) | (log.event == LEAVE))
    places, here = [], UNKNOWN
    for row in rows:
        if log.event[row] == ENTER:
            here = int(log.box[row])
        elif here in (UNKNOWN, log.box[row]) or log.box[row] == UNKNOWN:
            here = MIDDLE
        elif 0 <= at[row] < n_steps:
            decisions.note("left_already", [log.time[row]])
        places.append(here)
    return rows, np.array(places, dtype=np.int64)


def _held(
    at: np.ndarray, values: np.ndarray, when: np.ndarray, before: int = UNKNOWN
) -> np.ndarray:
    """The last value at some moments, in steps; `before` before the first."""
    if not at.size:
        return np.full(len(when), before)
    last = np.searchsorted(at, when, side="right") - 1
    return np.where(last < 0, before, values[np.maximum(last, 0)])


def _through_the_middle(location, reach, decisions, seconds) -> None:
    """Put a step in the middle wherever a place is out of reach, in order of time."""
    for step in range(len(location) - 1):
        here, there = location[step], location[step + 1]
        if UNKNOWN not in (here, there) and not reach[here, there]:
            location[step + 1] = MIDDLE
            decisions.note("between_boxes", [seconds(step)])


def _note_short_visits(place_at, places, location, decisions, seconds) -> None:
    ends = np.append(place_at, np.inf)[1:]
    last = len(location) - 1
    for begin, end, box in zip(place_at, ends, places, strict=True):
        if box not in (BOX_1, BOX_2) or begin == end or begin > last or end < 0:
            continue
        from_, to = max(0, int(np.ceil(begin))), int(min(last, np.ceil(end)))
        if from_ <= last and not (location[from_ : to + 1] == box).any():
            decisions.note("short_visit", [seconds(begin)])


def _heading(location, step: int, reach, rules, decisions, seconds) -> int:
    """Where a move was heading: the place reached, or from a box through the middle the other box."""
    there = int(location[step + 1])
    other = BOX_1 + BOX_2 - int(location[step])
    if there != MIDDLE or reach[location[step], other]:
        return there
    beyond = location[step + 2 : step + 2 + rules.heading_window]
    entered = beyond[(beyond == BOX_1) | (beyond == BOX_2)]
    if entered.size and entered[0] == other:
        decisions.note("heading_box", [seconds(step)])
        return other
    decisions.note("heading_middle", [seconds(step)])
    return MIDDLE


# --- pushes and rewards ---------------------------------------------------------------------------


def _pushes(log, at, place_at, places, location, first, decisions, problems, seconds):
    """Whether each step is a push, and of each push its time, box, row and step (`UNKNOWN`: lost)."""
    n_steps = len(location) - 1
    pushed, credited = np.zeros(n_steps, dtype=bool), []
    for row in np.flatnonzero(log.event == PUSHED):
        moment = at[row]
        if not first <= moment < n_steps:
            continue
        near = _held(place_at, places, np.array([moment, moment + 1.0, moment - 1.0]))
        box = int(log.box[row])
        if box == UNKNOWN:
            box = int(next((place for place in near if place in (BOX_1, BOX_2)), UNKNOWN))
        if box == UNKNOWN or (near != box).all():
            problems.add(
                "push",
                int(log.row[row]),
                f"{'no box' if log.box[row] == UNKNOWN else LOCATIONS[box]} while at "
                f"{LOCATIONS[near[0]] if near[0] >= 0 else 'no known place'}",
                "at a box where the animal is, or was or will be within a step",
            )
            continue
        own = int(moment)
        beside = own + 1 if moment - own >= 0.5 else own - 1
        fits = [
            step
            for step in (own, beside, 2 * own - beside)
            if first <= step < n_steps and location[step] == box == location[step + 1]
        ]
        if not fits:
            decisions.note("lost_push", [seconds(moment)])
        elif pushed[fits[0]]:
            decisions.note("several_pushes", [seconds(moment)])
        elif fits[0] != own:
            decisions.note("shifted_push", [seconds(moment)])
        if fits:
            pushed[fits[0]] = True
        credited.append((float(log.time[row]), box, fits[0] if fits else UNKNOWN))
    return pushed, credited


def _rewards(log, at, credited, n_steps, first, rules, decisions, problems):
    """Reward of each step: each belongs to the latest push in its window that has none yet."""
    reward = np.zeros(n_steps, dtype=np.int64)
    latest = rules.reward_window[1] / rules.step_width
    rows = np.flatnonzero((log.event == REWARD) & (at >= 0) & (at < n_steps + latest))
    windows = {int(row): _window(log, row, credited, rules) for row in rows}
    reward_of: dict[int, int] = {}
    without = []
    for row, window in windows.items():
        steps = {credited[push][2] for push in window if push not in reward_of}
        if assign(row, windows, reward_of):
            if len(steps) > 1:
                decisions.note("several_candidates", [log.time[row]])
        elif at[row] - latest < first:
            # Of what was before the first step.
            decisions.note("lost_reward", [log.time[row]])
        elif at[row] < n_steps:
            without.append(row)
    _without_push(log, without, windows, rules, decisions, problems)
    decisions.note("rewards", log.time[sorted(reward_of.values())])
    for push, row in sorted(reward_of.items()):
        step, time = credited[push][2], [log.time[row]]
        if step == UNKNOWN or step + 1 >= n_steps:
            decisions.note("lost_reward", time)
            continue
        if reward[step + 1]:
            decisions.note("several_rewards", time)
        reward[step + 1] = 1
        if at[row] >= step + 2:
            decisions.note("late_reward", time)
    return reward


def _without_push(log, rows, windows, rules, decisions, problems) -> None:
    """Leave out rewards that no push can have brought, or say that they cannot be decided."""
    if rules.reward_without_push == "leave_out":
        decisions.note("reward_without_push", log.time[rows])
        return
    said = " to ".join(f"{end:g}" for end in rules.reward_window)
    for row in rows:
        found = (
            f"no push within {said} s before it{' that has no other reward' * bool(windows[row])}"
        )
        allowed = "one (events.reward_window; or events.reward_without_push: leave_out)"
        problems.add("reward", int(log.row[row]), found, allowed)


def _window(log, row, credited, rules) -> list[int]:
    """Pushes that a reward may be of, the latest first."""
    soonest, latest = rules.reward_window
    time, slack = log.time[row], _SAME * rules.step_width
    low = bisect.bisect_left(credited, time - latest - slack, key=itemgetter(0))
    high = bisect.bisect_right(credited, time - soonest + slack, key=itemgetter(0))
    return [k for k in reversed(range(low, high)) if log.box[row] in (UNKNOWN, credited[k][1])]


# --- cues -----------------------------------------------------------------------------------------


def _cues(log, at, n_steps, rules, decisions, seconds) -> np.ndarray:
    """Color at each box and step, shape (T, 2)."""
    when = np.arange(n_steps) + rules.cue_phase
    cue = np.empty((n_steps, 2), dtype=np.int64)
    for box in (BOX_1, BOX_2):
        rows = np.flatnonzero((log.event == CUE) & (log.box == box))
        cue[:, box - 1] = _held(at[rows], log.value[rows], when, NOT_YET)
        read_in = np.searchsorted(when, at[rows], side="left")
        again = np.flatnonzero(np.diff(read_in) == 0)
        within = (read_in[again] > 0) & (read_in[again] < n_steps)
        decisions.note("several_cues", seconds(at[rows][again[within]]))
    return cue
