"""Profile likelihoods: what holds for every profile, and intervals of curves that are known."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import chi2

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import generic_whitening
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.information import inverse_root, observed_information
from inverse_rational_control.inference.profiles import (
    likelihood_cut,
    profile_interval,
    signed_root,
    trace_profile,
    wald_standard_deviation,
)
from inverse_rational_control.inference.start import fit_from_near
from inverse_rational_control.parameter_space import parameter_space, perpendicular_space
from inverse_rational_control.parameters import AGENT_PARAMETERS, natural, unconstrained

GRID = np.linspace(-4, 4, 17)


# --- intervals of known curves --------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_interval_of_a_parabola_is_walds(level):
    root = signed_root(2.5 * GRID, 3.0 - 0.5 * GRID**2, 3.0)
    cut = likelihood_cut(level)
    assert cut == pytest.approx(chi2.ppf(level, 1), rel=1e-12)
    ends = profile_interval(2.5 * GRID, root, cut)
    np.testing.assert_allclose(ends, 2.5 * np.sqrt(cut) * np.array([-1, 1]), rtol=1e-9)


def test_interval_of_a_skewed_profile():
    """The signed root of a gamma rate's likelihood, in closed form; the grid leaves 1e-3."""

    def fall(log_rate):
        return 10 * (np.exp(log_rate) - 1 - log_rate)

    offset = GRID / np.sqrt(10)
    root = signed_root(offset, -fall(offset), 0.0)
    ends = profile_interval(offset, root, likelihood_cut(0.95))
    np.testing.assert_allclose(2 * fall(np.array(ends)), likelihood_cut(0.95), rtol=1e-3)
    assert -ends[0] > 1.1 * ends[1]


def test_interval_is_open_where_the_profile_stays_low():
    root = np.where(GRID > 0, np.tanh(GRID), GRID)
    lower, upper = profile_interval(GRID, root, likelihood_cut(0.95))
    assert lower == pytest.approx(-np.sqrt(likelihood_cut(0.95)))
    assert upper == np.inf
    nothing = np.where(GRID == 0, 0.0, np.nan)
    assert profile_interval(GRID, nothing, 3.84) == (-np.inf, np.inf)


def test_failed_points_are_bridged():
    root = GRID.copy()
    root[[5, 12]] = np.nan
    ends = profile_interval(GRID, root, 4.0)
    np.testing.assert_allclose(ends, (-2, 2), rtol=1e-12)


def test_the_first_crossing_counts():
    root = np.where(GRID > 3, 0.5, GRID)
    assert profile_interval(GRID, root, 4.0)[1] == pytest.approx(2.0, rel=1e-9)


def test_interval_needs_the_estimate():
    with pytest.raises(ValueError, match="found no estimate"):
        profile_interval(GRID + 0.1, GRID, 4.0)


# --- spacing --------------------------------------------------------------------------------------


def test_standard_deviation_is_walds():
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(10, 10))
    information = factor @ factor.T + np.eye(10)
    covariance = np.linalg.inv(information)
    for k in range(10):
        deviation = wald_standard_deviation(information, np.eye(10)[k])
        assert deviation == pytest.approx(np.sqrt(covariance[k, k]), rel=1e-9)


@pytest.mark.parametrize("worst", [-2.0, 0.0, np.nan])
def test_without_a_standard_error_there_is_still_a_step(worst):
    information = np.diag([worst, *np.full(9, 4.0)])
    for direction in np.eye(10):
        assert 0 < wald_standard_deviation(information, direction) <= 1.0


# --- profiles of a real record --------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace(small_fit, small_objective, fit_settings):
    """Trace a profile of the small fit at offsets in Wald's standard deviations."""

    def traced(direction, z):
        deviation = wald_standard_deviation(small_fit.information, direction)
        profile = trace_profile(
            small_objective,
            small_fit.estimate,
            small_fit.log_likelihood,
            True,
            small_fit.information,
            direction,
            deviation * np.asarray(z),
            fit_settings,
        )
        return profile, deviation

    return traced


def _directions():
    slanted = np.random.default_rng(8).normal(size=10)
    return {
        "appearance_rate_1": np.eye(10)[0],
        "temperature": np.eye(10)[9],
        "slanted": slanted / np.linalg.norm(slanted),
    }


@pytest.fixture(scope="module", params=_directions(), ids=str)
def profile(request, trace):
    direction = _directions()[request.param]
    return direction, *trace(direction, [-2, -1, -0.1, 0.1, 1, 2])


