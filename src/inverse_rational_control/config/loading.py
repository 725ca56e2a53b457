"""Configuration: reading YAML files, judging them by the strict schema, one line per mistake.

The schema (workflow/schemas/config.schema.json) holds every key and its range; this module adds
the rules between keys and turns the first mistake into one line that names key, value and what is
allowed. jsonschema and yaml are imported where they are used: importing this module stays cheap.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inverse_rational_control.alternative_models import model_spaces
from inverse_rational_control.parameters import agent_vector, remarks, world_vector
from inverse_rational_control.task import Task

__all__ = ["ConfigError", "load_config", "task_from_config", "validate_config"]

_NEAR = 0.6  # difflib's similarity from which a known key counts as what was meant
_LONGEST_VALUE = 100  # characters of a value that an error line shows


class ConfigError(ValueError):
    """The configuration is unusable; the message is one line."""


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
        config = _merged(config, _read_yaml(Path(path)))
    return config


def validate_config(config: Mapping, schema_path: str | Path) -> tuple[dict, list[str]]:
    """Judge a complete configuration before any job starts.

    Parameters
    ----------
    config : mapping
        The merged configuration: every key of config/config.yaml is required.
    schema_path : str or Path
        The JSON schema, workflow/schemas/config.schema.json.

    Returns
    -------
    config : dict
        A copy in plain types: whole numbers given for real ones are floats; recovery lengths
        ascend.
    warnings : list of str
        One line for each thing that is allowed but unusual, saying what it means.

    Raises
    ------
    ConfigError
        On the first mistake; one line with the dotted key, the value found and what is allowed, and
        for an unknown key the nearest known one.
    """
    schema = json.loads(Path(schema_path).read_text(encoding="utf-8"))
    config = _plain(config)
    _judge_by_schema(config, schema)
    config = _normalized(config, schema, schema)
    config["recovery"]["n_steps"].sort()
    _judge_between_keys(config)
    try:
        task_from_config(config)
        vectors = {"world": world_vector(config["world"]), "agent": agent_vector(config["agent"])}
    except ValueError as error:
        raise ConfigError(str(error)) from None
    warnings = [f"{actor}: {said}" for actor, theta in vectors.items() for said in remarks(theta)]
    return config, warnings


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
        raise ConfigError(f"{path}: found {_shown(config)}, allowed: keys with values at top level")
    return config


def _merged(base: Any, override: Mapping) -> dict:
    result = dict(base) if isinstance(base, Mapping) else {}
    for key, value in override.items():
        if isinstance(value, Mapping):
            result[key] = _merged(result.get(key), value)
        else:
            result[key] = value
    return result


def _plain(value: Any, key: str = "") -> Any:
    """Copy into dicts and lists; refuse keys that are not plain text (`1:`; `on:`, YAML's true)."""
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str) or not name.isprintable():
                raise ConfigError(
                    f"{_dotted(key, str(name))}: found a key that YAML does not read as "
                    "plain text, allowed: names (in quotes if need be)"
                )
        return {name: _plain(item, _dotted(key, name)) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, key) for item in value]
    return value


# --- the schema -----------------------------------------------------------------------------------


def _judge_by_schema(config: dict, schema: dict) -> None:
    from jsonschema import Draft202012Validator, validators

    def is_whole(_, value):
        return isinstance(value, int) and not isinstance(value, bool)

    def is_finite(_, value):
        return is_whole(_, value) or (isinstance(value, float) and math.isfinite(value))

    checker = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": is_whole, "number": is_finite}
    )
    validator = validators.extend(Draft202012Validator, type_checker=checker)(schema)
    mistakes = list(validator.iter_errors(config))
    if mistakes:
        # A misspelt key is also a missing one: the misspelling is what to report.
        rank = {"additionalProperties": 0, "propertyNames": 0, "required": 2}
        first = min(mistakes, key=lambda mistake: rank.get(_broken_rule(mistake), 1))
        raise ConfigError(_explained(first, config, schema))


