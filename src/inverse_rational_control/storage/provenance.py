"""Where a result comes from: git revision, package versions, configuration."""

from __future__ import annotations

import functools
import json
import os
import platform
import socket
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

__all__ = ["PACKAGES", "provenance"]

#: Packages whose versions can change a number.
PACKAGES = ("numpy", "scipy", "numba", "nutpie", "arviz", "xarray", "netcdf4")

_PROJECT = Path(__file__).resolve().parents[3]


def provenance(config: Mapping) -> dict[str, str]:
    """Attributes that say how a file came to be; `created` and `host` vary between runs.

    Parameters
    ----------
    config : mapping
        The sections of the configuration that matter to the file, and the root seed; stored as JSON.
    """
    versions = {name: metadata.version(name) for name in PACKAGES}
    versions["python"] = platform.python_version()
    return {
        "git_revision": _git_revision(),
        "package_versions": json.dumps(versions, sort_keys=True),
        "config": json.dumps(config, sort_keys=True),
        "root_seed": str(config["root_seed"]),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
    }


@functools.cache
def _git_revision() -> str:
    def git(*arguments):
        return subprocess.run(
            ["git", "-C", str(_PROJECT), *arguments],
            capture_output=True,
            text=True,
            check=True,
            # Of a hook, say: they would name the repository in our place.
            env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        ).stdout.strip()

    try:
        # Another repository that this tree lies in knows nothing of it.
        if Path(git("rev-parse", "--show-toplevel")).resolve() != _PROJECT:
            return "unknown"
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/")
        return git("rev-parse", "HEAD") + ("+changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
