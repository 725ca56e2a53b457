"""Configuration files laid over each other, and the task that they describe.

The models of the sections are not imported: this is cheap, and a change of one section touches no script
that only builds a task.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.reading import read_yaml
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
        If a file is missing, is not YAML, gives a key twice, or is not a mapping; with file and line.
    """
    config: dict = {}
    for path in paths:
        config = merged(config, read_yaml(path))
    return config


def task_from_config(config: Mapping) -> Task:
    """Build the task that a validated configuration describes."""
    given = dict(config["task"])
    given.pop("rates_per_second", None)  # of the other sections
    return Task(**given)


def merged(base: Any, override: Mapping) -> dict:
    """A configuration with the values of another in their places, key by key."""
    result = dict(base) if isinstance(base, Mapping) else {}
    for key, value in override.items():
        result[key] = merged(result.get(key), value) if isinstance(value, Mapping) else value
    return result