def _broken_rule(mistake) -> str:
    """Name the keyword that was violated; a bad name counts as propertyNames whatever is wrong."""
    return "propertyNames" if "propertyNames" in mistake.schema_path else mistake.validator


def _explained(mistake, config: dict, schema: dict) -> str:
    rule = _broken_rule(mistake)
    path = [part for part in mistake.absolute_path if isinstance(part, str)]
    key = ".".join(path)
    section = _schema_at(path, schema)
    if rule == "required":
        missing = next(name for name in section["required"] if name not in mistake.instance)
        allowed = _allowed(_resolved(section["properties"][missing], schema), schema)
        return f"{_dotted(key, missing)}: missing, allowed: {allowed}"
    if rule == "additionalProperties":
        unknown = next(name for name in mistake.instance if name not in section["properties"])
        return _unknown_key(path, unknown, mistake.instance[unknown], section, schema)
    if rule == "propertyNames":
        reserved = ", ".join(section["propertyNames"]["not"]["enum"])
        return (
            f"{_dotted(key, mistake.instance)}: found the name {_shown(mistake.instance)}, "
            f"allowed: letters, digits and _; not {reserved}"
        )
    # A mistake inside a list is shown with the whole list, which is what the user wrote.
    value = config
    for part in path:
        value = value[part]
    return (
        f"{key or 'the configuration'}: found {_shown(value)}, allowed: {_allowed(section, schema)}"
    )


def _unknown_key(path: list[str], unknown: str, value: Any, section: dict, schema: dict) -> str:
    siblings = {name: ".".join([*path, name]) for name in section["properties"]}
    everywhere = {dotted.rpartition(".")[2]: dotted for dotted in _known_keys(schema, schema)}
    for names, cutoff in ((siblings, _NEAR), (everywhere, _NEAR), (siblings, 0.0)):
        near = difflib.get_close_matches(unknown.lower(), names, n=1, cutoff=cutoff)
        if near:
            break
    return (
        f"{_dotted('.'.join(path), unknown)}: unknown key (found {_shown(value)}), "
        f"nearest known key: {names[near[0]]}, allowed here: {', '.join(siblings)}"
    )


def _known_keys(node: dict, schema: dict, prefix: str = "") -> Iterator[str]:
    for name, child in node.get("properties", {}).items():
        dotted = _dotted(prefix, name)
        yield dotted
        yield from _known_keys(_resolved(child, schema), schema, dotted)


def _resolved(node: dict, schema: dict) -> dict:
    if "$ref" not in node:
        return node
    return {**schema["$defs"][node["$ref"].rpartition("/")[2]], **node}


def _schema_at(path: list[str], schema: dict) -> dict:
    node = schema
    for name in path:
        node = _resolved(node.get("properties", {}).get(name, node["additionalProperties"]), schema)
    return node


def _normalized(value: Any, node: dict, schema: dict) -> Any:
    node = _resolved(node, schema)
    if isinstance(value, dict):
        known, other = node.get("properties", {}), node.get("additionalProperties") or {}
        return {
            name: _normalized(item, known.get(name, other), schema) for name, item in value.items()
        }
    if isinstance(value, list):
        return [_normalized(item, node["items"], schema) for item in value]
    if isinstance(value, int) and "number" in node.get("type", ()):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    return value


def _allowed(node: dict, schema: dict) -> str:
    """Say in words what a schema allows."""
    if "enum" in node:
        return " or ".join(node["enum"])
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    said = " or ".join(_allowed_of(kind, node, schema) for kind in kinds)
    if "not" in node:
        said += f"; not {' or '.join(node['not']['enum'])}"
    return said


