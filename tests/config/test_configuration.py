"""The configuration: every file in config/ is valid, every mistake gets one clear line."""

import copy
import math
import re

import pytest
import yaml

from inverse_rational_control.config.configuration import Configuration, validate_config
from inverse_rational_control.config.loading import ConfigError, load_config, task_from_config
from inverse_rational_control.config.section import allowed, has_keys, known_keys, unit
from inverse_rational_control.parameters import AGENT_PARAMETERS, EXTRA_PARAMETERS, WORLD_PARAMETERS
from inverse_rational_control.storage.source import source_files
from inverse_rational_control.studies.registry import studies_made
from inverse_rational_control.task import Task
from tests import ROOT

DEFAULTS = ROOT / "config" / "config.yaml"
OVERRIDES = [
    *(ROOT / "config" / name for name in ("test.yaml", "large.yaml")),
    ROOT / "tests" / "workflow" / "tiny.yaml",
]
#: Every key that is not a section of known keys.
LEAVES = [".".join(path) for path, field in known_keys(Configuration) if not has_keys(field)]


def _changed(key: str, value) -> dict:
    """Return the defaults with one dotted key set."""
    config = load_config(DEFAULTS)
    *sections, last = key.split(".")
    node = config
    for section in sections:
        node = node[section]
    node[last] = value
    return config


def _without(key: str) -> dict:
    config = load_config(DEFAULTS)
    *sections, last = key.split(".")
    node = config
    for section in sections:
        node = node[section]
    del node[last]
    return config


def _error_line(config) -> str:
    with pytest.raises(ConfigError) as caught:
        validate_config(config)
    line = str(caught.value)
    assert line == line.strip()
    assert len(line.splitlines()) == 1, f"more than one line: {line!r}"
    return line


def _value(config: dict, key: str):
    for name in key.split("."):
        config = config[name]
    return config


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("overrides", [[], *[[path] for path in OVERRIDES]], ids=str)
def test_every_file_is_valid_and_free_of_warnings(overrides):
    config, warnings = validate_config(load_config(DEFAULTS, *overrides))
    assert warnings == []
    assert isinstance(task_from_config(config), Task)


def test_results_of_the_configurations_are_kept_apart():
    folders = [load_config(DEFAULTS, path)["results_directory"] for path in OVERRIDES]
    assert len({load_config(DEFAULTS)["results_directory"], *folders}) == 4


@pytest.mark.parametrize("path", OVERRIDES, ids=lambda path: path.name)
def test_overrides_say_only_what_differs(path):
    def repeated(base, override, prefix=""):
        for name, value in override.items():
            if isinstance(value, dict):
                yield from repeated(base[name], value, f"{prefix}{name}.")
            elif value == base[name]:
                yield f"{prefix}{name}"

    assert list(repeated(load_config(DEFAULTS), load_config(path))) == []


def test_defaults_are_the_papers_agent_and_world():
    config, _ = validate_config(load_config(DEFAULTS))
    assert list(config["world"].values()) == [0.15, 0.10, 0.05, 0.04, 0.4, 0.6]
    assert list(config["agent"].values()) == [
        0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2, None, None, None, None
    ]  # fmt: skip
    assert task_from_config(config) == Task()


# --- the models -----------------------------------------------------------------------------------


def test_config_yaml_holds_the_defaults_of_the_models_and_every_key():
    config, _ = validate_config(load_config(DEFAULTS))
    assert config == Configuration().model_dump(mode="json")


def test_every_key_has_a_meaning_a_unit_and_words_for_what_is_allowed():
    for path, field in known_keys(Configuration):
        assert field.description and unit(field) and allowed(field), path
        assert not field.description.endswith("."), path


def test_sections_know_the_parameters_of_the_library():
    keys = {
        section: [path[-1] for path, _ in known_keys(Configuration) if path[:-1] == section]
        for section in (
            ("world",),
            ("agent",),
            ("fitting", "start_ranges"),
            ("prior",),
            ("population", "ranges"),
        )
    }
    world = keys.pop(("world",))
    assert world == [parameter.name for parameter in WORLD_PARAMETERS]
    ten = [parameter.name for parameter in AGENT_PARAMETERS]
    extras = [parameter.name for parameter in EXTRA_PARAMETERS]
    assert keys.pop(("population", "ranges")) == ten
    assert keys.pop(("agent",)) == ten + extras
    extras[extras.index("diffusion")] = "diffusion_bins"
    for section in keys:
        assert keys[section] == ten + extras, section


