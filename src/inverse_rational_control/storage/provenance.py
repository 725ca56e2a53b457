"""Where a result comes from: git revision, package versions, configuration; digests of the source."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import platform
import socket
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

__all__ = ["PACKAGES", "provenance", "source_digest", "source_files"]

#: Packages whose versions can change a number.
PACKAGES = ("numpy", "scipy", "numba", "xarray", "netcdf4")

_PACKAGE = Path(__file__).resolve().parents[1]


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
            ["git", "-C", str(_PACKAGE), *arguments],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/")
        return git("rev-parse", "HEAD") + ("+changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def source_files(script: str | Path) -> list[Path]:
    """The script and every module of this package that it imports, directly or not."""
    seen: dict[Path, None] = {}
    waiting = [Path(script).resolve()]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen[path] = None
        waiting += _imported(path)
    return sorted(seen)


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    found = []
    for name in names:
        parts = name.split(".")
        if parts[0] != _PACKAGE.name:
            continue
        # Importing a module runs the packages above it too.
        for depth in range(len(parts)):
            below = _PACKAGE.joinpath(*parts[1 : depth + 1])
            for candidate in (below.with_suffix(".py"), below / "__init__.py"):
                if candidate.is_file():
                    found.append(candidate)
    return tuple(dict.fromkeys(found))


def source_digest(script: str | Path) -> str:
    """Digest of a script and of all of this package that it uses; changes when any of it does."""
    digest = hashlib.sha256()
    for path in source_files(script):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
