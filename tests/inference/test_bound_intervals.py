"""Profile-likelihood intervals at a bound, against brute force and against counting."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference import constrained
from inverse_rational_control.inference.bound_intervals import (
    profile_interval_of,
    with_profile_intervals,
)
from inverse_rational_control.inference.constrained import ConstrainedMaxima
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.intervals import wald_intervals
from inverse_rational_control.parameter_space import parameter_space
from tests.inference.toy import PARAMETERS, SPACE, TRUTH, Psychometric

SETTINGS = FitSettings()
LAPSE = 2


def _without_lapses(seed=0, n_steps=400):
    """Answers of someone who never lapses; the estimated lapse is then mostly at its bound."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 3, n_steps)
    yes = rng.random(n_steps) < Psychometric(x, None).probability([0.5, 0.4, 0.0])
    return Psychometric(x, yes)


def _brute_force(data, place, value):
    """The profile by Nelder-Mead over the other two, from the truth."""
    others = [k for k in range(3) if k != place]

    def minus(eta):
        theta = np.zeros(3)
        theta[others] = data.space.natural(_filled(eta))[others]
        theta[place] = value
        with np.errstate(divide="ignore"):
            return -data.log_likelihood(theta)

    def _filled(eta):
        full = np.zeros(3)
        full[others] = eta
        return full

    begin = SPACE.unconstrained(np.array([0.5, 0.4, 0.02]))[others]
    options = {"xatol": 1e-8, "fatol": 1e-9, "maxiter": 5000}
    return -minimize(minus, begin, method="Nelder-Mead", options=options).fun


@pytest.fixture(scope="module")
def data():
    return _without_lapses()


@pytest.fixture(scope="module")
def at_bound(data):
    found = fit(data, SETTINGS, [TRUTH])
    assert found.status == "at_bound" and found.at_bound.tolist() == [False, False, True]
    return found


@pytest.fixture(scope="module")
def profiled(at_bound, data):
    return with_profile_intervals(at_bound, data)


def test_nobody_at_a_bound_gets_walds_numbers(at_bound, profiled):
    without, found = at_bound.intervals(), profiled.intervals()
    assert np.isnan([without.lower, without.upper, without.standard_error]).all()
    assert set(without.kind) == {"none"}
    assert np.isnan(found.standard_error).all()
    assert set(found.kind) == {"profile"}
    assert np.isnan(profiled.intervals(0.5).upper).all(), "found at one level only"


def test_one_end_is_the_bound_and_the_others_are_where_brute_force_meets_the_cut(profiled, data):
    found, cut = profiled.intervals(), chi2.ppf(0.95, 1)
    assert found.lower[LAPSE] == 0.0
    for place in range(3):
        estimate = profiled.estimate[place]
        for end, beyond in ((found.lower[place], 0.6), (found.upper[place], 1.6)):
            if end == 0.0:
                continue

            def short(value, place=place):
                below = profiled.log_likelihood - _brute_force(data, place, value)
                return 2 * below - cut

            outer = 0.3 if place == LAPSE else estimate * beyond
            expected = brentq(short, max(estimate, 1e-6), outer, xtol=1e-5)
            # Deviance within 1 %: the distance from the estimate within about half of that.
            assert abs(end - expected) < 0.01 * abs(expected - estimate)


def test_walds_numbers_at_the_bound_would_be_nonsense(at_bound):
    """What is no longer reported: an error of next to nothing, and all of (0, 1) as its interval."""
    information = at_bound.information + 1e-6 * np.eye(3)
    wald = wald_intervals(at_bound.estimate, information, 0.95, SPACE)
    assert wald.standard_error[LAPSE] < 1e-2
    assert wald.upper[LAPSE] > 0.99


def test_the_deviance_at_a_value_agrees_with_the_interval_and_with_brute_force(profiled, data):
    found = profiled.intervals()
    for value in (0.5 * found.upper, 1.2 * found.upper):
        value = np.clip(value, 1e-4, None)
        deviance = with_profile_intervals(profiled, data, value, ends=False).profiles.deviance
        for place in range(3):
            below = profiled.log_likelihood - _brute_force(data, place, value[place])
            assert deviance[place] == pytest.approx(2 * below, rel=0.01, abs=5e-3)
        inside = (found.lower <= value) & (value <= found.upper)
        np.testing.assert_array_equal(deviance <= chi2.ppf(0.95, 1), inside)


def test_an_interior_fit_keeps_walds_intervals():
    data = Psychometric.simulated()
    found = fit(data, SETTINGS, [TRUTH])
    assert with_profile_intervals(found, data) is found
    assert set(found.intervals().kind) == {"wald"}


