"""What `--config` gives: text inside braces is read where a number, a flag or a list is wanted."""

import pytest
import yaml

from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.loading import merged
from tests.config.mutations import defaults


def _run_with(**entries):
    """Judge the test configuration with NAME=TEXT as Snakemake's `--config` reads it."""
    given = {name: yaml.load(text, Loader=yaml.BaseLoader) for name, text in entries.items()}
    return validate_config(merged(defaults(), given), given)[0]


@pytest.mark.parametrize(
    ("section", "text", "key", "value"),
    [
        ("task", "{'n_bins': 6}", "n_bins", 6),
        ("task", "{diffusion: null, discount: 0.9}", "discount", 0.9),
        ("task", "{diffusion: 0.1}", "diffusion", 0.1),
        ("task", "{restricted_actions: True}", "restricted_actions", True),
        ("task", "{grooming: presence}", "grooming", "presence"),
        ("recovery", "{'n_steps': [500, 700], 'slope_from': 500}", "n_steps", [500, 700]),
        ("prior", "{push_cost: flat}", "push_cost", "flat"),
        ("prior", "{push_cost: [0, 1.0e-1]}", "push_cost", [0.0, 0.1]),
        ("animals", "{two: 1.nc}", "two", "1.nc"),
    ],
)
def test_text_becomes_what_a_key_wants(section, text, key, value):
    assert _run_with(**{section: text})[section][key] == value


@pytest.mark.parametrize(
    ("section", "text", "line"),
    [
        ("task", "{n_bins: x}", "task.n_bins: found 'x', allowed: a whole number"),
        ("task", "{n_bins: '[5'}", "task.n_bins: found '[5', allowed: a whole number"),
        (
            "task",
            "{n_bin: 5}",
            "task.n_bin: unknown key (found '5'), nearest known key: task.n_bins",
        ),
        ("fitting", "{tolerance: 1e-6}", "write the exponent as in 1.0e-3"),
        ("task", "[" * 30 + "]" * 30, "task.0: holds too much"),
        ("animals", "{one: 5}", "animals.one: found 5, allowed: a file name"),
    ],
)
def test_what_is_still_wrong_is_said_in_one_line(section, text, line):
    with pytest.raises(ConfigError) as caught:
        _run_with(**{section: text})
    assert line in str(caught.value) and str(caught.value).isprintable()


def test_text_in_quotes_stays_text_in_a_file():
    config = defaults()
    config["task"]["n_bins"] = "5"
    with pytest.raises(ConfigError, match=r"^task\.n_bins: found '5'"):
        validate_config(config)
    # What a file says is not read anew because the command line says something else.
    with pytest.raises(ConfigError, match=r"^task\.n_bins: found '5'"):
        validate_config(config, {"root_seed": 7})
