"""Reduced models, the memoryless floor, model selection and brute force against independent answers."""

from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from scipy.optimize import approx_fprime

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.alternative_models import model_space, model_spaces, recovered_models
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.recordings.dataset import stack
from inverse_rational_control.studies.alternatives.analysis import (
    ModelFit,
    draw_agent_of,
    fit_models,
    running_gap,
    search_course,
)
from inverse_rational_control.studies.alternatives.brute_force import brute_force
from inverse_rational_control.studies.alternatives.dataset import (
    ALTERNATIVE_FITS,
    comparison_variables,
    model_fits_dataset,
    recovery_variables,
)
from inverse_rational_control.studies.alternatives.memoryless import (
    fit_memoryless,
    memoryless_log_likelihood,
    n_memoryless_parameters,
    penalized_negative_log_likelihood,
    simulate_memoryless,
)
from inverse_rational_control.studies.alternatives.model_selection import (
    akaike,
    bayesian,
    choose,
    confusion_matrix,
    inversion_matrix,
    paired_difference,
)
from inverse_rational_control.task import N_ACTIONS, N_LOCATIONS, Task
from tests import ROOT

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
AGENT = dict(zip(NAMES, [0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2], strict=True))
WORLD = dict(zip(NAMES[:6], [0.15, 0.1, 0.05, 0.04, 0.4, 0.6], strict=True))
TASK = Task(n_bins=4, n_cues=3)


def _policy(seed=0):
    rng = np.random.default_rng(seed)
    intercept, *slopes = rng.normal(size=(3, N_LOCATIONS, 1, 1, N_ACTIONS))
    color = np.linspace(-1, 1, TASK.n_cues)[:, None]
    logits = intercept + slopes[0] * color[:, None] + slopes[1] * color
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
    np.add.at(counts, (record.location, *record.cue.T, record.action), 1)
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
    assert n == 3 * 4 * 3
    assert abs(2 * gain - n) < 5 * np.sqrt(2 * n)


def test_memoryless_fit_counts_available_actions_and_leaves_none_impossible():
    # In the middle three actions are left, at each box four.
    restricted = Task(n_bins=4, n_cues=3, restricted_actions=True)
    assert n_memoryless_parameters(restricted) == (2 + 3 + 3) * 3
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


def test_drawn_agents_lie_in_the_models_space_and_elsewhere_within_the_ranges():
    space = model_space({"from_world": NAMES[:6]}, WORLD, AGENT)
    ranges = {name: (0.9 * value, 1.1 * value) for name, value in AGENT.items()}
    theta, model, _ = draw_agent_of(space, ranges, TASK, np.random.default_rng(4))
    assert model.plan.converged
    np.testing.assert_allclose(theta[:6], list(WORLD.values()), rtol=1e-12)
    share = (theta / list(AGENT.values()))[6:]
    assert (np.abs(share - 1) < 0.1).all() and np.unique(share).size == 4


SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["fitting"]


def _two_records():
    model = agent_model(np.array(list(AGENT.values())), TASK)
    world = np.array(list(WORLD.values()))
    return [simulate(model, world, 400, np.random.default_rng(seed)) for seed in (5, 6)]


def _fitted(spaces, held_out, **limits):
    settings = FitSettings(**SETTINGS | limits)
    whitenings = {name: np.eye(10) @ space.directions for name, space in spaces.items()}
    record, other = (ForagingObjective(record, TASK) for record in _two_records())
    other = other if held_out else None
    generator = np.random.default_rng
    return fit_models(record, other, settings, spaces, whitenings, generator, 1, 0, 0.01)


def test_every_model_is_fitted_and_scored_on_the_record_held_out():
    spaces = model_spaces({"rewards_known": {"from_agent": NAMES[6:9]}}, WORLD, AGENT)
    full, reduced, floor = _fitted(spaces, held_out=True)
    assert [full.name, reduced.name, floor.name] == ["full", "rewards_known", "memoryless"]
    assert [full.n_parameters, reduced.n_parameters, floor.n_parameters] == [10, 7, 36]
    assert full.log_likelihood > reduced.log_likelihood - 1e-6
    np.testing.assert_allclose(reduced.estimate[6:9], list(AGENT.values())[6:9], rtol=1e-12)
    record, other = _two_records()
    for fit in (full, reduced):
        for found, data in (
            (fit.log_likelihood, record),
            (fit.held_out_log_likelihood, other),
        ):
            expected = ForagingObjective(data, TASK).log_likelihood(fit.estimate)
            assert found == pytest.approx(expected, abs=1e-8)
    assert np.isnan(floor.estimate).all()
    policy = fit_memoryless(record, TASK, 0.01).log_policy
    expected = memoryless_log_likelihood(policy, other, TASK)
    assert floor.held_out_log_likelihood == pytest.approx(expected)


