"""Behavior statistics, distances and their null, by hand."""

import dataclasses

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.foraging.behavior import (
    LONGEST_INTERVAL,
    STATISTICS,
    BehaviorCounts,
    behavior_counts,
    behavior_distances,
    compare_models,
    null_distances,
    resimulate,
)
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task


def _record(session, location, action):
    zeros = np.zeros(len(action), dtype=int)
    return Record(np.array(session), np.array(location), np.array(action), zeros, zeros, zeros)


def test_counts_by_hand():
    # Session 0: pushes at 2, 3, 6 (the last in the middle); travels at 0 (to box 1), 4 (back).
    # Session 1: push at 8, "go to box 1" at box 1 at 9 is no travel; "go to box 2" at 10 leads to 0.
    record = _record(
        [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
        [0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1],
        [2, 0, 4, 4, 1, 0, 4, 0, 4, 2, 3],
    )
    counts = behavior_counts(record)
    np.testing.assert_array_equal(counts.action, [3, 1, 2, 1, 4])
    np.testing.assert_array_equal(counts.location, [3, 8, 0])
    expected = np.zeros(LONGEST_INTERVAL)
    expected[[0, 2]] = 1  # 2 -> 3 and 3 -> 6; none across sessions
    np.testing.assert_array_equal(counts.push_interval, expected)
    expected = np.zeros(LONGEST_INTERVAL)
    expected[3] = 1  # 0 -> 4
    np.testing.assert_array_equal(counts.travel_interval, expected)
    np.testing.assert_allclose(counts.frequency("action"), np.array([3, 1, 2, 1, 4]) / 11)


def test_long_intervals_share_the_last_entry():
    action = np.zeros(300, dtype=int)
    action[[0, LONGEST_INTERVAL, 2 * LONGEST_INTERVAL - 1, 299]] = 4
    counts = behavior_counts(_record(np.zeros(300), np.ones(300, dtype=int), action))
    assert counts.push_interval[LONGEST_INTERVAL - 1] == 2
    assert counts.push_interval[LONGEST_INTERVAL - 2] == 1
    assert counts.push_interval.sum() == 3


def _counts(action, interval):
    wide = np.zeros((*np.shape(interval)[:-1], LONGEST_INTERVAL))
    wide[..., : np.shape(interval)[-1]] = interval
    location = np.broadcast_to([1, 1, 1], (*wide.shape[:-1], 3))
    return BehaviorCounts(np.array(action), location, wide, wide)


def test_distances_by_hand():
    recorded = _counts([8, 0, 0, 0, 2], [1, 1, 2])
    replicates = _counts([[2, 2, 0, 0, 0], [2, 0, 0, 0, 4]], [[1, 0, 0], [0, 0, 3]])
    found = behavior_distances(recorded, replicates)
    # Action: 0.8 .. 0.2 against 0.4, 0.2, 0, 0, 0.4: half of 0.4 + 0.2 + 0.2.
    # Intervals: cumulative 0.25, 0.5, 1 against 0.25, 0.25, 1.
    np.testing.assert_allclose(found, [0.4, 0.0, 0.25, 0.25], atol=1e-12)
    assert list(STATISTICS) == ["action", "location", "push_interval", "travel_interval"]


def test_null_leaves_each_replicate_out_of_its_own_mean():
    replicates = _counts(
        [[2, 0, 0, 0, 0], [0, 2, 0, 0, 0], [0, 2, 0, 0, 0]], [[2, 0], [2, 0], [0, 2]]
    )
    found = null_distances(replicates)
    np.testing.assert_allclose(found[:, 0], [1.0, 0.5, 0.5])
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found[:, 2], [0.5, 0.5, 1.0])


def test_no_interval_at_all_is_the_largest_distance():
    recorded = _counts([1, 0, 0, 0, 0], [0, 0])
    replicates = _counts([[1, 0, 0, 0, 0]] * 2, [[1, 0], [1, 0]])
    np.testing.assert_array_equal(behavior_distances(recorded, replicates), [0, 0, 1, 1])


