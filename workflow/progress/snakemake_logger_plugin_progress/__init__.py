"""A logger for Snakemake that says every half minute how far the run is; `make` uses it.

What is not about single jobs (warnings, errors, logs of failed jobs) is printed as Snakemake prints it.
The full log stays in its file, in .snakemake/log.
"""

from __future__ import annotations

import sys
import threading
import time

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

__all__ = ["LogHandler", "Progress"]

_EVERY = 30.0  # seconds between two lines
_LEAST_DONE = 60.0  # expected seconds of finished jobs, or this share of all, before the rest is
_LEAST_SHARE = 0.15  # estimated: the first jobs compile loops, and tell little
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
        By Snakemake's job number: `fits`, how many records the job fits; `seconds`, how long it is
        expected to take on some machine; `picture`, the file of its figure, or None.
    now : float
        The time, seconds.
    """

    def __init__(self, jobs: dict[int, dict], now: float):
        self.jobs = jobs
        self.finished: set[int] = set()
        self._began = now

    def _total(self, what: str, of_finished: bool) -> float:
        return sum(
            job[what]
            for number, job in self.jobs.items()
            if (number in self.finished) == of_finished
        )

    def line(self, now: float) -> str:
        """One line: jobs and fits done and left, and about how long the rest takes."""
        fits_done, fits_left = (int(self._total("fits", done)) for done in (True, False))
        said = f"{len(self.finished)} of {_count(len(self.jobs), 'job')} done"
        if fits_done + fits_left:
            said += f", {fits_done} of {_count(fits_done + fits_left, 'fit')}"
        done, left = self._total("seconds", True), self._total("seconds", False)
        if left and done >= min(_LEAST_DONE, _LEAST_SHARE * (done + left)):
            said += f"; {duration((now - self._began) * left / done)} left"
        return said


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
        if event == LogEvent.JOB_FINISHED and self._progress is not None:
            number = record.job_id
            self._progress.finished.add(number)
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
