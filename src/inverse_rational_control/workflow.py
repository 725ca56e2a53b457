"""What a rule's script needs: its `main` called by keyword, its log, one line for a user's mistake."""

from __future__ import annotations

import contextlib
import csv
import inspect
import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from inverse_rational_control import interruption
from inverse_rational_control.config.loading import ConfigError
from inverse_rational_control.record import RecordError
from inverse_rational_control.storage.atomic import WriteError
from inverse_rational_control.storage.errors import DatasetError

__all__ = [
    "UserError",
    "peak_memory",
    "read_criteria",
    "read_used",
    "rule_log",
    "run",
]

#: The last line of a finished job's log.
_USED = "finished after {cpu:.2f} s of CPU time, with at most {memory:.1f} MiB of memory"
_USED_FOUND = re.compile(
    r" INFO finished after (\S+) s of CPU time, with at most (\S+) MiB of memory$"
)


class UserError(ValueError):
    """What the user should read without a traceback."""


def run(main: Callable[..., None], snakemake: Any) -> None:
    """Call a script's `main` with its rule's inputs, params and outputs, each by its name.

    Parameters
    ----------
    main : callable
        Its keywords are the names in the rule; `source`, the digest of the source, is left out. If it
        takes `log`, it gets the rule's logger.
    snakemake : object
        What Snakemake gives to every script.
    """
    named = {}
    for part in (snakemake.input, snakemake.params, snakemake.output):
        named |= dict(part.items())
    named.pop("source", None)
    with interruption.ending_in_one_line(), rule_log(snakemake.log) as log:
        if "log" in inspect.signature(main).parameters:
            named["log"] = log
        main(**named)
        log.info(_USED.format(cpu=sum(os.times()[:4]), memory=peak_memory()))


def peak_memory() -> float:
    """Highest resident memory of this process so far, in MiB, as the operating system counts it."""
    try:
        # On Linux the account below may begin with the peak of the program that started this one.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)[1]) / 1024
    except (OSError, TypeError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def read_used(log: str | Path) -> tuple[float, float] | None:
    """CPU seconds and peak memory (MiB) that a finished job's log ends with; None if it does not."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    found = _USED_FOUND.search(lines[-1]) if lines else None
    return (float(found[1]), float(found[2])) if found else None


def read_criteria(tables: Sequence[str]) -> list[dict[str, str]]:
    """Rows of criteria from CSV files, in order, each with its `verdict`: ok, FAILED or not judged."""
    rows = []
    for table in tables:
        with open(table, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    for row in rows:
        # A number not found, or a word not known, is no pass.
        row["verdict"] = {"True": "ok", "": "not judged"}.get(row["passed"], "FAILED")
    return rows


@contextlib.contextmanager
def rule_log(log: Sequence[str]) -> Iterator[logging.Logger]:
    """Log to the rule's file, warnings and tracebacks too; end with exit status 1 on an error.

    Parameters
    ----------
    log : sequence of str
        Snakemake's `log` of the rule; its first entry is written.
    """
    options = {
        "level": logging.INFO,
        "format": "%(asctime)s %(levelname)s %(message)s",
        "force": True,
    }
    # On a full disk a log cannot be written either; what matters is said once, below.
    logging.raiseExceptions = False
    try:
        logging.basicConfig(filename=log[0] if len(log) else None, filemode="w", **options)
    except OSError:
        logging.basicConfig(handlers=[logging.NullHandler()], **options)
    for chatty in ("fontTools", "arviz"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    warnings.simplefilter("default")
    logger = logging.getLogger("inverse_rational_control")
    try:
        yield logger
    except SystemExit as ended:
        logger.error("ended with exit status %s", ended.code)
        raise
    except (ConfigError, DatasetError, RecordError, UserError, WriteError) as error:
        # A user's mistake, or a finding: no traceback.
        logger.error("%s", error)
        print(f"Error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except Exception as error:
        logger.error("%s", traceback.format_exc())
        print(f"Error: {type(error).__name__}: {error}", file=sys.stderr)
        raise SystemExit(1) from None