def test_a_maximum_that_the_full_model_missed_is_found_from_a_reduced_one():
    """With few evaluations the full model, from its poor start, stays below a model near the truth."""
    spaces = model_spaces({"near": {"from_agent": NAMES[:9]}}, WORLD, AGENT)
    full, near, _ = _fitted(spaces, held_out=False, max_evaluations=4, candidates_per_start=1)
    assert full.missed > 1.0
    assert full.log_likelihood >= near.log_likelihood
    assert near.missed == 0.0
    assert np.isnan(full.held_out_log_likelihood)


def _recovered(log_likelihoods, names, sizes):
    """One generating model's fits, one row of log-likelihoods per record."""
    datasets = []
    for row in log_likelihoods:
        fits = [
            ModelFit(name, value, np.nan, size, np.full(10, 0.5), "converged", 9, 0.25)
            for name, value, size in zip(names, row, sizes, strict=True)
        ]
        datasets.append(model_fits_dataset(fits, TASK, np.full(10, 0.4), 0))
    return stack(datasets, range(len(datasets)), ALTERNATIVE_FITS)


def test_matrices_count_which_model_each_criterion_chooses():
    # AIC asks 1 nat per parameter, BIC 4.3 at 5000 steps; the full model has three more.
    names, sizes = ["full", "small"], [10, 7]
    recovered = {
        "full": _recovered([[-100.0, -150.0], [-100.0, -105.0], [-100.0, -101.0]], names, sizes),
        "small": _recovered([[-100.0, -100.5], [-100.0, -101.5], [-100.0, -104.0]], names, sizes),
    }
    found = recovery_variables(recovered, 5000)
    np.testing.assert_allclose(found["confusion_aic"][1], [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(found["confusion_bic"][1], [[1 / 3, 2 / 3], [0, 1]])
    np.testing.assert_allclose(found["inversion_bic"][1], [[1, 0.4], [0, 0.6]])
    np.testing.assert_array_equal(found["chosen_by_aic"][1], [[0, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(found["recovery_missed"][1], np.full((2, 3), 0.25))


def test_comparison_by_hand():
    names, sizes = ["full", "small"], np.array([10, 7])
    pairs = _recovered([[-100.0, -101.0], [-200.0, -203.0]], names, sizes)
    pairs["held_out_log_likelihood"][:] = [[-110.0, -109.0], [-210.0, -205.0]]
    pairs["estimate"][:] = 0.5
    free = np.ones((2, 10), dtype=bool)
    free[1, :3] = False
    found = comparison_variables(pairs, free, 100)
    np.testing.assert_allclose(found["held_out_mean"][1], [0, 0.03])
    np.testing.assert_allclose(found["held_out_standard_error"][1], [0, 0.02])
    np.testing.assert_allclose(found["excess_log_likelihood"][1], [[0, -1], [0, -3]])
    np.testing.assert_allclose(found["aic_difference"][1], [[0, -4], [0, 0]])
    log = np.log(100)
    np.testing.assert_allclose(found["bic_difference"][1], [[0, 2 - 3 * log], [0, 6 - 3 * log]])
    error = found["relative_error"][1]
    np.testing.assert_allclose(error[free], 0.25)
    assert np.isnan(error[~free]).all()


def test_a_search_pays_for_its_candidates_and_for_what_came_last():
    starts = [
        SimpleNamespace(
            path=SimpleNamespace(evaluations=[1, 3], log_likelihood=[-9.0, -5.0]),
            n_evaluations=6,
        ),
        SimpleNamespace(
            path=SimpleNamespace(evaluations=[1, 2], log_likelihood=[-8.0, -4.0]),
            n_evaluations=5,
        ),
    ]
    evaluations, best = search_course(starts, 8)
    assert evaluations.tolist() == [9, 11, 23, 24, 27]
    assert best.tolist() == [-9, -5, -5, -4, -4]


def test_brute_force_fills_the_start_ranges_evenly():
    seen = []
    objective = SimpleNamespace(log_likelihood=lambda theta: seen.append(theta) or len(seen))
    settings = FitSettings(**SETTINGS)
    values = brute_force(objective, settings, 64, np.random.default_rng(0))
    assert values.tolist() == list(range(1, 65))
    low, high = np.array([SETTINGS["start_ranges"][name] for name in NAMES]).T
    # One point in each of 64 slices of every parameter's range: what a Sobol design promises.
    slices = np.floor(64 * (np.array(seen) - low) / (high - low)).astype(int)
    np.testing.assert_array_equal(np.sort(slices, 0), np.tile(np.arange(64)[:, None], 10))


def test_running_gap_never_rises():
    gap = running_gap(np.array([-np.inf, -5.0, -9.0, -2.0]), -1.0)
    assert gap.tolist() == [np.inf, 4.0, 4.0, 1.0]
