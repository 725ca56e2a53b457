"""A logger for Snakemake that says every half minute how far the run is; `make` uses it.

What is not about single jobs (warnings, errors, logs of failed jobs) is printed as Snakemake prints it.
The full log stays in its file, in .snakemake/log.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

__all__ = ["LogHandler", "Progress"]

_EVERY = 30.0  # seconds between two lines
_LEAST_DONE = 60.0  # expected seconds of finished jobs, or this share of all, before the rest is
_LEAST_SHARE = 0.15  # estimated: the first jobs compile loops, and tell little
_LEAST_SEEN = 0.5  # of what is left, by expected seconds, is of rules of which a job has finished
#: Told by the lines of progress instead.
_CHATTER = frozenset(
    {
        *(LogEvent.JOB_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS),
        *(LogEvent.RUN_INFO, LogEvent.RESOURCES_INFO, LogEvent.WORKFLOW_STARTED, LogEvent.SHELLCMD),
    }
)
_SAID_ANYWAY = ("Select jobs to execute", "Execute ", "Finished jobid", "Building DAG", "host:")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """A duration in words, coarse as an estimate is."""
    if seconds < 50:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {_count(minutes, 'minute')}"
    return f"about {minutes // 60} h {minutes % 60} min"


class Progress:
    """What is done and what is left of one run.

    Parameters
    ----------
    jobs : dict of int to dict
        By Snakemake's job number: `rule`; `fits`, how many records the job fits; `seconds`, how long it
        is expected to take on some machine; `picture`, the file of its figure, or None.
    now : float
        The time, seconds.
    """

    def __init__(self, jobs: dict[int, dict], now: float):
        self.jobs = jobs
        self.took: dict[int, float] = {}  # seconds of finished jobs
        self._since: dict[int, float] = {}  # when those that run began
        self._began = now

    def started(self, number: int, now: float) -> None:
        """A job has started, or starts again."""
        if number in self.jobs:
            self._since[number] = now

    def finished(self, number: int, now: float) -> None:
        """A job has finished."""
        if number in self.jobs:
            self.took[number] = now - self._since.pop(number, self._began)

    def line(self, now: float) -> str:
        """One line: jobs and fits done and left, and about how long the rest takes."""
        said = f"{len(self.took)} of {_count(len(self.jobs), 'job')} done"
        fits = sum(job["fits"] for job in self.jobs.values())
        if fits:
            done = sum(self.jobs[number]["fits"] for number in self.took)
            said += f", {int(done)} of {_count(int(fits), 'fit')}"
        left = self.left(now)
        return said if left is None else f"{said}; {duration(left)} left"

    def left(self, now: float) -> float | None:
        """Seconds that the rest takes; None while too little is known of the jobs that are left.

        What is left of a job is judged by finished jobs of its rule, and where there are none by all:
        how long they took for each expected second.
        """
        left = self.jobs.keys() - self.took.keys()
        expected = sum(self.jobs[number]["seconds"] for number in self.took)
        ahead = sum(self.jobs[number]["seconds"] for number in left)
        if not left or expected < min(_LEAST_DONE, _LEAST_SHARE * (expected + ahead)):
            return None
        by_rule: dict[str, list[int]] = {}
        for number in self.took:
            by_rule.setdefault(self.jobs[number]["rule"], []).append(number)
        seen = sum(self.jobs[n]["seconds"] for n in left if self.jobs[n]["rule"] in by_rule)
        if seen < _LEAST_SEEN * ahead:
            return None
        pace = {rule: self._pace(numbers) for rule, numbers in by_rule.items()}
        overall = self._pace(self.took)
        rest = {
            number: max(
                self.jobs[number]["seconds"] * pace.get(self.jobs[number]["rule"], overall)
                - (now - self._since.get(number, now)),
                0.0,
            )
            for number in left
        }
        busy = sum(self.took.values()) + sum(now - since for since in self._since.values())
        at_once = max(1.0, busy / max(now - self._began, 1e-9))
        # However many run at once, each takes its time.
        return max(sum(rest.values()) / at_once, *rest.values())

    def _pace(self, numbers: Iterable[int]) -> float:
        """Seconds that finished jobs took for each that was expected."""
        expected = sum(self.jobs[number]["seconds"] for number in numbers)
        return sum(self.took[number] for number in numbers) / expected


class LogHandler(LogHandlerBase):
    """Prints progress and what a user must know; Snakemake finds it by its name."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self._progress: Progress | None = None
        self._ended = threading.Event()
        self._stream = sys.stderr

    def _say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def _say_now_and_then(self) -> None:
        while not self._ended.wait(_EVERY):
            self._say(f"    {self._progress.line(time.monotonic())}")

    def emit(self, record) -> None:
        """Print what the record says, or count it."""
        planned = getattr(record, "planned_jobs", None)
        if planned is not None:
            self._progress = Progress(planned, time.monotonic())
            self._say(f"    {self._progress.line(time.monotonic())}")
            threading.Thread(target=self._say_now_and_then, daemon=True).start()
            return
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_STARTED and self._progress is not None:
            for number in record.jobs:
                self._progress.started(number, time.monotonic())
        if event == LogEvent.JOB_FINISHED and self._progress is not None:
            number = record.job_id
            self._progress.finished(number, time.monotonic())
            picture = self._progress.jobs.get(number, {}).get("picture")
            if picture:
                self._say(f"    drawn: {picture}")
        if event in _CHATTER:
            return
        text = self.format(record)
        if text and text != "None" and not text.lstrip().startswith(_SAID_ANYWAY):
            self._say(text)

    def close(self) -> None:
        """Stop, with a last line."""
        if self._progress is not None and not self._ended.is_set():
            self._say(f"    {self._progress.line(time.monotonic())}")
        self._ended.set()
        super().close()
