"""Names, coordinates, bounds and remarks of parameter vectors."""

import numpy as np
import pytest

from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    BOX_PARAMETERS,
    REWARDS_AND_COSTS,
    TEMPERATURE,
    WORLD_BELIEFS,
    WORLD_PARAMETERS,
    agent_vector,
    at_bound,
    natural,
    remarks,
    unconstrained,
    world_vector,
)

NAMES = (
    *("appearance_rate_1", "appearance_rate_2", "disappearance_rate_1", "disappearance_rate_2"),
    *("cue_probability_present", "cue_probability_absent"),
    *("grooming_reward", "travel_cost", "push_cost", "temperature"),
)


def test_order_is_the_models():
    assert tuple(parameter.name for parameter in AGENT_PARAMETERS) == NAMES
    assert tuple(parameter.name for parameter in WORLD_PARAMETERS) == NAMES[:6]


def test_vectors_are_ordered_whatever_the_mapping(paper_agent, paper_world):
    shuffled = dict(reversed(list(zip(NAMES, paper_agent, strict=True))))
    np.testing.assert_array_equal(agent_vector(shuffled), paper_agent)
    shuffled = dict(reversed(list(zip(NAMES[:6], paper_world, strict=True))))
    np.testing.assert_array_equal(world_vector(shuffled), paper_world)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("appearance_rate_1", 0.0, "agent.appearance_rate_1: found 0.0, allowed: 0 < value < 1"),
        ("cue_probability_absent", 1.0, "agent.cue_probability_absent: found 1.0"),
        ("temperature", 0.0, "agent.temperature: found 0.0, allowed: value > 0"),
        ("push_cost", np.nan, "agent.push_cost: found nan, allowed: finite"),
    ],
)
def test_values_outside_their_range_are_refused(name, value, words, paper_agent):
    values = dict(zip(NAMES, paper_agent, strict=True)) | {name: value}
    with pytest.raises(ValueError, match=words):
        agent_vector(values)


def test_missing_and_unknown_names_are_named(paper_agent):
    values = dict(zip(NAMES, paper_agent, strict=True))
    values["temperture"] = values.pop("temperature")
    with pytest.raises(ValueError, match=r"missing \['temperature'\], unknown \['temperture'\]"):
        agent_vector(values)


def test_coordinates_by_hand():
    theta = np.array([0.5, 0.25, 0.75, 0.5, 0.5, 0.5, -1.5, 0.0, 2.0, np.e])
    eta = unconstrained(theta)
    expected = [0, -np.log(3), np.log(3), 0, 0, 0, -1.5, 0.0, 2.0, 1.0]
    np.testing.assert_allclose(eta, expected, atol=1e-15)
    np.testing.assert_allclose(natural(np.array(expected)), theta, rtol=1e-15)


def test_bounds():
    theta = np.array([0.0009, 0.0011, 0.9989, 0.9991, 0.5, 0.5, 0.0, 1e-9, 1.0, 0.5])
    assert at_bound(theta).tolist() == [True, False, False, True] + 6 * [False]
    theta[9] = 0.0009
    assert at_bound(theta)[9]
    theta[9] = 1.0  # a temperature has no upper bound
    assert not at_bound(theta)[9]


def test_remarks_say_what_is_unusual(paper_agent, paper_world):
    assert remarks(paper_agent) == []
    assert remarks(paper_world) == []
    odd = paper_agent.copy()
    odd[1], odd[3], odd[4] = 0.7, 0.5, 0.8
    said = remarks(odd)
    assert len(said) == 2
    assert "box 2" in said[0]
    assert "1.2 >= 1" in said[0]
    assert "opposite" in said[1]


def test_places_are_those_of_the_names():
    names = [parameter.name for parameter in AGENT_PARAMETERS]
    assert names[WORLD_BELIEFS] == [parameter.name for parameter in WORLD_PARAMETERS]
    assert names[REWARDS_AND_COSTS] == ["grooming_reward", "travel_cost", "push_cost"]
    assert names[TEMPERATURE] == "temperature"
    for box, places in enumerate(BOX_PARAMETERS, start=1):
        expected = [f"appearance_rate_{box}", f"disappearance_rate_{box}"]
        expected += ["cue_probability_present", "cue_probability_absent"]
        assert [names[place] for place in places] == expected