def test_every_point_keeps_its_constraint_and_its_likelihood(profile, small_fit, small_objective):
    direction, traced, _ = profile
    eta = unconstrained(traced.parameters)
    held = (eta - unconstrained(small_fit.estimate)) @ direction
    np.testing.assert_allclose(held, traced.offset, atol=1e-10)
    for theta, found in zip(traced.parameters, traced.log_likelihood, strict=True):
        assert small_objective.log_likelihood(theta) == pytest.approx(found, rel=1e-12)
    assert traced.converged.all()
    assert traced.stop_reason[3] == "the estimate"


def test_a_profile_lies_between_the_slice_and_the_maximum(profile, small_fit, small_objective):
    direction, traced, _ = profile
    center = unconstrained(small_fit.estimate)
    for offset, found in zip(traced.offset, traced.log_likelihood, strict=True):
        slice_ = small_objective.log_likelihood(natural(center + offset * direction))
        assert slice_ <= found + 1e-6
        assert found <= small_fit.log_likelihood + 1e-6
    assert (np.diff(traced.log_likelihood[:4]) > 0).all()
    assert (np.diff(traced.log_likelihood[3:]) < 0).all()


def test_near_the_estimate_a_profile_is_walds_parabola(profile, small_fit):
    _, traced, deviation = profile
    root = signed_root(traced.offset, traced.log_likelihood, small_fit.log_likelihood)
    z = traced.offset / deviation
    # A cubic term cancels between the two sides at a tenth of a standard deviation.
    mean = 0.5 * (root[2] / z[2] + root[4] / z[4])
    assert mean == pytest.approx(1.0, abs=0.01)


def test_points_are_what_a_whole_fit_finds(
    trace, small_fit, small_objective, small_task, fit_settings
):
    """The same maximum from elsewhere, by the ordinary fit in the space of that fixed value."""
    k = 2
    traced, _ = trace(np.eye(10)[k], [1.5, -1.5])
    for row in (0, 2):
        space = parameter_space({AGENT_PARAMETERS[k].name: traced.parameters[row][k]})
        start = natural(unconstrained(small_fit.estimate) + 0.2)
        whitening = generic_whitening(fit_settings, small_task, space)
        found = fit(small_objective.within(space), fit_settings, [start], whitening=whitening)
        assert found.status == "converged"
        assert found.log_likelihood == pytest.approx(traced.log_likelihood[row], abs=1e-4)


def test_order_of_offsets_does_not_matter_and_a_point_repeats_to_the_last_bit(trace):
    direction = np.eye(10)[8]
    one, _ = trace(direction, [-1, 1, 2])
    other, _ = trace(direction, [2, -1, 1])
    for field in ("offset", "log_likelihood", "parameters"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    np.testing.assert_array_equal(trace(direction, [])[0].offset, [0.0])


@pytest.mark.parametrize("offsets", [[0.0, 1.0], [1.0, 1.0], [np.nan]])
def test_bad_offsets_are_refused(trace, offsets):
    with pytest.raises(ValueError, match="offsets: found"):
        trace(np.eye(10)[0], offsets)


def test_a_search_does_not_lean_on_the_information_it_is_given(
    small_fit, small_objective, fit_settings
):
    center = unconstrained(small_fit.estimate)
    space = perpendicular_space(center, np.eye(10)[7])
    right = space.directions.T @ small_fit.information @ space.directions
    # A fifth of a standard deviation away in every direction.
    start = natural(center + 0.2 * space.directions @ inverse_root(right) @ np.ones(9))
    ends = [
        fit_from_near(small_objective.within(space), fit_settings, start, information)
        for information in (right, 30 * right, -right, np.full_like(right, np.nan))
    ]
    for end in ends:
        assert end.converged
        assert end.end[7] == pytest.approx(small_fit.estimate[7], rel=1e-12)
        assert end.log_likelihood == pytest.approx(small_fit.log_likelihood, abs=1e-5)
    assert ends[0].n_evaluations < min(end.n_evaluations for end in ends[2:])


def test_a_search_that_cannot_begin_says_so(small_fit, small_record, small_task, fit_settings):
    impossible = ForagingObjective(small_record, small_task)
    emitted = np.full_like(impossible.inputs.emitted, 0)
    impossible.inputs = dataclasses.replace(impossible.inputs, emitted=emitted)
    start = small_fit.estimate.copy()
    start[9] = 1e-300
    end = fit_from_near(impossible, fit_settings, start, np.eye(10))
    assert not end.converged
    assert "at the start itself" in end.stop_reason


def test_information_along_a_slanted_space_is_the_full_one_projected(small_fit, small_objective):
    slanted = _directions()["slanted"]
    eta = unconstrained(small_fit.estimate)
    space = perpendicular_space(eta, slanted)
    found = observed_information(small_objective.within(space), eta, 1e-3)
    expected = space.directions.T @ small_fit.information @ space.directions
    np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())
