"""Fixed points of the softmax Bellman equation: all that are known are found, and nothing else."""

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.planner import iterated_value, newton_plan
from inverse_rational_control.parameters import TEMPERATURE
from inverse_rational_control.studies.population.fixed_points import (
    find_fixed_points,
    search_starts,
)
from inverse_rational_control.task import Task
from tests import REFERENCE

SMALL = Task(n_bins=3, n_cues=2)


def _agent(name):
    with np.load(REFERENCE / f"{name}.npz") as stored:
        return stored["theta"]


def _search(theta, task, n_random=2, seed=0):
    model = agent_model(theta, task)
    starts = search_starts(model, n_random, np.random.default_rng(seed))
    return model, find_fixed_points(model, starts)


@pytest.fixture(scope="module")
def bistable():
    """The agent with two attracting solutions, and what the search finds for it."""
    return _search(_agent("bistable_n10"), Task())


def _backup(model, value):
    """One backup of the softmax Bellman equation from first principles, one state at a time."""
    task = model.task
    n = task.n_bins
    centers = (np.arange(n) + 0.5) / n
    t_1, t_2 = (box.planner_transition for box in model.boxes)
    r_1, r_2 = (box.planner_reset for box in model.boxes)
    goes = {(0, 1): 0, (0, 2): 1, (0, 3): 2, (1, 1): 0, (1, 2): 1, (1, 3): 0}
    goes |= {(2, 1): 0, (2, 2): 0, (2, 3): 2}
    new = np.empty_like(value)
    for location in range(3):
        for i in range(n):
            for j in range(n):
                q = np.empty(5)
                for action in range(5):
                    next_1, next_2 = t_1[i], t_2[j]
                    reward = model.problem.reward[location, action]
                    if action == 4 and location == 1:
                        next_1, reward = r_1, reward + centers[i]
                    if action == 4 and location == 2:
                        next_2, reward = r_2, reward + centers[j]
                    to = goes.get((location, action), location)
                    q[action] = reward + task.discount * next_1 @ value[to] @ next_2
                weight = np.exp((q - q.max()) / model.theta[TEMPERATURE])
                new[location, i, j] = weight @ q / weight.sum()
    return new


def test_the_bistable_agents_three_solutions_are_found(bistable):
    """Two attract; the one between them is known to repel, with a radius of 1.061."""
    model, points = bistable
    assert len(points) == 3
    np.testing.assert_array_equal(points[0].value, model.plan.value)
    repelling = [point.radius for point in points if point.radius >= 1]
    assert repelling == [pytest.approx(1.061, abs=2e-3)]
    assert points[0].radius == pytest.approx(model.planner_radius(), abs=1e-6)


def test_every_solution_solves_the_equation_written_out(bistable):
    model, points = bistable
    for point in points:
        assert np.abs(_backup(model, point.value) - point.value).max() < 1e-8
        np.testing.assert_allclose(point.policy.sum(1), 1.0, rtol=0, atol=1e-12)
    for k, point in enumerate(points):
        for other in points[k + 1 :]:
            assert np.ptp(point.value - other.value) > 1e-3, "each is listed once"


def test_value_iteration_leaves_the_solutions_that_repel_and_returns_to_those_that_attract(
    bistable,
):
    model, points = bistable
    rng = np.random.default_rng(3)
    for point in points:
        value = point.value + 1e-4 * rng.normal(size=point.value.shape)
        value = iterated_value(model.problem, value, 20_000)
        left = np.ptp(value - point.value) > 1e-2
        assert left == (point.radius >= 1)


def test_radius_is_that_of_the_differentiated_equation():
    """Central differences of the equation written out, in every direction: no formula shared."""
    theta = np.array([0.3, 0.2, 0.1, 0.15, 0.3, 0.7, 0.1, 0.2, 0.2, 0.3])
    model, points = _search(theta, SMALL)
    value = points[0].value
    columns = []
    for unit in np.eye(value.size):
        step = 1e-5 * unit.reshape(value.shape)
        columns.append((_backup(model, value + step) - _backup(model, value - step)).ravel() / 2e-5)
    jacobian = np.array(columns).T
    without_constant = np.eye(value.size) - 1.0 / value.size
    eigenvalues = np.linalg.eigvals(without_constant @ jacobian @ without_constant)
    assert points[0].radius == pytest.approx(np.abs(eigenvalues).max(), rel=1e-5)


def test_a_loose_agent_has_one_solution():
    """As temperature grows the policy becomes uniform, whatever the values: one solution."""
    theta = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 50.0])
    _, points = _search(theta, SMALL, n_random=8)
    assert len(points) == 1
    assert points[0].radius < 1
    assert points[0].n_found > 20


def test_newton_that_does_not_settle_says_so():
    theta, task = _agent("bistable_n10"), Task()
    problem = agent_model(theta, task).problem
    stopped = newton_plan(problem, np.zeros((3, 10, 10)), max_steps=1)
    assert not stopped.converged
    assert stopped.residual > 1e-6
    lost = newton_plan(problem, np.full((3, 10, 10), np.nan))
    assert not lost.converged
    repelled = newton_plan(problem, np.zeros((3, 10, 10)))
    assert repelled.residual < 1e-9
    assert not repelled.converged, "it solves the equation, and repels"


def test_a_start_without_numbers_is_left_aside():
    theta = np.array([0.3, 0.2, 0.1, 0.15, 0.3, 0.7, 0.1, 0.2, 0.2, 0.3])
    model = agent_model(theta, SMALL)
    points = find_fixed_points(model, [np.full((3, 3, 3), np.inf), np.zeros((3, 3, 3))])
    assert len(points) == 1
    assert np.isfinite(points[0].radius)


def test_starts_depend_on_the_generator_alone():
    theta = np.array([0.3, 0.2, 0.1, 0.15, 0.3, 0.7, 0.1, 0.2, 0.2, 0.3])
    model = agent_model(theta, SMALL)
    one, same, other = (search_starts(model, 3, np.random.default_rng(k)) for k in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert np.abs(np.array(one[-3:]) - np.array(other[-3:])).min() > 0
    np.testing.assert_array_equal(one[:-3], other[:-3])
