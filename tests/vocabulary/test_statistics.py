"""Errors over blocks against theory; reliability diagrams by hand and against the decoder's score."""

import numpy as np
import pytest

from inverse_rational_control.foraging.decoding import N_LEVELS, Decoding, score_decoding
from inverse_rational_control.statistics import block_standard_error, reliability


def test_blocks_of_one_step_give_the_usual_standard_error():
    series = np.random.default_rng(1).normal(size=(2, 500))
    expected = series.std(1, ddof=1) / np.sqrt(500)
    np.testing.assert_allclose(block_standard_error(series, 1), expected, rtol=1e-12)


def test_error_allows_for_dependence():
    """Autoregression of order one: the mean's variance is (1 + a)/(1 - a) times the naive one."""
    rng = np.random.default_rng(2)
    a, n_steps, n_series = 0.9, 20_000, 40
    noise = rng.normal(size=(n_series, n_steps))
    series = np.empty_like(noise)
    series[:, 0] = noise[:, 0] / np.sqrt(1 - a**2)
    for t in range(1, n_steps):
        series[:, t] = a * series[:, t - 1] + noise[:, t]
    theory = 1 / ((1 - a) * np.sqrt(n_steps))
    found = np.sqrt(np.mean(block_standard_error(series, 500) ** 2))
    # 40 series of 40 blocks: relative error of a standard deviation 1/sqrt(2 * 40 * 39), 4 of them;
    # blocks of 500 steps miss about 2 a/((1 - a^2) 500) of the variance, 2 %.
    assert found == pytest.approx(theory, rel=4 / np.sqrt(2 * 40 * 39) + 0.02)
    naive = np.sqrt(np.mean(block_standard_error(series, 1) ** 2))
    assert naive < 0.3 * theory


def test_blocks_share_all_steps():
    # 7 steps in 3 blocks: 2, 2 and 3 steps.
    series = np.arange(7.0)
    sums = np.array([0 + 1, 2 + 3, 4 + 5 + 6])
    expected = np.sqrt(3 * sums.var(ddof=1)) / 7
    assert block_standard_error(series, 2) == pytest.approx(expected)


@pytest.mark.parametrize("block_steps", [4, 100])
def test_one_block_says_nothing(block_steps):
    assert np.isnan(block_standard_error(np.arange(5.0), block_steps))


def test_reliability_by_hand():
    probability = np.array([[0.9, 0.1], [0.9, 0.1], [0.3, 0.7], [0.6, 0.4]])
    true = np.array([0, 1, 1, 0])
    found = reliability(probability, true, 2, 1)
    np.testing.assert_array_equal(found.count, [4, 4])
    np.testing.assert_allclose(found.predicted, [0.9 / 4, 3.1 / 4])
    np.testing.assert_allclose(found.observed, [1 / 4, 3 / 4])
    np.testing.assert_allclose(found.variance, [0.09 * 2 + 0.21 + 0.24] * 2)
    surprise = np.array([-0.1, 0.9, -0.3, -0.4])
    error = np.sqrt(4 * surprise.var(ddof=1)) / 4
    np.testing.assert_allclose(found.standard_error, [error, error])


def test_empty_levels_are_nan():
    found = reliability(np.full((6, 4), 0.25), np.array([0, 1, 2, 3, 0, 1]), 10, 2)
    assert found.count[2] == 24
    assert np.isnan(np.delete(found.predicted, 2)).all()
    assert np.isnan(np.delete(found.standard_error, 2)).all()


def test_agrees_with_the_score_of_a_decoding():
    rng = np.random.default_rng(3)
    marginal = rng.dirichlet(np.full(5, 0.5), 400)
    true = np.array([rng.choice(5, p=row) for row in marginal])
    posterior = marginal[:, :, None] * marginal[:, None, :]
    bins = np.stack([true, true], 1)
    score = score_decoding(Decoding(posterior, bins, 0.0), bins)
    found = reliability(posterior.sum(2), true, N_LEVELS, 10)
    np.testing.assert_array_equal(found.count, score.calibration_count[0])
    np.testing.assert_allclose(found.predicted, score.calibration_predicted[0])
    np.testing.assert_allclose(found.observed, score.calibration_observed[0])


def test_honest_probabilities_lie_within_their_errors():
    """Distances in standard errors have mean square about 1, and wrong probabilities are found out."""
    rng = np.random.default_rng(4)
    marginal = rng.dirichlet(np.full(4, 0.7), 20_000)
    edges = marginal.cumsum(1)
    true = (rng.random((20_000, 1)) > edges).sum(1).clip(max=3)
    honest = reliability(marginal, true, 10, 50)
    distance = (honest.observed - honest.predicted) / honest.standard_error
    # Ten standard normal numbers: chi-square, 0.01 % tails.
    assert 0.9 < (distance**2).sum() < 36
    bold = marginal**2 / (marginal**2).sum(1, keepdims=True)
    over = reliability(bold, true, 10, 50)
    assert np.abs((over.observed - over.predicted) / over.standard_error).max() > 10