def _allowed_of(kind: str, node: dict, schema: dict) -> str:
    match kind:
        case "null":
            return "null"
        case "boolean":
            return "true or false"
        case "object" if "properties" in node:
            return f"a section with the keys {', '.join(node['properties'])}"
        case "object" if "properties" in node["additionalProperties"]:
            keys = ", ".join(node["additionalProperties"]["properties"])
            return f"a section of named sections, each with any of the keys {keys}"
        case "object":
            return "a section of lines `name: file.csv` or `name: file.nc`, or {}"
        case "array":
            item = _allowed(_resolved(node["items"], schema), schema)
            if node.get("maxItems") == 2:
                return f"[low, high] with low < high, each {item}"
            return f"a list of one or more different values, each {item}"
        case "string" if "csv" in node["pattern"]:
            return "a file name that ends in .csv or .nc, without {}*?"
        case "string":
            return "a folder name without a slash at its end, spaces or any of {}[]*?"
        case "integer":
            return f"a whole number{_range_in_words(node)}"
        case _:
            return f"a finite number{_range_in_words(node)}"


def _range_in_words(node: dict) -> str:
    bounds = (
        ("exclusiveMinimum", ">"),
        ("minimum", ">="),
        ("exclusiveMaximum", "<"),
        ("maximum", "<="),
    )
    said = [f"{sign} {node[name]}" for name, sign in bounds if name in node]
    return f" {' and '.join(said)}" if said else ""


# --- rules between keys ---------------------------------------------------------------------------


def _judge_between_keys(config: dict) -> None:
    recovery, figures, check = config["recovery"], config["figures"], config["check"]
    ranges = {
        **{f"fitting.start_ranges.{k}": v for k, v in config["fitting"]["start_ranges"].items()},
        **{f"population.ranges.{k}": v for k, v in config["population"]["ranges"].items()},
        "check.likelihood_ratio_range": check["likelihood_ratio_range"],
    }
    for key, (low, high) in ranges.items():
        if not low < high:
            raise ConfigError(
                f"{key}: found {_shown([low, high])}, allowed: [low, high] with low < high"
            )
    long_enough = [n for n in recovery["n_steps"] if n >= recovery["slope_from"]]
    if len(long_enough) < 2:
        raise ConfigError(
            f"recovery.slope_from: found {recovery['slope_from']}, which leaves {len(long_enough)} "
            f"of recovery.n_steps {_shown(recovery['n_steps'])}, allowed: a length that at least 2 "
            "of them reach (a slope needs two lengths)"
        )
    if recovery["n_seeds_long"] > recovery["n_seeds"]:
        raise ConfigError(
            f"recovery.n_seeds_long: found {recovery['n_seeds_long']}, allowed: at most "
            f"recovery.n_seeds {recovery['n_seeds']}"
        )
    optimization = config["optimization"]
    if optimization["n_curve_starts"] > optimization["n_starts"]:
        raise ConfigError(
            f"optimization.n_curve_starts: found {optimization['n_curve_starts']}, allowed: at most "
            f"optimization.n_starts {optimization['n_starts']}"
        )
    try:
        model_spaces(config["alternatives"]["models"], config["world"], config["agent"])
    except ValueError as error:
        raise ConfigError(f"alternatives.models.{error}") from None
    end = figures["example_start"] + figures["example_steps"]
    if end > config["paper"]["n_steps"]:
        raise ConfigError(
            f"figures.example_start: found {figures['example_start']}, which with "
            f"figures.example_steps {figures['example_steps']} ends at step {end}, allowed: an end "
            f"<= paper.n_steps {config['paper']['n_steps']}"
        )


# --- words ----------------------------------------------------------------------------------------


def _dotted(section: str, name: str) -> str:
    shown = name if re.fullmatch(r"[\w-]+", name) else repr(name)
    return f"{section}.{shown}" if section else shown


def _shown(value: Any) -> str:
    """Show a value as YAML spells it, on one line of bounded length."""
    if value is None:
        return "null (nothing)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"a section with the keys {', '.join(value)}"[:_LONGEST_VALUE] if value else "{}"
    said = repr(value)
    if len(said) > _LONGEST_VALUE:
        said = f"{said[:_LONGEST_VALUE]}..."
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+", value):
        said += " (which YAML reads as text: write the exponent as in 1.0e-3)"
    return said
