"""What was logged in seconds, and its division into stretches: intervals, and gaps in tracking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.recordings.decisions import Decisions

__all__ = [
    "CUE",
    "ENTER",
    "LEAVE",
    "PUSHED",
    "REWARD",
    "SAMPLE",
    "START",
    "STOP",
    "UNKNOWN",
    "Log",
    "Stretch",
    "stretches",
]

#: Kinds of events, in the order of `layout.EVENT_WORDS`; a sample only says that there was tracking.
ENTER, LEAVE, PUSHED, REWARD, CUE, START, STOP, SAMPLE = range(8)
UNKNOWN = -1
_SAME = 1e-6  # steps: a time so close to a border is at the border


@dataclass(frozen=True)
class Log:
    """What was logged of one session, in order of time; arrays of shape (n,).

    Attributes
    ----------
    time : ndarray of float
        Seconds.
    event : ndarray of int
        Kind, as above.
    box : ndarray of int
        The box, or for `enter` the place; `UNKNOWN` where none is given.
    value : ndarray of int
        Of cues, their color.
    row : ndarray of int
        Of the file.
    """

    time: np.ndarray
    event: np.ndarray
    box: np.ndarray
    value: np.ndarray
    row: np.ndarray

    def where(self, chosen: np.ndarray) -> Log:
        """Some of the rows."""
        return Log(*(array[chosen] for array in self.__dict__.values()))


@dataclass(frozen=True)
class Stretch:
    """Steps to be made: `n_steps` of them from `start` on, in seconds, out of `log`."""

    start: float
    n_steps: int
    log: Log


def stretches(log: Log, rules: EventRules, decisions: Decisions) -> list[Stretch]:
    """Divide a session: starts and stops, or the stated intervals, and gaps in tracking.

    What is logged before an interval begins still tells place and cues; what is logged before a gap does
    not.
    """
    if log.time.size == 0:
        return []
    width = rules.step_width
    pieces = np.split(np.arange(log.time.size), _gaps(log, rules, decisions))
    found = []
    for begin, end, is_closed in _intervals(log, rules):
        for number, piece in enumerate(pieces):
            first, last = log.time[piece[0]], log.time[piece[-1]]
            if last < begin or first > end:
                continue
            # After a gap, steps go on in time with those before.
            ahead = max(0.0, np.ceil((first - begin) / width - _SAME)) if number else 0.0
            start = begin + ahead * width
            if is_closed and (end <= last or number == len(pieces) - 1):
                n_steps = int(np.floor((end - start) / width + _SAME))
            else:
                n_steps = int(np.floor((min(end, last) - start) / width + _SAME)) + 1
            if n_steps > 0:
                found.append(Stretch(start, n_steps, log.where(piece)))
    decisions.note("sessions", (stretch.start for stretch in found))
    return found


def _gaps(log: Log, rules: EventRules, decisions: Decisions) -> np.ndarray:
    """Indices of the first rows after gaps; where there are positions, only they count as tracking."""
    if rules.longest_gap is None:
        return np.zeros(0, dtype=int)
    tracked = np.arange(log.time.size)
    if (log.event == SAMPLE).any():
        tracked = np.flatnonzero(np.isin(log.event, (ENTER, LEAVE, SAMPLE)))
    before = tracked[:-1][np.diff(log.time[tracked]) > rules.longest_gap]
    decisions.note("gap", log.time[before])
    return before + 1


def _intervals(log: Log, rules: EventRules) -> list[tuple[float, float, bool]]:
    """From, to, and whether the end was said."""
    first, last = float(log.time[0]), float(log.time[-1])
    if rules.intervals is not None:
        return [(begin, end, True) for begin, end in rules.intervals]
    marks = log.where((log.event == START) | (log.event == STOP))
    found, begin = [], None if marks.time.size and marks.event[0] == START else first
    for time, event in zip(marks.time, marks.event, strict=True):
        if event == START:
            if begin is not None:
                found.append((begin, float(time), True))
            begin = float(time)
        elif begin is not None:
            found.append((begin, float(time), True))
            begin = None
    if begin is not None:
        found.append((begin, last, False))
    return found
