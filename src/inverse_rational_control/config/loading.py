"""Configuration files: reading them, one line per mistake; and the task that they describe.

yaml is imported where it is used, and the models of the sections not at all: importing this is cheap,
and a change of one section touches no script that only builds a task.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inverse_rational_control.config.errors import ConfigError, shown
from inverse_rational_control.task import Task

__all__ = ["ConfigError", "load_config", "merged", "task_from_config"]


def load_config(*paths: str | Path) -> dict:
    """Read configuration files; later ones override earlier ones key by key, as Snakemake does.

    Parameters
    ----------
    *paths : str or Path
        YAML files, e.g. config/config.yaml and config/test.yaml.

    Returns
    -------
    dict
        The merged configuration, not yet validated.

    Raises
    ------
    ConfigError
        If a file is missing, is not YAML, gives a key twice, or is not a mapping.
    """
    config: dict = {}
    for path in paths:
        config = merged(config, _read_yaml(Path(path)))
    return config


def task_from_config(config: Mapping) -> Task:
    """Build the task that a validated configuration describes."""
    return Task(**config["task"])


# --- reading --------------------------------------------------------------------------------------


def _read_yaml(path: Path) -> dict:
    import yaml

    class UniqueKeyLoader(yaml.SafeLoader):
        """A loader that refuses a key given twice, of which YAML would silently keep the last."""

        def construct_mapping(self, node, deep=False):
            seen = set()
            for key_node, _ in node.value:
                key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
                if key is not None and key in seen:
                    line = key_node.start_mark.line + 1
                    raise ConfigError(
                        f"{path}, line {line}: key {key!r} is given twice, allowed: once"
                    )
                seen.add(key)
            return super().construct_mapping(node, deep)

    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such configuration file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not a text file in UTF-8") from None
    try:
        config = yaml.load(text, Loader=UniqueKeyLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "unreadable"
        raise ConfigError(f"{path}{where}: not valid YAML ({' '.join(problem.split())})") from None
    if config is None:
        return {}
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: found {shown(config)}, allowed: keys with values at top level")
    return config


def merged(base: Any, override: Mapping) -> dict:
    """Lay one configuration over another, key by key, sections in sections."""
    result = dict(base) if isinstance(base, Mapping) else {}
    for key, value in override.items():
        if isinstance(value, Mapping):
            result[key] = merged(result.get(key), value)
        else:
            result[key] = value
    return result
