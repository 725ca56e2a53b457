"""An unusable configuration, and how keys and values are spelled in the one line that says so."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["ConfigError", "dotted", "shown"]

_LONGEST_VALUE = 100  # characters of a value that an error line shows


class ConfigError(ValueError):
    """The configuration is unusable; the message is one line."""


def dotted(*names: str) -> str:
    """Join names to a key; a name that is not a plain word is shown in quotes."""

    def spelled(name: str) -> str:
        name = name if len(name) <= _LONGEST_VALUE else f"{name[:_LONGEST_VALUE]}..."
        return name if re.fullmatch(r"[\w-]+", name) else repr(name)

    return ".".join(map(spelled, names))


def shown(value: Any) -> str:
    """Show a value as YAML spells it, on one line of bounded length."""
    if value is None:
        return "null (nothing)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        keys = ", ".join(map(str, value))
        return f"a section with the keys {keys}"[:_LONGEST_VALUE] if value else "{}"
    try:
        said = repr(list(value) if isinstance(value, tuple) else value)
    except ValueError:  # Python writes no whole number of thousands of digits
        return "a number of thousands of digits"
    if len(said) > _LONGEST_VALUE:
        said = f"{said[:_LONGEST_VALUE]}..."
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+", value):
        said += " (which YAML reads as text: write the exponent as in 1.0e-3)"
    return said