def test_resimulation_repeats_the_simulator(paper_agent, paper_world):
    model = agent_model(paper_agent, Task(n_bins=4))
    recorded = simulate(model, paper_world, 100, np.random.default_rng(1))
    replicates = resimulate([model], paper_world, recorded, 3, np.random.default_rng(2))
    rng = np.random.default_rng(2)
    for k in range(3):
        expected = behavior_counts(simulate(model, paper_world, 100, rng))
        for name in STATISTICS:
            np.testing.assert_array_equal(getattr(replicates, name)[k], getattr(expected, name))
    assert (replicates.action.sum(1) == 100).all()


def test_resimulation_repeats_the_sessions_of_the_record(paper_agent, paper_world):
    model = agent_model(paper_agent, Task(n_bins=4))
    recorded = simulate(model, paper_world, 600, np.random.default_rng(1))
    # Sessions of ten steps hold no interval of ten steps or more.
    recorded.session[:] = np.arange(600) // 10
    replicates = resimulate([model], paper_world, recorded, 50, np.random.default_rng(2))
    assert (replicates.action.sum(1) == 600).all()
    assert replicates.push_interval[:, 9:].sum() == 0
    assert replicates.push_interval.sum() > 0
    distance = behavior_distances(behavior_counts(recorded), replicates)
    assert (distance <= null_distances(replicates).max(0)).all()


def test_what_neither_agent_does_is_not_compared(paper_agent, paper_world):
    still = paper_agent.copy()
    still[6:9] = (5.0, 50.0, 50.0)
    model = agent_model(still, Task(n_bins=4))
    recorded = simulate(model, paper_world, 50, np.random.default_rng(1))
    replicates = resimulate([model], paper_world, recorded, 5, np.random.default_rng(2))
    distance = behavior_distances(behavior_counts(recorded), replicates)
    np.testing.assert_array_equal(distance[:2], 0.0)
    assert np.isnan(distance[2:]).all()


def test_same_agent_lies_inside_its_null_and_another_outside(paper_agent, paper_world):
    model = agent_model(paper_agent, Task(n_bins=4))
    rng = np.random.default_rng(6)
    recorded = simulate(model, paper_world, 1000, rng)
    replicates = resimulate([model], paper_world, recorded, 200, rng)
    null = null_distances(replicates)
    same = behavior_distances(behavior_counts(simulate(model, paper_world, 1000, rng)), replicates)
    assert (same <= null.max(0)).all()
    greedy = paper_agent.copy()
    greedy[8] = 0.0  # pushes cost nothing
    other = simulate(agent_model(greedy, Task(n_bins=4)), paper_world, 1000, rng)
    assert (behavior_distances(behavior_counts(other), replicates) > null.max(0)).any()


def test_models_compared_up_to_a_constant(paper_agent):
    task = Task(n_bins=3, restricted_actions=True)
    model = agent_model(paper_agent, task)
    same = compare_models(model, model)
    np.testing.assert_array_equal(same.true_value, same.inferred_value)
    assert abs(same.true_value.mean()) < 1e-12
    np.testing.assert_array_equal(same.policy_divergence, 0.0)
    lifted = dataclasses.replace(
        model, plan=dataclasses.replace(model.plan, value=model.plan.value + 7.0)
    )
    np.testing.assert_allclose(
        compare_models(model, lifted).inferred_value, same.true_value, atol=1e-12
    )
    other = agent_model(paper_agent * 0.8, task)
    found = compare_models(model, other)
    for location in range(3):
        usable = task.available[location]
        for i in range(3):
            p = model.plan.policy[location, usable, i, 0]
            q = other.plan.policy[location, usable, i, 0]
            expected = (p * np.log(p / q)).sum()
            assert found.policy_divergence[location, i, 0] == pytest.approx(expected, abs=1e-12)
            expected = (p * np.log(p * usable.sum())).sum()
            assert found.uniform_divergence[location, i, 0] == pytest.approx(expected, abs=1e-12)
    assert (found.policy_divergence > 0).any()
