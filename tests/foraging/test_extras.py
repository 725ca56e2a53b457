"""Lapse, perseveration, free diffusion, free discount: policy, simulator, likelihood, gradient, fits."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.chain.forward_backward import expected_counts
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.decoding import decode
from inverse_rational_control.foraging.likelihood import (
    chain_inputs,
    chain_tables,
    evaluate,
    log_likelihood,
    q_function,
)
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts
from inverse_rational_control.inference.verdict import FitStatus
from inverse_rational_control.parameter_ranges import draw_parameters
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import EXTRA_PARAMETERS, agent_parameters
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task
from tests.foraging.test_likelihood import CASES, IDS, counted_from_the_colors
from tests.oracles import dense_planner as dense
from tests.oracles.differences import central_differences
from tests.oracles.enumeration import record_by_enumeration
from tests.oracles.plain_behavior import behavior_layers
from tests.oracles.plain_simulator import simulate_plainly

VALUES = {"lapse": 0.07, "perseveration": 0.8, "diffusion": 0.11, "discount": 0.93}
ALL = tuple(parameter.name for parameter in EXTRA_PARAMETERS)
SETS = [(name,) for name in ALL] + [("perseveration", "discount"), ALL]


def _with(theta, extras):
    return np.append(theta, [VALUES[name] for name in extras])


def _own(task, extras):
    """The task as the agent takes it."""
    own = {name: VALUES[name] for name in ("diffusion", "discount") if name in extras}
    return replace(task, **own)


def _plain(theta, task, extras):
    """Behavior and belief tables by the oracles' own loops; theta has the ten."""
    task, n = _own(task, extras), task.n_bins
    reward, transition = dense.lumped(theta, task)
    usable = dense.allowed(n * n, task)
    _, _, policy = dense.iterate_softmax(reward, transition, usable, task.discount, theta[9])
    policy = np.moveaxis(policy.reshape(3, n, n, 5), -1, 1)
    behavior = {name: VALUES[name] for name in ("perseveration", "lapse") if name in extras}
    tables = dense.agent_steps(theta, task)
    layers = behavior_layers(policy, task.available, **behavior)
    return layers, [box[0] for box in tables], [box[1] for box in tables]


@pytest.mark.parametrize("extras", SETS, ids="+".join)
@pytest.mark.parametrize(("record", "task"), CASES, ids=IDS)
def test_likelihood_posterior_and_counts_by_enumeration(record, task, extras, random_agent):
    theta = random_agent(21)
    model = agent_model(_with(theta, extras), task, extras)
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    tables = chain_tables(model, inputs.n_kernels)
    expected, sessions = record_by_enumeration(
        counted_from_the_colors(record, task), *_plain(theta, task, extras)
    )
    posterior = np.empty((record.n_steps, task.n_bins, task.n_bins))
    counts = expected_counts(tables, inputs, posterior)
    # Rounding 1e-12, the planner's 1e-10, as for the ten parameters.
    assert counts.log_likelihood == pytest.approx(expected, abs=1e-9)
    assert log_likelihood(model.theta, inputs, task, extras) == counts.log_likelihood
    enumerated = np.concatenate([session.posterior for session in sessions])
    np.testing.assert_allclose(posterior, enumerated, rtol=0, atol=1e-9)
    decoded = decode(model.theta, record, task, extras).posterior
    np.testing.assert_allclose(decoded, enumerated, rtol=0, atol=1e-9)
    policy_counts = sum(session.policy_counts for session in sessions)
    found = counts.emissions.reshape(policy_counts.shape)
    np.testing.assert_allclose(found, policy_counts, rtol=0, atol=1e-9)


def _close(found, expected):
    # Noise of the log-likelihood over the step, 1e-6, as for the ten parameters.
    atol = 2e-6 * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=atol)


TASKS = [
    Task(n_bins=3, n_cues=6, grooming="presence"),
    Task(n_bins=5, n_cues=3, restricted_actions=True),
    Task(),
]


@pytest.mark.parametrize("task", TASKS, ids=str)
@pytest.mark.parametrize("extras", SETS, ids="+".join)
def test_gradient_equals_central_differences(task, extras, random_agent, random_record):
    theta = _with(random_agent(35), extras)
    inputs = chain_inputs(random_record(task, [60, 40], 35), extras)
    found = evaluate(theta, inputs, task, extras)
    assert found.usable
    expected = central_differences(lambda trial: log_likelihood(trial, inputs, task, extras), theta)
    _close(found.gradient, expected)
    _, gradient = q_function(theta, task, found.counts, found.model)
    atol = 1e-9 * np.abs(found.gradient).max()
    np.testing.assert_allclose(gradient, found.gradient, rtol=0, atol=atol)


@pytest.mark.parametrize("task", TASKS[:2], ids=str)
def test_q_function_gradient_away_from_its_counts(task, random_agent, random_record):
    old, new = (_with(random_agent(seed), ALL) for seed in (35, 36))
    new = 0.5 * (old + new)
    new[10:] *= 0.9
    inputs = chain_inputs(random_record(task, [60, 40], 35), ALL)
    counted = evaluate(old, inputs, task, ALL)
    _, gradient = q_function(new, task, counted.counts, counted.model)
    expected = central_differences(
        lambda trial: q_function(trial, task, counted.counts, counted.model)[0], new
    )
    _close(gradient, expected)


