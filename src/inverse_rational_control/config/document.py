"""Writes the tables of config/README.md: `python -m inverse_rational_control.config.document`.

The text between `<!-- begin NAME -->` and `<!-- end -->` is replaced by the heading and the table of the
section NAME (`run` for the keys outside all sections); the rest of the file is written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from inverse_rational_control.config.animals import AnimalSection
from inverse_rational_control.config.configuration import Configuration
from inverse_rational_control.config.section import allowed, has_keys, known_keys, unit
from inverse_rational_control.storage.atomic import write_whole

__all__ = ["documented", "main"]

_RUN = "run"
_MARKED = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def documented(text: str) -> str:
    """Return the text of config/README.md with its tables made anew.

    Raises
    ------
    ValueError
        If the sections between marks are not those of the configuration, each once.
    """
    fields = Configuration.model_fields
    expected = {_RUN, *(name for name in fields if not _in_run(name))}
    found = [name for _, name, _ in _MARKED.findall(text)]
    if sorted(found) != sorted(expected):
        raise ValueError(f"marked sections: found {found}, expected {sorted(expected)}")
    return _MARKED.sub(lambda mark: f"{mark[1]}{_block(mark[2])}{mark[3]}", text)


def main(path: str = "config/README.md") -> None:
    """Rewrite the tables in a file."""
    file = Path(path)
    write_whole(file, documented(file.read_text(encoding="utf-8")))


def _in_run(name: str) -> bool:
    return isinstance(getattr(Configuration(), name), str | int)


def _block(section: str) -> str:
    title = "The run"
    if section != _RUN:
        title = f"`{section}`: {Configuration.model_fields[section].description}"
    rows = [
        f"| `{'.'.join(path)}` | {field.description} | {unit(field)} | `{_default(path)}` "
        f"| {allowed(field)} |"
        for path, field in known_keys(Configuration)
        if not has_keys(field) and (_RUN if _in_run(path[0]) else path[0]) == section
    ]
    if section == "animals":
        rows += _rows_of_an_animal()
    head = ["| key | meaning | unit | default | allowed |", "|---|---|---|---|---|"]
    return "\n".join([f"## {title}", "", *head, *rows, "", ""])


def _rows_of_an_animal() -> list[str]:
    """Keys below a name of the user's own, which are all optional."""
    rows = []
    for path, field in known_keys(AnimalSection):
        if len(path) == 1 or path[0] == "events":
            default = "" if field.default in (None, {}, ()) else f"`{_spelled(field.default)}`"
            rows.append(
                f"| `animals.NAME.{'.'.join(path)}` | {field.description} | {unit(field)} | {default} "
                f"| {allowed(field)} |"
            )
    return rows


def _default(path: tuple[str, ...]) -> str:
    """Return the default of a key as YAML writes it."""
    value: Any = Configuration().model_dump(mode="json")
    for name in path:
        value = value[name]
    return _spelled(value)


def _spelled(value: Any) -> str:
    """Spell a value as YAML does."""
    import yaml

    value = list(value) if isinstance(value, tuple) else value
    said = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=float("inf"))
    return said.removesuffix("...\n").strip()


if __name__ == "__main__":
    main(*sys.argv[1:])
