"""Says in one line what is wrong with configuration files, or that nothing is, and runs nothing.

    python -m inverse_rational_control.config [FILE ...]

The files are laid over the clone's config/config.yaml, as by a run; without any it is judged alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.loading import ConfigError, load_config

__all__ = ["main"]

_OF_THE_CLONE = Path(__file__).parents[3] / "config" / "config.yaml"


def main(files: Sequence[str]) -> str | None:
    """Judge configuration files, print warnings, and return the one line of a mistake."""
    try:
        _, warnings = validate_config(load_config(_OF_THE_CLONE, *files))
    except ConfigError as error:
        return f"configuration: {error}"
    for line in warnings:
        print(f"configuration, warning: {line}", file=sys.stderr)
    print("The configuration is valid")
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
