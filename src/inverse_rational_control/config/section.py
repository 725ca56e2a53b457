"""Sections of the configuration as typed models, and one line for the first mistake in them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from inverse_rational_control.config.errors import ConfigError, dotted, shown

__all__ = ["Allowed", "Section", "allowed", "has_keys", "judged", "key", "known_keys", "unit"]

_NEAR = 0.6  # difflib's similarity from which a known key counts as what was meant


@dataclass(frozen=True)
class Allowed:
    """Part of a field's type: what the field may hold, in words that follow "allowed: "."""

    words: str


def key(default: Any, meaning: str, unit: str = "–") -> Any:
    """Describe a key of a section: its default (`...` for none), meaning and unit."""
    return Field(default, description=meaning, json_schema_extra={"unit": unit})


def unit(field: FieldInfo) -> str:
    """Unit of a key's value, "–" where it has none."""
    return field.json_schema_extra["unit"]


class Section(BaseModel):
    """A section of the configuration: its keys are the fields, and no others are allowed.

    From Python a section is made by keywords, `FitSettings(max_evaluations=100)`; what is not given
    takes its default.

    Raises
    ------
    ConfigError
        One line that names key, value and what is allowed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def __init__(self, **given: Any):
        try:
            super().__init__(**given)
        except ValidationError as error:
            name = type(self).__name__
            raise ConfigError(_line(type(self), given, error.errors(), name)) from None

    # Sections inside a section are validated by pydantic, not made by this __init__: all mistakes are
    # known before the one to report is chosen.
    __init__.__pydantic_base_init__ = True

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy with some values replaced, which are checked like those of a new section."""
        return type(self)(**{**dict(self), **(update or {})})


def judged(kind: type[Section], given: Mapping[str, Any]) -> Section:
    """Validate a section in which every key must be given.

    Raises
    ------
    ConfigError
        On the first mistake; one line with the dotted key, the value found and what is allowed, and
        for an unknown key the nearest known one.
    """
    section, mistakes = None, [{"type": "missing", "loc": path} for path in _missing(kind, given)]
    try:
        section = kind.model_validate(given)
    except ValidationError as error:
        mistakes += error.errors()
    if mistakes:
        raise ConfigError(_line(kind, given, mistakes))
    return section


def known_keys(
    kind: Any, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    """Every key of a section and of those in it, as (path, field); a section comes before its keys."""
    for name, field in _keys(kind).items():
        yield (*above, name), field
        yield from known_keys(field.annotation, (*above, name))


def has_keys(field: FieldInfo) -> bool:
    """Tell whether a key is a section of keys that are known here."""
    return bool(_keys(field.annotation))


def allowed(field: FieldInfo) -> str:
    """Say in words what a key may hold."""
    for words in field.metadata:
        if isinstance(words, Allowed):
            return words.words
    return f"a section with the keys {', '.join(_keys(field.annotation))}"


def _keys(kind: Any) -> dict[str, FieldInfo]:
    """Keys of a section; none for what is not a section, or has names of the user's own."""
    return getattr(kind, "model_fields", {})


def _field_at(kind: Any, path: Iterable[str]) -> FieldInfo:
    for name in path:
        if get_origin(kind) is dict:
            field = FieldInfo.from_annotation(get_args(kind)[1])
        else:
            field = _keys(kind)[name]
        kind = field.annotation
    return field


def _missing(kind: Any, given: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(given, Mapping):
        return
    for name, field in _keys(kind).items():
        if name in given:
            yield from _missing(field.annotation, given[name], (*above, name))
        else:
            yield (*above, name)


# --- one line -------------------------------------------------------------------------------------


def _line(kind: type, given: Any, mistakes: list[dict], *prefix: str) -> str:
    """Put the mistake that is most likely the cause of the others into words."""
    first = min(mistakes, key=_rank)
    path = first["loc"]
    if first["type"] == "extra_forbidden":
        return _unknown_key(kind, path, first["input"], prefix)
    if path and path[-1] == "[key]":
        words = allowed(
            FieldInfo.from_annotation(get_args(_field_at(kind, path[:-2]).annotation)[0])
        )
        return f"{dotted(*prefix, *path[:-1])}: found the name {shown(path[-2])}, allowed: {words}"
    if _is_between_keys(first):
        return dotted(*prefix, *path) + "." * bool(path or prefix) + str(first["ctx"]["error"])
    # A mistake inside a list is shown with the whole list, which is what the user wrote.
    end = next((end for end, part in enumerate(path) if not isinstance(part, str)), len(path))
    path = path[:end]
    words = allowed(_field_at(kind, path))
    if _is_missing(first):
        return f"{dotted(*prefix, *path)}: missing, allowed: {words}"
    for name in path:
        given = given[name] if isinstance(given, Mapping) else getattr(given, name)
    return f"{dotted(*prefix, *path)}: found {shown(given)}, allowed: {words}"


def _rank(mistake: dict) -> int:
    # A misspelled key is also a missing one: the misspelling is what to report.
    if mistake["type"] == "extra_forbidden" or "[key]" in mistake["loc"]:
        return 0
    if _is_missing(mistake):
        return 2
    return 3 if _is_between_keys(mistake) else 1


def _is_missing(mistake: dict) -> bool:
    """Tell whether a key is missing, and not a number in a list that is too short."""
    return mistake["type"] == "missing" and isinstance(mistake["loc"][-1], str)


def _is_between_keys(mistake: dict) -> bool:
    """Tell whether a section's own rule was broken, which has said the whole line, from its key on."""
    return isinstance(mistake.get("ctx", {}).get("error"), ConfigError)


def _unknown_key(kind: type, path: tuple[str, ...], value: Any, prefix: tuple[str, ...]) -> str:
    *section, unknown = path
    here = _field_at(kind, section).annotation if section else kind
    siblings = {name: dotted(*prefix, *section, name) for name in _keys(here)}
    everywhere = {known[-1]: dotted(*prefix, *known) for known, _ in known_keys(kind)}
    for names, cutoff in ((siblings, _NEAR), (everywhere, _NEAR), (siblings, 0.0)):
        near = difflib.get_close_matches(unknown.lower(), names, n=1, cutoff=cutoff)
        if near:
            break
    return (
        f"{dotted(*prefix, *path)}: unknown key (found {shown(value)}), "
        f"nearest known key: {names[near[0]]}, allowed here: {', '.join(siblings)}"
    )
