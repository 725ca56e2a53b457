"""Digests of the source that a rule uses, so that a change of the library runs just what uses it."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator, Sequence
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
    names: list[str] = []
    tree = ast.parse(_content(path))
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(dict.fromkeys([*_files_of(names), *_data_files(path.parent, tree)]))


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement, and what holds some; what is inside expressions imports nothing."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, name, ()):
            # What is imported for annotations alone changes nothing.
            if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
                continue
            yield node
            yield from _statements(node)


def _data_files(folder: Path, tree: ast.AST) -> list[Path]:
    """Files of the package that a module names in a string and that lie beside it (a style)."""
    known = _data_beside(folder)
    if not known:
        return []
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [known[text] for text in texts if isinstance(text, str) and text in known]


@functools.cache
def _data_beside(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in folder.iterdir() if path.suffix in _DATA}


def _files_of(names: Iterable[str]) -> list[Path]:
    """Files of modules of this package; what else is named is left out."""
    return [path for name in names for path in _files_of_module(name)]


@functools.cache
def _files_of_module(name: str) -> tuple[Path, ...]:
    parts = name.split(".")
    if parts[0] != _PACKAGE.name:
        return ()
    # Importing a module runs the packages above it too.
    places = [_PACKAGE.joinpath(*parts[1 : depth + 1]) for depth in range(len(parts))]
    candidates = [
        each for place in places for each in (place.with_suffix(".py"), place / "__init__.py")
    ]
    return tuple(path for path in candidates if path.is_file())


@functools.cache
def _content(path: Path) -> bytes:
    """A file's bytes; a run, which asks for the digests of all rules, reads each file once."""
    return path.read_bytes()


def source_digest(script: str | Path, modules: Sequence[str] = ()) -> str:
    """Digest of a script and of all of this package that it uses; changes when any of it does."""
    digest = hashlib.sha256()
    for path in source_files(script, modules):
        digest.update(path.name.encode() + b"\0" + _content(path) + b"\0")
    return digest.hexdigest()[:16]
