"""What a rule's script gets from its rule, and how it ends when something is wrong."""

import json
import logging
from contextlib import suppress
from types import SimpleNamespace

import pytest

from inverse_rational_control.config.loading import ConfigError
from inverse_rational_control.workflow import UserError, read_used, rule_log, run


@pytest.fixture(autouse=True)
def logging_as_before():
    """A rule's log replaces the handlers of its process."""
    handlers = logging.getLogger().handlers[:]
    yield
    logging.getLogger().handlers[:] = handlers
    logging.captureWarnings(False)


def test_main_is_called_by_the_names_of_the_rule(tmp_path):
    rule = SimpleNamespace(
        input={"record": "in.nc"},
        params={"n_steps": 3, "source": "digest"},
        output={"fit": "out.nc"},
        log=[str(tmp_path / "rule.log")],
    )
    called = []
    run(lambda record, n_steps, fit: called.append((record, n_steps, fit)), rule)
    run(lambda record, n_steps, fit, log: log.info("said by %s", fit), rule)
    assert called == [("in.nc", 3, "out.nc")]
    assert "said by out.nc" in (tmp_path / "rule.log").read_text()


def test_a_finished_job_says_what_it_used_and_a_failed_one_does_not(tmp_path):
    def main(n_bytes):
        # Gone before anything that looks now and then sees it.
        assert len(bytearray(n_bytes)) > 0

    mebibyte = 2**20
    used = []
    for n_bytes in (mebibyte, 400 * mebibyte, 0):
        rule = SimpleNamespace(
            input={}, params={"n_bytes": n_bytes}, output={}, log=[str(tmp_path / f"{n_bytes}.log")]
        )
        with suppress(SystemExit):
            run(main, rule)
        used.append(read_used(rule.log[0]))
    small, large, failed = used
    assert large[1] >= 400 > 0 < small[1] <= large[1]
    assert large[0] > 0
    assert failed is None
    assert read_used(tmp_path / "no.log") is None


@pytest.mark.parametrize(
    ("error", "traceback"),
    [(ConfigError("key: found 1"), False), (UserError("two\nlines"), False), (KeyError("x"), True)],
)
def test_rule_log_ends_with_one_line_and_keeps_the_traceback_for_the_log(
    tmp_path, capsys, error, traceback
):
    log = tmp_path / "rule.log"
    with pytest.raises(SystemExit) as ended, rule_log([str(log)]):
        raise error
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Error: ")
    assert "Traceback" not in shown
    assert ("Traceback" in log.read_text()) == traceback
    assert json.dumps(str(error))[1:4] in log.read_text()
