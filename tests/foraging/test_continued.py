"""A likelihood whose plan is continued from point to point, where value iteration switches plans."""

import numpy as np
import pytest

from inverse_rational_control.foraging.continued import ContinuedObjective
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.edges import continuation
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task
from tests import REFERENCE


@pytest.fixture(scope="module")
def bistable():
    """An objective, and parameters on both sides of where its agent switches between two plans."""
    with np.load(REFERENCE / "bistable_n10.npz") as stored:
        theta = stored["theta"]
        columns = [stored[name] for name in ("location", "action", "reward")]
        cue = np.stack([stored["color_1"], stored["color_2"]], 1)
    objective = ForagingObjective(Record(np.zeros(400, dtype=np.int64), *columns, cue), Task())

    def beside(factor):
        moved = theta.copy()
        moved[0] *= factor
        return moved

    return objective, beside


def test_a_continued_plan_goes_on_smoothly_where_the_agents_own_jumps(bistable):
    objective, beside = bistable
    before, after = beside(0.9710), beside(0.9707)
    assert objective.log_likelihood(before) - objective.log_likelihood(after) > 100
    continued = objective.continued(before)
    assert continued.holds(before) and not continued.holds(after)
    assert continued.log_likelihood(before) == pytest.approx(
        objective.log_likelihood(before), abs=1e-6
    )
    assert continued.log_likelihood(after) == pytest.approx(
        continued.log_likelihood(before), abs=0.5
    )
    # From the other side the plan after the jump is the one continued.
    other = objective.continued(after)
    assert other.holds(after) and not other.holds(before)


def test_its_gradient_is_its_own_derivative_beyond_the_edge(bistable):
    objective, beside = bistable
    continued = objective.continued(beside(0.9710))
    here, step = beside(0.9707), 1e-6
    moved = [here.copy(), here.copy()]
    moved[0][0] += step
    moved[1][0] -= step
    ends = [continued.log_likelihood(theta) for theta in moved]
    slope = (ends[0] - ends[1]) / (2 * step)
    assert continued.evaluate(here).gradient[0] == pytest.approx(slope, rel=1e-3)


def test_the_plan_of_the_highest_point_is_the_one_continued(bistable):
    objective, beside = bistable
    low, high = beside(1.0), beside(0.9710)
    continued = objective.continued(low)
    assert continued.evaluate(low).log_likelihood < continued.evaluate(high).log_likelihood
    assert continued.highest == pytest.approx(objective.log_likelihood(high), abs=1e-6)
    kept = continued.value
    continued.evaluate(low)
    assert continued.value is kept


def test_a_posterior_is_continued_with_its_likelihood(bistable, fit_settings):
    objective, beside = bistable
    posterior = LogPosterior(objective, normal_prior(fit_settings.start_ranges, objective.space))
    continued = continuation(posterior, beside(0.9710))
    assert isinstance(continued.objective, ContinuedObjective)
    assert continued.holds(beside(0.9710)) and not continued.holds(beside(0.9707))
    assert continued.log_likelihood(beside(0.9710)) == pytest.approx(
        posterior.log_likelihood(beside(0.9710)), abs=1e-6
    )
