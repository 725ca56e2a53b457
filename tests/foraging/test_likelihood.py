"""Likelihood, posterior, expected counts and gradient, against enumeration and differences."""

import dataclasses

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.chain.forward_backward import (
    ChainInputs,
    ChainTables,
    chain_log_likelihood,
    expected_counts,
    most_probable_path,
)
from inverse_rational_control.foraging.likelihood import (
    chain_inputs,
    chain_tables,
    evaluate,
    log_likelihood,
    q_function,
)
from inverse_rational_control.record import Record
from inverse_rational_control.task import ABSENT, MISSING, Task
from tests.oracles import dense_planner as dense
from tests.oracles.differences import central_differences
from tests.oracles.enumeration import record_by_enumeration


def _record(steps):
    """Record from rows (session, location, action, cue 1, cue 2)."""
    session, location, action, cue_1, cue_2 = np.array(steps).T
    return Record(session, location, action, np.zeros_like(action), np.stack([cue_1, cue_2], 1))


#: Pushes at both boxes; the last action's push opens nothing that counts.
BOTH_PUSHES = _record(
    [(0, 1, 4, 2, 1), (0, 1, 1, 0, 2), (0, 0, 3, 1, 1), (0, 2, 4, 2, 0), (0, 2, 4, 0, 0)]
)
SESSIONS = _record(
    [
        *((3, 0, 2, 2, 1), (3, 1, 4, 0, 2), (1, 1, 4, 1, 0), (1, 1, 4, 0, 0), (1, 1, 0, 2, 1)),
        *((2, 2, 4, 1, 2), (4, 2, 4, 0, 2), (4, 2, 0, 1, 1), (4, 2, 1, 1, 0)),
    ]
)
MIDDLE = _record([(0, 0, 4, 1, 1), (0, 0, 1, 2, 2), (0, 0, 0, 0, 1)])
CASES = [
    (BOTH_PUSHES, Task(n_bins=2, n_cues=3)),
    (SESSIONS, Task(n_bins=3, n_cues=3, grooming="presence")),
    (MIDDLE, Task(n_bins=3, n_cues=4)),
    (BOTH_PUSHES.head(4), Task(n_bins=3, n_cues=3, restricted_actions=True)),
]
IDS = ["both pushes", "sessions", "middle", "restricted"]
A, M = ABSENT, MISSING
#: Nothing shown, or not recorded, before, at and after pushes at both boxes.
LACKING = _record(
    [(0, 1, 4, A, 1), (0, 1, 1, A, M), (0, 0, 3, 1, A), (0, 2, 4, M, 0), (0, 2, 4, 0, M)]
)
SLIPS = {"box 1": {"box 2": {"middle": 0.2, "box 2": 0.8}}}
CASES += [
    (LACKING, Task(n_bins=3, n_cues=2)),
    (LACKING, Task(n_bins=2, n_cues=3, cue_share=0.5)),
    (_record([(0, 1, 3, 0, 0), (0, 2, 4, 0, A), (0, 2, 0, M, 0)]), Task(3, 1, travel="direct")),
    (_record([(0, 1, 3, 0, 0), (0, 0, 3, 1, 1), (0, 2, 4, 0, 1)]), Task(3, 2, travel=SLIPS)),
]
IDS += ["lacking", "half shown", "no cues, direct", "slips"]


def counted_from_the_colors(record, task):
    """The record with what lacks a color as further colors, in the order of the oracle's tables."""
    cue = np.where(record.cue < 0, task.n_cues - 1 - record.cue, record.cue)
    return dataclasses.replace(record, cue=cue)


def _enumerated(record, theta, task):
    """Enumeration under the oracles' own tables and policy: nothing compiled takes part."""
    n = task.n_bins
    reward, transition = dense.lumped(theta, task)
    usable = dense.allowed(n * n, task)
    _, _, policy = dense.iterate_softmax(reward, transition, usable, task.discount, theta[9])
    policy = np.moveaxis(policy.reshape(3, n, n, 5), -1, 1)
    tables = dense.agent_steps(theta, task)
    record = counted_from_the_colors(record, task)
    return record_by_enumeration(
        record, policy, [box[0] for box in tables], [box[1] for box in tables]
    )


