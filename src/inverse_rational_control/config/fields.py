"""What a key of the configuration may hold: types that check a value and can say what is allowed.

A type's bounds and its words, which errors and the tables of config/README.md show, come from the same
arguments. A key is then written with its type, default, meaning and unit:

    n_steps: Count = key(5000, "steps of the record", "steps")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    create_model,
)

from inverse_rational_control.config.section import Allowed, Section, key
from inverse_rational_control.parameters import AGENT_PARAMETERS, EXTRA_PARAMETERS, Parameter

__all__ = [
    "AtLeastTwo",
    "Bins",
    "Colors",
    "Count",
    "Discount",
    "Flag",
    "Level",
    "Limit",
    "NonNegativeCount",
    "Positive",
    "Probability",
    "Real",
    "Share",
    "StepDiffusion",
    "Steps",
    "Tolerance",
    "choice",
    "coordinate_type",
    "different",
    "name_except",
    "named",
    "optional",
    "pair",
    "pair_or",
    "parameter_ranges",
    "plain",
    "real",
    "reserve_starts",
    "several",
    "text",
    "whole",
    "words_of",
]

_LONGEST_LIST = 50
_AT_MOST = f"; at most {_LONGEST_LIST} of them"
_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def words_of(kind: Any) -> str:
    """Say in words what a type of this module allows."""
    return next(part.words for part in get_args(kind) if isinstance(part, Allowed))


# --- numbers --------------------------------------------------------------------------------------


def _number(kind: type, words: str, bounds: Mapping[str, float]) -> Any:
    said = " and ".join(f"{_SIGNS[name]} {bound}" for name, bound in bounds.items())
    return Annotated[kind, Field(**bounds), Allowed(f"{words} {said}".strip())]


def whole(**bounds: int) -> Any:
    """Type of whole numbers within bounds, by the names gt, ge, lt, le."""
    return _number(int, "a whole number", bounds)


def real(**bounds: float) -> Any:
    """Type of finite numbers within bounds; whole numbers become floats."""
    return _number(float, "a finite number", bounds)


# Upper bounds are what a machine can meet; what lies above the sensible is warned of (sizes.py).
_MOST = 10_000
NonNegativeCount, Count, AtLeastTwo = (whole(ge=least, le=_MOST) for least in (0, 1, 2))
#: Steps of a record, and limits of iterations, draws and evaluations.
Steps, Limit = whole(ge=1, le=10**7), whole(ge=1, le=10**7)
Bins, Colors = whole(ge=2, le=50), whole(ge=1, le=100)
Share = real(ge=0, le=1)
#: A mass of intervals: beyond, quantiles and cuts lie where no number is known.
Level = real(ge=0.01, le=0.9999)
Discount = real(gt=0, le=0.99999)
#: Where an optimizer stops, nats: below it, only rounding is left.
Tolerance = real(ge=1e-12, le=10)
#: Food is worth 1, and beliefs and choices are told apart between these.
Probability, Real = real(ge=1e-6, le=1 - 1e-6), real(ge=-1000, le=1000)
Positive = real(ge=1e-6, le=1000)
#: Diffusion of the belief step, in belief units or in bins.
StepDiffusion = real(ge=1e-6, le=100)


# --- words ----------------------------------------------------------------------------------------

Flag = Annotated[bool, Allowed("true or false")]


def choice(*options: str) -> Any:
    """Type of one of several words."""
    return Annotated[Literal[options], Allowed(" or ".join(options))]


def text(pattern: str, words: str, excluded: tuple[str, ...] = ()) -> Any:
    """Type of text that matches a regular expression as a whole and is none of `excluded`."""

    def checked(value: str) -> str:
        if not re.fullmatch(pattern, value) or value in excluded:
            raise ValueError(words)
        return value

    return Annotated[str, AfterValidator(checked), Allowed(words)]


def name_except(*reserved: str) -> Any:
    """Type of names that a user may give, but for some that are taken."""
    words = f"letters, digits and _; not {', '.join(reserved)}"
    return text(r"[A-Za-z0-9_]+", words, reserved)


# --- composed of others ---------------------------------------------------------------------------

# YAML has lists only; a section is frozen, and holds tuples.
_FROM_LIST = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)


def optional(item: Any) -> Any:
    """Type of a value that may also be null."""
    return Annotated[item | None, Allowed(f"{words_of(item)} or null")]


def different(item: Any, at_least: int = 1, ascending: bool = False) -> Any:
    """Type of lists of different values, sorted on the way if their order means nothing."""

    def checked(values: tuple) -> tuple:
        if len(set(values)) < len(values):
            raise ValueError("a value is given twice")
        return tuple(sorted(values)) if ascending else values

    number = {0: "zero", 1: "one", 2: "two"}[at_least]
    words = f"a list of {number} or more different values, each {words_of(item)}{_AT_MOST}"
    return Annotated[
        tuple[item, ...],
        _FROM_LIST,
        Field(min_length=at_least, max_length=_LONGEST_LIST),
        AfterValidator(checked),
        Allowed(words),
    ]


def several(item: Any) -> Any:
    """Type of lists with at least one item."""
    words = f"a list of one or more, each {words_of(item)}{_AT_MOST}"
    return Annotated[
        tuple[item, ...], _FROM_LIST, Field(min_length=1, max_length=_LONGEST_LIST), Allowed(words)
    ]


def pair(item: Any) -> Any:
    """Type of ranges: a lower and a higher end."""

    def checked(ends: tuple) -> tuple:
        if not ends[0] < ends[1]:
            raise ValueError("low < high")
        return ends

    words = f"[low, high] with low < high, each {words_of(item)}"
    return Annotated[tuple[item, item], _FROM_LIST, AfterValidator(checked), Allowed(words)]


def pair_or(word: str, item: Any) -> Any:
    """Type of ranges in whose place a word may stand."""
    inner, words = TypeAdapter(pair(item)), f"{words_of(pair(item))}; or {word}"

    def checked(value: Any) -> Any:
        try:
            return value if value == word else inner.validate_python(value, strict=True)
        except ValidationError:
            raise ValueError(words) from None

    return Annotated[Any, BeforeValidator(checked), Allowed(words)]


def plain(section: type[Section], *words: Allowed) -> Any:
    """Type of a section that is checked as such and kept as a dict of the keys that were given."""
    as_dict = AfterValidator(lambda checked: checked.model_dump(exclude_unset=True))
    return Annotated[section, as_dict, PlainSerializer(lambda value: value), *words]


def named(name: Any, item: Any, words: str) -> Any:
    """Type of a section whose keys are names of the user's own."""
    return Annotated[dict[name, item], Allowed(f"{words}; names of {words_of(name)}")]


