"""The configuration: every file in config/ is valid, every mistake gets one clear line."""

import copy
import json
import re
import subprocess
import sys

import pytest
import yaml
from jsonschema import Draft202012Validator

from inverse_rational_control.config.loading import (
    ConfigError,
    load_config,
    task_from_config,
    validate_config,
)
from inverse_rational_control.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS
from inverse_rational_control.task import GROOMING_OPTIONS, Task
from tests import ROOT

SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.json"
DEFAULTS = ROOT / "config" / "config.yaml"
OVERRIDES = [ROOT / "config" / name for name in ("test.yaml", "large.yaml")]


def _schema() -> dict:
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


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
        validate_config(config, SCHEMA)
    line = str(caught.value)
    assert line == line.strip()
    assert len(line.splitlines()) == 1, f"more than one line: {line!r}"
    return line


def _leaves(node: dict, prefix: str = "") -> dict:
    """Return {dotted key: resolved schema} of every key that is not a section of fixed keys."""
    found = {}
    for name, child in node["properties"].items():
        if "$ref" in child:
            child = {**_schema()["$defs"][child["$ref"].rpartition("/")[2]], **child}
        key = f"{prefix}{name}"
        if "properties" in child:
            found.update(_leaves(child, f"{key}."))
        else:
            found[key] = child
    return found


def _value(config: dict, key: str):
    for name in key.split("."):
        config = config[name]
    return config


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("overrides", [[], *[[path] for path in OVERRIDES]], ids=str)
def test_every_file_is_valid_and_free_of_warnings(overrides):
    config, warnings = validate_config(load_config(DEFAULTS, *overrides), SCHEMA)
    assert warnings == []
    assert isinstance(task_from_config(config), Task)


def test_results_of_the_configurations_are_kept_apart():
    folders = [load_config(DEFAULTS, path)["results_directory"] for path in OVERRIDES]
    assert len({load_config(DEFAULTS)["results_directory"], *folders}) == 3


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
    config, _ = validate_config(load_config(DEFAULTS), SCHEMA)
    assert list(config["world"].values()) == [0.15, 0.10, 0.05, 0.04, 0.4, 0.6]
    assert list(config["agent"].values()) == [
        0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2
    ]  # fmt: skip
    assert task_from_config(config) == Task()


# --- the schema -----------------------------------------------------------------------------------


def test_schema_is_a_valid_schema():
    Draft202012Validator.check_schema(_schema())
    assert _schema()["$schema"].endswith("2020-12/schema")


def test_schema_is_strict_and_describes_every_key():
    def visit(node, where):
        if "properties" in node:
            assert node["additionalProperties"] is False, where
            assert node["required"] == list(node["properties"]), where
            for name, child in node["properties"].items():
                assert child.get("description"), f"{where}{name} has no description"
                visit(child, f"{where}{name}.")

    visit(_schema(), "")


def test_schema_knows_the_parameters_of_the_library():
    properties = _schema()["properties"]
    agent = [parameter.name for parameter in AGENT_PARAMETERS]
    assert list(properties["agent"]["properties"]) == agent
    assert list(properties["fitting"]["properties"]["start_ranges"]["properties"]) == agent
    world = [parameter.name for parameter in WORLD_PARAMETERS]
    assert list(properties["world"]["properties"]) == world
    grooming = properties["task"]["properties"]["grooming"]["enum"]
    assert tuple(grooming) == GROOMING_OPTIONS


