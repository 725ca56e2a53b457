"""Spaces of free, tied and fixed parameters."""

import numpy as np
import pytest

from inverse_rational_control.parameter_space import (
    FULL_SPACE,
    parameter_space,
    perpendicular_space,
    without,
)
from inverse_rational_control.parameters import AGENT_PARAMETERS, natural, unconstrained


def test_full_space_moves_everything(paper_agent):
    assert FULL_SPACE.size == 10
    np.testing.assert_array_equal(FULL_SPACE.directions, np.eye(10))
    np.testing.assert_array_equal(FULL_SPACE.admit(paper_agent), paper_agent)
    assert FULL_SPACE.is_free.all()


def test_fixed_and_tied(paper_agent):
    space = parameter_space({"grooming_reward": 0.1}, [("appearance_rate_2", "appearance_rate_1")])
    assert space.size == 8
    assert "appearance_rate_2 = appearance_rate_1" in space.names
    moved = space.admit(paper_agent)
    assert moved[6] == 0.1
    # The tie is the average in unconstrained coordinates.
    average = natural(np.full(10, unconstrained(paper_agent)[:2].mean()))[0]
    np.testing.assert_allclose(moved[:2], average, rtol=1e-14)
    others = [2, 3, 4, 5, 7, 8, 9]
    np.testing.assert_array_equal(moved[others], paper_agent[others])
    np.testing.assert_allclose(space.admit(moved), moved, rtol=1e-14)
    assert not space.is_free[6]


@pytest.mark.parametrize(
    ("fixed", "tied", "words"),
    [
        ({"greed": 1.0}, [], "found 'greed'"),
        ({"travel_cost": 0.1}, [("travel_cost", "push_cost")], "travel_cost fixed or tied twice"),
        ({"temperature": -1.0}, [], "temperature: found -1.0"),
        ({}, [("appearance_rate_1", "push_cost")], "parameters of one kind"),
    ],
)
def test_bad_spaces_are_refused(fixed, tied, words):
    with pytest.raises(ValueError, match=words):
        parameter_space(fixed, tied)


def test_something_must_be_free(paper_agent):
    names = [parameter.name for parameter in AGENT_PARAMETERS]
    with pytest.raises(ValueError, match="found none free"):
        parameter_space(dict(zip(names, paper_agent, strict=True)))


def test_perpendicular_space_holds_one_offset_and_frees_the_rest(paper_agent):
    rng = np.random.default_rng(0)
    origin, direction = unconstrained(paper_agent), rng.normal(size=10)
    direction /= np.linalg.norm(direction)
    space = perpendicular_space(origin, 7.0 * direction)
    assert space.size == 9
    eta = origin + rng.normal(size=10)
    moved = unconstrained(space.admit(natural(eta)))
    # The nearest point of the space: only the part along the direction is gone.
    expected = eta - direction * (direction @ (eta - origin))
    np.testing.assert_allclose(moved, expected, atol=1e-12)
    np.testing.assert_allclose(space.directions.T @ direction, 0.0, atol=1e-14)
    np.testing.assert_allclose(space.directions.T @ space.directions, np.eye(9), atol=1e-14)


@pytest.mark.parametrize("k", range(10))
def test_perpendicular_to_an_axis_is_that_parameter_fixed(paper_agent, k):
    name = AGENT_PARAMETERS[k].name
    origin = unconstrained(paper_agent)
    space = perpendicular_space(origin, np.eye(10)[k])
    other = natural(origin + 0.3)
    fixed = parameter_space({name: paper_agent[k]})
    np.testing.assert_allclose(space.admit(other), fixed.admit(other), rtol=1e-14)


@pytest.mark.parametrize("direction", [np.zeros(10), np.full(10, np.nan), np.full(10, np.inf)])
def test_no_direction_is_refused(direction):
    with pytest.raises(ValueError, match="direction: found length"):
        perpendicular_space(np.zeros(10), direction)


def test_parameters_that_do_not_exist():
    tied = [["cue_probability_present", "appearance_rate_1"]]
    space = without(parameter_space({"push_cost": 0.3}, tied), ("cue_probability_present",))
    assert space.absent == ("cue_probability_present",)
    assert "appearance_rate_1" in space.names
    assert len(space.names) == space.size == 8
    assert not space.is_free[4]
    assert space.exists.tolist() == [True] * 4 + [False] + [True] * 5
    theta = space.admit(np.full(10, 0.2))
    assert theta[4] == 0.5
    assert theta[0] == 0.2
    assert not space.is_full
    whole = without(FULL_SPACE, ("cue_probability_present", "cue_probability_absent"))
    assert whole.is_full
    assert whole.size == 8
    with pytest.raises(ValueError, match="none free"):
        without(whole, [parameter.name for parameter in AGENT_PARAMETERS])