@pytest.mark.parametrize("restricted", [False, True])
def test_lapses_are_over_available_actions_alone(restricted, paper_agent, paper_world):
    task = Task(n_bins=4, restricted_actions=restricted)
    model = agent_model(_with(paper_agent, ALL), task, ALL)
    policy = np.exp(model.log_policy)
    np.testing.assert_allclose(policy.sum(2), 1.0, rtol=0, atol=1e-14)
    for location, action in itertools.product(range(3), range(5)):
        chances = policy[:, location, action]
        if task.available[location, action]:
            assert (chances >= VALUES["lapse"] / task.available[location].sum()).all()
        else:
            assert (chances == 0).all()
    record = simulate(model, paper_world, 2000, np.random.default_rng(3))
    record.check(task)
    assert np.isfinite(log_likelihood(model.theta, chain_inputs(record, ALL), task, ALL))


def test_planning_knows_nothing_of_lapses_and_perseveration(paper_agent):
    extras = ("lapse", "perseveration")
    behaving = agent_model(_with(paper_agent, extras), Task(), extras)
    planning = agent_model(paper_agent, Task())
    np.testing.assert_array_equal(behaving.plan.value, planning.plan.value)
    np.testing.assert_array_equal(behaving.plan.log_policy, planning.plan.log_policy)
    assert np.abs(behaving.log_policy[0] - planning.log_policy[0]).max() > 0.1


def test_own_diffusion_and_discount_are_those_of_such_a_task(paper_agent, random_record):
    extras, task = ("diffusion", "discount"), Task()
    record = random_record(task, [200], 4)
    of_agent = evaluate(_with(paper_agent, extras), chain_inputs(record, extras), task, extras)
    of_task = evaluate(paper_agent, chain_inputs(record), _own(task, extras))
    assert of_agent.log_likelihood == of_task.log_likelihood
    np.testing.assert_array_equal(of_agent.gradient[:10], of_task.gradient)


def test_perseveration_ends_with_the_session(random_record, paper_agent):
    task = Task(n_bins=4, n_cues=3)
    theta, extras = _with(paper_agent, ALL), ALL
    record = random_record(task, [30, 1, 17], seed=3)
    whole = evaluate(theta, chain_inputs(record, extras), task, extras)
    total, gradient = 0.0, np.zeros(14)
    for number in range(3):
        rows = record.session == number
        columns = ("session", "location", "action", "reward", "cue")
        part = Record(*(getattr(record, column)[rows] for column in columns))
        found = evaluate(theta, chain_inputs(part, extras), task, extras)
        total += found.log_likelihood
        gradient += found.gradient
    assert whole.log_likelihood == pytest.approx(total, abs=1e-10)
    np.testing.assert_allclose(whole.gradient, gradient, rtol=0, atol=1e-8)
    joined = replace(record, session=np.zeros_like(record.session))
    assert chain_inputs(joined, extras).emitted[30] != chain_inputs(record, extras).emitted[30]


@pytest.mark.parametrize("extras", SETS, ids="+".join)
def test_simulator_equals_the_plain_loop(extras, paper_agent, paper_world):
    task = Task(n_bins=5, restricted_actions=True)
    model = agent_model(_with(paper_agent, extras), task, extras)
    record = simulate(model, paper_world, 1500, np.random.default_rng(8))
    policy, *tables = _plain(paper_agent, task, extras)
    uniforms = np.random.default_rng(8).random((1500, 7))
    plain = simulate_plainly(uniforms, policy, *tables, paper_world, task)
    np.testing.assert_array_equal(record.location, plain[:, 0])
    np.testing.assert_array_equal(record.action, plain[:, 1])
    np.testing.assert_array_equal(record.belief_bin, plain[:, 7:])


def test_simulated_actions_have_the_models_frequencies(paper_agent, paper_world):
    task, extras = Task(n_bins=3, n_cues=3), ("lapse", "perseveration")
    model = agent_model(_with(paper_agent, extras), task, extras)
    record = simulate(model, paper_world, 100_000, np.random.default_rng(9))
    expected = behavior_layers(model.plan.policy, task.available, 0.8, 0.07)
    counts = np.zeros((5, 3, 3, 3, 5))
    where = (record.action[:-1], record.location[1:], *record.belief_bin[1:].T)
    np.add.at(counts, (*where, record.action[1:]), 1.0)
    chance = np.moveaxis(expected[:5], 2, -1)
    mean = counts.sum(-1, keepdims=True) * chance
    seen = (mean > 5).all(-1)
    statistic = ((counts - mean)[seen] ** 2 / mean[seen]).sum()
    assert seen.sum() > 60
    assert chi2.sf(statistic, 4 * seen.sum()) > 1e-3