def test_readme_documents_every_key_with_its_true_default():
    rows = {}
    for line in (ROOT / "config" / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and re.fullmatch(r"`[\w.]+`", cells[0]):
            key = cells[0].strip("`")
            assert key not in rows, f"{key} has two rows"
            rows[key] = cells[1:]
    leaves = _leaves(_schema())
    assert list(rows) == list(leaves)
    defaults = load_config(DEFAULTS)
    for key, (meaning, unit, default, allowed) in rows.items():
        assert meaning and unit and allowed, key
        assert yaml.safe_load(default.strip("`")) == _value(defaults, key), key


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
    ("task.n_cues", 1, "1", "a whole number >= 2"),
    ("task.diffusion", 0, "0", "> 0 and <= 100 or null"),
    ("task.diffusion", -0.05, "-0.05", "> 0 and <= 100 or null"),
    ("task.diffusion", "half a bin", "'half a bin'", "> 0 and <= 100 or null"),
    ("task.discount", 0, "0", "> 0 and < 1"),
    ("task.discount", 1, "1", "> 0 and < 1"),
    ("task.discount", 1.0, "1.0", "> 0 and < 1"),
    ("task.discount", False, "false", "> 0 and < 1"),
    ("task.grooming", "wait", "'wait'", "waiting or presence"),
    ("task.grooming", True, "true", "waiting or presence"),
    ("task.restricted_actions", 1, "1", "true or false"),
    ("task.restricted_actions", "no", "'no'", "true or false"),
    ("world.appearance_rate_1", 0, "0", "> 0 and < 1"),
    ("world.disappearance_rate_2", 1.2, "1.2", "> 0 and < 1"),
    ("world.cue_probability_absent", NAN, "nan", "finite number > 0 and < 1"),
    ("agent.appearance_rate_2", -0.1, "-0.1", "> 0 and < 1"),
    ("agent.grooming_reward", NAN, "nan", "a finite number"),
    ("agent.travel_cost", INFINITY, "inf", "a finite number"),
    ("agent.push_cost", None, "null", "a finite number"),
    ("agent.push_cost", True, "true", "a finite number"),
    ("agent.temperature", 0, "0", "a finite number > 0"),
    ("agent.temperature", -0.2, "-0.2", "a finite number > 0"),
    ("agent.temperature", INFINITY, "inf", "a finite number > 0"),
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
    ("optimization.gaps", [0.1, 0], "[0.1, 0]", "each a finite number > 0"),
    ("optimization.diffusion_bins", [], "[]", "a list of one or more different values"),
    ("alternatives.models.reward_only.from_world", ["luck"], "'luck'", "or cue_probability_absent"),
    ("alternatives.models.dynamics_only.from_agent", ["tau"], "'tau'", "or temperature"),
    ("fitting.method", "newton", "'newton'", "quasi_newton or em or squarem"),
    ("fitting.start_ranges.temperature", [0, 0.5], "[0, 0.5]", "a finite number > 0"),
    ("fitting.start_ranges.temperature", [0.5, 0.1], "[0.5, 0.1]", "low < high"),
    ("fitting.start_ranges.travel_cost", [0.1, 0.1], "[0.1, 0.1]", "low < high"),
    ("fitting.start_ranges.push_cost", [0.1], "[0.1]", "[low, high]"),
    ("fitting.start_ranges.push_cost", 0.1, "0.1", "[low, high]"),
    ("fitting.start_ranges.appearance_rate_1", [0.1, 1], "[0.1, 1]", "> 0 and < 1"),
    ("fitting.tolerance", 0, "0", "a finite number > 0"),
    ("fitting.max_evaluations", 0, "0", "a whole number >= 1"),
    ("fitting.em.ascent_steps", 0, "0", "a whole number >= 1"),
    ("fitting.confidence_level", 95, "95", "> 0 and < 1"),
    ("fitting.difference_step", 0, "0", "> 0 and < 1"),
    ("surface.n_points", 1, "1", "a whole number >= 2"),
    ("resimulation.n_replicates", 0, "0", "a whole number >= 2"),
    ("figures.example_start", -1, "-1", "a whole number >= 0"),
    ("figures.example_steps", 0, "0", "a whole number >= 2"),
    ("figures.example_start", 4950, "4950", "<= paper.n_steps 5000"),
    ("recovery.slope_from", 15000, "15000", "at least 2"),
    ("check.null_percentile", 100, "100", "> 0 and < 100"),
    ("check.likelihood_ratio_range", [13, 7], "[13.0, 7.0]", "low < high"),
    ("recovery.n_seeds_long", 1000, "1000", "at most recovery.n_seeds"),
    ("check.likelihood_ratio_range", [13, 7], "[13.0, 7.0]", "low < high"),
    ("check.converged_share_minimum", 1.5, "1.5", ">= 0 and <= 1"),
    ("animals", [], "[]", "a section"),
    ("animals", None, "null", "a section"),
    ("animals.monkey", "monkey.txt", "'monkey.txt'", ".csv or .nc"),
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


@pytest.mark.parametrize("key", sorted(_leaves(_schema())))
def test_no_key_accepts_nonsense(key):
    line = _error_line(_changed(key, {"nonsense": float("nan")}))
    assert line.startswith(key)
    assert "allowed: " in line


@pytest.mark.parametrize("key", sorted(_leaves(_schema())))
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
    config, warnings = validate_config(_changed(key, value), SCHEMA)
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
    _, warnings = validate_config(_changed(f"{actor}.{name}", value), SCHEMA)
    assert len(warnings) == 1
    assert warnings[0].startswith(f"{actor}: ")
    assert name in warnings[0] and meaning in warnings[0]
    assert len(warnings[0].splitlines()) == 1


def test_uninformative_cues_are_warned_about():
    config = _changed("world.cue_probability_present", 0.6)
    _, warnings = validate_config(config, SCHEMA)
    assert len(warnings) == 1


def test_the_result_is_a_copy_in_plain_types():
    given = _changed("agent.temperature", 1)
    given["recovery"]["n_steps"] = [5000, 500, 2000]
    before = copy.deepcopy(given)
    config, _ = validate_config(given, SCHEMA)
    assert given == before
    assert config["recovery"]["n_steps"] == [500, 2000, 5000]
    assert type(config["agent"]["temperature"]) is float
    assert type(config["check"]["coverage_standard_errors"]) is float
    assert type(config["task"]["n_bins"]) is int
    assert validate_config(config, SCHEMA)[0] == config


# --- reading --------------------------------------------------------------------------------------


def _load_error(*paths) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(*paths)
    line = str(caught.value)
    assert len(line.splitlines()) == 1, f"more than one line: {line!r}"
    return line


def test_later_files_override_key_by_key(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("a: {b: 1, c: [1, 2]}\nd: 4\n")
    second.write_text("a: {c: [3]}\n")
    assert load_config(first, second) == {"a": {"b": 1, "c": [3]}, "d": 4}


def test_an_empty_file_changes_nothing(tmp_path):
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    assert load_config(DEFAULTS, tmp_path / "empty.yaml") == load_config(DEFAULTS)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"task: {n_bins: 5\nworld: 3\n", "not valid YAML"),
        (b"task:\n\tn_bins: 5\n", "line 2"),
        (b"task:\n  n_bins: 5\n  n_bins: 6\n", "line 3: key 'n_bins' is given twice"),
        (b"- 1\n- 2\n", "allowed: keys with values"),
        (b"just words\n", "allowed: keys with values"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a: \x00\n", "not valid YAML"),
    ],
)
def test_an_unreadable_file_gives_one_line_with_its_name(tmp_path, content, told):
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    line = _load_error(DEFAULTS, path)
    assert line.startswith(str(path))
    assert told in line


def test_a_missing_file_is_named(tmp_path):
    path = tmp_path / "absent.yaml"
    assert _load_error(path) == f"{path}: no such configuration file"
    assert str(tmp_path) in _load_error(tmp_path)


def test_importing_the_module_stays_cheap():
    code = "import sys, inverse_rational_control.config.loading; print('jsonschema' in sys.modules, 'yaml' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["False", "False"]
