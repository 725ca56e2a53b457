"""A process that is told to stop says so in one line, and goes."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

__all__ = ["SHELL_PREFIX", "SHELL_SUFFIX", "end_in_one_line", "ending_in_one_line"]

#: Around the command of a job, for a shell (bash): the job runs in the background, where it ignores an
#: interrupt from the keyboard, and is told to end instead. An interpreter that is still starting would
#: show a traceback of whatever it is importing; told to end, it goes silently.
SHELL_PREFIX = (
    "set -euo pipefail; "
    """trap 'if [ -n "${!:-}" ]; then kill $! || true; wait $! || true; fi; exit 130' INT; """
)
SHELL_SUFFIX = " & wait $!"

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_in_one_line() -> None:
    """From now on an interrupt from the keyboard, or a request to end, exits without a traceback.

    Files that were begun are removed on the way out. A signal that the process was started to ignore is
    ignored still.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


@contextlib.contextmanager
def ending_in_one_line() -> Iterator[None]:
    """The same for a block; afterwards signals do what they did before."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    end_in_one_line()
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


def _end(number: int, frame: object) -> None:
    for each in _SIGNALS:
        # Once is enough: what is being removed now is removed to its end.
        signal.signal(each, signal.SIG_IGN)
    name = signal.Signals(number).name
    # Not print: whoever was interrupted may have been printing.
    os.write(2, f"Error: told to stop ({name}); run again to continue\n".encode())
    raise SystemExit(128 + number)
