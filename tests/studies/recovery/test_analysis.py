"""Slopes, their standard errors and efficiency, on made-up errors whose answer is known."""

import numpy as np
import pytest

from inverse_rational_control.studies.recovery.analysis import (
    cramer_rao_bound,
    efficiency,
    error_scaling,
    steps_needed,
)

LENGTHS = np.array([2000, 5000, 10_000, 20_000])


def _errors(rng, seeds=40, power=-0.5, n_parameters=10):
    scale = np.geomspace(0.1, 3.0, n_parameters)
    return rng.normal(size=(seeds, 4, n_parameters)) * LENGTHS[:, None] ** power * scale


@pytest.mark.parametrize("power", [-0.5, -0.25])
def test_slope_of_known_errors(power):
    errors = _errors(np.random.default_rng(0), seeds=400, power=power)
    found = error_scaling(errors, LENGTHS)
    # Standard error of log RMSE is 1/sqrt(2 * 400) = 0.035, over a lever arm of 0.8 times 2 lengths.
    np.testing.assert_allclose(found.slope, power, atol=0.1)
    assert found.pooled_slope == pytest.approx(power, abs=0.03)
    assert found.pooled_slope == pytest.approx(found.slope.mean())


def test_exact_power_law_gives_the_exact_slope():
    errors = np.ones((3, 4, 2)) * LENGTHS[:, None] ** -0.5 * np.array([1.0, 20.0])
    errors[2, 2:] = np.nan
    found = error_scaling(errors, LENGTHS)
    np.testing.assert_allclose(found.slope, -0.5, atol=1e-12)
    np.testing.assert_allclose(found.slope_standard_error, 0.0, atol=1e-12)


def test_slope_is_the_weighted_least_squares_one():
    """By the normal equations, each length weighted with its records."""
    errors = _errors(np.random.default_rng(6))
    errors[10:, 2:] = np.nan
    log_rmse = 0.5 * np.log(np.nanmean(errors**2, 0))
    design = np.stack([np.ones(4), np.log(LENGTHS)], 1)
    weight = np.diag([40, 40, 10, 10])
    expected = np.linalg.solve(design.T @ weight @ design, design.T @ weight @ log_rmse)[1]
    np.testing.assert_allclose(error_scaling(errors, LENGTHS).slope, expected, rtol=1e-9)


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_standard_errors_are_those_of_repeated_studies(shared):
    """Also where the lengths of one record err alike, as beginnings of one another do."""
    rng = np.random.default_rng(2)
    slopes, pooled, claimed, claimed_pooled = [], [], [], []
    scale = np.array([0.1, 1.0, 3.0])
    for _ in range(300):
        common = rng.normal(size=(60, 1, 3))
        errors = np.sqrt(shared) * common + np.sqrt(1 - shared) * rng.normal(size=(60, 4, 3))
        errors[12:, 2:] = np.nan
        found = error_scaling(errors * LENGTHS[:, None] ** -0.5 * scale, LENGTHS)
        slopes.append(found.slope)
        pooled.append(found.pooled_slope)
        claimed.append(found.slope_standard_error)
        claimed_pooled.append(found.pooled_slope_standard_error)
    # A spread over 300 studies is known to 4 %; linearized errors of 12 records are a little low.
    np.testing.assert_allclose(np.mean(claimed, 0), np.std(slopes, 0), rtol=0.2)
    assert np.mean(claimed_pooled) == pytest.approx(np.std(pooled), rel=0.2)


def test_one_record_says_nothing_of_how_records_differ():
    found = error_scaling(_errors(np.random.default_rng(3), seeds=1), LENGTHS)
    assert np.isfinite(found.slope).all()
    assert np.isnan(found.slope_standard_error).all()
    assert np.isnan(found.pooled_slope_standard_error)


def test_cramer_rao_bound_of_a_known_information(paper_agent):
    """Mean information 4 in every unconstrained coordinate: 1/2 there, times the slope."""
    information = np.array([3.0, 5.0, 4.0])[:, None, None] * np.eye(10)
    bound, error, left_out = cramer_rao_bound(information, paper_agent)
    slope = np.ones(10)
    slope[:6] = paper_agent[:6] * (1 - paper_agent[:6])
    slope[9] = paper_agent[9]
    np.testing.assert_allclose(bound, slope / 2.0, rtol=1e-12)
    # d(1/sqrt(x)) = -x^(-3/2)/2 dx with a standard error of the mean of 1/sqrt(3).
    np.testing.assert_allclose(error, slope / 16.0 / np.sqrt(3.0), rtol=0.1)
    # Without the first record, 4.5.
    np.testing.assert_allclose(left_out[0], slope / np.sqrt(4.5))
    undefined, _, _ = cramer_rao_bound(information - 10.0 * np.eye(10), paper_agent)
    assert np.isnan(undefined).all()


def test_efficiency_of_normal_errors():
    """Errors with a variance of 1/0.8 of the bound's square: efficiency 0.8."""
    bound = np.array([[0.1, 2.0, 5.0]])
    errors = np.random.default_rng(3).normal(size=(4000, 1, 3)) * bound / np.sqrt(0.8)
    errors[:7] = np.nan
    found = efficiency(errors, bound, np.repeat(bound[None], 5, axis=0))
    # Relative error of a variance from n numbers: sqrt(2/n).
    np.testing.assert_allclose(found.standard_error, 0.8 * np.sqrt(2 / 4000), rtol=0.1)
    assert (np.abs(found.each - 0.8) < 4 * found.standard_error).all()
    assert found.mean == found.each.mean()
    assert found.mean_standard_error == pytest.approx(0.8 * np.sqrt(2 / 12000), rel=0.1)


def test_the_bounds_own_error_counts_in_efficiency():
    """Of twenty records whose bounds differ by a fifth: a jackknife error of 2 * 0.2/sqrt(20)."""
    rng = np.random.default_rng(5)
    errors = rng.normal(size=(200_000, 1, 1))
    own = 1.0 + 0.2 * rng.normal(size=20)
    left_out = ((own.sum() - own) / 19)[:, None, None]
    bound = own.mean() * np.ones((1, 1))
    found = efficiency(errors, bound, left_out)
    expected = 2 * own.mean() * own.std(ddof=1) / np.sqrt(20)
    assert found.mean_standard_error == pytest.approx(expected, rel=0.05)


def test_steps_needed_are_those_at_which_the_bound_gives_the_half_width():
    bound, error = np.array([0.02, 0.5]), np.array([0.001, 0.05])
    half_width = np.array([0.01, 1.0])
    steps, steps_error = steps_needed(bound, error, 5000, half_width, 0.95)
    np.testing.assert_allclose(1.959964 * bound * np.sqrt(5000 / steps), half_width, rtol=1e-6)
    higher, _ = steps_needed(bound + 1e-3 * error, error, 5000, half_width, 0.95)
    np.testing.assert_allclose((higher - steps) / 1e-3, steps_error, rtol=1e-3)
