"""The lines of progress: counts of jobs and fits, an estimate, and what must be said at once."""

import importlib.util
import io
import logging
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from tests import ROOT

_PLACE = ROOT / "workflow/progress/snakemake_logger_plugin_progress/__init__.py"
_SPECIFICATION = importlib.util.spec_from_file_location("progress_plugin", _PLACE)
plugin = importlib.util.module_from_spec(_SPECIFICATION)
_SPECIFICATION.loader.exec_module(plugin)

JOBS = {
    1: {"rule": "simulate", "fits": 0, "seconds": 3.0, "picture": None},
    2: {"rule": "fit", "fits": 20, "seconds": 27.0, "picture": None},
    3: {"rule": "fit", "fits": 40, "seconds": 60.0, "picture": "results/figures/figure6.png"},
}


def test_line_counts_jobs_and_fits_and_estimates_the_rest():
    progress = plugin.Progress(JOBS, now=100.0)
    assert progress.line(100.0) == "0 of 3 jobs done, 0 of 60 fits"
    progress.started(1, 100.0)
    progress.finished(1, 104.0)
    assert "left" not in progress.line(110.0), "three seconds of work tell nothing"
    progress.started(2, 104.0)
    progress.finished(2, 158.0)
    # Half as fast as expected: 54 s for 27 expected ones, so 120 for the 60 that are left.
    assert progress.line(158.0) == "2 of 3 jobs done, 20 of 60 fits; about 2 minutes left"
    progress.started(3, 158.0)
    assert progress.left(198.0) == pytest.approx(80.0), "it runs since 40 s"
    progress.finished(3, 300.0)
    assert progress.line(300.0) == "3 of 3 jobs done, 60 of 60 fits"


def made_of(jobs):
    """Progress of jobs given as pairs of rule and expected seconds."""
    return plugin.Progress(
        {
            number: {"rule": rule, "fits": 0, "seconds": seconds, "picture": None}
            for number, (rule, seconds) in enumerate(jobs)
        },
        now=0.0,
    )


def test_quick_jobs_first_say_nothing_of_slow_ones():
    # Drawings take a third of what is expected, fits three times as long.
    progress = made_of([("draw", 3.0)] * 30 + [("fit", 30.0)] * 10)
    for number in range(30):
        progress.started(number, float(number))
        progress.finished(number, float(number + 1))
    assert progress.left(30.0) is None, "no fit was seen"
    progress.started(30, 30.0)
    progress.finished(30, 120.0)
    assert progress.left(120.0) == pytest.approx(9 * 90.0)


def test_jobs_side_by_side_and_one_that_is_long():
    progress = made_of([("fit", 10.0)] * 8 + [("fit", 100.0)])
    for number in range(6):
        progress.started(number, 10.0 * (number // 2))
        progress.finished(number, 10.0 * (number // 2) + 10.0)
    # Two at once: 120 s of work would be done in 60, but the last job alone takes 100.
    assert progress.left(30.0) == pytest.approx(100.0)
    progress = made_of([("fit", 10.0)] * 12)
    for number in range(6):
        progress.started(number, 10.0 * (number // 2))
        progress.finished(number, 10.0 * (number // 2) + 10.0)
    assert progress.left(30.0) == pytest.approx(30.0)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (20, "less than a minute"),
        (60, "about 1 minute"),
        (610, "about 10 minutes"),
        (4000, "about 1 h 7 min"),
    ],
)
def test_durations_in_words(seconds, words):
    assert plugin.duration(seconds) == words


@pytest.fixture
def handler():
    """A handler that writes into memory."""
    made = plugin.LogHandler(SimpleNamespace(), None)
    made._stream = io.StringIO()
    made.setFormatter(logging.Formatter("%(message)s"))
    yield made
    made.close()


def _record(message, **extra):
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, message, None, None)
    record.__dict__.update(extra)
    return record


def test_figures_and_errors_are_said_at_once_and_chatter_is_not(handler):
    handler.emit(_record("3 jobs", planned_jobs=JOBS))
    handler.emit(_record("Rule: x, Jobid: 3", event=LogEvent.JOB_INFO))
    handler.emit(_record("Execute 1 jobs...", event=LogEvent.JOB_STARTED, jobs=[3]))
    handler.emit(
        _record("Finished jobid: 3 (Rule: figure6)", event=LogEvent.JOB_FINISHED, job_id=3)
    )
    handler.emit(_record("Select jobs to execute..."))
    handler.emit(_record("Error in rule fit_agent", event=LogEvent.JOB_ERROR))
    handler.close()
    said = [line.strip() for line in handler._stream.getvalue().splitlines()]
    assert said == [
        "0 of 3 jobs done, 0 of 60 fits",
        "drawn: results/figures/figure6.png",
        "Error in rule fit_agent",
        "1 of 3 jobs done, 40 of 60 fits; less than a minute left",
    ]
