"""Digests of the source that a rule uses, so that a change of the library runs just what uses it."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["source_digest", "source_files"]

_PACKAGE = Path(__file__).resolve().parents[1]
_DATA = (".mplstyle",)


def source_files(script: str | Path, modules: Sequence[str] = ()) -> list[Path]:
    """The script and all of this package that it uses, directly or not: modules, and files they name.

    Parameters
    ----------
    script : str or Path
    modules : sequence of str
        Modules that the script is told to import when it runs, such as a figure's.
    """
    seen: dict[Path, None] = {}
    waiting = [Path(script).resolve(), *_files_of(modules)]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen[path] = None
        waiting += _imported(path)
    return sorted(seen)


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    if path.suffix != ".py":
        return ()
    names, beside = [], []
    tree = ast.parse(path.read_text())
    # What is imported for annotations alone changes nothing.
    annotations = {
        id(below)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for below in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in annotations:
            continue
        if isinstance(node, ast.Constant):
            beside.append(node.value)
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(dict.fromkeys([*_files_of(names), *_data_files(path.parent, beside)]))


def _data_files(folder: Path, constants: Iterable[object]) -> list[Path]:
    """Files of the package that a module names in a string and that lie beside it (a style)."""
    known = {path.name: path for path in folder.iterdir() if path.suffix in _DATA}
    return [known[text] for text in constants if isinstance(text, str) and text in known]


def _files_of(names: Iterable[str]) -> list[Path]:
    """Files of modules of this package; what else is named is left out."""
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
    return found


def source_digest(script: str | Path, modules: Sequence[str] = ()) -> str:
    """Digest of a script and of all of this package that it uses; changes when any of it does."""
    digest = hashlib.sha256()
    for path in source_files(script, modules):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
