"""Slow, sparse agents, as animals in steps of a second are: value iteration switches plans nearby.

Their searches stop a little below the maximum or supremum, where the likelihood jumps. Starts below are
such ends, and the truth; the heights are the highest that searches from everywhere have found.
"""

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.continued import ContinuedObjective
from inverse_rational_control.foraging.horizons import climb_by_horizons, wide_start
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening
from inverse_rational_control.foraging.unscaled import Unscaled
from inverse_rational_control.inference.edges import climb_continued
from inverse_rational_control.inference.start import AGREE, whitening_of_length
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.random_streams import stream
from inverse_rational_control.task import Task

WORLD = np.array([0.067, 0.04, 0.001, 0.001, 0.5, 0.5])
SPACE = parameter_space({"cue_probability_present": 0.5, "cue_probability_absent": 0.5})
AGENTS = np.array(
    [
        [0.07, 0.04, 0.005, 0.005, 0.5, 0.5, 0.0, 0.5, 0.3, 0.05],
        [0.07, 0.04, 0.02, 0.02, 0.5, 0.5, -0.2, 0.4, 0.3, 0.1],
        [0.03, 0.02, 0.005, 0.005, 0.5, 0.5, 0.0, 0.6, 0.4, 0.06],
    ]
)
STARTS = np.array(
    [
        [0.1424, 0.0328, 0.0065, 0.0028, 0.5, 0.5, -0.0164, 1.2432, 0.7983, 0.1452],
        AGENTS[1],
        AGENTS[2],
    ]
)


@pytest.mark.parametrize(
    ("agent", "highest", "at_edge"),
    [(0, -4506.150, False), (1, -6932.083, True), (2, -3153.555, False)],
)
def test_the_highest_point_is_reached_past_the_jumps(agent, highest, at_edge):
    record = simulate(
        agent_model(AGENTS[agent], Task()), WORLD, 13_000, stream(2019, "slow agents", agent)
    )
    objective, start = ForagingObjective(record, Task(), SPACE), STARTS[agent]
    assert objective.log_likelihood(start) < highest - 0.5
    continued = objective.continued(start)
    climb = climb_continued(continued, SPACE.unconstrained(start), FitSettings())
    assert climb.at_edge == at_edge
    # The likelihood is the agent's own.
    reached = objective.log_likelihood(SPACE.natural(climb.end))
    assert reached == pytest.approx(highest, abs=AGREE)


def _objective(agent):
    record = simulate(
        agent_model(AGENTS[agent], Task()), WORLD, 13_000, stream(2019, "slow agents", agent)
    )
    return ForagingObjective(record, Task(), SPACE)


@pytest.mark.parametrize(("agent", "highest"), [(0, -4506.150), (2, -3153.555)])
def test_a_drawn_start_climbs_to_the_highest_point_by_horizons(agent, highest):
    objective, settings = _objective(agent), FitSettings()
    start = wide_start(objective, settings, stream(11, "w", agent, 0))
    whitening = whitening_of_length(objective, generic_whitening(settings, Task(), SPACE))
    climb = climb_by_horizons(objective, settings, start, whitening)
    assert not climb.at_edge
    reached = objective.log_likelihood(SPACE.natural(climb.end))
    assert reached == pytest.approx(highest, abs=AGREE)
    assert climb.n_evaluations < 450


def test_gradient_where_rewards_are_divided_by_the_temperature():
    objective = _objective(2)
    near = Unscaled(ContinuedObjective.own(objective, AGENTS[2]))
    x = near.of(SPACE.unconstrained(AGENTS[2]))
    np.testing.assert_allclose(near.theta(x), AGENTS[2], rtol=1e-12)
    point = near.point(x)
    for place in (0, 6, 7, 8, 9):
        step = np.zeros(10)
        step[place] = 1e-5
        change = near.point(x + step).log_likelihood - near.point(x - step).log_likelihood
        assert change / 2e-5 == pytest.approx(point.gradient[place], rel=1e-3, abs=1e-2)