# --- the agent's parameters -----------------------------------------------------------------------


def coordinate_type(parameter: Parameter) -> Any:
    """Type of the natural values of a parameter."""
    return {"logit": Probability, "log": Positive, "identity": Real}[parameter.coordinate]


def parameter_ranges(
    meaning: str, kind: Callable[[Any], Any] = pair, extras: Mapping[str, Any] | None = None
) -> Any:
    """Type of a range [low, high] of each of the agent's parameters, by name.

    Parameters
    ----------
    meaning : str
        What the ranges are of, before the parameter's name.
    kind : callable, optional
        Makes the type of a parameter's range from that of its values.
    extras : mapping, optional
        Default ranges of extra parameters, if there may be any; the diffusion's is in widths of a bin.
    """
    ranges = {
        parameter.name: (
            kind(coordinate_type(parameter)),
            key(..., f"{meaning} {parameter.name}", parameter.unit),
        )
        for parameter in AGENT_PARAMETERS
    }
    for parameter in EXTRA_PARAMETERS if extras else ():
        in_bins = parameter.name == "diffusion"
        name = f"{parameter.name}_bins" if in_bins else parameter.name
        ranges[name] = (
            kind(real(gt=0.1, le=100) if in_bins else coordinate_type(parameter)),
            key(
                extras[name],
                f"{meaning} {parameter.name}, where the agent has one of its own",
                "bins" if in_bins else parameter.unit,
            ),
        )
    section = create_model("ParameterRanges", __base__=Section, **ranges)
    return Annotated[section, AfterValidator(dict), PlainSerializer(lambda value: value)]


def some_ranges(
    name: str,
    meaning: str,
    kind: Callable[[Any], Any] = pair,
    value: Callable[[Parameter], Any] = coordinate_type,
    diffusion: bool = True,
) -> type[Section]:
    """Make a section of ranges [low, high] of any of the agent's parameters, extra ones among them.

    Parameters
    ----------
    name : str
        Of the section, in errors where it is made by keywords.
    meaning : str
        What the ranges are of, before the parameter's name; also the section's docstring.
    kind : callable, optional
        Makes the type of a parameter's range from that of its values.
    value : callable, optional
        Makes the type of a parameter's values.
    diffusion : bool, optional
        Whether the diffusion's range may be given as such, and not only in widths of a bin.
    """
    ranges = {
        parameter.name: (
            kind(value(parameter)),
            key(None, f"{meaning} {parameter.name}", parameter.unit),
        )
        for parameter in (*AGENT_PARAMETERS, *EXTRA_PARAMETERS)
        if diffusion or parameter.name != "diffusion"
    }
    in_bins = key(None, f"{meaning} diffusion", "bins")
    ranges["diffusion_bins"] = (kind(real(gt=0.1, le=100)), in_bins)
    return create_model(name, __base__=Section, __doc__=meaning, **ranges)


def reserve_starts(default: int) -> Any:
    """The key n_reserve_starts of a study: one meaning in all of them."""
    meaning = (
        "further starts, taken one by one until two agree, to within 0.01 nat, on the highest maximum "
        "and, if others ended elsewhere, most maxima are likely seen; if they never do, the fit says so"
    )
    return key(default, meaning, "starts")
