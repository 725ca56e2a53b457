"""What `--config` gave: Snakemake leaves numbers inside `{...}` and `[...]` as text."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from inverse_rational_control.config.errors import ConfigError, dotted
from inverse_rational_control.config.reading import DEEPEST, MOST_NODES, read_text

__all__ = ["judge_shape", "with_values"]


def judge_shape(config: Mapping[Any, Any]) -> None:
    """Refuse what no section is: keys that are not plain text (`1:`, `on:`), or endless nesting.

    Files have been judged so when they were read; what `--config` gave has not.

    Raises
    ------
    ConfigError
        One line with the key.
    """
    waiting: list[tuple[tuple[str, ...], Any]] = [((), config)]
    seen = 0
    while waiting:
        above, value = waiting.pop()
        seen += 1
        if len(above) > DEEPEST or seen > MOST_NODES:
            raise ConfigError(
                f"{dotted(*above[:2])}: holds too much, allowed: at most {DEEPEST} levels and "
                f"{MOST_NODES} values"
            )
        if isinstance(value, Mapping):
            for name in value:
                if not isinstance(name, str) or not name.isprintable():
                    raise ConfigError(
                        f"{dotted(*above, str(name))}: found a key that YAML does not read as plain "
                        "text, allowed: names (in quotes if need be)"
                    )
            waiting += [((*above, name), item) for name, item in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [((*above, str(number)), item) for number, item in enumerate(value)]


def with_values(given: Any, kind: Any) -> Any:
    """The same with text read as YAML, but for keys whose value is text.

    Only text from the command line is read so: in a file, "5" in quotes is meant as text.

    Parameters
    ----------
    given : mapping
        Part of a configuration as Snakemake reads it from the command line.
    kind : type
        The section that it is a part of.
    """
    if isinstance(given, Mapping):
        return {name: with_values(value, _kind_of(kind, name)) for name, value in given.items()}
    if isinstance(given, list):
        return [with_values(value, kind) for value in given]
    if isinstance(given, str) and not _is_text(kind):
        try:
            return read_text(given, "--config")
        except ConfigError:  # what is found is then shown as it was given
            return given
    return given


def _kind_of(kind: Any, name: Any) -> Any:
    """Type of a key's value in a section, or in one with names of the user's own; else `str`."""
    if get_origin(kind) is dict:
        kind = get_args(kind)[1]
        return get_args(kind)[0] if get_origin(kind) is Annotated else kind
    field = getattr(kind, "model_fields", {}).get(name)
    return str if field is None else field.annotation


def _is_text(kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return any(map(_is_text, get_args(kind)))
    return kind is str
