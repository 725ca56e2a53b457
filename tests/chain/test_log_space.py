"""Where scaled probabilities underflow: it is noticed, and the logarithms give the right numbers."""

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.chain import (
    ChainInputs,
    ChainTables,
    chain_log_likelihood,
    expected_counts,
    forward_backward,
    log_space,
    most_probable_path,
    passes,
    plain,
)
from inverse_rational_control.foraging.decoding import decode
from inverse_rational_control.foraging.likelihood import (
    chain_inputs,
    chain_tables,
    evaluate,
    log_likelihood,
)
from inverse_rational_control.task import Task
from tests.oracles.log_space import e_step

NARROW = Task(n_bins=10, diffusion=0.025)


def _strict_agent(seed, task=NARROW, temperature=0.002, n_steps=80):
    """A drawn agent of very strict choices, and the record of another one."""
    rng = np.random.default_rng(seed)
    low = np.array([0.02, 0.02, 0.01, 0.01, 0.1, 0.5, 0.0, 0.0, 0.0])
    high = np.array([0.5, 0.5, 0.4, 0.4, 0.5, 0.9, 0.5, 0.6, 0.7])
    theta = np.append(low + (high - low) * rng.random(9), temperature)
    other = np.append(low + (high - low) * rng.random(9), 0.2)
    record = simulate(agent_model(other, task), other[:6], n_steps, rng)
    return theta, record


def _scaled_log_likelihood(tables, inputs):
    return passes.Passes(tables, passes.room(tables, inputs)).run()


def _two_states(floor):
    """Only the second state of factor 1 explains what is seen second, and is nearly never reached."""
    kernel = np.array([[1.0 - floor, floor], [floor, 1.0 - floor]])
    even = np.full((2, 2), 0.5)
    low = np.log(floor)
    log_emissions = np.array([[[0.0, 0.0], [low, low]], [[3 * low] * 2, [np.log(0.5)] * 2]])
    tables = ChainTables(log_emissions, kernel[None], even[None], even[:1], even[:1])
    zero = np.zeros(4, dtype=np.int32)
    emitted = np.array([0, 1, 1, 0], dtype=np.int32)
    reset = np.array([-1, 0, 0, -1], dtype=np.int32)
    return tables, ChainInputs(emitted, zero, zero, reset)


def _assert_equals_the_oracle(tables, inputs, rtol=1e-9):
    n = tables.kernels_1.shape[1]
    posterior = np.empty((inputs.n_steps, n, n))
    counts = expected_counts(tables, inputs, posterior)
    expected, smoothed, moves = e_step(tables, inputs)
    assert counts.log_likelihood == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert chain_log_likelihood(tables, inputs) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(posterior, smoothed, rtol=0, atol=rtol)
    shown = np.zeros_like(tables.log_emissions)
    np.add.at(shown, inputs.emitted, smoothed)
    np.testing.assert_allclose(counts.emissions, shown, rtol=rtol, atol=rtol)
    for factor, (kernels, ratio, resets, reset_ratio, index) in enumerate(
        (
            (tables.kernels_1, counts.ratio_1, tables.resets_1, counts.reset_ratio_1, 0),
            (tables.kernels_2, counts.ratio_2, tables.resets_2, counts.reset_ratio_2, 1),
        ),
        start=1,
    ):
        used = (inputs.kernel_1, inputs.kernel_2)[index]
        usual, reset = np.zeros_like(kernels), np.zeros_like(resets)
        for t in np.flatnonzero(inputs.reset >= 0):
            if inputs.reset[t] == factor:
                reset[used[t]] += moves[index, t].sum(0)
            else:
                usual[used[t]] += moves[index, t]
        np.testing.assert_allclose(ratio * kernels, usual, rtol=rtol, atol=rtol)
        np.testing.assert_allclose(reset_ratio * resets, reset, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("floor", [1e-60, 1e-90, 1e-130])
def test_states_that_only_the_future_explains(floor):
    tables, inputs = _two_states(floor)
    # Both ways, through an improbable move or emission, are one in floor: half the posterior each.
    _assert_equals_the_oracle(tables, inputs)
    if floor < 1e-100:
        assert _scaled_log_likelihood(tables, inputs) == -np.inf, "what the test is about"


@pytest.mark.parametrize("seed", [1, 8, 17, 35])
def test_strict_agents_and_records_of_others(seed):
    theta, record = _strict_agent(seed)
    tables, inputs = chain_tables(agent_model(theta, NARROW)), chain_inputs(record)
    assert _scaled_log_likelihood(tables, inputs) == -np.inf, "what the test is about"
    _assert_equals_the_oracle(tables, inputs, rtol=1e-8)


def test_ordinary_records_give_the_same_either_way(random_agent, random_record):
    """The scaled passes there are held to the enumeration of all paths."""
    task = Task(n_bins=3, n_cues=3)
    tables, inputs = (
        chain_tables(agent_model(random_agent(5), task)),
        chain_inputs(random_record(task, [9, 6], seed=3)),
    )
    one, other = expected_counts(tables, inputs), log_space.log_expected_counts(tables, inputs)
    for name in vars(one):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-10, atol=1e-13)


