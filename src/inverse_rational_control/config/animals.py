"""Records of one's own: section `animals`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    WrapValidator,
    model_validator,
)

from inverse_rational_control.alternative_models import BASELINES, PAPER
from inverse_rational_control.config.fields import (
    NonNegativeCount,
    Real,
    Share,
    choice,
    different,
    name_except,
    named,
    optional,
    pair,
    plain,
    real,
    several,
    some_ranges,
    text,
    words_of,
)
from inverse_rational_control.config.foraging import TaskSection, WorldSection
from inverse_rational_control.config.places import path_type
from inverse_rational_control.config.posterior import SomePrior
from inverse_rational_control.config.section import Allowed, Section, key
from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    EXTRA_PARAMETERS,
    WORLD_PARAMETERS,
    Parameter,
)

__all__ = ["TAKEN", "AnimalSection", "Animals", "EventRules"]

#: Folders of the results that an animal's name would hide.
TAKEN = (
    *("paper", "recovery", "population", "optimization", "identifiability", "alternatives"),
    *("sensitivity", "calibration", "figures", "check", "benchmarks", "logs"),
)
_ENDS = "csv|tsv|txt|csv.gz|tsv.gz|txt.gz|nc"
RecordFile = path_type(
    rf"[^{{}}*?]+\.({_ENDS.replace('.', '[.]')})",
    "a file name that ends in .csv or .nc (or .tsv, .txt; tables also .gz), without {}*?",
)
Label = text(r"[^\n]+", "text")
# What people number they may write as numbers.
AnyLabel = Annotated[
    text(r"[^\n]+", "text or a whole number"),
    BeforeValidator(lambda given: str(given) if type(given) is int else given),
]
_PARTS = ("location", "action", "reward", "cue", "cue_1", "cue_2", "food", "event", "box", "place")
_COLUMNS = (
    *("location", "action", "reward", "cue_1", "cue_2", "step", "time", "food_1", "food_2"),
    *("belief_bin_1", "belief_bin_2", "event", "box", "value", "place"),
)
_OF_AGENT = (*AGENT_PARAMETERS, *EXTRA_PARAMETERS)
OfAgent = choice(*(parameter.name for parameter in _OF_AGENT))
Extras = different(choice(*(parameter.name for parameter in EXTRA_PARAMETERS)), at_least=0)
OfWorld = choice(*(parameter.name for parameter in WORLD_PARAMETERS))
ModelName = text(r"[A-Za-z0-9_]+", "the name of a model of alternatives.models")
OwnName = name_except(PAPER, "all", *(parameter.name for parameter in EXTRA_PARAMETERS), *BASELINES)
Code = Annotated[int | str, Allowed("a whole number or a word such as box 1 or push")]
# A recording may be weeks long, and begin anywhere on its clock.
Moment, Duration = real(ge=-1e10, le=1e10), real(ge=1e-6, le=1e6)
Intervals = several(pair(Moment))


class EventRules(Section):
    """How events in seconds become steps (docs/recordings.md)."""

    step_width: Duration = key(1.0, "how long a step is", "s")
    positions: optional(RecordFile) = key(
        None, "table of time and place; without, the events say where the animal is"
    )
    reward_window: pair(real(ge=0, le=1e6)) = key(
        (0.0, 3.0), "how long before a reward the push was that it is credited to", "s"
    )
    reward_without_push: choice("refuse", "leave_out") = key(
        "refuse", "what a reward means that no push in its window can have brought"
    )
    heading_window: NonNegativeCount = key(
        5,
        "steps within which the next box entered says where a move to the middle was heading",
        "steps",
    )
    longest_gap: optional(Duration) = key(
        None, "time without any row after which a new session begins; null for none", "s"
    )
    outside: choice("last", "middle") = key(
        "last", "where an animal is that is in no place: where it was last, or the middle"
    )
    cue_phase: real(ge=0, le=1) = key(
        0.5, "which moment of a step, as a share of it, the step's cues are read at", "1"
    )
    intervals: optional(Intervals) = key(
        None,
        "the stretches [from, to] to use; null for everything, or what start and stop say",
        "s",
    )
    lost_share_maximum: real(ge=0, le=1) = key(
        0.05, "share of pushes that may be lost because visits are shorter than steps", "1"
    )


def _lines_of(ranges: type[Section]) -> Any:
    """Type of a section of some ranges, and what it is in words."""
    words = Allowed(
        f"lines `parameter: [low, high]`, the {ranges.__doc__} any of the agent's parameters; "
        "diffusion_bins is the diffusion in widths of a bin"
    )
    return plain(ranges, words)


def _value_at_bound(parameter: Parameter) -> Any:
    """Type of the ends of an interval that a parameter is kept within: its own bounds among them."""
    return {"logit": Share, "log": real(ge=0, le=1000), "identity": Real}[parameter.coordinate]


_LINES = "a section of lines `parameter: value`"
_BOUNDED = _lines_of(some_ranges("bounded", "bounds of", pair, _value_at_bound))
_PRIOR = _lines_of(SomePrior)
_STARTS = some_ranges("start_ranges", "lowest and highest start of", pair, diffusion=False)


class OwnTask(TaskSection):
    """What differs from the section task; judged together with that."""

    @model_validator(mode="after")
    def _judge_as_a_task(self):
        return self


class OwnModel(Section):
    """Another model of an animal, in the words of its entry, which hold beside the entry's own."""

    extras: Extras = key((), "parameters beyond the ten")
    held: named(OfAgent, Real, _LINES) = key({}, "parameters held at a value")
    from_world: different(OfWorld) = key((), "parameters held at the world's values")
    tied: several(different(OfAgent, at_least=2)) = key((), "groups that share one value")
    bounded: _BOUNDED = key({}, "free parameters kept within an interval, in natural units")
    prior: _PRIOR = key({}, "what has a prior when the model is fitted; nothing else has")