def test_a_script_does_not_depend_on_the_sections_of_others():
    for script in (ROOT / "workflow" / "scripts").glob("*.py"):
        assert "configuration.py" not in [path.name for path in source_files(script)], script


def test_parameters_have_the_units_of_the_library():
    units = {parameter.name: parameter.unit for parameter in AGENT_PARAMETERS}
    for path, field in known_keys(Configuration):
        if path[-1] in units:
            assert unit(field) == units[path[-1]], path


# --- per second -----------------------------------------------------------------------------------


def test_what_is_stated_per_second_is_turned_into_steps():
    config = load_config(DEFAULTS)
    config["task"] |= {"step_width": 0.2, "horizon": 50.0, "diffusion_per_second": 0.1}
    config["task"] |= {"rates_per_second": True}
    config["prior"]["disappearance_rate_2"] = "flat"
    checked, _ = validate_config(config)
    task = task_from_config(checked)
    assert task.discount == pytest.approx(math.exp(-0.2 / 50.0))
    assert task.sigma == pytest.approx(0.1 * math.sqrt(0.2))
    assert task.step_width == 0.2
    for actor in ("world", "agent"):
        for name, value in config[actor].items():
            per_step = 1 - math.exp(-0.2 * value) if "appearance_rate" in name else value
            assert checked[actor][name] == pytest.approx(per_step), name
    low, high = config["prior"]["appearance_rate_1"]
    expected = [1 - math.exp(-0.2 * low), 1 - math.exp(-0.2 * high)]
    assert checked["prior"]["appearance_rate_1"] == pytest.approx(expected)
    assert checked["prior"]["disappearance_rate_2"] == "flat"
    assert checked["prior"]["push_cost"] == config["prior"]["push_cost"]
    assert checked["fitting"]["start_ranges"]["appearance_rate_1"] != expected
    # Once is enough.
    assert validate_config(checked)[0] == checked


def test_a_task_without_cues_warns_of_the_studies():
    checked, warnings = validate_config(_changed("task.n_cues", 1))
    assert any("Figures 6 to 12 are left out" in line for line in warnings)
    assert [study.name for study in studies_made(checked)] == ["paper"]
    assert len(studies_made(validate_config(_changed("task.n_cues", 2))[0])) == 8


def test_places_and_actions_may_have_underscores():
    config = load_config(DEFAULTS)
    config["task"]["travel"] = {"box_1": {"box_2": {"middle": 0.1, "box_2": 0.9}}}
    config["task"]["available_actions"] = {"middle": ["stay", "go_to_box_1"]}
    task = task_from_config(validate_config(config)[0])
    assert task.arrival[1, 3].tolist() == [0.1, 0.0, 0.9]
    assert task.available[0].tolist() == [True, False, True, False, False]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        (
            "travel",
            {"box 1": {"box 2": "door"}},
            "task.travel.box 1.box 2: found 'door', allowed: mid",
        ),
        (
            "available_actions",
            {"nest": ["stay"]},
            "task.available_actions: found 'nest', allowed: mid",
        ),
    ],
)
def test_a_bad_table_is_named_by_place_and_target(key, value, line):
    assert _error_line(_changed(f"task.{key}", value)).startswith(line)


# --- mistakes -------------------------------------------------------------------------------------

NAN, INFINITY = float("nan"), float("inf")