@pytest.mark.parametrize(("record", "task"), CASES, ids=IDS)
def test_likelihood_posterior_and_counts_by_enumeration(record, task, random_agent):
    theta = random_agent(21)
    model = agent_model(theta, task)
    inputs = chain_inputs(record, n_cues=task.n_cues)
    tables = chain_tables(model, inputs.n_kernels)
    expected, sessions = _enumerated(record, theta, task)
    posterior = np.empty((record.n_steps, task.n_bins, task.n_bins))
    counts = expected_counts(tables, inputs, posterior)
    # All numbers are sums of at most 9^4 products: rounding 1e-12, the planner's 1e-10.
    assert counts.log_likelihood == pytest.approx(expected, abs=1e-9)
    assert chain_log_likelihood(tables, inputs) == counts.log_likelihood
    assert log_likelihood(theta, inputs, task) == counts.log_likelihood
    enumerated = np.concatenate([session.posterior for session in sessions])
    np.testing.assert_allclose(posterior, enumerated, rtol=0, atol=1e-9)
    policy_counts = sum(session.policy_counts for session in sessions)
    found = counts.emissions.reshape(policy_counts.shape)
    np.testing.assert_allclose(found, policy_counts, rtol=0, atol=1e-9)
    ratios = ((counts.ratio_1, counts.reset_ratio_1), (counts.ratio_2, counts.reset_ratio_2))
    for box, (ratio, reset_ratio) in enumerate(ratios):
        kernel_counts = sum(session.kernel_counts[box] for session in sessions)
        reset_counts = sum(session.reset_counts[box] for session in sessions)
        steps = model.boxes[box].steps(len(ratio))
        used = len(ratio)  # the enumeration has all kernels
        assert not kernel_counts[used:].any()
        found = ratio * steps.kernel
        np.testing.assert_allclose(found, kernel_counts[:used], rtol=0, atol=1e-9)
        found = reset_ratio * steps.reset_kernel
        np.testing.assert_allclose(found, reset_counts[:used], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("record", "task"), CASES, ids=IDS)
def test_most_probable_path_by_enumeration(record, task, random_agent):
    theta = random_agent(22)
    model = agent_model(theta, task)
    inputs = chain_inputs(record, n_cues=task.n_cues)
    tables = chain_tables(model, inputs.n_kernels)
    path_1, path_2, log_probability = most_probable_path(tables, inputs)
    _, sessions = _enumerated(record, theta, task)
    best = sum(np.log(session.best_probability) for session in sessions)
    assert log_probability == pytest.approx(best, abs=1e-9)
    path = np.concatenate([session.best_path for session in sessions])
    np.testing.assert_array_equal(np.stack([path_1, path_2], 1), path)


def test_sessions_add(random_record, paper_agent):
    task = Task(n_bins=4, n_cues=3)
    record = random_record(task, [30, 1, 17], seed=3)
    whole = evaluate(paper_agent, chain_inputs(record), task)
    total, gradient = 0.0, np.zeros(10)
    for number in range(3):
        rows = record.session == number
        columns = ("session", "location", "action", "reward", "cue")
        part = Record(*(getattr(record, column)[rows] for column in columns))
        found = evaluate(paper_agent, chain_inputs(part), task)
        total += found.log_likelihood
        gradient += found.gradient
    assert whole.log_likelihood == pytest.approx(total, abs=1e-10)
    np.testing.assert_allclose(whole.gradient, gradient, rtol=0, atol=1e-8)


def test_expected_counts_sum_to_the_number_of_steps(random_record, random_agent):
    task = Task(n_bins=6, n_cues=4)
    record = random_record(task, [200, 100], seed=4)
    model = agent_model(random_agent(5), task)
    posterior = np.empty((300, 6, 6))
    counts = expected_counts(chain_tables(model), chain_inputs(record), posterior)
    assert counts.emissions.sum() == pytest.approx(300, abs=1e-9)
    moves = 300 - 2
    for box, ratio, reset_ratio in zip(
        model.boxes,
        (counts.ratio_1, counts.ratio_2),
        (counts.reset_ratio_1, counts.reset_ratio_2),
        strict=True,
    ):
        total = (ratio * box.kernel).sum() + (reset_ratio * box.reset_kernel).sum()
        assert total == pytest.approx(moves, abs=1e-9)
    np.testing.assert_allclose(posterior.sum((1, 2)), 1.0, rtol=0, atol=1e-12)


def test_the_worlds_part_does_not_enter(random_record, paper_agent):
    """Not the first cue, not rewards; and location only through policy and resets."""
    task = Task(n_bins=3, n_cues=3)
    record = random_record(task, [20], seed=5)
    before = log_likelihood(paper_agent, chain_inputs(record), task)
    changed = Record(**record.__dict__)
    changed.reward[:] = 1
    changed.cue[0, 0] = (changed.cue[0, 0] + 1) % 3
    assert log_likelihood(paper_agent, chain_inputs(changed), task) == before
    changed.cue[1, 0] = (changed.cue[1, 0] + 1) % 3
    assert log_likelihood(paper_agent, chain_inputs(changed), task) != before