def test_a_diffusion_below_a_tenth_of_a_bin_is_refused(paper_agent):
    with pytest.raises(ValueError, match=r"agent.diffusion: found 0.009, allowed: value > 0.01"):
        agent_model(np.append(paper_agent, 0.009), Task(), ("diffusion",))
    assert agent_model(np.append(paper_agent, 0.009), Task(n_bins=20), ("diffusion",))


def test_shape_and_order_are_held_to(paper_agent):
    with pytest.raises(ValueError, match=r"theta: found shape \(10,\), allowed: \(11,\)"):
        agent_model(paper_agent, Task(), ("lapse",))
    with pytest.raises(ValueError, match="their order"):
        agent_model(np.append(paper_agent, [0.9, 0.1]), Task(), ("discount", "lapse"))
    with pytest.raises(ValueError, match="extras: found 'laps', allowed: lapse, perseveration"):
        agent_model(np.append(paper_agent, 0.1), Task(), ("laps",))


@pytest.mark.parametrize(
    ("extras", "gain", "status"),
    [
        (("lapse", "perseveration"), 100.0, FitStatus.CONVERGED),
        # Other beliefs and costs make up for these: with hardly any diffusion, a maximum is
        # 0.08 nat above the one inside.
        (("diffusion", "discount"), 0.0, FitStatus.AT_BOUND),
    ],
)
def test_extra_parameters_are_recovered(extras, gain, status, paper_agent, paper_world):
    """Within three standard errors, or the bound not excluded; the seeds are not chosen."""
    task = Task()
    theta = _with(paper_agent, extras)
    record = simulate(agent_model(theta, task, extras), paper_world, 5000, np.random.default_rng(1))
    space = parameter_space(parameters=agent_parameters(extras, task.n_bins))
    objective = ForagingObjective(record, task, space)
    found = fit_from_random_starts(
        objective, FitSettings(), lambda number: stream(1, "start", number), 2, 2
    )
    assert found.status == status
    ratio = 2 * (found.log_likelihood - objective.log_likelihood(theta))
    assert 0 <= ratio < chi2.ppf(0.999, theta.size)
    inside = ~found.at_bound
    error = (space.unconstrained(found.estimate) - space.unconstrained(theta))[inside]
    deviation = np.sqrt(np.diag(np.linalg.inv(found.information[np.ix_(inside, inside)])))
    assert (np.abs(error[10:]) < 3 * deviation[10:]).all() and inside[:10].all()
    ten = fit_from_random_starts(
        objective.within(parameter_space()),
        FitSettings(),
        lambda number: stream(1, "start", number),
        1,
    )
    assert found.log_likelihood > ten.log_likelihood + gain


def test_a_continued_plan_has_the_extra_parameters_too(paper_agent, paper_world):
    """Where nothing jumps, the plan continued from nearby is the agent's own."""
    task, theta = Task(n_bins=4), _with(paper_agent, ALL)
    record = simulate(agent_model(theta, task, ALL), paper_world, 300, np.random.default_rng(1))
    space = parameter_space(parameters=agent_parameters(ALL, task.n_bins))
    objective = ForagingObjective(record, task, space)
    continued = objective.continued(theta * 1.01)
    own, found = objective.evaluate(theta), continued.evaluate(theta)
    assert continued.holds(theta)
    assert found.log_likelihood == pytest.approx(own.log_likelihood, abs=1e-8)
    np.testing.assert_allclose(found.gradient, own.gradient, rtol=1e-7)


def test_scores_at_the_truth_have_mean_zero_and_the_informations_variance(paper_world):
    """So that estimates of an own diffusion and discount spread as their intervals say."""
    task, extras = Task(n_bins=4), ("diffusion", "discount")
    space = parameter_space(parameters=agent_parameters(extras, task.n_bins))
    ranges = {**FitSettings().start_ranges, "diffusion_bins": (0.3, 1.0), "discount": (0.8, 0.97)}
    scores, informations = [], []
    for number in range(40):
        rng = np.random.default_rng([8, number])
        theta = draw_parameters(ranges, rng, extras, task.n_bins)
        record = simulate(agent_model(theta, task, extras), paper_world, 400, rng)
        objective = ForagingObjective(record, task, space)
        gradient = objective.evaluate(theta).gradient * space.natural_jacobian(theta)
        eta, step = space.unconstrained(theta), 1e-3
        scores.append(gradient[10:])
        curved = []
        for k in (10, 11):
            moved = space.natural(eta + step * np.eye(12)[k])
            along = objective.evaluate(moved).gradient * space.natural_jacobian(moved)
            curved.append(-(along - gradient)[k] / step)
        informations.append(curved)
    scores, informations = np.array(scores), np.array(informations)
    z = scores.sum(0) / np.sqrt((scores**2).sum(0))
    assert (np.abs(z) < 3.5).all(), z
    apart = scores**2 - informations
    z = apart.sum(0) / (apart.std(0) * np.sqrt(len(apart)))
    assert (np.abs(z) < 3.5).all(), z
    assert (informations.mean(0) > 0).all()