#: (key, value, how the value is shown, words that say what is allowed)
OUT_OF_RANGE = [
    ("results_directory", "", "''", "a folder name"),
    ("results_directory", ".", "'.'", "not . or .."),
    ("results_directory", "results/", "'results/'", "without a slash at its end"),
    ("results_directory", "results/{seed}", "'results/{seed}'", "a folder name"),
    ("results_directory", 3, "3", "a folder name"),
    ("root_seed", -1, "-1", "a whole number >= 0"),
    ("root_seed", "2019", "'2019'", "a whole number >= 0"),
    ("task.n_bins", 1, "1", "a whole number >= 2"),
    ("task.n_bins", True, "true", "a whole number >= 2"),
    ("task.n_bins", 10.0, "10.0", "a whole number >= 2"),
    ("task.n_bins", None, "null", "a whole number >= 2"),
    ("task.n_bins", [5, 10], "[5, 10]", "a whole number >= 2"),
    ("task.n_cues", 0, "0", "a whole number >= 1"),
    ("task.diffusion", 0, "0", ">= 1e-06 and <= 100 or null"),
    ("task.diffusion", -0.05, "-0.05", ">= 1e-06 and <= 100 or null"),
    ("task.diffusion", "half a bin", "'half a bin'", ">= 1e-06 and <= 100 or null"),
    ("task.discount", 0, "0", "> 0 and <= 0.99999"),
    ("task.discount", 1, "1", "> 0 and <= 0.99999"),
    ("task.discount", 1.0, "1.0", "> 0 and <= 0.99999"),
    ("task.discount", False, "false", "> 0 and <= 0.99999"),
    ("task.grooming", "wait", "'wait'", "waiting or presence"),
    ("task.grooming", True, "true", "waiting or presence"),
    ("task.restricted_actions", 1, "1", "true or false"),
    ("task.restricted_actions", "no", "'no'", "true or false"),
    ("task.travel", "teleport", "'teleport'", "through_middle, direct or"),
    ("task.travel", 3, "3", "through_middle, direct, or lines"),
    ("task.available_actions", ["push"], "['push']", "null or lines `place: [actions]`"),
    ("task.cue_share", 0, "0", ">= 1e-06 and <= 1"),
    ("task.step_width", 0, "0", "or null"),
    ("task.horizon", 0, "0", "or null"),
    ("task.horizon", 20.0, "20.0 without task.step_width", "with it"),
    ("task.rates_per_second", True, "true without step_width", "with it"),
    ("world.appearance_rate_1", 0, "0", ">= 1e-06 and <= 0.999999"),
    ("world.disappearance_rate_2", 1.2, "1.2", ">= 1e-06 and <= 0.999999"),
    ("world.cue_probability_absent", NAN, "nan", "finite number >= 1e-06 and <= 0.999999"),
    ("agent.appearance_rate_2", -0.1, "-0.1", ">= 1e-06 and <= 0.999999"),
    ("agent.grooming_reward", NAN, "nan", "a finite number"),
    ("agent.travel_cost", INFINITY, "inf", "a finite number"),
    ("agent.push_cost", None, "null", "a finite number"),
    ("agent.push_cost", True, "true", "a finite number"),
    ("agent.temperature", 0, "0", "a finite number >= 1e-06 and <= 1000"),
    ("agent.temperature", -0.2, "-0.2", "a finite number >= 1e-06 and <= 1000"),
    ("agent.temperature", INFINITY, "inf", "a finite number >= 1e-06 and <= 1000"),
    ("agent.temperature", 10**400, "1000000", "a finite number >= 1e-06 and <= 1000"),
    ("paper.n_steps", 0, "0", "a whole number >= 1"),
    ("paper.n_starts", 0, "0", "a whole number >= 1"),
    ("recovery.n_seeds", 1, "1", "a whole number >= 2"),
    ("recovery.n_steps", [], "[]", "a list of one or more different values"),
    ("recovery.n_steps", 5000, "5000", "a list of one or more different values"),
    ("recovery.n_steps", [5000, -1], "[5000, -1]", "each a whole number >= 1"),
    ("recovery.n_steps", [5000, 2000.5], "[5000, 2000.5]", "each a whole number >= 1"),
    ("recovery.n_steps", [5000, True], "[5000, True]", "each a whole number >= 1"),
    ("recovery.n_steps", [2000, 5000, 5000], "[2000, 5000, 5000]", "different values"),
    ("recovery.batch_size", 0, "0", "a whole number >= 1"),
    ("optimization.n_curve_starts", 41, "41", "at most optimization.n_starts 40"),
    ("optimization.gaps", [0.1, 0], "[0.1, 0]", "each a finite number >= 1e-09 and <= 1000000"),
    ("optimization.diffusion_bins", [], "[]", "a list of one or more different values"),
    ("alternatives.models.reward_only.from_world", ["luck"], "'luck'", "or cue_probability_absent"),
    ("alternatives.models.dynamics_only.from_agent", ["tau"], "'tau'", "or temperature"),
    ("alternatives.models.equal_boxes.tied", [["push_cost"]], "[['push_cost']]", "two or more"),
    ("alternatives.models.equal_boxes", 1, "1", "a section with any of the keys from_world"),
    ("alternatives.models.full", {}, "'full'", "not full, memoryless"),
    ("fitting.method", "newton", "'newton'", "quasi_newton or em or squarem"),
    (
        "fitting.start_ranges.temperature",
        [0, 0.5],
        "[0, 0.5]",
        "a finite number >= 1e-06 and <= 1000",
    ),
    ("fitting.start_ranges.temperature", [0.5, 0.1], "[0.5, 0.1]", "low < high"),
    ("fitting.start_ranges.travel_cost", [0.1, 0.1], "[0.1, 0.1]", "low < high"),
    ("fitting.start_ranges.push_cost", [0.1], "[0.1]", "[low, high]"),
    ("fitting.start_ranges.push_cost", [], "[]", "[low, high]"),
    ("fitting.start_ranges.push_cost", [0.1, 0.2, 0.3], "[0.1, 0.2, 0.3]", "[low, high]"),
    ("fitting.start_ranges.push_cost", 0.1, "0.1", "[low, high]"),
    ("fitting.start_ranges.appearance_rate_1", [0.1, 1], "[0.1, 1]", ">= 1e-06 and <= 0.999999"),
    ("fitting.tolerance", 0, "0", "a finite number >= 1e-12 and <= 10"),
    ("fitting.max_evaluations", 0, "0", "a whole number >= 1"),
    ("fitting.em.ascent_steps", 0, "0", "a whole number >= 1"),
    ("fitting.confidence_level", 95, "95", ">= 0.01 and <= 0.9999"),
    ("fitting.difference_step", 0, "0", ">= 1e-08 and <= 1e-05"),
    ("surface.n_points", 1, "1", "a whole number >= 2"),
    ("resimulation.n_replicates", 0, "0", "a whole number >= 2"),
    ("figures.example_start", -1, "-1", "a whole number >= 0"),
    ("figures.example_steps", 0, "0", "a whole number >= 2"),
    ("figures.example_start", 4950, "4950", "<= paper.n_steps 5000"),
    ("recovery.slope_from", 15000, "15000", "at least 2"),
    ("check.null_percentile", 100, "100", ">= 90 and < 100"),
    # Bounds that wrong programs meet.
    ("check.belief_information_minimum", 0.0, "0.0", ">= 0.3 and < 1"),
    ("check.credible_tolerance", 0.2, "0.2", "> 0 and <= 0.03"),
    ("check.interval_level", 0.5, "0.5", ">= 0.9 and < 1"),
    ("check.coverage_standard_errors", 12, "12", "> 0 and <= 5"),
    ("population.check.coverage_standard_errors", 12, "12", "> 0 and <= 5"),
    ("alternatives.check.nested_tolerance", 50, "50", "> 0 and <= 0.1"),
    ("alternatives.check.chance_level", 1, "1", "> 0 and <= 0.05"),
    ("alternatives.check.standard_errors", 50, "50", ">= 2 and <= 5"),
    ("optimization.check.reached_share_minimum", 0.1, "0.1", ">= 0.5 and <= 1"),
    ("optimization.check.squarem_cost_maximum", 1, "1", "> 0 and < 1"),
    ("identifiability.check.curvature_tolerance", 1, "1", "> 0 and <= 0.2"),
    ("sensitivity.check.converged_share_minimum", 0.2, "0.2", ">= 0.5 and <= 1"),
    ("check.likelihood_ratio_range", [13, 7], "[13, 7]", "low < high"),
    ("recovery.n_seeds_long", 1000, "1000", "at most recovery.n_seeds"),
    ("check.converged_share_minimum", 1.5, "1.5", ">= 0 and <= 1"),
    ("animals", [], "[]", "a section"),
    ("animals", None, "null", "a section"),
    ("animals.monkey", "monkey.xlsx", "'monkey.xlsx'", ".csv or .nc"),
    ("animals.monkey", 3, "3", ".csv or .nc"),
    ("animals.paper", "monkey.csv", "'paper'", "not paper, recovery"),
    ("task", None, "null", "a section with the keys n_bins"),
    ("task", 10, "10", "a section with the keys n_bins"),
]