def test_last_action_counts(paper_agent):
    """One step: log-likelihood is the policy averaged over uniform bins."""
    task = Task(n_bins=4, n_cues=3)
    model = agent_model(paper_agent, task)
    for action in range(5):
        record = _record([(0, 1, action, 0, 0)])
        expected = np.log(model.plan.policy[1, action].mean())
        found = log_likelihood(paper_agent, chain_inputs(record), task)
        assert found == pytest.approx(expected, abs=1e-12)


def test_impossible_observations_give_minus_infinity():
    n = 2
    tables = ChainTables(
        log_emissions=np.where([[[1, 0], [0, 0]], [[0, 0], [0, 1]]], 0.0, -np.inf),
        kernels_1=np.eye(n)[None],
        kernels_2=np.eye(n)[None],
        resets_1=np.full((1, n), 0.5),
        resets_2=np.full((1, n), 0.5),
    )
    still = np.zeros(2, dtype=np.int64)
    inputs = ChainInputs(np.array([0, 1]), still, still, np.array([-1, 0]))
    counts = expected_counts(tables, inputs)
    assert counts.log_likelihood == -np.inf
    assert not counts.usable
    # And what is possible with a kernel that never moves: log of the one path's 1/N^2.
    inputs = ChainInputs(np.array([0, 0]), still, still, np.array([-1, 0]))
    assert chain_log_likelihood(tables, inputs) == pytest.approx(-np.log(4), abs=1e-14)


GRADIENT_CASES = [
    (Task(n_bins=2, n_cues=2), 31),
    (Task(n_bins=3, n_cues=6, grooming="presence"), 32),
    (Task(n_bins=5, n_cues=3, restricted_actions=True), 33),
    (Task(n_bins=7, n_cues=4, grooming="presence", restricted_actions=True), 34),
    (Task(n_bins=10, n_cues=5), 35),
    (Task(n_bins=10, n_cues=5), 36),
    (Task(n_bins=4, n_cues=5, diffusion=0.3, discount=0.9), 37),
    (Task(n_bins=6, n_cues=2, discount=0.999), 38),
    (Task(n_bins=24, n_cues=5), 39),  # products in tiles
    (Task(n_bins=5, n_cues=3, travel="direct"), 71),
    (Task(n_bins=4, n_cues=3, travel=SLIPS, grooming="presence"), 72),
    (Task(n_bins=4, n_cues=3, available_actions={"middle": ["stay", "go to box 2"]}), 73),
    (Task(n_bins=5, n_cues=1, travel="direct"), 74),
    (Task(n_bins=4, n_cues=4, cue_share=0.3), 75),
]


def _inputs(record, task, seed):
    """With the cues of some steps taken away where the case is about that."""
    if task.cue_share < 1:
        rng = np.random.default_rng(seed)
        lacks = rng.choice([0, ABSENT, MISSING], record.cue.shape, p=[0.4, 0.3, 0.3])
        record = dataclasses.replace(record, cue=np.where(lacks < 0, lacks, record.cue))
    record.check(task)
    return chain_inputs(record, n_cues=task.n_cues)


@pytest.mark.parametrize(("task", "seed"), GRADIENT_CASES, ids=str)
def test_gradient_equals_central_differences(task, seed, random_agent, random_record):
    theta = random_agent(seed)
    inputs = _inputs(random_record(task, [60, 40], seed), task, seed)
    found = evaluate(theta, inputs, task)
    assert found.usable
    expected = central_differences(lambda trial: log_likelihood(trial, inputs, task), theta)
    # Noise of the log-likelihood, 1e-12 times a few hundred nats, over the step 1e-4: 1e-6; plus
    # truncation relative to the derivatives' own size.
    np.testing.assert_allclose(
        found.gradient, expected, rtol=2e-6, atol=2e-6 * max(1.0, np.abs(expected).max())
    )


@pytest.mark.parametrize(("task", "seed"), GRADIENT_CASES[:6] + GRADIENT_CASES[-3:], ids=str)
def test_fishers_identity(task, seed, random_agent, random_record):
    """The Q function's gradient at its own counts is the log-likelihood's."""
    theta = random_agent(seed)
    inputs = _inputs(random_record(task, [60, 40], seed), task, seed)
    found = evaluate(theta, inputs, task)
    _, gradient = q_function(theta, task, found.counts, found.model)
    # The same sums, with counts divided by the kernel once more: rounding only.
    np.testing.assert_allclose(
        gradient, found.gradient, rtol=0, atol=1e-9 * np.abs(found.gradient).max()
    )