_KEYS_OF_MODEL = f"any of the keys {', '.join(OwnModel.model_fields)}"
_NAMES = TypeAdapter(different(ModelName, at_least=0))
_OTHERS = (
    f"{words_of(different(ModelName, at_least=0))}; or a section of models of the entry's own, "
    f"`name: {{...}}`, each with {_KEYS_OF_MODEL}"
)


def _names_or_models(value: Any, as_models: Any) -> Any:
    if isinstance(value, Mapping):
        return as_models(value)
    try:
        return list(_NAMES.validate_python(value, strict=True))
    except ValidationError:
        raise ValueError(_OTHERS) from None


OtherModels = Annotated[
    dict[OwnName, plain(OwnModel, Allowed(f"a section with {_KEYS_OF_MODEL}"))],
    WrapValidator(_names_or_models),
    PlainSerializer(lambda value: value),
    Allowed(_OTHERS),
]


class AnimalSection(Section):
    """Where the files of an animal are, how they are laid out, and what holds for it alone."""

    file: RecordFile = key(None, "the table or NetCDF record")
    files: several(RecordFile) = key(None, "several, in order; none continues a session of another")
    subject: Label = key(None, "column that names the subject: each becomes an animal of its own")
    session: Label = key(None, "column that names the session")
    subjects: different(AnyLabel) = key(
        None, "which subjects; all that the files hold if not given"
    )
    fit: different(choice("subject", "session", "pooled")) = key(
        ("subject",), "what is fitted: each subject, each session, everything together"
    )
    columns: named(choice(*_COLUMNS), Label, "a section of lines `our name: the file's name`") = (
        key({}, "the file's names of columns")
    )
    codes: named(
        choice(*_PARTS),
        named(Label, Code, "a section of lines `text: meaning`"),
        "a section of columns with lines `text: meaning`",
    ) = key({}, "what the text of cells stands for")
    missing_steps: choice("refuse", "new_session") = key(
        "refuse", "what steps that are not there mean"
    )
    events: plain(EventRules, Allowed("a section with keys such as step_width")) = key(
        None, "the files hold events in seconds, not steps"
    )
    task: plain(OwnTask, Allowed("a section with any keys of task")) = key(
        {}, "what differs from the section task; with events, their step_width is the task's"
    )
    world: plain(WorldSection, Allowed("a section with any keys of world")) = key(
        {}, "what differs from the section world"
    )
    extras: Extras = key(None, "parameters beyond the ten, in place of fitting.extras")
    held: named(OfAgent, Real, _LINES) = key(
        {}, "parameters held at a value; an extra one that is held, the animal has"
    )
    from_world: different(OfWorld) = key((), "parameters held at the world's values")
    tied: several(different(OfAgent, at_least=2)) = key(
        (), "groups of parameters that share one value"
    )
    bounded: _BOUNDED = key({}, "free parameters kept within an interval, in natural units")
    prior: _PRIOR = key({}, "what differs from the section prior")
    start_ranges: _lines_of(_STARTS) = key({}, "what differs from fitting.start_ranges")
    alternatives: OtherModels = key(
        (),
        "models compared with the descriptions: of alternatives.models, none that holds a simulated "
        "agent's values; or the entry's own",
    )


_WORDS = (
    "a file name that ends in .csv or .nc (or .tsv, .txt; tables also .gz), or a section with any of "
    f"the keys {', '.join(AnimalSection.model_fields)}"
)
_FILE = TypeAdapter(RecordFile)


def _file_or_section(value: Any, as_section: Any) -> Any:
    if isinstance(value, Mapping | AnimalSection):
        return as_section(value)
    try:
        return _FILE.validate_python(value, strict=True)
    except ValidationError:
        raise ValueError(_WORDS) from None


def _one_source(value: str | AnimalSection) -> str | dict:
    if isinstance(value, str):
        return value
    if (value.file is None) == (value.files is None):
        raise ValueError("file or files")
    return value.model_dump(mode="json", exclude_unset=True)


Animal = Annotated[
    AnimalSection,
    WrapValidator(_file_or_section),
    AfterValidator(_one_source),
    PlainSerializer(lambda value: value),
    Allowed(f"{_WORDS}; one of file and files"),
]
Animals = named(
    name_except(*TAKEN),
    Animal,
    "a section of lines `name: file.csv` or `name: file.nc`, of named sections, or {}",
)
