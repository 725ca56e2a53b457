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
    1: {"fits": 0, "seconds": 3.0, "picture": None},
    2: {"fits": 20, "seconds": 27.0, "picture": None},
    3: {"fits": 40, "seconds": 60.0, "picture": "results/figures/figure6.png"},
}


def test_line_counts_jobs_and_fits_and_estimates_the_rest():
    progress = plugin.Progress(JOBS, now=100.0)
    assert progress.line(100.0) == "0 of 3 jobs done, 0 of 60 fits"
    progress.finished.add(1)
    assert "left" not in progress.line(110.0), "three seconds of work tell nothing"
    progress.finished.add(2)
    # Half as fast as expected: 60 s for 30 expected ones, so 120 for the 60 that are left.
    assert progress.line(160.0) == "2 of 3 jobs done, 20 of 60 fits; about 2 minutes left"
    progress.finished.add(3)
    assert progress.line(200.0) == "3 of 3 jobs done, 60 of 60 fits"


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