@pytest.mark.parametrize(("task", "seed"), GRADIENT_CASES[:5] + GRADIENT_CASES[-3:], ids=str)
def test_q_function_gradient_away_from_its_counts(task, seed, random_agent, random_record):
    old, new = random_agent(seed), 0.9 * random_agent(seed) + 0.1 * random_agent(seed + 50)
    inputs = _inputs(random_record(task, [60, 40], seed), task, seed)
    counted = evaluate(old, inputs, task)
    _, gradient = q_function(new, task, counted.counts, counted.model)
    expected = central_differences(
        lambda trial: q_function(trial, task, counted.counts, counted.model)[0], new
    )
    np.testing.assert_allclose(
        gradient, expected, rtol=2e-6, atol=2e-6 * max(1.0, np.abs(expected).max())
    )


@pytest.mark.parametrize("seed", [41, 42, 43])
def test_q_function_bounds_the_likelihood_from_below(seed, random_agent, random_record):
    """Jensen: l(new) - l(old) >= Q(new | old) - Q(old | old), why EM never falls."""
    task = Task(n_bins=4, n_cues=3)
    inputs = chain_inputs(random_record(task, [80], seed))
    old, new = random_agent(seed), random_agent(seed + 100)
    counted = evaluate(old, inputs, task)
    at_new, _ = q_function(new, task, counted.counts, counted.model)
    at_old, _ = q_function(old, task, counted.counts, counted.model)
    gain = log_likelihood(new, inputs, task) - counted.log_likelihood
    assert gain >= at_new - at_old
    assert abs(at_new - at_old) > 1, "the two agents differ"


def test_unsolved_planner_is_not_usable(monkeypatch, paper_agent):
    from inverse_rational_control.agent import planner as planning

    monkeypatch.setattr(planning, "_MAX_ITERATIONS", 0)
    inputs = chain_inputs(MIDDLE)
    task = Task(n_bins=3, n_cues=4)
    assert log_likelihood(paper_agent, inputs, task) == -np.inf
    found = evaluate(paper_agent, inputs, task)
    assert not found.usable
    assert found.log_likelihood == -np.inf


def test_gradient_of_extra_parameters_in_another_task(random_agent, random_record):
    """An agent's own diffusion enters the steps without a color, its discount travel by a table."""
    task = Task(n_bins=4, n_cues=3, travel=SLIPS, cue_share=0.4)
    extras = ("lapse", "perseveration", "diffusion", "discount")
    theta = np.append(random_agent(81), [0.05, 0.6, 0.12, 0.93])
    record = random_record(task, [60, 40], 81)
    lacks = np.random.default_rng(81).choice([0, ABSENT, MISSING], record.cue.shape)
    record = dataclasses.replace(record, cue=np.where(lacks < 0, lacks, record.cue))
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    found = evaluate(theta, inputs, task, extras)
    expected = central_differences(lambda trial: log_likelihood(trial, inputs, task, extras), theta)
    np.testing.assert_allclose(
        found.gradient, expected, rtol=2e-6, atol=2e-6 * max(1.0, np.abs(expected).max())
    )


def test_steps_without_a_color_need_the_number_of_colors():
    with pytest.raises(ValueError, match="n_cues: found none"):
        chain_inputs(LACKING)


def test_an_agent_without_cues_is_one_that_takes_them_for_noise(random_agent, random_record):
    """Equal cue probabilities say nothing, so colors change nothing; nor does their absence."""
    theta = random_agent(5)
    theta[4] = theta[5] = 0.3
    colors, none = Task(n_bins=4, n_cues=3), Task(n_bins=4, n_cues=1)
    record = random_record(colors, [50], 6)
    seen = evaluate(theta, chain_inputs(record), colors)
    for cue, task in ((0, none), (ABSENT, none), (ABSENT, colors), (MISSING, colors)):
        blank = dataclasses.replace(record, cue=np.full_like(record.cue, cue))
        found = evaluate(theta, chain_inputs(blank, n_cues=task.n_cues), task)
        assert found.log_likelihood == pytest.approx(seen.log_likelihood, abs=1e-9)
        others = [0, 1, 2, 3, 6, 7, 8, 9]
        np.testing.assert_allclose(found.gradient[others], seen.gradient[others], atol=1e-7)
        if task is none:
            assert (found.gradient[4:6] == 0).all()
