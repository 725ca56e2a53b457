"""Slopes, their standard errors and efficiency, on made-up errors whose answer is known."""

import numpy as np
import pytest

from inverse_rational_control.studies.recovery.analysis import (
    cramer_rao_bound,
    efficiency,
    error_scaling,
)

LENGTHS = np.array([2000, 5000, 10_000, 20_000])


def _errors(rng, seeds=40, power=-0.5, n_parameters=10):
    scale = np.geomspace(0.1, 3.0, n_parameters)
    return rng.normal(size=(seeds, 4, n_parameters)) * LENGTHS[:, None] ** power * scale


@pytest.mark.parametrize("power", [-0.5, -0.25])
def test_slope_of_known_errors(power):
    errors = _errors(np.random.default_rng(0), seeds=400, power=power)
    found = error_scaling(errors, LENGTHS, np.random.default_rng(1), 200)
    # Standard error of log RMSE is 1/sqrt(2 * 400) = 0.035, over a lever arm of 0.8 times 2 lengths.
    np.testing.assert_allclose(found.slope, power, atol=0.1)
    assert found.pooled_slope == pytest.approx(power, abs=0.03)
    assert found.pooled_slope == pytest.approx(found.slope.mean())


def test_exact_power_law_gives_the_exact_slope():
    errors = np.ones((3, 4, 2)) * LENGTHS[:, None] ** -0.5 * np.array([1.0, 20.0])
    found = error_scaling(errors, LENGTHS, np.random.default_rng(0), 20)
    np.testing.assert_allclose(found.slope, -0.5, atol=1e-12)
    np.testing.assert_allclose(found.slope_standard_error, 0.0, atol=1e-12)


def test_bootstrap_standard_errors_are_those_of_repeated_studies():
    rng = np.random.default_rng(2)
    slopes, pooled, claimed, claimed_pooled = [], [], [], []
    for _ in range(150):
        found = error_scaling(_errors(rng, n_parameters=3), LENGTHS, rng, 60)
        slopes.append(found.slope)
        pooled.append(found.pooled_slope)
        claimed.append(found.slope_standard_error)
        claimed_pooled.append(found.pooled_slope_standard_error)
    # A spread over 150 studies is known to 6 %, the bootstrap of 40 seeds is a few per cent low.
    np.testing.assert_allclose(np.mean(claimed, 0), np.std(slopes, 0), rtol=0.25)
    assert np.mean(claimed_pooled) == pytest.approx(np.std(pooled), rel=0.25)


def test_missing_fits_are_left_out():
    errors = _errors(np.random.default_rng(3))
    errors[::3, 0] = np.nan
    found = error_scaling(errors, LENGTHS, np.random.default_rng(4), 100)
    assert np.isfinite(found.slope).all()
    assert np.isfinite(found.pooled_slope_standard_error)


def test_cramer_rao_bound_of_a_known_information(paper_agent):
    """Mean information 4 in every unconstrained coordinate: 1/2 there, times the slope."""
    information = np.array([3.0, 5.0, 4.0])[:, None, None] * np.eye(10)
    bound, error = cramer_rao_bound(information, paper_agent)
    slope = np.ones(10)
    slope[:6] = paper_agent[:6] * (1 - paper_agent[:6])
    slope[9] = paper_agent[9]
    np.testing.assert_allclose(bound, slope / 2.0, rtol=1e-12)
    # d(1/sqrt(x)) = -x^(-3/2)/2 dx with a standard error of the mean of 1/sqrt(3).
    np.testing.assert_allclose(error, slope / 16.0 / np.sqrt(3.0), rtol=0.1)
    undefined, _ = cramer_rao_bound(information - 10.0 * np.eye(10), paper_agent)
    assert np.isnan(undefined).all()


def test_efficiency_of_normal_errors():
    """Errors with a variance of 1/0.8 of the bound's square: efficiency 0.8."""
    bound = np.array([0.1, 2.0, 5.0])
    errors = np.random.default_rng(3).normal(size=(4000, 3)) * bound / np.sqrt(0.8)
    errors[:7] = np.nan
    each, error, mean, mean_error = efficiency(errors, bound, np.random.default_rng(0), 200)
    # Relative error of a variance from n numbers: sqrt(2/n).
    np.testing.assert_allclose(error, 0.8 * np.sqrt(2 / 4000), rtol=0.3)
    assert (np.abs(each - 0.8) < 4 * error).all()
    assert mean == each.mean()
    assert mean_error == pytest.approx(0.8 * np.sqrt(2 / 12000), rel=0.3)
