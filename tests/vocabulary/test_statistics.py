"""Statistics by hand and against theory: errors, coverage, z-scores, beliefs, reliability diagrams."""

import numpy as np
import pytest
from scipy.stats import binom

from inverse_rational_control.foraging.decoding import Decoding
from inverse_rational_control.foraging.scoring import N_LEVELS, score_decoding
from inverse_rational_control.parameters import natural, unconstrained
from inverse_rational_control.statistics import (
    belief_accuracy,
    binomial_interval,
    binomial_standard_error,
    block_standard_error,
    correlation,
    coverage_over_records,
    mean_and_error,
    paired_difference,
    reliability,
    root_mean_square,
    standard_deviations,
    thinned,
    z_scores,
)


def test_mean_and_error_leave_out_what_is_missing():
    values = np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan], [5.0, np.nan, np.nan]])
    mean, error = mean_and_error(values)
    np.testing.assert_allclose(mean, [3.0, 5.0, np.nan])
    np.testing.assert_allclose(error, [2 / np.sqrt(3), np.nan, np.nan])


def test_mean_and_error_let_missing_values_spread():
    values = np.array([[1.0, np.nan], [3.0, 5.0], [5.0, 1.0]])
    mean, error = mean_and_error(values, nan_policy="propagate")
    np.testing.assert_allclose(mean, [3.0, np.nan])
    np.testing.assert_allclose(error, [2 / np.sqrt(3), np.nan])
    mean, error = mean_and_error(values[:1], nan_policy="propagate")
    np.testing.assert_allclose(mean, [1.0, np.nan])
    assert np.isnan(error).all(), "one value says nothing about how values differ"
    assert np.isnan(mean_and_error(values[:0], nan_policy="propagate")).all()


def test_paired_difference_ignores_what_pairs_share():
    shared = 100.0 * np.random.default_rng(2).normal(size=(50, 1))
    mean, error = paired_difference(shared + np.array([1.0, 2.0]), shared)
    np.testing.assert_allclose(mean, [1.0, 2.0])
    np.testing.assert_allclose(error, 0.0, atol=1e-12)


def test_root_mean_square_leaves_out_what_is_missing():
    errors = np.array([[[3.0], [np.nan]], [[4.0], [2.0]]])
    np.testing.assert_allclose(root_mean_square(errors), [[np.sqrt(12.5)], [2.0]])
    assert np.isnan(root_mean_square(np.full((2, 1), np.nan))).all()


@pytest.mark.parametrize(("count", "n"), [(0, 20), (20, 20), (7, 20), (1, 3)])
def test_binomial_interval_inverts_the_binomial_tails(count, n):
    """At the lower end P(at least count) is the tail probability, at the upper P(at most count)."""
    lower, upper = binomial_interval(count, n, 0.9)
    assert lower == 0.0 if count == 0 else binom.sf(count - 1, n, lower) == pytest.approx(0.05)
    assert upper == 1.0 if count == n else binom.cdf(count, n, upper) == pytest.approx(0.05)


@pytest.mark.parametrize(("count", "n"), [(-1, 5), (6, 5), (0, 0)])
def test_impossible_counts_are_refused(count, n):
    with pytest.raises(ValueError, match=f"found {count} of {n}"):
        binomial_interval(count, n, 0.95)


def test_binomial_standard_error_is_that_of_repeated_shares():
    shares = np.random.default_rng(6).binomial(40, 0.3, 20_000) / 40
    assert binomial_standard_error(0.3, 40) == pytest.approx(shares.std(), rel=0.03)


def test_coverage_by_hand():
    covered = np.array([[True, True, False], [True, False, False], [True, True, True]])
    defined = np.array([[True, True, True], [True, True, False], [False, False, False]])
    share, error = coverage_over_records(covered, defined)
    assert share == pytest.approx(3 / 5)
    # Surpluses 2 - 3 * 0.6 and 1 - 2 * 0.6; two seeds, five intervals.
    assert error == pytest.approx(np.sqrt((0.2**2 + 0.2**2) * 2) / 5)
    assert all(np.isnan(coverage_over_records(covered, np.zeros((3, 3), dtype=bool))))
    share, error = coverage_over_records(covered[:1], defined[:1])
    assert share == pytest.approx(2 / 3)
    assert np.isnan(error)


def test_coverage_standard_error_knows_that_parameters_of_a_seed_go_together():
    rng = np.random.default_rng(5)
    shares, errors = [], []
    for _ in range(400):
        # Half of each error is shared by all ten parameters of a seed.
        z = (rng.normal(size=(30, 1)) + rng.normal(size=(30, 10))) / np.sqrt(2)
        defined = rng.random((30, 10)) < 0.9
        share, error = coverage_over_records(np.abs(z) < 1.96, defined)
        shares.append(share)
        errors.append(error)
    # 400 studies pin their spread to 4 %; independent intervals would give 0.013, well below.
    assert np.mean(errors) == pytest.approx(np.std(shares), rel=0.15)
    assert np.std(shares) > 1.2 * np.sqrt(0.95 * 0.05 / 270)
    assert np.mean(shares) == pytest.approx(0.95, abs=0.005)


TRUTH = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])


def test_z_scores_of_errors_drawn_from_the_information_are_standard_normal():
    rng = np.random.default_rng(7)
    n = 3000
    root = rng.normal(size=(10, 10))
    information = root @ root.T + 10.0 * np.eye(10)
    errors = rng.multivariate_normal(np.zeros(10), np.linalg.inv(information), n)
    z = z_scores(natural(unconstrained(TRUTH) + errors), TRUTH, np.tile(information, (n, 1, 1)))
    assert z.shape == (n, 10)
    # Standard errors 1/sqrt(n) of means and 1/sqrt(2 n) of standard deviations; 4.5 of them.
    np.testing.assert_allclose(z.mean(0), 0.0, atol=4.5 / np.sqrt(n))
    np.testing.assert_allclose(z.std(0), 1.0, atol=4.5 / np.sqrt(2 * n))
    # Independent parameters would have larger standard deviations than the correlated ones' inverse.
    assert (standard_deviations(information) >= 1 / np.sqrt(np.diag(information))).all()


def test_accuracy_compares_beliefs_box_by_box():
    true = (np.array([[0, 3, 1, 2], [2, 2, 2, 2]]).T + 0.5) / 4
    decoded = np.stack([true[:, 0], [0.1, 0.4, 0.2, 0.9]], 1)
    along, rmse = belief_accuracy(decoded, true)
    assert along[0] == pytest.approx(1.0)
    assert rmse[0] == 0.0
    assert np.isnan(along[1]), "a belief that does not move correlates with nothing"
    assert rmse[1] == pytest.approx(np.sqrt(np.mean((decoded[:, 1] - 0.625) ** 2)))
    assert correlation(decoded[:, 0], -decoded[:, 0]) == pytest.approx(-1.0)


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


def test_thinned_draws_are_evenly_spaced_from_the_first_to_the_last():
    draws = np.arange(10.0)[:, None]
    assert thinned(draws, 4).ravel().tolist() == [0, 3, 6, 9]
    assert thinned(draws, 10).ravel().tolist() == draws.ravel().tolist()
    assert thinned(draws[:2], 4).ravel().tolist() == [0, 0, 1, 1], "few draws are taken again"