@pytest.mark.parametrize(("key", "value", "shown", "allowed"), OUT_OF_RANGE)
def test_a_bad_value_gives_one_line_with_key_value_and_what_is_allowed(key, value, shown, allowed):
    line = _error_line(_changed(key, value))
    assert line.startswith(f"{key}: found ")
    found, _, may_be = line.partition("allowed: ")
    assert shown in found
    assert allowed in may_be


def test_a_model_that_makes_no_sense_is_named():
    held_and_tied = [["appearance_rate_1", "appearance_rate_2"]]
    line = _error_line(_changed("alternatives.models.reward_only.tied", held_and_tied))
    assert line.startswith("alternatives.models.reward_only: ")
    assert "appearance_rate_1" in line and "allowed" in line


@pytest.mark.parametrize("key", sorted(LEAVES))
def test_no_key_accepts_nonsense(key):
    line = _error_line(_changed(key, {"nonsense": float("nan")}))
    assert line.startswith(key)
    assert "allowed: " in line


@pytest.mark.parametrize("key", sorted(LEAVES))
def test_a_missing_key_is_named(key):
    line = _error_line(_without(key))
    assert line.startswith(f"{key}: missing, allowed: ")


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("tasks", "task"),
        ("Task", "task"),
        ("root_sed", "root_seed"),
        ("task.n_bin", "task.n_bins"),
        ("task.discont", "task.discount"),
        ("world.apearance_rate_1", "world.appearance_rate_1"),
        ("agent.tau_temperature", "agent.temperature"),
        ("recovery.n_step", "recovery.n_steps"),
        ("fitting.start_ranges.travel_costs", "fitting.start_ranges.travel_cost"),
        ("fitting.em.ascent_step", "fitting.em.ascent_steps"),
        ("check.slope_tolernce", "check.slope_tolerance"),
        # a known key in the wrong section
        ("n_bins", "task.n_bins"),
        ("batch_size", "recovery.batch_size"),
        ("paper.discount", "task.discount"),
        ("world.push_cost", "agent.push_cost"),
    ],
)
def test_an_unknown_key_names_the_nearest_known_one(key, nearest):
    line = _error_line(_changed(key, 0.5))
    assert line.startswith(f"{key}: unknown key (found 0.5), ")
    # Parameter names occur in several sections; any of them is a right answer.
    named = re.search(r"nearest known key: (\S+),", line)[1]
    assert named == nearest or named.rpartition(".")[2] == nearest.rpartition(".")[2]
    if "." in nearest and key.rpartition(".")[0] == nearest.rpartition(".")[0]:
        assert named == nearest


