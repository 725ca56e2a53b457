"""One YAML file of the configuration, read so that whatever is wrong with it ends in one line.

Size, depth and what anchors and aliases unfold to are judged on the parser's events, before anything is
built. yaml is imported where it is used: importing this is cheap.
"""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from inverse_rational_control.config.errors import ConfigError, shown

__all__ = ["DEEPEST", "MOST_NODES", "read_text", "read_yaml"]

#: Far above what a configuration needs, and read within seconds.
LARGEST_FILE, MOST_NODES, DEEPEST, LONGEST_TEXT = 200_000, 20_000, 20, 1000
# Snakemake would run what such a file says, as Python.
_TEMPLATE_KEY = "__use_yte__"


def read_yaml(path: str | Path) -> dict:
    """Read one configuration file.

    Raises
    ------
    ConfigError
        One line with the file and, where there is one, the line of the mistake.
    """
    text, path = _text(Path(path)), _said(path)
    config = read_text(text, path)
    if config is None:
        return {}
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: found {shown(config)}, allowed: keys with values at top level")
    if _TEMPLATE_KEY in config:
        raise ConfigError(
            f"{path}: found the key {_TEMPLATE_KEY}, allowed: plain YAML, no templates"
        )
    return config


def read_text(text: str, name: str) -> Any:
    """Read YAML from text; `name` says in errors where it is from.

    Raises
    ------
    ConfigError
        As `read_yaml`.
    """
    import yaml

    events = None
    try:
        events = yaml.SafeLoader(text)
        _judge_size(events, name)
        return yaml.load(text, Loader=_loader(name))
    except yaml.reader.ReaderError as error:
        where = text.count("\n", 0, error.position) + 1
        raise ConfigError(
            f"{name}, line {where}: not valid YAML (found the character {chr(error.character)!r})"
        ) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = " ".join((getattr(error, "problem", None) or "unreadable").split())
        raise ConfigError(f"{name}{where}: not valid YAML ({_cut(problem)})") from None
    except (ValueError, ArithmeticError) as error:
        if isinstance(error, ConfigError):
            raise
        # A character's number, or one in a directive, that Python does not take.
        raise ConfigError(f"{name}, line {events.line + 1}: not valid YAML ({error})") from None


def _text(path: Path) -> str:
    name = _said(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"{name}: cannot be read (is no regular file)")
        if status.st_size > LARGEST_FILE:
            raise ConfigError(
                f"{name}: found {status.st_size} bytes, allowed: at most {LARGEST_FILE}"
            )
        content = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"{name}: no such configuration file") from None
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read ({error.strerror})") from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}, line {where}: is not a text file in UTF-8") from None


def _judge_size(events: Any, name: str) -> None:
    """Count nodes and depth with every alias unfolded, on events: nothing is built."""
    import yaml

    measured: dict[str, tuple[int, int]] = {}  # nodes and height of what an anchor names
    # Of each collection that is open: its anchor, nodes and height so far. The first is the document.
    around: list[list] = [[None, 0, 0]]
    while events.check_event():
        event = events.get_event()
        line = f"{name}, line {event.start_mark.line + 1}"
        if isinstance(event, yaml.CollectionStartEvent):
            around.append([event.anchor, 0, 0])
            depth = len(around) - 1
            if depth > DEEPEST:
                raise ConfigError(f"{line}: is nested too deep, allowed: at most {DEEPEST} levels")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, nodes, height = around.pop()
            nodes, height = nodes + 1, height + 1
        elif isinstance(event, yaml.AliasEvent):
            anchor = None
            if any(event.anchor == collection[0] for collection in around):
                raise ConfigError(
                    f"{line}: the alias *{event.anchor} stands in what it names, allowed: an alias of "
                    "what ends before it"
                )
            # One that names nothing is found when nodes are made.
            nodes, height = measured.get(event.anchor, (1, 0))
        elif isinstance(event, yaml.ScalarEvent):
            if len(event.value) > LONGEST_TEXT:
                raise ConfigError(
                    f"{line}: found a value of {len(event.value)} characters, allowed: at most "
                    f"{LONGEST_TEXT}"
                )
            anchor, nodes, height = event.anchor, 1, 0
        else:
            continue
        if anchor is not None:
            measured[anchor] = nodes, height
        above = around[-1]
        above[1], above[2] = above[1] + nodes, max(above[2], height)
        if above[1] > MOST_NODES:
            raise ConfigError(
                f"{line}: unfolds to too many values, allowed: at most {MOST_NODES} in a file"
            )
        if len(around) - 1 + height > DEEPEST:
            raise ConfigError(f"{line}: is nested too deep, allowed: at most {DEEPEST} levels")


def _loader(name: str) -> type:
    import yaml

    class Loader(yaml.SafeLoader):
        """Refuses a key given twice, of which YAML would silently keep the last."""

        def construct_mapping(self, node, deep=False):
            seen = set()
            for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
                key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
                if key is not None and key in seen:
                    line = key_node.start_mark.line + 1
                    raise ConfigError(
                        f"{name}, line {line}: key {_cut(repr(key))} is given twice, allowed: once"
                    )
                seen.add(key)
            return super().construct_mapping(node, deep)

        def construct_object(self, node, deep=False):
            # What looks like a date, or has a tag, and is none makes Python's own errors.
            try:
                return super().construct_object(node, deep)
            except (ConfigError, yaml.YAMLError):
                raise
            except Exception:
                kind = node.tag.rpartition(":")[2]
                found = _cut(repr(node.value)) if isinstance(node.value, str) else "a collection"
                raise ConfigError(
                    f"{name}, line {node.start_mark.line + 1}: found {found}, which is no "
                    f"{_cut(kind)}; text is written in quotes"
                ) from None

    return Loader


def _said(path: str | Path) -> str:
    return str(path) if str(path).isprintable() else repr(str(path))


def _cut(words: str) -> str:
    """Cut to a line's share; line breaks, which a name in YAML may hold, are shown as such."""
    words = words if words.isprintable() else repr(words)
    return words if len(words) <= 100 else f"{words[:100]}..."
