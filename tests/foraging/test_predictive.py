"""Statistics of the predictive check by plain loops; p-values by hand; wrong programs are found out."""

import itertools

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.foraging.behavior import (
    behavior_counts,
    resimulate,
    resimulated_records,
    value_band,
)
from inverse_rational_control.foraging.predictive import (
    PREDICTIVE_STATISTICS,
    predictive_check,
    predictive_statistics,
)
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task


def _mid_quantile(gaps, q):
    """Where the mid-distribution, P(smaller) + P(equal) / 2, joined by straight lines, is q."""
    at = []
    for value in sorted(set(gaps)):
        smaller, equal = sum(g < value for g in gaps), sum(g == value for g in gaps)
        at.append(((smaller + equal / 2) / len(gaps), value))
    if q <= at[0][0]:
        return at[0][1]
    for (below, low), (above, high) in itertools.pairwise(at):
        if q <= above:
            return low + (q - below) / (above - below) * (high - low)
    return at[-1][1]


def _by_plain_loops(record):
    """Every statistic of the list, session by session and step by step."""
    goes = {(0, 2): 1, (0, 3): 2, (1, 1): 0, (1, 3): 0, (2, 1): 0, (2, 2): 0}
    sessions, rows = [], None
    columns = (record.session, record.location, record.action, record.reward)
    for number, place, action, reward in zip(*(c.tolist() for c in columns), strict=True):
        if rows is None or number != rows[0]:
            rows = (number, [])
            sessions.append(rows)
        rows[1].append((place, action, reward))
    sessions = [steps for _, steps in sessions]
    every = [step for steps in sessions for step in steps]
    total = len(every)
    push_gaps, travel_gaps, visits, pushes, switches = [], [], 0, 0, []
    agree = {5: [], 20: []}
    for steps in sessions:
        pushed = travelled = opened = None
        before = None
        for t, (place, action, _) in enumerate(steps):
            if place in (1, 2) and place != before:
                visits += 1
            before = place
            if action == 4:
                if pushed is not None:
                    push_gaps.append(t - pushed)
                pushed = t
            if (place, action) in goes:
                if travelled is not None:
                    travel_gaps.append(t - travelled)
                travelled = t
            if action == 4 and place in (1, 2):
                pushes += 1
                if opened is not None and steps[opened + 1][2] == 0:
                    switches.append(steps[opened][0] != place)
                opened = t
            for lag in agree:
                if t >= lag:
                    agree[lag].append(steps[t - lag][0] == place)
    shares = [sum(p == k for p, _, _ in every) / total for k in range(3)]
    chance = sum(share**2 for share in shares)
    return [
        *(sum(a == k for _, a, _ in every) / total for k in range(5)),
        *shares,
        *(_mid_quantile(push_gaps, q) for q in (0.25, 0.5, 0.9)),
        *(_mid_quantile(travel_gaps, q) for q in (0.25, 0.5, 0.9)),
        pushes / visits,
        sum(r for _, _, r in every) / total,
        *((np.mean(agree[lag]) - chance) / (1 - chance) for lag in (5, 20)),
        np.mean(switches),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_statistics_by_plain_loops(random_record, seed):
    task = Task(n_bins=3)
    record = random_record(task, [60, 25, 80], seed)
    rng = np.random.default_rng(seed)
    reward = np.append(0, (record.opened[:-1] > 0) & (rng.random(164) < 0.4)).astype(int)
    reward[record.session_starts] = 0
    record = Record(record.session, record.location, record.action, reward, record.cue)
    record.check(task)
    found = predictive_statistics(record)
    np.testing.assert_allclose(found, _by_plain_loops(record), rtol=1e-12)
    assert len(found) == len(PREDICTIVE_STATISTICS) == len(set(PREDICTIVE_STATISTICS))


def test_statistics_by_hand():
    #          push push  ->    .   push   | a session in which nothing is to be taken
    location = [1, 1, 1, 0, 2, 2, 0]
    action = [4, 4, 1, 3, 4, 0, 0]
    reward = [0, 1, 0, 0, 0, 0, 0]
    record = Record(
        np.array([0] * 6 + [1]),
        np.array(location),
        np.array(action),
        np.array(reward),
        np.zeros((7, 2), dtype=int),
    )
    found = dict(zip(PREDICTIVE_STATISTICS, predictive_statistics(record), strict=True))
    assert found["share of steps: push"] == pytest.approx(3 / 7)
    assert found["share of steps: box 2"] == pytest.approx(2 / 7)
    # Pushes at 0, 1 and 4: intervals 1 and 3; travels at 2 and 3: one interval of 1.
    assert found["interval between pushes: 50 % quantile"] == 2.0
    assert found["interval between travels: 90 % quantile"] == 1.0
    assert found["pushes per visit to a box"] == 1.5
    assert found["rewards per step"] == pytest.approx(1 / 7)
    # The push at 0 brought food, the one at 1 did not, and the next was at the other box.
    assert found["switches of box after an unrewarded push"] == 1.0
    # Five steps apart within a session: only 0 and 5, at different places.
    chance = (2**2 + 3**2 + 2**2) / 49
    assert found["autocorrelation of place: 5 steps"] == pytest.approx(-chance / (1 - chance))
    assert np.isnan(found["autocorrelation of place: 20 steps"])


def test_a_record_that_says_nothing():
    still = Record(*[np.zeros(30, dtype=int)] * 4, np.zeros((30, 2), dtype=int))
    found = dict(zip(PREDICTIVE_STATISTICS, predictive_statistics(still), strict=True))
    lacking = {name for name, value in found.items() if np.isnan(value)}
    assert len(lacking) == 10
    assert not any(name.startswith(("share", "rewards")) for name in lacking)
    check = predictive_check(np.array(list(found.values())), np.array([list(found.values())] * 5))
    assert np.isnan(check.p_values).sum() == 10
    assert (check.p_values[:8] == 1.0).all(), "ties count by half"
    assert check.distance == 0.0
    assert check.p_value == 1.0


def test_p_values_by_hand():
    replicates = np.array([[1.0, 0, 5], [2, 0, np.nan], [3, 0, 7], [4, 1, 7]])
    check = predictive_check(np.array([3.5, 0.0, 9.0]), replicates)
    # At least as large: one of four; one and half of three equal ones; none of three.
    np.testing.assert_allclose(check.p_values, [0.5, 2 * 3 / 8, 0.0])
    check = predictive_check(np.array([3.0, np.nan, 7.0]), replicates)
    np.testing.assert_allclose(check.p_values, [2 * 3 / 8, np.nan, 2 * 1 / 3])


def test_distances_are_exchangeable():
    """Of records of one kind the p-value of all statistics together is uniform, ties apart."""
    rng = np.random.default_rng(3)
    mix = rng.normal(size=(12, 12))
    found = []
    for _ in range(400):
        every = np.exp(rng.normal(size=(40, 12)) @ mix / 6)
        found.append(predictive_check(every[0], every[1:]).p_value)
    counts = np.bincount((np.array(found) * 40).round().astype(int) - 1, minlength=40)
    assert counts.sum() == 400
    chi_square = ((counts - 10) ** 2 / 10).sum()
    assert chi_square < 39 + 4 * np.sqrt(2 * 39)
    assert predictive_check(every[1:].max(0) + 1, every[1:]).p_value == 1 / 40


def _checked(models, world, record, n_replicates=100):
    rng = np.random.default_rng(2)
    records = resimulated_records(models, world, record, n_replicates, rng)
    replicates = np.array([predictive_statistics(each) for each in records])
    return predictive_check(predictive_statistics(record), replicates)


@pytest.fixture(scope="module")
def recorded(paper_parameters):
    """5000 steps of the paper's agent on a small task."""
    theta, world, task = paper_parameters
    return simulate(agent_model(theta, task), world, 5000, np.random.default_rng(1))


@pytest.fixture(scope="module")
def paper_parameters():
    """Agent, world and a small task."""
    theta = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
    return theta, np.array([0.15, 0.10, 0.05, 0.04, 0.4, 0.6]), Task(n_bins=4)


def test_the_right_agent_passes(recorded, paper_parameters):
    theta, world, task = paper_parameters
    check = _checked([agent_model(theta, task)], world, recorded)
    assert check.p_value > 0.02
    assert (check.p_values < 0.05).sum() <= 4, "about one of 19 is"


@pytest.mark.parametrize("wrong", ["temperature", "push cost", "world", "beliefs"])
def test_wrong_programs_are_rejected(recorded, paper_parameters, wrong):
    theta, world, task = paper_parameters
    theta, world = theta.copy(), world.copy()
    if wrong == "temperature":
        theta[9] *= 1.25
    elif wrong == "beliefs":
        theta[:6] = world
    elif wrong == "push cost":
        theta[8] += 0.15
    else:
        world[:2] *= 2
    check = _checked([agent_model(theta, task)], world, recorded)
    assert check.distance > check.replicate_distances.max()
    assert check.p_value == 1 / 101


def test_replicates_take_the_draws_in_turn(paper_parameters):
    theta, world, task = paper_parameters
    models = [agent_model(theta, task), agent_model(1.3 * theta, task)]
    record = simulate(models[0], world, 50, np.random.default_rng(1))
    joined = Record(
        **{
            name: np.concatenate([getattr(record, name)] * 2)
            for name in Record.__dataclass_fields__
        }
        | {"session": np.repeat([7, 3], 50)}
    )
    found = list(resimulated_records(models, world, joined, 3, np.random.default_rng(2)))
    counts = resimulate(models, world, joined, 3, np.random.default_rng(2))
    rng = np.random.default_rng(2)
    for k, each in enumerate(found):
        each.check(task)
        np.testing.assert_array_equal(each.session, joined.session)
        for part in (slice(0, 50), slice(50, 100)):
            alone = simulate(models[k % 2], world, 50, rng)
            np.testing.assert_array_equal(each.action[part], alone.action)
        expected = behavior_counts(each)
        np.testing.assert_array_equal(counts.push_interval[k], expected.push_interval)


def test_value_band_by_hand(paper_parameters):
    theta, _, task = paper_parameters
    models = [agent_model(scale * theta, task) for scale in (0.9, 1.0, 1.1)]
    found = value_band(models, 0.5)
    assert found.shape == (2, 3, 4, 4)
    for place in np.ndindex(3, 4, 4):
        values = sorted(m.plan.value[place] - m.plan.value.mean() for m in models)
        expected = [(values[0] + values[1]) / 2, (values[1] + values[2]) / 2]
        np.testing.assert_allclose(found[(slice(None), *place)], expected, rtol=1e-12)
