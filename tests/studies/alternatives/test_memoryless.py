"""The memoryless baseline against its own simulations, and its gradient against differences."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from inverse_rational_control.alternative_models import BASELINES
from inverse_rational_control.studies.alternatives.baselines import baselines
from inverse_rational_control.studies.alternatives.memoryless import (
    Memoryless,
    MemorylessPolicy,
    penalized_negative_log_likelihood,
)
from inverse_rational_control.task import ABSENT, N_ACTIONS, N_LOCATIONS, Task

WORLD = np.array([0.15, 0.1, 0.05, 0.04, 0.4, 0.6])
TASK = Task(n_bins=4, n_cues=3)


def _policy(seed=0):
    rng = np.random.default_rng(seed)
    intercept, *gradients = rng.normal(size=(3, N_LOCATIONS, 1, 1, N_ACTIONS))
    color = np.linspace(-1, 1, TASK.n_cues)[:, None]
    logits = intercept + gradients[0] * color[:, None] + gradients[1] * color
    return MemorylessPolicy(TASK, logits - np.log(np.exp(logits).sum(-1, keepdims=True)))


def _record(n_steps=3000, seed=1):
    rng = np.random.default_rng(seed)
    return _policy().simulate(WORLD, n_steps, rng)


def test_memoryless_gradient_is_that_of_its_objective():
    rng = np.random.default_rng(3)
    features, counts = rng.normal(size=(6, 4)), rng.integers(0, 9, (6, 3)).astype(float)
    weights = rng.normal(size=12)

    def value(w):
        return penalized_negative_log_likelihood(w, features, counts, 0.3)[0]

    gradient = penalized_negative_log_likelihood(weights, features, counts, 0.3)[1]
    np.testing.assert_allclose(gradient, approx_fprime(weights, value, 1e-7), atol=1e-4)


def test_simulated_memoryless_policy_acts_on_the_cues_it_sees():
    record = _record(60_000)
    record.check(TASK)
    counts = np.zeros((N_LOCATIONS, 3, 3, N_ACTIONS))
    np.add.at(counts, (record.location, *record.cue.T, record.action), 1)
    policy, total = np.exp(_policy().log_policy), counts.sum(-1, keepdims=True)
    z = (counts - total * policy) / np.sqrt(total * policy * (1 - policy) + 1)
    assert np.abs(z).max() < 5


def test_memoryless_fit_finds_the_policy_and_beats_it_on_its_own_record():
    record = _record()
    model = Memoryless(TASK, 0.01)
    fit = model.fit(record)
    assert fit.converged
    np.testing.assert_allclose(np.exp(fit.log_policy).sum(-1), 1.0, rtol=1e-12)
    gain = fit.log_likelihood(record) - _policy().log_likelihood(record)
    # Twice the gain is chi-square with one degree per parameter: within five standard deviations.
    n = model.n_parameters
    assert n == 3 * 4 * 3
    assert abs(2 * gain - n) < 5 * np.sqrt(2 * n)


def test_memoryless_fit_counts_available_actions_and_leaves_none_impossible():
    # In the middle three actions are left, at each box four.
    restricted = Task(n_bins=4, n_cues=3, restricted_actions=True)
    assert Memoryless(restricted, 0.01).n_parameters == (2 + 3 + 3) * 3
    assert np.isfinite(Memoryless(TASK, 0.01).fit(_record(30)).log_policy).all()
    with pytest.raises(ValueError, match="ridge: found 0"):
        Memoryless(TASK, 0)


def test_it_is_found_by_its_name():
    found = baselines(TASK, {"memoryless_ridge": 0.3})
    assert list(found) == list(BASELINES)
    assert found["memoryless"] == Memoryless(TASK, 0.3)


def test_memoryless_where_steps_have_no_cue():
    half = Task(n_bins=4, n_cues=3, cue_share=0.5)
    policy = MemorylessPolicy(half, _policy().log_policy)
    record = policy.simulate(WORLD, 20_000, np.random.default_rng(4))
    record.check(half)
    assert abs((record.cue == ABSENT).mean() - 0.5) < 0.02
    fit = Memoryless(half, 0.01).fit(record)
    assert fit.log_policy.shape == (N_LOCATIONS, 4, 4, N_ACTIONS)
    gain = fit.log_likelihood(record) - policy.log_likelihood(record)
    assert abs(2 * gain - 36) < 5 * np.sqrt(2 * 36)
    # A policy that was fitted to colors alone knows what to do without: the color in the middle.
    colors = Memoryless(half, 0.01).fit(_record())
    blank = colors._of_situations(4)
    np.testing.assert_allclose(blank[:, 3, :3], colors.log_policy[:, 1], rtol=1e-9)
    assert np.isfinite(colors.log_likelihood(record))
    # And one that was fitted to both, in a record that has colors only.
    shown = _record()
    expected = fit.step_log_likelihoods(shown).sum()
    assert fit.log_likelihood(shown) == pytest.approx(expected, rel=1e-12)


def test_memoryless_without_cues_counts_actions():
    none = Task(n_bins=4, n_cues=1)
    assert Memoryless(none, 0.01).n_parameters == 3 * 4
    record = dataclasses.replace(_record(), cue=np.zeros((3000, 2), dtype=int))
    fit = Memoryless(none, 1e-6).fit(record)
    counts = np.zeros((N_LOCATIONS, N_ACTIONS))
    np.add.at(counts, (record.location, record.action), 1)
    shares = counts / counts.sum(1, keepdims=True)
    np.testing.assert_allclose(np.exp(fit.log_policy[:, 0, 0]), shares, atol=1e-3)
