"""Slow, sparse agents, as animals in steps of a second are: value iteration switches plans nearby.

Their searches stop a little below the maximum or supremum, where the likelihood jumps. Starts below are
such ends, and the truth; the heights are the highest that searches from everywhere have found.
"""

from dataclasses import replace

import numpy as np
import pytest

from inverse_rational_control.agent.fineness import CUE_PARAMETERS
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging import starts
from inverse_rational_control.foraging.continued import ContinuedObjective
from inverse_rational_control.foraging.horizons import climb_by_horizons, horizons_lead
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import (
    fit_from_random_starts,
    generic_whitening,
    random_start,
)
from inverse_rational_control.foraging.unscaled import Unscaled
from inverse_rational_control.inference import evolution
from inverse_rational_control.inference.edges import EdgeClimb, climb_continued
from inverse_rational_control.inference.evolution import beyond_hollows
from inverse_rational_control.inference.start import AGREE, whitening_of_length
from inverse_rational_control.parameter_space import FULL_SPACE, parameter_space
from inverse_rational_control.parameters import agent_parameters
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


def _objective(agent):
    record = simulate(
        agent_model(AGENTS[agent], Task()), WORLD, 13_000, stream(2019, "slow agents", agent)
    )
    return ForagingObjective(record, Task(), SPACE)


@pytest.mark.parametrize(
    ("agent", "highest", "at_edge"),
    [(0, -4506.150, False), (1, -6932.083, True), (2, -3153.555, False)],
)
def test_the_highest_point_is_reached_past_the_jumps(agent, highest, at_edge):
    objective, start = _objective(agent), STARTS[agent]
    assert objective.log_likelihood(start) < highest - 0.5
    continued = objective.continued(start)
    climb = climb_continued(continued, SPACE.unconstrained(start), FitSettings())
    assert climb.at_edge == at_edge
    # The likelihood is the agent's own.
    reached = objective.log_likelihood(SPACE.natural(climb.end))
    assert reached == pytest.approx(highest, abs=AGREE)


@pytest.mark.parametrize(
    ("agent", "number", "highest", "at_edge", "most"),
    # From the second's start, the way out of the region leads to where its plan is lost.
    [(0, 0, -4506.150, False, 300), (1, 2, -6932.083, True, 450), (2, 0, -3153.555, False, 400)],
)
def test_a_drawn_start_climbs_to_the_highest_point_by_horizons(
    agent, number, highest, at_edge, most
):
    objective, settings = _objective(agent), FitSettings()
    whitening = generic_whitening(settings, Task(), SPACE)
    start = random_start(
        objective, settings, lambda k: stream(3, "fit", agent, k), number, whitening
    )
    assert start.jumps_expected
    by = whitening_of_length(objective, whitening)
    climb = climb_by_horizons(objective, settings, start.parameters, by)
    assert climb.at_edge == at_edge
    # The likelihood is the agent's own, of the plan from V = 0.
    reached = objective.log_likelihood(SPACE.natural(climb.end))
    assert reached == pytest.approx(highest, abs=AGREE)
    assert climb.n_evaluations < most


def test_two_starts_of_a_fit_agree_on_the_highest_point():
    """The challenges of what the record does not pin find nothing higher."""
    objective = _objective(0)
    found = fit_from_random_starts(
        objective, FitSettings(), lambda k: stream(3, "fit", 0, k), 2, n_reserve_starts=0
    )
    assert found.log_likelihood == pytest.approx(-4506.150, abs=AGREE)
    first, second = found.starts[:2]
    assert first.settled and second.settled and found.n_agreeing >= 2
    assert min(first.log_likelihood, second.log_likelihood) > found.log_likelihood - AGREE
    assert sum(result.n_evaluations for result in found.starts) < 900
    assert not first.at_edge and found.status == "at_bound"


