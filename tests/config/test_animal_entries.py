"""What animals state per second, by their own step width; what entries say of parameters."""

import numpy as np
import pytest

from inverse_rational_control.config.animal_spaces import (
    alternative_entries,
    alternative_entry,
    animal_extras,
    animal_space,
)
from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.loading import load_config, task_from_config
from inverse_rational_control.parameters import agent_parameters
from inverse_rational_control.recordings.animals import expanded, with_own
from tests import ROOT


def _checked(entry, **task):
    config = load_config(ROOT / "config/config.yaml")
    config["animals"] = {"m": {"file": "a.csv", **entry}}
    config["task"] |= task
    return validate_config(config)[0]


def _own(checked):
    (dataset,) = expanded(checked["animals"]).values()
    return dataset, with_own(checked, dataset)


def test_an_animals_own_step_width_makes_its_discount_diffusion_and_rates():
    own = {
        "step_width": 0.5,
        "horizon": 10.0,
        "diffusion_per_second": 0.1,
        "rates_per_second": True,
    }
    entry = {
        "task": own,
        "world": {"appearance_rate_1": 0.2},
        "held": {"appearance_rate_2": 0.1, "push_cost": 0.3},
        "bounded": {"disappearance_rate_1": [0, 0.4]},
        "prior": {"disappearance_rate_2": [0.01, 0.5]},
    }
    checked = _checked(entry)
    dataset, config = _own(checked)
    task = task_from_config(config)
    assert task.step_width == 0.5
    assert task.discount == pytest.approx(np.exp(-0.05))
    assert task.sigma == pytest.approx(0.1 * np.sqrt(0.5))

    def per_step(rate):
        return pytest.approx(1 - np.exp(-0.5 * rate))

    assert config["world"]["appearance_rate_1"] == per_step(0.2)
    assert config["world"]["appearance_rate_2"] == 0.1, "the world's own, per step"
    assert dataset["held"] == {"appearance_rate_2": per_step(0.1), "push_cost": 0.3}
    assert dataset["bounded"]["disappearance_rate_1"] == [0, per_step(0.4)]
    assert dataset["prior"]["disappearance_rate_2"] == [per_step(0.01), per_step(0.5)]
    assert checked["task"]["discount"] == 0.99 and checked["task"]["step_width"] is None


def test_what_all_share_per_second_is_turned_by_the_width_of_each_animals_steps():
    shared = {"step_width": 1.0, "horizon": 100.0, "rates_per_second": True}
    checked = _checked(
        {"events": {"step_width": 0.2}, "held": {"appearance_rate_1": 0.3}}, **shared
    )
    dataset, config = _own(checked)
    task = task_from_config(config)
    assert task.step_width == 0.2
    assert task.discount == pytest.approx(np.exp(-0.2 / 100))
    rate = 1 - np.exp(-0.2 * 0.15)
    assert config["world"]["appearance_rate_1"] == pytest.approx(rate)
    assert checked["world"]["appearance_rate_1"] == pytest.approx(1 - np.exp(-0.15))
    assert dataset["held"]["appearance_rate_1"] == pytest.approx(1 - np.exp(-0.2 * 0.3))
    ends = checked["prior"]["appearance_rate_1"]
    np.testing.assert_allclose(
        -np.log1p(-np.array(dataset["prior"]["appearance_rate_1"])) / 0.2,
        -np.log1p(-np.array(ends)),
    )
    assert set(dataset["start_ranges"]) == set(dataset["prior"])
    # With steps as wide as all others', nothing is left to say.
    same, _ = _own(_checked({"events": {"step_width": 1.0}}, **shared))
    assert "prior" not in same and "start_ranges" not in same


