"""Whatever a function of the front door is given, it works or says in one line what is allowed."""

import re

import numpy as np
import pytest

import inverse_rational_control as irc
from inverse_rational_control.config.fitting import FitSettings

TASK = irc.Task(n_bins=3, n_cues=3)


@pytest.fixture(scope="module")
def record():
    return irc.simulate(irc.Agent(), irc.World(), 60, TASK, seed=1)


#: Name of the argument, what it may not be, and what is said to be allowed.
WRONG = {
    "record": (("x", None, 3), "a Record, as read_record gives"),
    "task": (("x", {"n_bins": 5}), "a Task"),
    "agent": (("x", None, irc.World(), np.ones((2, 10))), "an Agent, a Fit, a Posterior, or"),
    "world": (("x", None, irc.Agent(), np.ones(6)), "a World"),
    "n_steps": (("10", None, 10.0, True, 0, -3), "a whole number >= 1"),
    "n_starts": (("3", None, 1.5, 0), "a whole number >= 1"),
    "n_reserve_starts": (("3", None, 1.5, -1), "a whole number >= 0"),
    "n_replicates": (("3", None, 1.5, 0), "a whole number >= 1"),
    "n_parts": (("3", None, 2.5, 1), "a whole number >= 2"),
    "seed": (("a", 1.5, -1, None), "a whole number >= 0"),
    "fixed": (("push_cost", ["push_cost"], {"push_cost": "a"}, {3: 1}), "a mapping of parameters"),
    "tied": (("push_cost", ["push_cost"], [3], 3), "a list of lists of parameters' names"),
    "bounded": (
        (3, ["push_cost"], {"push_cost": 3}, {"push_cost": "ab"}, {"push_cost": (1, 2, 3)}),
        "a mapping of parameters' names to (low, high)",
    ),
    "settings": (("x", {"method": "em"}), "FitSettings"),
    "extras": ((3, [3]), "a list of names of extra parameters"),
    "start": (("x", irc.World(), np.ones((2, 10))), "an Agent, a Fit, a Posterior, or"),
    "prior": (("x", ["x"], {3: (1, 2)}), "a mapping of parameters' names to (low, high)"),
    "descriptions": (("lapse", ["lapse"], {"own": 3}), "a mapping of names to lists of names"),
}
_FITTED = ("task", "n_starts", "seed", "fixed", "tied", "settings", "bounded")
FUNCTIONS = {
    "simulate": ("agent", "world", "n_steps", "task", "seed"),
    "fit": ("record", *_FITTED, "n_reserve_starts", "extras"),
    "posterior": (
        *("record", "start", "task", "seed", "prior", "fixed", "tied", "extras", "bounded"),
    ),
    "decode": ("record", "agent", "task"),
    "resimulate": ("record", "agent", "world", "task", "n_replicates", "seed"),
    "compare_descriptions": ("record", *_FITTED, "descriptions", "n_parts"),
}


def refusal(name, value, **given):
    """The one line with which a function refuses."""
    with pytest.raises(ValueError) as refused:
        getattr(irc, name)(**given | value)
    said = str(refused.value)
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    ("name", "argument"),
    [(name, argument) for name, arguments in FUNCTIONS.items() for argument in arguments],
)
def test_what_is_of_another_kind_is_refused_by_its_name(record, name, argument):
    sound = {"record": record, "agent": irc.Agent(), "world": irc.World(), "n_steps": 10}
    given = {key: sound[key] for key in FUNCTIONS[name] if key in sound} | {"task": TASK}
    values, words = WRONG[argument]
    for value in values:
        said = refusal(name, {argument: value}, **given)
        assert re.match(rf"{argument}: found .+, allowed: {re.escape(words)}", said), said


def test_settings_are_those_of_the_function(record):
    said = refusal("posterior", {"settings": FitSettings()}, record=record, task=TASK)
    assert said == "settings: found an object of type FitSettings, allowed: PosteriorSettings"


@pytest.mark.parametrize("value", [None, 3, [], [3]])
@pytest.mark.parametrize("name", ["read_record", "read_events"])
def test_paths_are_paths(name, value):
    given = {"step_width": 1.0} if name == "read_events" else {}
    assert refusal(name, {"path": value}, **given).endswith(
        "the path of a file, or a list of paths"
    )


def test_paths_may_come_one_by_one(record, tmp_path):
    for number in range(2):
        irc.write_record(record, tmp_path / f"{number}.nc", TASK)
    assert irc.read_record(sorted(tmp_path.glob("*.nc")).__iter__(), TASK).n_steps == 120


@pytest.mark.parametrize("value", ["a", None, [1.0], True])
def test_the_width_of_a_step_is_a_number(value):
    said = refusal("read_events", {"step_width": value}, path="events.csv")
    assert said == f"step_width: found {value!r}, allowed: a number of seconds"


@pytest.mark.parametrize("value", [None, 3, "monkey.csv"])
def test_a_record_is_written_as_netcdf(record, value):
    said = refusal("write_record", {"path": value}, record=record, task=TASK)
    assert said == f"path: found {value!r}, allowed: a file name that ends in .nc"


def test_a_layout_is_one_of_mappings():
    assert "allowed: a Layout" in refusal("read_record", {"layout": "x"}, path="monkey.csv")
    for given, said in (
        ({"columns": 3}, "layout.columns: found 3, allowed: a mapping of our names to the file's"),
        ({"codes": "x"}, "layout.codes: found 'x', allowed: a mapping of columns to mappings"),
        (
            {"codes": {"cue": 3}},
            "layout.codes.cue: found 3, allowed: a mapping of texts to meanings",
        ),
    ):
        assert refusal("Layout", given).startswith(said)


def test_a_start_has_the_parameters_of_the_model(record):
    given = {"record": record, "task": TASK}
    said = refusal("posterior", {"start": np.full(9, 0.2)}, **given)
    assert said == "start: found 9 parameters, allowed: 10"
    said = refusal("posterior", {"start": np.full(10, np.nan)}, **given)
    assert said == "start.appearance_rate_1: found nan, allowed: finite numbers"
    said = refusal("posterior", {"start": irc.Agent(lapse=0.1), "extras": ()}, **given)
    assert said == "start: found 11 parameters, allowed: 10"
