"""Paths of the configuration: how they are spelled, and whether results can go where they are to.

`~` at the start is the home folder; `$` is refused, since a folder of that name is never what was meant.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator

from inverse_rational_control.config.errors import ConfigError, shown
from inverse_rational_control.config.section import Allowed

__all__ = ["Folder", "is_writable", "judge_results_folder", "path_type"]

_LONGEST_PATH = 200
#: Folders of the project itself, and of the tools that work in it.
_OWN = (
    *("src", "workflow", "config", "profiles", "tests", "docs", "benchmarks"),
    *(".git", ".github", ".ci", ".snakemake", ".venv", ".venv-bench"),
)
_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr")


def path_type(pattern: str, words: str) -> Any:
    """Type of paths that match a regular expression as a whole; `~` at the start is expanded."""
    words = f"{words}, of at most {_LONGEST_PATH} characters, without $ and with ~ only as home"

    def checked(value: str) -> str:
        printable = value.isprintable() and len(value.encode()) <= _LONGEST_PATH
        if not printable or not re.fullmatch(pattern, value) or "$" in value:
            raise ValueError(words)
        path = os.path.expanduser(value)
        # Left over where the user is unknown. An editor's backup, name.csv~, is no home either.
        if "~" in path or not path.isprintable():
            raise ValueError(words)
        return path

    return Annotated[str, AfterValidator(checked), Allowed(words)]


def _folder() -> Any:
    words = "a folder name without a slash at its end, spaces or any of {}[]*?:\\; not . or .."
    # NetCDF takes a colon for an address, and a backslash for a slash.
    kind = path_type(r"[^{}*?\[\]\s:\\]*[^{}*?\[\]\s:\\/]", words)

    def checked(value: str) -> str:
        path = re.sub("^//", "/", os.path.normpath(value))
        if path.rpartition("/")[2] in ("", ".", ".."):
            raise ValueError(words)
        return path

    return Annotated[kind, AfterValidator(checked)]


#: Where results go, spelled in one way: without `./`, `//` or `x/..`.
Folder = _folder()


def judge_results_folder(folder: str, project: str | Path) -> None:
    """Refuse a folder of results that is the project's or the system's, or that cannot be made.

    Parameters
    ----------
    folder : str
        Validated `results_directory`, absolute or relative to the working directory.
    project : path
        Folder of the workflow.

    Raises
    ------
    ConfigError
        One line that says what is in the way.
    """

    def refuse(why: str) -> None:
        raise ConfigError(
            f"results_directory: found {shown(folder)}, {why}; allowed: a folder of its own"
        )

    path, home = Path(os.path.realpath(folder)), Path(os.path.realpath(os.path.expanduser("~")))
    for kept in (Path(os.path.realpath(project)), Path(os.path.realpath(os.curdir))):
        if kept.is_relative_to(path):
            refuse("which holds the working directory or the workflow")
        if path.is_relative_to(kept) and path.relative_to(kept).parts[0] in _OWN:
            refuse("which belongs to the project")
    if home.is_relative_to(path):
        refuse("which holds the home folder")
    if len(path.parts) > 1 and path.parts[1] in _SYSTEM:
        refuse("which belongs to the system")
    # As spelled: a link that leads nowhere is in the way too.
    for place in (Path(os.path.abspath(folder)), *Path(os.path.abspath(folder)).parents):
        if os.path.lexists(place):
            if not place.is_dir():
                refuse(f"where {shown(str(place))} is in the way, which is a file")
            return


def is_writable(folder: str) -> bool:
    """Tell whether a folder, or the nearest one above it that exists, can be written to."""
    path = Path(os.path.abspath(folder))
    nearest = next(place for place in (path, *path.parents) if os.path.lexists(place))
    return os.access(nearest, os.W_OK | os.X_OK)
