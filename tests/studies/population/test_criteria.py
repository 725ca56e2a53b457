"""Every criterion passes on sound results and fails on results spoilt in its own way."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.studies.population.analysis import rank_correlations
from inverse_rational_control.studies.population.criteria import criteria
from inverse_rational_control.studies.population.search_again import search_again_dataset
from tests import ROOT
from tests.studies.population.made_up import judged, summary, z_scores

BOUNDS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["population"]["check"]
COVERAGE = {"population_coverage_50", "population_coverage_80", "population_coverage_95"}
Z = z_scores()


def _searched(agent, *gains):
    reported = -1000.0
    ends = np.array([[reported + gain for gain in gains]])
    return search_again_dataset([agent], np.array([reported]), ends, np.full(ends.shape, 60))


SOUND = [_searched(3, 0.0, -4.0, 0.009), _searched(7, -1e-6, np.nan, -500.0)]


SLOW = [_searched("camping", *[-0.009] * 9, -70.0), _searched("restless", *[0.002] * 10)]


def _judged(again=SOUND, slow=SLOW, **given):
    return criteria(summary(**given), again, BOUNDS, slow)


def _failed(again=SOUND, slow=SLOW, **given):
    return {judged.name for judged in _judged(again, slow, **given) if judged.failed}


def test_a_sound_population_passes():
    found = _judged()
    assert all(criterion.passed for criterion in found)
    assert len({criterion.name for criterion in found}) == len(found) == 10


def test_standard_errors_that_are_20_percent_too_small_or_large_are_rejected():
    assert _failed(**judged(1.25 * Z)) == COVERAGE
    assert _failed(**judged(Z / 1.25)) >= COVERAGE - {"population_coverage_95"}


def test_the_interval_of_a_third_of_the_agents_too_short_is_rejected():
    """As Wald's are with a flagged parameter held at its bound."""
    z = Z.copy()
    z[:31] *= 1.8
    assert "population_coverage_95" in _failed(**judged(z))


def test_agents_without_intervals_are_misses_and_not_left_out():
    z = Z.copy()
    z[:31] = np.nan
    assert _failed(**judged(z)) == COVERAGE


def test_one_parameter_shifted_by_half_a_standard_error_is_rejected():
    for sign in (-1, 1):
        z = Z.copy()
        z[:, 3] += 0.5 * sign
        found = criteria(summary(**judged(z)), SOUND, BOUNDS, SLOW)
        assert [one.name for one in found if not one.passed] == ["population_bias"]
        assert "disappearance_rate_2" in next(one.why for one in found if not one.passed)


def test_a_swapped_pair_of_parameters_is_rejected():
    rng = np.random.default_rng(3)
    truth = rng.uniform(size=(100, 10))
    estimate = truth + 0.2 * rng.normal(size=truth.shape)
    sound = rank_correlations(estimate, truth)
    assert _failed(truth_correlation=sound) == set()
    swapped = rank_correlations(estimate[:, [1, 0, *range(2, 10)]], truth)
    assert _failed(truth_correlation=swapped) == {"population_own_truth"}
    # Both estimates the mean of the two: nothing tells which is which.
    mean = estimate.copy()
    mean[:, :2] = estimate[:, :2].mean(1, keepdims=True)
    assert _failed(truth_correlation=rank_correlations(mean, truth)) == {"population_own_truth"}


def test_a_profile_below_the_truths_own_likelihood_is_rejected():
    deviance = summary()["profile_deviance_at_truth"].values.copy()
    deviance[1, 4] = summary()["likelihood_ratio"].values[1] + 0.2
    assert _failed(profile_deviance_at_truth=deviance) == {"population_profile_below_truth"}


def test_coverage_whose_error_is_zero_by_chance_is_judged_by_the_binomial_one(monkeypatch):
    """Everything covers with three agents: one may expect that at 95 %."""
    module = "inverse_rational_control.studies.population.criteria"
    monkeypatch.setattr(f"{module}.too_few", lambda *_: "")
    few = summary(n_agents=3, **judged(np.zeros((3, 10))))
    found = {one.name: one.passed for one in criteria(few, SOUND, BOUNDS, SLOW)}
    assert found["population_coverage_95"] and not found["population_coverage_50"]


@pytest.mark.parametrize("wrong", [-1e-6, np.nan])
def test_agents_less_likely_than_the_truth_are_counted(wrong):
    """A fit that led nowhere is not at least as likely either."""
    ratio = np.full(100, 10.0)
    ratio[:2] = wrong
    assert _failed(likelihood_ratio=ratio) >= {"population_likelihood_share"}


@pytest.mark.parametrize("name", ["pooled_coverage", "z_mean", "truth_correlation"])
def test_missing_numbers_fail(name):
    assert _failed(**{name: summary()[name].values * np.nan}) != set()


def test_statistics_of_few_agents_are_not_judged():
    judged = {criterion.name: criterion for criterion in _judged(n_agents=6)}
    left_out = {name for name, criterion in judged.items() if criterion.passed is None}
    assert left_out == {
        *(f"population_coverage_{level}" for level in (50, 80, 95)),
        *("population_bias", "population_own_truth"),
    }
    assert judged["population_bias"].why == "6 agents; judged from 20 on"


@pytest.mark.parametrize("gains", [(0.0, 0.02), (0.0, 2.6, -1.0), (np.nan, np.nan)])
def test_a_missed_maximum_is_caught(gains):
    """Also a search that led nowhere: it says nothing for the maximum."""
    assert _failed([*SOUND, _searched(44, *gains)]) == {"population_maxima"}
    assert any("44 by 2.58 nats" in criterion.why for criterion in _judged([_searched(44, 2.58)]))


def test_a_search_that_nobody_made_is_no_search():
    assert _failed([]) == {"population_maxima"}


@pytest.mark.parametrize("gains", [(0.02,) * 10, (*[0.0] * 9, 2.6), (np.nan,) * 10])
def test_a_missed_maximum_of_a_slow_agent_is_caught(gains):
    """Whether all starts end higher than the fit, or one."""
    assert "population_slow_maxima" in _failed(slow=[*SLOW, _searched("doubtful", *gains)])


@pytest.mark.parametrize("below", [0.02, 70.0, np.nan])
def test_two_of_ten_starts_below_the_maximum_of_one_slow_agent_are_too_many(below):
    gains = [0.0] * 8 + [-below] * 2
    assert _failed(slow=[*SLOW, _searched("doubtful", *gains)]) == {"population_slow_starts"}
    # Those of a fit that was lucky are too: its maximum counts as the highest end.
    assert "population_slow_starts" in _failed(slow=[_searched("doubtful", *[-0.02] * 10)])


def test_without_slow_agents_their_criteria_are_not_judged():
    left_out = {criterion.name for criterion in _judged(slow=[]) if criterion.passed is None}
    assert left_out == {"population_slow_maxima", "population_slow_starts"}
