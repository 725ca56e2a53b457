"""Draws, intervals and statistics of many agents, against their definitions and against theory."""

import numpy as np
import pytest
from scipy.stats import binom, chi2, spearmanr

from inverse_rational_control.inference.intervals import wald_intervals
from inverse_rational_control.parameter_ranges import draw_parameters
from inverse_rational_control.parameter_space import FULL_SPACE
from inverse_rational_control.parameters import AGENT_PARAMETERS, natural, unconstrained
from inverse_rational_control.random_streams import stream
from inverse_rational_control.statistics import standard_deviations, z_scores
from inverse_rational_control.studies.population.analysis import (
    concordance,
    coverage_band,
    interval_covers,
    rank_correlations,
    recovery_statistics,
    scores,
)

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
RANGES = {name: (0.1 + 0.01 * k, 0.3 + 0.02 * k) for k, name in enumerate(NAMES)}
TRUTH = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])


def test_draws_fill_each_parameters_own_range():
    drawn = np.array([draw_parameters(RANGES, stream(1, "agent", k)) for k in range(2000)])
    low, high = np.array([RANGES[name] for name in NAMES]).T
    assert (drawn > low).all() and (drawn < high).all()
    uniform = (drawn - low) / (high - low)
    # Mean of 2000 uniform numbers: standard deviation 0.0065; correlations: 0.022.
    np.testing.assert_allclose(uniform.mean(0), 0.5, rtol=0, atol=5 * 0.0065)
    correlations = np.corrcoef(uniform.T)[np.triu_indices(10, 1)]
    assert np.abs(correlations).max() < 5 * 0.0224


def test_an_agent_depends_on_its_number_alone_and_not_on_the_order_of_ranges():
    one = draw_parameters(RANGES, stream(1, "agent", 7))
    turned = draw_parameters(dict(reversed(RANGES.items())), stream(1, "agent", 7))
    np.testing.assert_array_equal(one, turned)


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({name: RANGES[name] for name in NAMES[1:]}, "allowed: appearance_rate_1"),
        (RANGES | {"patience": (0, 1)}, "patience"),
        (RANGES | {"temperature": (0.3, 0.3)}, r"\[0.3, 0.3\] for temperature"),
    ],
)
def test_ranges_that_are_none_are_refused(ranges, message):
    with pytest.raises(ValueError, match=message):
        draw_parameters(ranges, np.random.default_rng(0))


def test_intervals_are_those_of_the_fits():
    """The z-score says of every level what the interval with that level says."""
    rng = np.random.default_rng(2)
    levels = [0.5, 0.8, 0.95]
    root = rng.normal(size=(10, 10))
    information = 300.0 * (root @ root.T + np.eye(10))
    deviation = standard_deviations(information)
    seen = set()
    for _ in range(20):
        estimate = natural(unconstrained(TRUTH) + 1.3 * deviation * rng.normal(size=10))
        z = z_scores(estimate[None], TRUTH[None], information[None])
        covers = interval_covers(z, levels)[0]
        for k, level in enumerate(levels):
            interval = wald_intervals(estimate, information, level, FULL_SPACE)
            inside = (interval.lower <= TRUTH) & (interval.upper >= TRUTH)
            np.testing.assert_array_equal(covers[:, k], inside)
            seen |= set(zip([level] * 10, inside.tolist(), strict=True))
    assert len(seen) == 6, "each level both holds and misses the truth somewhere"


def test_no_interval_covers_nothing():
    assert not interval_covers(np.array([[np.nan, 0.0]]), [0.95])[0, 0, 0]


@pytest.mark.parametrize("count", [1, 7, 94])
def test_band_is_the_narrowest_central_one(count):
    levels, probability = [0.5, 0.8, 0.95], 0.95
    for level, (low, high) in zip(levels, coverage_band(count, levels, probability), strict=True):
        low, high = round(low * count), round(high * count)
        inside = binom.cdf(high, count, level) - binom.cdf(low - 1, count, level)
        assert inside >= probability
        assert (low, high) == (
            binom.ppf((1 - probability) / 2, count, level),
            binom.isf((1 - probability) / 2, count, level),
        )
        # One step narrower at either end would leave more than half of the rest outside there.
        assert binom.cdf(low, count, level) >= (1 - probability) / 2
        assert binom.sf(high - 1, count, level) >= (1 - probability) / 2


def test_band_without_intervals_is_unknown():
    assert np.isnan(coverage_band(0, [0.5], 0.95)).all()


def test_concordance_sees_shift_and_scale_that_correlation_does_not():
    truth = np.random.default_rng(5).uniform(size=(50, 1))
    assert concordance(truth, truth) == pytest.approx(1.0)
    assert concordance(truth, -truth + 2 * truth.mean()) == pytest.approx(-1.0)
    # Shifted by one standard deviation: 2 / (2 + 1).
    assert concordance(truth, truth + truth.std()) == pytest.approx(2 / 3)
    # Twice as wide around the same mean: 4 / (1 + 4).
    assert concordance(truth, 2 * truth - truth.mean()) == pytest.approx(0.8)


def test_statistics_by_hand():
    truth = np.array([[0.1], [0.2], [0.4]])
    found = recovery_statistics(truth, truth + np.array([[0.01], [0.03], [-0.1]]))
    assert found["bias"] == pytest.approx(-0.02)
    assert found["bias_standard_error"] == pytest.approx(np.sqrt(0.0049 / 3))
    assert found["rmse"] == pytest.approx(np.sqrt(0.011 / 3))
    assert found["median_relative_error"] == pytest.approx(0.15)
    expected = np.corrcoef(truth[:, 0], [0.11, 0.23, 0.3])[0, 1]
    assert found["correlation"] == pytest.approx(expected)


def test_too_few_agents_give_no_statistics():
    found = recovery_statistics(np.ones((2, 10)), np.ones((2, 10)))
    assert all(np.isnan(values).all() and values.shape == (10,) for values in found.values())


def test_rank_correlations_are_spearmans():
    rng = np.random.default_rng(9)
    one, other = rng.integers(0, 5, (30, 3)).astype(float), rng.normal(size=(30, 2))
    found = rank_correlations(one, other)
    for i, j in np.ndindex(3, 2):
        assert found[i, j] == pytest.approx(spearmanr(one[:, i], other[:, j]).statistic)
    lost = np.vstack([one, np.full((1, 3), np.nan)])
    np.testing.assert_allclose(rank_correlations(lost, np.vstack([other, other[:1]])), found)
    assert np.isnan(rank_correlations(one[:2], other[:2])).all()


def test_a_signed_root_covers_where_the_deviance_is_within_the_quantile():
    levels = [0.5, 0.8, 0.95]
    deviance = np.array(
        [[*chi2.ppf(levels, 1) * 0.99, *chi2.ppf(levels, 1) * 1.01, 0, -1e-3, 9, 1]]
    )
    wald = np.array([False])
    z = scores(TRUTH[None], TRUTH[None] + 0.1, np.full((1, 10, 10), np.nan), wald, deviance)
    assert (z >= 0).all()
    expected = deviance[0][:, None] <= chi2.ppf(levels, 1)
    np.testing.assert_array_equal(interval_covers(z, levels)[0], expected)
    below = scores(TRUTH[None], TRUTH[None] - 0.1, np.full((1, 10, 10), np.nan), wald, deviance)
    np.testing.assert_array_equal(below, -z)