def test_finite_but_wrong_is_noticed():
    """A likelihood that lost its most probable paths looks like any other."""
    task = Task(n_bins=20)
    theta, record = _strict_agent(0, task, n_steps=60)
    tables, inputs = chain_tables(agent_model(theta, task)), chain_inputs(record)
    expected = log_space.log_chain_log_likelihood(tables, inputs)
    scaled = _scaled_log_likelihood(tables, inputs)
    assert np.isfinite(scaled) and expected - scaled > 1.0, "what the test is about"
    assert chain_log_likelihood(tables, inputs) == pytest.approx(expected, abs=1e-8)
    assert expected_counts(tables, inputs).log_likelihood == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", [8, 35])
def test_gradients_are_exact_there(seed):
    theta, record = _strict_agent(seed)
    inputs = chain_inputs(record)
    gradient = evaluate(theta, inputs, NARROW).gradient
    differences = np.empty(10)
    for k in range(10):
        step = np.zeros(10)
        step[k] = 1e-6 * max(theta[k], 0.01)
        ends = [log_likelihood(theta + sign * step, inputs, NARROW) for sign in (1, -1)]
        differences[k] = (ends[0] - ends[1]) / (2 * step[k])
    # One part in 1e12 of the log-likelihood, over the step.
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=0.05)


def test_beliefs_are_decoded_there():
    theta, record = _strict_agent(8)
    decoding = decode(theta, record, NARROW)
    expected, smoothed, _ = e_step(chain_tables(agent_model(theta, NARROW)), chain_inputs(record))
    assert decoding.log_likelihood == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(decoding.posterior, smoothed, rtol=0, atol=1e-8)


def test_the_most_probable_path_was_in_logarithms_always():
    theta, record = _strict_agent(8)
    tables, inputs = chain_tables(agent_model(theta, NARROW)), chain_inputs(record)
    path_1, path_2, log_probability = most_probable_path(tables, inputs)
    path, expected = plain.most_probable_path(tables, inputs)
    np.testing.assert_array_equal(np.stack([path_1, path_2], 1), path)
    assert log_probability == pytest.approx(expected, rel=1e-12)


def test_blocks_change_nothing(monkeypatch):
    theta, record = _strict_agent(8)
    tables, inputs = chain_tables(agent_model(theta, NARROW)), chain_inputs(record)
    whole, blocks = np.empty((2, record.n_steps, 10, 10))
    one = log_space.log_expected_counts(tables, inputs, whole)
    monkeypatch.setattr(log_space, "_BLOCK_STEPS", 7)
    assert len(log_space.LogPasses(tables, inputs).begins) > 2
    other = log_space.log_expected_counts(tables, inputs, blocks)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-14)
    np.testing.assert_allclose(blocks, whole, rtol=1e-12)
    np.testing.assert_allclose(other.ratio_1, one.ratio_1, rtol=1e-12)


def test_usual_agents_never_need_it(monkeypatch, paper_agent, paper_world):
    """Nor do strict ones whose record is their own: the logarithms are slow."""
    for name in ("log_expected_counts", "log_chain_log_likelihood"):
        monkeypatch.setattr(forward_backward, name, None)
    task = Task()
    for temperature in (0.2, 0.05, 0.02):
        theta = np.append(paper_agent[:9], temperature)
        model = agent_model(theta, task)
        inputs = chain_inputs(simulate(model, paper_world, 500, np.random.default_rng(2)))
        assert expected_counts(chain_tables(model), inputs).usable
        assert np.isfinite(chain_log_likelihood(chain_tables(model), inputs))


def test_impossible_records_stay_impossible():
    tables, inputs = _two_states(1e-130)
    nothing = np.full_like(tables.log_emissions, -np.inf)
    given = ChainTables(nothing, *list(vars(tables).values())[1:])
    assert chain_log_likelihood(given, inputs) == -np.inf
    assert not expected_counts(given, inputs).usable
