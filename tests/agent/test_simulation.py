"""The simulator against a plain loop with the same uniforms, and its frequencies against the model."""

import numpy as np
import pytest
from scipy.stats import binom

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.foraging.behavior import behavior_counts
from inverse_rational_control.random_streams import stream
from inverse_rational_control.task import ABSENT, Task
from tests.oracles.plain_simulator import simulate_plainly

COLUMNS = ("location", "action", "reward", "cue_1", "cue_2", "food_1", "food_2")
COLUMNS += ("belief_bin_1", "belief_bin_2")


@pytest.mark.parametrize(
    "task",
    [
        Task(),
        Task(n_bins=3, n_cues=2, restricted_actions=True),
        Task(n_bins=6, grooming="presence"),
        Task(n_bins=4, n_cues=3, travel="direct"),
        Task(n_bins=4, n_cues=1, available_actions={"middle": ["stay", "go to box 1"]}),
        Task(n_bins=4, n_cues=3, travel={"box 1": {"box 2": {"middle": 0.7, "box 2": 0.3}}}),
        Task(n_bins=4, n_cues=3, cue_share=0.6),
    ],
    ids=str,
)
def test_equals_the_plain_loop(task, paper_agent, paper_world):
    model = agent_model(paper_agent, task)
    record = simulate(model, paper_world, 1500, np.random.default_rng(8))
    n_uniforms = 7 if task.cue_share == 1 and isinstance(task.travel, str) else 10
    uniforms = np.random.default_rng(8).random((1500, n_uniforms))
    steps = [box.steps(task.n_cues + 1) for box in model.boxes]
    plain = simulate_plainly(
        uniforms,
        model.plan.policy,
        [box.kernel[:-1] for box in steps],
        [box.reset_kernel[:-1] for box in steps],
        paper_world,
        task,
    )
    found = np.stack([record.columns()[name] for name in COLUMNS], 1)
    np.testing.assert_array_equal(found, plain)
    record.check(task)
    if task.available_actions is None:
        assert set(np.unique(record.opened)) == {0, 1, 2}, "the run opens both boxes"
    assert (record.without_color()["absent"] > 0) == (task.cue_share < 1)


def test_shorter_records_are_prefixes(paper_agent, paper_world):
    model = agent_model(paper_agent, Task(n_bins=4))
    long = simulate(model, paper_world, 500, stream(3, "recovery", 7, "record"))
    short = simulate(model, paper_world, 120, stream(3, "recovery", 7, "record"))
    for name in COLUMNS:
        np.testing.assert_array_equal(long.head(120).columns()[name], short.columns()[name])
    assert short.n_steps == long.head(120).n_steps == 120


def test_streams_differ_by_every_part_of_their_name():
    names = [("record",), ("record", 0), ("record", 1), ("fit", 1), (1, "record")]
    names += [("recovery", 1, "record"), ("recovery", 1, "start"), ("recovery", 1, "start", 1)]
    draws = {stream(5, *name).random() for name in names} | {stream(6, "record").random()}
    assert len(draws) == len(names) + 1
    assert stream(5, "record", 1).random() == stream(5, "record", 1).random()
    # Neighboring seeds do not correlate: 1/sqrt(20000) = 0.007, four of them.
    one, other = (stream(5, "record", seed).random(20_000) for seed in (1, 2))
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.03


def test_unsolved_agent_is_refused(monkeypatch, paper_agent, paper_world):
    from inverse_rational_control.agent import planner as planning

    monkeypatch.setattr(planning, "_MAX_ITERATIONS", 0)
    model = agent_model(paper_agent, Task(n_bins=4))
    with pytest.raises(ValueError, match="planner found no solution"):
        simulate(model, paper_world, 10, np.random.default_rng(0))


@pytest.fixture(scope="module")
def long_run():
    """200 000 steps of the paper's agent with four bins."""
    theta = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
    model = agent_model(theta, Task(n_bins=4, n_cues=3))
    world = np.array([0.15, 0.10, 0.05, 0.04, 0.4, 0.6])
    return model, world, simulate(model, world, 200_000, np.random.default_rng(13))


def _largest_z(counts, probability):
    """Largest |z| of multinomial rows; cells with fewer than ten expected left out."""
    rows = counts.sum(-1, keepdims=True)
    expected = rows * probability
    seen = (expected >= 10) & (rows - expected >= 10)
    assert seen.sum() >= 4
    z = (counts - expected)[seen] / np.sqrt((expected * (1 - probability))[seen])
    return np.abs(z).max()


# Each test below looks at up to 250 z-scores of a fixed seed; beyond 4.5 goes one in 600 of such tables.


def test_action_frequencies_are_the_policys(long_run):
    model, _, record = long_run
    counts = np.zeros((3, 4, 4, 5))
    where = (record.location, *record.belief_bin.T, record.action)
    np.add.at(counts, where, 1)
    assert _largest_z(counts, np.moveaxis(model.plan.policy, 1, -1)) < 4.5


