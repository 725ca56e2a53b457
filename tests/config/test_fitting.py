"""Settings of a fit, made from Python: defaults, refusals in one line, copies."""

import pytest
from pydantic import ValidationError

from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.fitting import EMSettings, FitSettings
from inverse_rational_control.config.loading import load_config
from inverse_rational_control.parameter_ranges import range_ends
from tests import ROOT

RANGES = FitSettings().start_ranges


def test_defaults_are_those_of_the_papers_run():
    assert FitSettings() == FitSettings(**load_config(ROOT / "config" / "config.yaml")["fitting"])


def test_start_ranges_are_a_mapping_of_pairs():
    assert range_ends(RANGES).shape == (2, 10)
    given = {name: list(ends) for name, ends in RANGES.items()}
    assert FitSettings(start_ranges=given).start_ranges == RANGES


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            {"tolerance": -1},
            "FitSettings.tolerance: found -1, allowed: a finite number >= 1e-12",
        ),
        ({"tolerance": "1e-6"}, "1.0e-3"),
        ({"max_evaluations": 10.0}, "FitSettings.max_evaluations: found 10.0, allowed: a whole"),
        ({"max_evaluations": True}, "FitSettings.max_evaluations: found true, allowed: a whole"),
        ({"method": "newton"}, "allowed: quasi_newton or em or squarem"),
        (
            {"em": {"tolerance": 0}},
            "FitSettings.em.tolerance: found 0, allowed: a finite number >= 1e-12 and <= 10",
        ),
        ({"em": {"ascent_step": 1}}, "nearest known key: FitSettings.em.ascent_steps, "),
        (
            {"tolerence": 1},
            "FitSettings.tolerence: unknown key (found 1), nearest known key: FitSet",
        ),
        (
            {"start_ranges": {}},
            "FitSettings.start_ranges.appearance_rate_1: missing, allowed: [low",
        ),
        ({"start_ranges": RANGES | {"push_cost": (0.3, 0.1)}}, "push_cost: found [0.3, 0.1], "),
    ],
)
def test_a_bad_value_gives_one_line(given, line):
    for make in (lambda: FitSettings(**given), lambda: FitSettings().model_copy(update=given)):
        with pytest.raises(ConfigError) as caught:
            make()
        assert line in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1


def test_a_copy_replaces_what_is_named():
    settings = FitSettings(em={"max_iterations": 7}).model_copy(update={"method": "em"})
    assert (settings.method, settings.em) == ("em", EMSettings(max_iterations=7))
    assert settings.tolerance == FitSettings().tolerance


def test_settings_are_frozen():
    with pytest.raises(ValidationError):
        FitSettings().tolerance = 1.0
