"""What is wrong with a file; apart, because saying it takes no library for files."""

from __future__ import annotations

__all__ = ["DatasetError"]


class DatasetError(ValueError):
    """A file is not what it should be; the message names file and variable in one line."""
