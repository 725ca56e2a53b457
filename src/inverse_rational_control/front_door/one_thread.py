"""Linear algebra on one thread: how many there are decides the last digits, and what turns on these."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

__all__ = ["on_one_thread"]

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def on_one_thread(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Let a function's calls use one thread of the linear algebra libraries; afterwards, as before.

    Sums that several threads share depend on their number in the last digits, and a search that turns on
    one of these ends elsewhere (docs/model.md section 9). The tables are small: one thread is no slower.
    """

    @wraps(function)
    def on_one(*args: _Given.args, **kwargs: _Given.kwargs) -> _Found:
        with threadpool_limits(limits=1):
            return function(*args, **kwargs)

    return on_one