def test_a_search_around_an_end_leaves_its_hollow(monkeypatch):
    """On another record of the first agent; its highest point known is at -4511.090."""
    monkeypatch.setattr(evolution, "_ROUNDS", 1)
    record = simulate(
        agent_model(AGENTS[0], Task()),
        WORLD,
        13_000,
        stream(2019, "population", "slow", "camping", "record"),
    )
    objective = ForagingObjective(record, Task(), SPACE)
    # Where a climb by horizons ended, at an edge.
    end = [0.126, 1.26e-5, 0.0501, 0.0477, 0.5, 0.5, -1.5, 1.04, 0.654, 0.1114]
    hollow = EdgeClimb(SPACE.unconstrained(np.array(end)), True, 0)
    found = beyond_hollows(objective, FitSettings(), hollow, stream(7, "around"))
    height = objective.log_likelihood(SPACE.natural(hollow.end))
    assert height == pytest.approx(-4514.405, abs=AGREE)
    # Two maxima are there, .08 nat apart.
    assert -4511.5 < objective.log_likelihood(SPACE.natural(found.end)) < -4511.08


_INSIDE, _AT_EDGE = EdgeClimb(np.zeros(10), False, 5), EdgeClimb(np.zeros(10), True, 5)


@pytest.mark.parametrize(
    ("by_horizons", "taken"),
    [
        ([_INSIDE], []),
        ([_AT_EDGE], ["hollows"]),
        ([None, _INSIDE], []),
        ([None, None, _AT_EDGE], ["hollows"]),
        ([None, None, None], ["afar", "hollows"]),
    ],
    ids=["maximum", "edge", "maximum of another draw", "edge of the last draw", "nowhere"],
)
def test_evolution_goes_on_where_a_climb_by_horizons_ends_at_no_maximum(
    by_horizons, taken, monkeypatch
):
    met, begun = [], []

    def climb_from(objective, settings, theta, whitening):
        begun.append(theta)
        return by_horizons[len(begun) - 1]

    def from_afar(objective, settings, begin, rng):
        met.append("afar")
        return EdgeClimb(begin, False, 3)

    def beyond(objective, settings, climb, rng):
        met.append("hollows")
        return climb

    monkeypatch.setattr(starts, "climb_by_horizons", climb_from)
    monkeypatch.setattr(starts, "climb_by_evolution", from_afar)
    monkeypatch.setattr(starts, "beyond_hollows", beyond)
    record = simulate(agent_model(AGENTS[0], Task()), WORLD, 60, stream(1, "leads"))
    objective, settings = ForagingObjective(record, Task(), SPACE), FitSettings()
    start = random_start(objective, settings, lambda k: stream(1, "start", k), 0, SPACE.directions)
    climb = start.beyond_jumps()
    assert met == taken
    assert climb.n_evaluations == (3 if "afar" in taken else 5)
    assert len(begun) == len(by_horizons)
    np.testing.assert_array_equal(begun[0], start.parameters)
    assert len({theta.tobytes() for theta in begun}) == len(begun)


@pytest.mark.parametrize(
    ("task", "space", "lead"),
    [
        (Task(), FULL_SPACE, False),
        (Task(n_cues=1), FULL_SPACE, True),
        (Task(), SPACE, True),
        (Task(), parameter_space({name: 0.5 for name in CUE_PARAMETERS[:1]}), False),
        (Task(), parameter_space(dict(zip(CUE_PARAMETERS, (0.4, 0.6), strict=True))), False),
        (Task(), parameter_space(tied=[CUE_PARAMETERS]), True),
        (Task(), parameter_space(parameters=agent_parameters(("lapse",))), False),
        (Task(n_cues=1), parameter_space(parameters=agent_parameters(("lapse",))), True),
        (Task(n_cues=1), parameter_space(parameters=agent_parameters(("discount",))), False),
    ],
    ids=[
        "free",
        "no cues",
        "held equal",
        "one held",
        "held",
        "tied",
        "extra",
        "extra, none",
        "own",
    ],
)
def test_horizons_lead_where_cues_tell_nothing_and_only_there(task, space, lead):
    record = simulate(agent_model(AGENTS[0], Task()), WORLD, 60, stream(1, "leads"))
    silent = replace(record, cue=0 * record.cue) if not task.has_cues else record
    objective = ForagingObjective(silent, task, space)
    assert horizons_lead(objective) == lead
    settings, whitening = FitSettings(), objective.space.directions
    drawn = random_start(objective, settings, lambda k: stream(1, "start", k), 1, whitening)
    assert drawn.jumps_expected == lead
    em = settings.model_copy(update={"method": "em"})
    assert not random_start(objective, em, lambda k: stream(1, k), 1, whitening).jumps_expected


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