def test_an_animals_own_discount_takes_the_place_of_a_shared_horizon():
    checked = _checked({"task": {"discount": 0.9}}, step_width=1.0, horizon=100.0)
    assert task_from_config(_own(checked)[1]).discount == 0.9
    checked = _checked({"task": {"horizon": 50.0}}, step_width=1.0, horizon=100.0)
    assert task_from_config(_own(checked)[1]).discount == pytest.approx(np.exp(-1 / 50))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"task": {"horizon": 20.0}}, "task.horizon: found 20.0 without task.step_width"),
        ({"task": {"rates_per_second": True}}, "task.rates_per_second: found true without step_wi"),
        (
            {"task": {"step_width": 1.0}, "events": {"step_width": 0.5}},
            "task.step_width: found 1, allowed: that of events, 0.5",
        ),
        ({"task": {"available_actions": {"moon": ["stay"]}}}, "task.available_actions"),
        (
            {"held": {"lapse": 0.1}, "bounded": {"lapse": [0, 0.2]}},
            "bounded.lapse: found a bound of",
        ),
        (
            {"bounded": {"push_cost": [0.5, 0.5]}},
            "bounded.push_cost: found [0.5, 0.5], allowed: [lo",
        ),
        ({"bounded": {"appearance_rate_1": [0, 2]}}, "bounded.appearance_rate_1: found [0, 2], al"),
        ({"bounded": {"diffusion": [0.001, 0.1]}}, "bounded.diffusion: found [0.001, 0.1], allowe"),
        (
            {"bounded": {"push_cost": [0, 0.5]}, "prior": {"push_cost": [0.6, 0.8]}},
            "prior.push_cost: found [0.6, 0.8], allowed: what lies within the bounds, [0, 0.5]",
        ),
        (
            {"bounded": {"appearance_rate_1": [0.1, 0.5]}, "alternatives": ["equal_boxes"]},
            "alternatives.equal_boxes.parameters: found appearance_rate_1 = appearance_rate_2 tied",
        ),
        ({"alternatives": ["dynamics_only"]}, "alternatives: found dynamics_only, allowed: any of"),
        (
            {"alternatives": ["nobody"]},
            "alternatives: found nobody, allowed: any of reward_only, eq",
        ),
        (
            {"alternatives": {"strict": {"held": {"temperature": -1.0}}}},
            "alternatives.strict.parameters.temperature: found -1.0",
        ),
        (
            {"alternatives": {"strict": {"hold": {}}}},
            "alternatives.strict.hold: unknown key (found {}), nearest known key",
        ),
        (
            {"alternatives": {"strict": {"bounded": {"push_cost": [0.5, 0.1]}}}},
            "alternatives.strict.bounded.push_cost: found [0.5, 0.1], allowed: [low",
        ),
        (
            {
                "alternatives": {
                    "strict": {
                        "bounded": {"push_cost": [0, 0.5]},
                        "prior": {"push_cost": [0.6, 0.8]},
                    }
                }
            },
            "alternatives.strict.prior.push_cost: found [0.6, 0.8], allowed: what lies within",
        ),
        (
            {"alternatives": {"lapse": {}}},
            "alternatives.lapse: found the name 'lapse', allowed: letters",
        ),
        ({"alternatives": 3}, "alternatives: found 3, allowed: a list of zero or more different v"),
        ({"extras": ["greed"]}, "extras: found ['greed'], allowed: a list of zero or more"),
    ],
)
def test_what_cannot_be_is_said_before_any_job_runs(entry, words):
    with pytest.raises(ConfigError) as caught:
        _checked(entry)
    assert str(caught.value).startswith(f"animals.m.{words}")


def test_extra_parameters_are_held_tied_bounded_and_have_priors():
    entry = {
        "extras": ["perseveration", "diffusion"],
        "held": {"lapse": 0.02},
        "bounded": {"diffusion_bins": [0.2, 2.0], "perseveration": [-1, 3]},
        "prior": {"diffusion": [0.03, 0.08], "perseveration": [0, 1]},
        "alternatives": ["equal_boxes"],
    }
    entry = _checked(entry)["animals"]["m"]
    extras = animal_extras(entry, ("discount",))
    assert extras == ("lapse", "perseveration", "diffusion")
    space = animal_space(entry, {}, agent_parameters(extras, 10), 10)
    assert space.size == 12
    limits = {each.name: each.limits for each in space.parameters}
    assert limits["diffusion"] == pytest.approx((0.02, 0.2))
    assert limits["perseveration"] == (-1, 3)
    assert space.natural(space.fixed)[10] == pytest.approx(0.02)
    other = alternative_entry(entry, {"tied": [["push_cost", "travel_cost"]]})
    parameters = agent_parameters(animal_extras(other, ()), 10)
    assert animal_space(other, {}, parameters, 10).size == 9


def test_models_of_an_entrys_own_take_the_words_of_the_entry():
    entry = {
        "task": {"step_width": 0.5, "rates_per_second": True},
        "held": {"push_cost": 0.3},
        "bounded": {"temperature": [0.05, 0.9]},
        "alternatives": {
            "other": {
                "extras": ["perseveration"],
                "held": {"push_cost": 0.2, "appearance_rate_1": 0.4},
                "from_world": ["cue_probability_present"],
                "tied": [["disappearance_rate_1", "disappearance_rate_2"]],
                "bounded": {"temperature": [0.1, 0.5]},
                "prior": {"travel_cost": [0.1, 0.3]},
            },
            "plain": {},
        },
    }
    dataset, config = _own(_checked(entry))
    entries = alternative_entries(dataset)
    assert list(entries) == ["other", "plain"]
    extras = animal_extras(entries["other"], ())
    assert extras == ("perseveration",)
    space = animal_space(entries["other"], config["world"], agent_parameters(extras, 10), 10)
    # Of eleven, three are held and two tied.
    assert space.size == 7
    values = dict(zip(space.parameter_names, space.natural(space.fixed), strict=True))
    assert values["push_cost"] == pytest.approx(0.2)
    assert values["appearance_rate_1"] == pytest.approx(1 - np.exp(-0.5 * 0.4))
    assert values["cue_probability_present"] == pytest.approx(0.4)
    limits = {each.name: each.limits for each in space.parameters}
    assert limits["temperature"] == (0.1, 0.5)
    assert entries["other"]["prior"] == {"travel_cost": [0.1, 0.3]}
    plain = animal_space(entries["plain"], config["world"], agent_parameters((), 10), 10)
    assert plain.size == 9 and entries["plain"]["prior"] == {}
