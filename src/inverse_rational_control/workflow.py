"""What every rule script does around its work: logging, and one line for a user's mistake."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence

from inverse_rational_control.config.loading import ConfigError
from inverse_rational_control.record import RecordError
from inverse_rational_control.storage.datasets import DatasetError

__all__ = ["UserError", "rule_log", "written_whole"]


class UserError(ValueError):
    """What the user should read without a traceback."""


@contextlib.contextmanager
def written_whole(path: str) -> Iterator[str]:
    """Path of a file beside `path` to write; it takes `path`'s place once it is complete."""
    beside = f"{path}.part"
    yield beside
    os.replace(beside, path)


@contextlib.contextmanager
def rule_log(log: Sequence[str]) -> Iterator[logging.Logger]:
    """Log to the rule's file, warnings and tracebacks too; end with exit status 1 on an error.

    Parameters
    ----------
    log : sequence of str
        Snakemake's `log` of the rule; its first entry is written.
    """
    logging.basicConfig(
        filename=log[0] if len(log) else None,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        force=True,
    )
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    warnings.simplefilter("default")
    logger = logging.getLogger("inverse_rational_control")
    try:
        yield logger
    except (ConfigError, DatasetError, RecordError, UserError) as error:
        # A user's mistake, or a finding: no traceback.
        logger.error("%s", error)
        print(f"Error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except Exception as error:
        logger.error("%s", traceback.format_exc())
        print(f"Error: {type(error).__name__}: {error}", file=sys.stderr)
        raise SystemExit(1) from None
