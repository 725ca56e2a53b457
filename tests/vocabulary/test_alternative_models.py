"""Reduced models hold, tie and free what their choice says."""

import numpy as np
import pytest

from inverse_rational_control.alternative_models import (
    model_space,
    model_spaces,
    recovered_models,
)
from inverse_rational_control.parameters import AGENT_PARAMETERS

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
AGENT = dict(zip(NAMES, [0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2], strict=True))
WORLD = dict(zip(NAMES[:6], [0.15, 0.1, 0.05, 0.04, 0.4, 0.6], strict=True))


def test_held_parameters_take_the_values_they_should():
    choice = {"from_world": NAMES[:2], "from_agent": ["push_cost"], "factor": 1.5}
    theta = model_space(choice, WORLD, AGENT).admit(np.array(list(AGENT.values())) * 0.9)
    np.testing.assert_allclose(theta[[0, 1, 8]], [0.15, 0.1, 0.45], rtol=1e-12)
    np.testing.assert_array_equal(theta[[2, 9]], np.array(list(AGENT.values()))[[2, 9]] * 0.9)
    assert list(model_spaces({"a": choice}, WORLD, AGENT)) == ["full", "a"]
    assert recovered_models({"a": choice, "b": {"tied": [NAMES[:2]]}}) == {
        "b": {"tied": [NAMES[:2]]}
    }


@pytest.mark.parametrize(
    "choice",
    [
        {"from_world": NAMES[:1], "from_agent": NAMES[:1]},
        {"from_agent": NAMES[:1], "tied": [NAMES[:2]]},
        {"from_agent": ["cue_probability_absent"], "factor": 2.0},
        {"from_agent": NAMES},
        {"tied": [["push_cost", "temperature"]]},
    ],
)
def test_models_that_make_no_sense_are_refused_by_name(choice):
    with pytest.raises(ValueError, match=r"^odd: .*allowed"):
        model_spaces({"odd": choice}, WORLD, AGENT)