def test_an_unknown_key_like_no_other_still_lists_the_known_ones():
    line = _error_line(_changed("fitting.em.xyz", 1))
    assert "allowed here: max_iterations, ascent_steps, tolerance" in line


def test_a_misspelt_key_is_reported_rather_than_its_missing_twin():
    config = _without("task.discount")
    config["task"]["discuont"] = 0.9
    assert _error_line(config).startswith("task.discuont: unknown key")


@pytest.mark.parametrize("name", ["two words", "a/b", "über", "", "a.b", "a\nb"])
def test_names_of_animals_are_simple(name):
    config = load_config(DEFAULTS)
    config["animals"] = {name: "record.csv"}
    assert _error_line(config).startswith("animals")


@pytest.mark.parametrize("name", ["paper", "recovery", "figures", "check", "benchmarks"])
def test_names_of_animals_do_not_hide_results(name):
    config = load_config(DEFAULTS)
    config["animals"] = {name: "record.csv"}
    assert name in _error_line(config)


@pytest.mark.parametrize("key", [1, True, None])
def test_keys_that_yaml_does_not_read_as_text_are_refused(key):
    config = load_config(DEFAULTS)
    config["task"][key] = 1
    assert _error_line(config).startswith(f"task.{key}: ")


def test_an_exponent_that_yaml_reads_as_text_is_explained():
    value = yaml.safe_load("1e-3")
    assert "1.0e-3" in _error_line(_changed("fitting.tolerance", value))


