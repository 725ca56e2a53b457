"""Reduced models, the memoryless floor, model selection and brute force against independent answers."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from irc.memoryless import (
    fit_memoryless,
    memoryless_log_likelihood,
    n_memoryless_parameters,
    penalized_negative_log_likelihood,
    simulate_memoryless,
)
from irc.model_selection import (
    akaike,
    bayesian,
    choose,
    confusion_matrix,
    inversion_matrix,
    paired_difference,
)
from irc.parameter_space import FULL_SPACE
from irc.parameters import AGENT_PARAMETERS
from irc.reduced_models import model_space, model_spaces, recovered_models
from irc.rivals import draw_agent, running_gap
from irc.task import N_ACTIONS, N_LOCATIONS, Task

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
AGENT = dict(zip(NAMES, [0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2], strict=True))
WORLD = dict(zip(NAMES[:6], [0.15, 0.1, 0.05, 0.04, 0.4, 0.6], strict=True))
TASK = Task(n_bins=4, n_cues=3)


def _policy(seed=0):
    rng = np.random.default_rng(seed)
    one, two = rng.normal(size=(2, N_LOCATIONS, TASK.n_cues, N_ACTIONS))
    logits = one[:, :, None] + two[:, None, :]
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def _record(n_steps=3000, seed=1):
    rng = np.random.default_rng(seed)
    return simulate_memoryless(_policy(), np.array(list(WORLD.values())), n_steps, rng)


def test_held_parameters_take_the_values_they_should():
    choice = {"from_world": NAMES[:2], "from_agent": ["push_cost"], "factor": 1.5}
    theta = model_space(choice, WORLD, AGENT).admit(np.array(list(AGENT.values())) * 0.9)
    np.testing.assert_allclose(theta[[0, 1, 8]], [0.15, 0.1, 0.45], rtol=1e-12)
    np.testing.assert_array_equal(theta[[2, 9]], np.array(list(AGENT.values()))[[2, 9]] * 0.9)
    assert list(model_spaces({"a": choice}, WORLD, AGENT)) == ["full", "a"]
    assert recovered_models({"a": choice, "b": {"tied": [NAMES[:2]]}}) == {
        "b": {"tied": [NAMES[:2]]}
    }


@pytest.mark.parametrize(
    "choice",
    [
        {"from_world": NAMES[:1], "from_agent": NAMES[:1]},
        {"from_agent": NAMES[:1], "tied": [NAMES[:2]]},
        {"from_agent": ["cue_probability_absent"], "factor": 2.0},
        {"from_agent": NAMES},
        {"tied": [["push_cost", "temperature"]]},
    ],
)
def test_models_that_make_no_sense_are_refused_by_name(choice):
    with pytest.raises(ValueError, match=r"^odd: .*allowed"):
        model_spaces({"odd": choice}, WORLD, AGENT)


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
    np.add.at(counts, (record.location, record.cue_1, record.cue_2, record.action), 1)
    policy, total = np.exp(_policy()), counts.sum(-1, keepdims=True)
    z = (counts - total * policy) / np.sqrt(total * policy * (1 - policy) + 1)
    assert np.abs(z).max() < 5


def test_memoryless_fit_finds_the_policy_and_beats_it_on_its_own_record():
    record = _record()
    fit = fit_memoryless(record, TASK, 0.01)
    assert fit.converged
    np.testing.assert_allclose(np.exp(fit.log_policy).sum(-1), 1.0, rtol=1e-12)
    gain = fit.log_likelihood - memoryless_log_likelihood(_policy(), record, TASK)
    # Twice the gain is chi-square with one degree per parameter: within five standard deviations.
    n = n_memoryless_parameters(TASK)
    assert n == 3 * 4 * 5
    assert abs(2 * gain - n) < 5 * np.sqrt(2 * n)


def test_memoryless_fit_counts_available_actions_and_leaves_none_impossible():
    # In the middle three actions are left, at each box four.
    restricted = Task(n_bins=4, n_cues=3, restricted_actions=True)
    assert n_memoryless_parameters(restricted) == (2 + 3 + 3) * 5
    assert np.isfinite(fit_memoryless(_record(30), TASK, 0.01).log_policy).all()
    with pytest.raises(ValueError, match="ridge: found 0"):
        fit_memoryless(_record(30), TASK, 0)


def test_criteria_and_choice():
    assert akaike(-10.0, 3) == 26.0
    assert bayesian(-10.0, 3, 100) == pytest.approx(20 + 3 * np.log(100))
    chosen = choose(np.array([[3.0, 1.0], [np.nan, 5.0], [np.nan, np.nan]]))
    assert chosen.tolist() == [1, 1, -1]


def test_confusion_and_inversion():
    confusion = confusion_matrix(np.array([[0, 0, 1, -1], [0, 1, 1, 1], [0, 0, 1, 1]]), 3)
    np.testing.assert_array_equal(confusion, [[0.5, 0.25, 0], [0.25, 0.75, 0], [0.5, 0.5, 0]])
    inversion = inversion_matrix(confusion)
    np.testing.assert_allclose(inversion[:, 0], [0.4, 0.2, 0.4])
    assert np.isnan(inversion[:, 2]).all()


def test_paired_difference_ignores_what_pairs_share():
    shared = np.random.default_rng(0).normal(0, 100, 50)[:, None]
    mean, error = paired_difference(shared + np.array([1.0, 2.0]), shared)
    np.testing.assert_allclose(mean, [1, 2])
    np.testing.assert_allclose(error, 0, atol=1e-12)


def test_drawn_agents_lie_in_the_models_space_and_around_the_typical_one():
    space = model_space({"from_world": NAMES[:6]}, WORLD, AGENT)
    typical = np.array(list(AGENT.values()))
    theta, model, _ = draw_agent(space, typical, 0.2, TASK, np.random.default_rng(4))
    assert model.plan.converged
    np.testing.assert_allclose(theta[:6], list(WORLD.values()), rtol=1e-12)
    assert (theta[6:] != typical[6:]).all()
    near, _, _ = draw_agent(FULL_SPACE, typical, 1e-9, TASK, np.random.default_rng(4))
    np.testing.assert_allclose(near, typical, rtol=1e-7)


def test_running_gap_never_rises():
    gap = running_gap(np.array([-np.inf, -5.0, -9.0, -2.0]), -1.0)
    assert gap.tolist() == [np.inf, 4.0, 4.0, 1.0]