def test_profiles_of_an_interior_fit_are_walds_where_the_record_is_long():
    data = Psychometric.simulated(20_000)
    found = fit(data, SETTINGS, [TRUTH])
    maxima = ConstrainedMaxima(data, SETTINGS, found.estimate, found.information)
    wald = found.intervals(0.95)
    for k in range(3):
        deviation = np.sqrt(np.linalg.inv(found.information)[k, k])
        interval = profile_interval_of(maxima, k, 0.95, deviation, False)
        width = wald.upper[k] - wald.lower[k]
        assert interval.lower == pytest.approx(wald.lower[k], abs=0.03 * width)
        assert interval.upper == pytest.approx(wald.upper[k], abs=0.03 * width)


def test_intervals_cover_as_often_as_they_say_also_at_the_bound():
    """A lapse of 0.02 is at its bound in part of the records; 95 % intervals of all of them hold it."""
    truth, covered, bounds = np.array([0.5, 0.4, 0.02]), [], 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-2, 3, 200)
        yes = rng.random(200) < Psychometric(x, None).probability(truth)
        data = Psychometric(x, yes)
        found = with_profile_intervals(fit(data, SETTINGS, [truth]), data)
        bounds += found.at_bound[LAPSE]
        interval = found.intervals()
        covered.append((interval.lower <= truth) & (truth <= interval.upper))
    assert 20 < bounds < 130
    # 150 records: a standard error of 0.018 each.
    share = np.mean(covered, 0)
    assert (np.abs(share - 0.95) < 4 * 0.018).all(), share


def test_a_search_that_does_not_settle_gives_no_number(monkeypatch, at_bound, data):
    monkeypatch.setattr(constrained, "_SETTLED", 0.0)
    monkeypatch.setattr(constrained, "_GAIN", 0.0)
    found = with_profile_intervals(at_bound, data, TRUTH)
    interval = found.intervals()
    for k, kind in enumerate(interval.kind):
        assert kind == "none"
        assert np.isnan(interval.lower[k]) and np.isnan(interval.upper[k])
    assert "no interval for lapse: no search with the parameter held settled" in interval.remarks
    assert np.isnan(found.profiles.deviance).all()
    assert " none" in found.summary()


def test_no_profile_at_the_truth_lies_below_it(monkeypatch, at_bound, data):
    """The truth is a point of each; searches from near the estimate may all end lower."""

    def stays(self, across, whitening, start):
        return constrained.Search(across, whitening).point(start), True

    monkeypatch.setattr(ConstrainedMaxima, "_climbed", stays)
    far = np.array([1.5, 0.9, 0.2])
    found = with_profile_intervals(at_bound, data, truth=far, ends=False).profiles
    fall = 2.0 * (at_bound.log_likelihood - data.log_likelihood(far))
    assert (found.deviance <= fall + 1e-6).all()


def test_an_estimate_that_profiles_surpass_is_said_to_be_no_maximum(at_bound, data):
    lower = at_bound.estimate.copy()
    lower[0] += 0.15
    best = dataclasses.replace(
        at_bound.starts[0], end=lower, log_likelihood=data.log_likelihood(lower)
    )
    moved = dataclasses.replace(at_bound, starts=(best,), best=0)
    found = with_profile_intervals(moved, data)
    gap = at_bound.log_likelihood - best.log_likelihood
    assert found.profiles.rise == pytest.approx(gap, abs=0.2)
    assert any("which is not the maximum" in words for words in found.intervals().remarks)


def test_fixed_and_tied_parameters(data):
    space = parameter_space({"threshold": 0.5}, parameters=PARAMETERS)
    found = fit(data.within(space), SETTINGS, [TRUTH])
    found = with_profile_intervals(found, data.within(space))
    interval = found.intervals()
    assert [str(kind) for kind in interval.kind] == ["fixed", "profile", "profile"]
    assert interval.lower[0] == interval.upper[0] == found.estimate[0]
    only = parameter_space({"threshold": 0.5, "width": 0.4}, parameters=PARAMETERS)
    alone = data.within(only)
    found = with_profile_intervals(fit(alone, SETTINGS, [TRUTH]), alone)
    upper = found.intervals().upper[LAPSE]
    theta = np.array([0.5, 0.4, upper])
    below = 2 * (found.log_likelihood - data.log_likelihood(theta))
    assert below == pytest.approx(chi2.ppf(0.95, 1), rel=0.02)


def test_the_summary_says_it_in_words(profiled):
    said = profiled.summary()
    assert "at a bound" in said and "by profile likelihood" in said
    assert "nan" not in said