@pytest.mark.parametrize("box", [1, 2])
def test_belief_steps_are_the_kernels(long_run, box):
    model, _, record = long_run
    bins = record.belief_bin[:, box - 1]
    cue = record.cue[:, box - 1][1:]
    pushed = record.opened[:-1] == box
    counts = np.zeros((3, 4, 4))
    np.add.at(counts, (cue[~pushed], bins[:-1][~pushed], bins[1:][~pushed]), 1)
    assert _largest_z(counts, model.boxes[box - 1].kernel) < 4.5
    counts = np.zeros((3, 4))
    np.add.at(counts, (cue[pushed], bins[1:][pushed]), 1)
    assert _largest_z(counts, model.boxes[box - 1].reset_kernel) < 4.5


@pytest.mark.parametrize("box", [1, 2])
def test_food_cues_and_rewards_are_the_worlds(long_run, box):
    _, world, record = long_run
    food = record.food[:, box - 1]
    pushed = record.opened[:-1] == box
    # The box just emptied takes its telegraph step from "no food".
    before = np.where(pushed, 0, food[:-1])
    appears, vanishes = world[box - 1], world[box + 1]
    counts = np.zeros((2, 2))
    np.add.at(counts, (before, food[1:]), 1)
    telegraph = np.array([[1 - appears, appears], [vanishes, 1 - vanishes]])
    assert _largest_z(counts, telegraph) < 4.5
    cues = np.zeros((2, 3))
    np.add.at(cues, (food, record.cue[:, box - 1]), 1)
    assert (
        _largest_z(cues, np.stack([binom.pmf(range(3), 2, q) for q in (world[5], world[4])])) < 4.5
    )
    # A reward is exactly the food that was there when the box was opened.
    np.testing.assert_array_equal(record.reward[1:][pushed], food[:-1][pushed])


def test_rewards_come_from_opened_boxes_only(long_run):
    _, _, record = long_run
    assert record.reward[0] == 0
    assert not record.reward[1:][record.opened[:-1] == 0].any()
    assert record.reward.sum() > 1000


def test_first_steps_follow_the_stationary_world_and_uniform_beliefs(paper_agent, paper_world):
    model = agent_model(paper_agent, Task(n_bins=4, n_cues=3))
    rng = np.random.default_rng(21)
    first = [simulate(model, paper_world, 1, rng) for _ in range(4000)]
    assert all(record.location[0] == 0 for record in first)
    for box in (1, 2):
        bins = np.array([record.belief_bin[:, box - 1][0] for record in first])
        assert _largest_z(np.bincount(bins, minlength=4)[None], np.full((1, 4), 0.25)) < 4.5
        food = np.array([record.food[:, box - 1][0] for record in first])
        share = paper_world[box - 1] / (paper_world[box - 1] + paper_world[box + 1])
        counts = np.bincount(food, minlength=2)[None]
        z = (counts[0, 1] - 4000 * share) / np.sqrt(4000 * share * (1 - share))
        assert abs(z) < 4.5


def test_locations_follow_actions(long_run):
    from inverse_rational_control.task import DESTINATION

    _, _, record = long_run
    np.testing.assert_array_equal(
        record.location[1:], DESTINATION[record.location, record.action][:-1]
    )
    assert behavior_counts(record).action.sum() == record.n_steps


def test_arrivals_and_absent_cues_are_the_tasks(paper_agent, paper_world):
    travel = {
        "middle": {"box 1": {"middle": 0.3, "box 1": 0.7}},
        "box 1": {"box 2": {"box 1": 0.1, "middle": 0.4, "box 2": 0.5}},
        "box 2": {"box 1": {"box 1": 1.0}, "middle": {"middle": 0.8, "box 2": 0.2}},
    }
    task = Task(n_bins=4, n_cues=3, travel=travel, cue_share=0.7)
    model = agent_model(paper_agent, task)
    record = simulate(model, paper_world, 200_000, np.random.default_rng(17))
    record.check(task)
    counts = np.zeros((3, 5, 3))
    np.add.at(counts, (record.location[:-1], record.action[:-1], record.location[1:]), 1)
    assert _largest_z(counts, task.arrival) < 4.5
    assert not counts[task.arrival == 0].any()
    for box in (0, 1):
        absent = record.cue[:, box] == ABSENT
        assert abs(absent.mean() - 0.3) < 4.5 * np.sqrt(0.21 / absent.size)
        # Where nothing was shown, beliefs move by prediction alone.
        bins, pushed = record.belief_bin[:, box], record.opened[:-1] == box + 1
        steps = model.boxes[box].steps(4)
        moved = np.zeros((1, 4, 4))
        np.add.at(moved[0], (bins[:-1][absent[1:] & ~pushed], bins[1:][absent[1:] & ~pushed]), 1)
        assert _largest_z(moved, steps.kernel[3:4]) < 4.5
        reset = np.bincount(bins[1:][absent[1:] & pushed], minlength=4)[None]
        assert _largest_z(np.tile(reset, (4, 1)), steps.reset_kernel[3:4].repeat(4, 0)) < 4.5