def test_a_long_value_is_cut_short():
    assert len(_error_line(_changed("recovery.n_steps", [5] * 10_000))) < 400


# --- what is allowed ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("task.n_bins", 2),
        ("task.n_cues", 2),
        ("task.diffusion", 0.05),
        ("task.grooming", "presence"),
        ("agent.grooming_reward", -1),
        ("agent.travel_cost", 0),
        ("agent.temperature", 1.0e-6),
        ("fitting.method", "em"),
        ("fitting.method", "squarem"),
        ("results_directory", "runs/2026/first"),
        ("animals", {"monkey_A1": "data/my monkey.csv", "b": "b.nc"}),
    ],
)
def test_the_edges_of_what_is_allowed_pass(key, value):
    config, warnings = validate_config(_changed(key, value))
    assert _value(config, key) == value
    assert warnings == []


@pytest.mark.parametrize("actor", ["world", "agent"])
@pytest.mark.parametrize(
    ("name", "value", "meaning"),
    [
        ("appearance_rate_1", 0.97, "anti-persistent"),
        ("disappearance_rate_2", 0.9, "anti-persistent"),
        ("cue_probability_present", 0.7, "opposite"),
    ],
)
def test_unusual_parameters_are_allowed_with_a_warning(actor, name, value, meaning):
    _, warnings = validate_config(_changed(f"{actor}.{name}", value))
    assert len(warnings) == 1
    assert warnings[0].startswith(f"{actor}: ")
    assert name in warnings[0] and meaning in warnings[0]
    assert len(warnings[0].splitlines()) == 1


def test_uninformative_cues_are_warned_about():
    config = _changed("world.cue_probability_present", 0.6)
    _, warnings = validate_config(config)
    assert len(warnings) == 1


def test_the_result_is_a_copy_in_plain_types():
    given = _changed("agent.temperature", 1)
    given["recovery"]["n_steps"] = [5000, 500, 2000]
    before = copy.deepcopy(given)
    config, _ = validate_config(given)
    assert given == before
    assert config["recovery"]["n_steps"] == [500, 2000, 5000]
    assert type(config["agent"]["temperature"]) is float
    assert type(config["check"]["coverage_standard_errors"]) is float
    assert type(config["task"]["n_bins"]) is int
    assert validate_config(config)[0] == config


def test_extra_parameters_of_the_simulated_agent_want_studies_that_know_them():
    config = _changed("agent.lapse", 0.05)
    line = _error_line(config)
    assert line.startswith("agent.lapse: found 0.05, allowed: null where optimization.enabled is ")
    for study in ("optimization", "alternatives", "sensitivity"):
        config[study]["enabled"] = False
    checked, _ = validate_config(config)
    assert checked["agent"]["lapse"] == 0.05 and checked["agent"]["discount"] is None


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("agent.lapse", 1, "a finite number >= 1e-06 and <= 0.999999 or null"),
        ("agent.diffusion", 0, "a finite number >= 1e-06 and <= 100 or null"),
        ("agent.diffusion", 0.01, "value > 0.01"),
        ("fitting.extras", ["laps"], "each lapse or perseveration or diffusion or discount"),
        ("fitting.extras", ["lapse", "lapse"], "different"),
        ("fitting.start_ranges.lapse", [0, 0.1], ">= 1e-06 and <= 0.999999"),
        ("fitting.start_ranges.diffusion_bins", [0.1, 0.5], "> 0.1 and <= 100"),
        ("prior.diffusion_bins", [0.5, 0.2], "low < high"),
    ],
)
def test_extra_parameters_have_bounds(key, value, words):
    line = _error_line(_changed(key, value))
    assert line.startswith(f"{key}: found ") and words in line


def test_animals_may_have_extra_parameters():
    checked, _ = validate_config(_changed("fitting.extras", ["discount", "lapse"]))
    assert checked["fitting"]["extras"] == ["discount", "lapse"]
