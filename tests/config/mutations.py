"""Odd configurations, drawn by a seed: values, keys and text of files, as no user would write them."""

from __future__ import annotations

import copy
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.loading import load_config, merged
from tests import ROOT

DEFAULTS = ROOT / "config" / "config.yaml"
SMALL = ROOT / "config" / "test.yaml"

# fmt: off
NUMBERS = [
    0, 1, 2, 3, -1, 7, 50, 51, 1000, 10**4, 10**5, 10**7, 10**9, 10**30, -(10**30), 10**400,
    2**53, 2**63, 2**64, 0.0, -0.0, 0.5, 1.0, 5e-324, 1e-300, 1e-16, 1e-6, 1e-3, 0.999, 0.9999,
    1 - 1e-16, 1 + 1e-15, 10.0, 99.9, 100, 1e6, 1e17, 1e100, 1e308, -1e308, 1.7976931348623157e308,
    float("nan"), float("inf"), -float("inf"),
]
TEXTS = [
    "", " ", "5", "0.5", "1e-3", "1.0e-3", "nan", ".inf", "null", "~", "None", "true", "no", "[1]",
    "x" * 300, "x" * 5000, "a\nb", "\0", "\ud800", "\u202e", "é", "x/..", "..", ".", "/", "//", "src",
    "~/x", "~nobody_at_all/x", "$HOME", "a$b", "{x}", "*", "file:/x", "a\\b", ".git", ".snakemake",
    "workflow/x", "results/x y", "monkey.csv", "2026-13-45", "!!float x", "&a [*a]", "em", "flat",
    "waiting", "push_cost", "'", '"', "#", "`ls`", "; ls", "0x" + "f" * 900, "1:" * 400 + "1",
]
OTHERS = [
    None, True, False, [], {}, [[]], [None], {"": 1}, {"a": {"b": {"c": 1}}}, {1: 2}, {None: 3}, b"x",
    [1, 2], [2, 1], [0.1, 0.1], [0.1, 0.1 + 1e-16], [-1e308, 1e308], [1e-6, 1 - 1e-6],
    list(range(99)), ["push_cost"], ["push_cost"] * 2, [["push_cost", "travel_cost"]], [500, 10**7],
    {"x.csv": "x.csv"}, (1, 2), {1, 2}, 3 + 4j, [5] * 10_000, {"monkey": "m.csv"},
    {"model": {"factor": 1e308}},
]
#: Lines and pieces of files.
PIECES = [
    "\t", "\x00", "\ufeff", "\x85", ": ", "- ", "? ", "[", "{", "}", "&a ", "*a", "<<: *a", "!!float ",
    "|", "!!python/object:os.system ", "---\n", "...\n", "%YAML 9.9\n", "'", '"', "\\", "[" * 400,
    "\n", "  ", "- " * 400, "2026-13-45", "1:" * 3000, "#", "@", "`", "key: value\n", "!!binary x", "é",
    "\r", "1e999",
]
# fmt: on


@dataclass(frozen=True)
class Mutation:
    """What is done to the default configuration: one of the three is given."""

    said: str
    tree: dict | None = None
    command_line: dict | None = None
    content: bytes | None = None

    def judged(self, folder) -> tuple[dict[str, Any], list[str]]:
        """Judge it as a run does; `folder` receives the file, if it is one."""
        config = defaults() if self.tree is None else self.tree
        if self.content is not None:
            path = folder / "mutated.yaml"
            path.write_bytes(self.content)
            config = merged(config, load_config(path))
        if self.command_line is not None:
            config = merged(config, self.command_line)
        return validate_config(config, self.command_line)


@functools.cache
def _defaults() -> dict:
    return load_config(DEFAULTS, SMALL)


def defaults() -> dict:
    """The test configuration over the default one, to be changed."""
    return copy.deepcopy(_defaults())


def mutation(seed: int) -> Mutation:
    """The mutation of a seed."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["tree", "command_line", "text"], p=[0.6, 0.15, 0.25])
    if kind == "text":
        return _of_text(rng)
    tree, said = defaults(), []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        said.append(_mutate(tree, rng, values_only=kind == "command_line"))
    if kind == "tree":
        return Mutation("; ".join(said), tree=tree)
    section = said[0].split()[1].split(".")[0]
    return Mutation(f"--config {said[0]}", command_line={section: _as_text(tree.get(section))})


def _pick(options, rng):
    return options[rng.integers(len(options))]


def _odd(rng) -> Any:
    return copy.deepcopy(_pick(_pick([NUMBERS, NUMBERS, TEXTS, OTHERS], rng), rng))


def _places(node: dict, above=()):
    for name, value in node.items():
        yield (*above, name)
        if isinstance(value, dict):
            yield from _places(value, (*above, name))


def _mutate(tree: dict, rng, values_only: bool) -> str:
    """Change a configuration in one place; say where and how."""
    place = _pick(list(_places(tree)) or [("a",)], rng)
    node = tree = tree if tree else {"a": 1}
    for name in place[:-1]:
        node = node[name]
    name, value = place[-1], node[place[-1]]
    ways = ["odd"] * 4 + ["near"] * 6 + ["scaled", "scaled", "kind", "item", "item"]
    ways += [] if values_only else ["delete", "rename", "nest", "swap", "copy", "odd_key"]
    way = _pick(ways, rng)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if way in ("near", "scaled") and (number or way == "near"):
        powers = (-0.5, 0.5) if way == "near" else (-6, 9)
        node[name] = _scaled(value, 10.0 ** rng.uniform(*powers))
    elif way == "item" and isinstance(value, list) and value:
        value[rng.integers(len(value))] = _odd(rng)
    elif way == "kind":
        node[name] = [value] if rng.random() < 0.4 else str(value) if rng.random() < 0.5 else {}
    elif way == "delete":
        del node[name]
    elif way == "rename":
        node[_pick([name + "s", name[:-1], name.upper(), " ", name * 30], rng)] = node.pop(name)
    elif way == "nest":
        node[name] = functools.reduce(lambda inside, _: {name: inside}, range(100), value)
    elif way == "swap":
        other = _pick(list(node), rng)
        node[name], node[other] = node[other], node[name]
    elif way == "copy":
        node[name] = copy.deepcopy(_pick(list(tree.values()), rng))
    elif way == "odd_key":
        node[_pick([1, None, True, "a\nb", "\0", "\ud800", "x" * 5000, ("a",), 1.5], rng)] = value
    else:
        node[name] = _odd(rng)
    return f"{way} {'.'.join(map(str, place))}"


def _scaled(value: Any, factor: float) -> Any:
    """Numbers, or those in a list or a section, times a factor; what is no number stays."""
    if isinstance(value, dict):
        return {name: _scaled(item, factor) for name, item in value.items()}
    if isinstance(value, list):
        return [_scaled(item, factor) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return type(value)(min(value * factor, 1e300)) if abs(value) < 1e300 else value


def _as_text(value: Any) -> Any:
    """As Snakemake reads it from the command line: text at all ends."""
    if isinstance(value, dict):
        return {str(name): _as_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    return str(value) if abs(value if isinstance(value, int) else 0) < 10**100 else "9" * 5000


def _of_text(rng) -> Mutation:
    """A file of the configuration with its text changed in one to three places."""
    text = SMALL.read_text(encoding="utf-8")
    for _ in range(rng.integers(1, 4)):
        text += "\n"
        lines, number = text.split("\n"), rng.integers(text.count("\n"))
        at, piece = rng.integers(len(text)), _pick(PIECES, rng)
        way = _pick(["insert", "cut", "repeat", "replace", "indent", "laughs", "value", "end"], rng)
        if way == "insert":
            text = text[:at] + piece + text[at:]
        elif way == "cut":
            text = text[:at] + text[at + rng.integers(1, 40) :]
        elif way == "end":
            text = text[:at]
        elif way == "laughs":
            levels = ["a0: &a0 [x, x]"]
            levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
            text = "\n".join(levels[: rng.integers(2, 12)]) + "\n" + text
        else:
            line = lines[number]
            indent = _pick(["\t", " ", "      ", "- "], rng) + line
            key = f"{line.partition(':')[0]}: {piece}"
            lines[number] = {"repeat": f"{line}\n{line}", "indent": indent, "value": key}.get(
                way, piece
            )
            text = "\n".join(lines)
    content = text.encode(_pick(["utf-8"] * 8 + ["latin-1", "utf-16"], rng), errors="replace")
    return Mutation(f"text {text[:200]!r}", content=content)
