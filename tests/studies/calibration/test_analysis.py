"""Ranks, bands, spread, sets and power scaling against their definitions and against chance."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import norm

from inverse_rational_control.studies.calibration.analysis import (
    band_of_counts,
    counts_below,
    covers,
    diagnosis,
    power_scaling,
    ranks,
    spread,
)


def _inside(counts, band):
    return ((counts >= band[0]) & (counts <= band[1])).all(-1)


def test_ranks_of_draws_like_the_truth_are_uniform_and_ties_are_broken():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (4000, 8)).astype(float)  # ties everywhere
    found = np.array([ranks(row[:1], row[1:, None], rng)[0] for row in values])
    share = np.bincount(found, minlength=8) / 4000
    np.testing.assert_allclose(share, 1 / 8, atol=4 * np.sqrt(7 / 64 / 4000))
    assert ranks(np.array([5.0]), np.arange(10.0)[:, None], rng)[0] in (5, 6)


def test_counts_are_those_of_ranks_below_each_place():
    np.testing.assert_array_equal(counts_below(np.array([0, 3, 3, 1]), 3), [1, 2, 2])


@pytest.mark.parametrize(("n", "n_draws", "level"), [(3, 2, 0.2), (4, 3, 0.1), (5, 2, 0.4)])
def test_band_leaves_out_no_more_than_its_level_by_enumeration(n, n_draws, level):
    band = band_of_counts(n, n_draws, level)
    every = [
        counts_below(np.array(rank), n_draws) for rank in product(range(n_draws + 1), repeat=n)
    ]
    assert _inside(np.array(every), band).mean() >= 1 - level
    # And is not all there is.
    assert not (band == np.array([[0], [n]])).all() or (n_draws + 1) ** -n * comb(n, n) > level / 9


@pytest.mark.parametrize(("n", "n_draws"), [(100, 99), (30, 19)])
@pytest.mark.parametrize("level", [0.05, 0.4])
def test_coverage_of_the_band_by_simulation(n, n_draws, level):
    rng = np.random.default_rng(1)
    band = band_of_counts(n, n_draws, level)
    rank = rng.integers(0, n_draws + 1, (4000, n))
    counts = np.array([counts_below(row, n_draws) for row in rank])
    inside = _inside(counts, band).mean()
    error = 4 * np.sqrt(level * (1 - level) / 4000)
    # Counts are whole numbers, so the band may hold more than it must.
    assert 1 - level - error < inside < 1 - level + error + 0.06


def test_band_sees_ranks_that_are_too_spread_too_narrow_or_shifted():
    rng = np.random.default_rng(2)
    band = band_of_counts(1000, 99, 1e-3)
    for scale, shift in ((1.25, 0.0), (0.8, 0.0), (1.0, 0.5)):
        rank = np.floor(100 * norm.cdf(scale * rng.normal(size=1000) + shift)).astype(int)
        assert not _inside(counts_below(rank, 99), band)
    assert _inside(counts_below(rng.integers(0, 100, 1000), 99), band)


def test_spread_is_one_for_uniform_ranks_and_known_for_narrow_posteriors():
    rng = np.random.default_rng(3)
    ratio, error = spread(rng.integers(0, 100, (3000, 5)), 99)
    assert abs(ratio - 1.0) < 4 * error
    assert error == pytest.approx(np.sqrt(0.8 / 15000), rel=0.1)
    # Draws shrunk by a fifth: variance of Phi(1.25 z) by arcsine, over 1/12.
    rank = np.floor(100 * norm.cdf(1.25 * rng.normal(size=(3000, 5)))).astype(int)
    ratio, error = spread(rank, 99)
    expected = 12 * np.arcsin(1.25**2 / (1 + 1.25**2)) / (2 * np.pi)
    assert abs(ratio - expected) < 4 * error
    # Parameters of one agent that err together count as one.
    same = np.repeat(rng.integers(0, 100, (3000, 1)), 5, axis=1)
    assert spread(same, 99)[1] == pytest.approx(np.sqrt(0.8 / 3000), rel=0.1)


def test_central_intervals():
    draws = np.linspace(0.0, 1.0, 1001)[:, None]
    for truth, expected in ((0.5, [1, 1]), (0.2, [0, 1]), (0.01, [0, 0])):
        np.testing.assert_array_equal(covers(draws, np.array([truth]), [0.5, 0.95])[0], expected)


def test_power_scaling_is_that_of_normals_in_closed_form():
    """Prior N(0, s) raised to a power changes a normal posterior's mean and variance."""
    rng = np.random.default_rng(5)
    center, deviation, prior = 1.0, 0.5, 0.8
    draws = center + deviation * rng.normal(size=(40_000, 1))
    found = power_scaling(draws, -0.5 * (draws[:, 0] / prior) ** 2)[0]
    grid = np.linspace(-3.0, 5.0, 40_001)

    def distance(power):
        precision = deviation**-2 + (power - 1) * prior**-2
        mean = deviation**-2 * center / precision
        p, q = norm.cdf(grid, center, deviation), norm.cdf(grid, mean, precision**-0.5)

        def one_side(p, q):
            m = 0.5 * (p + q)
            with np.errstate(divide="ignore", invalid="ignore"):
                both = [np.where(x > 0, x * np.log2(x / m), 0.0).sum() for x in (p, q)]
            return sum(both) / (p + q).sum()

        inside = (grid > draws.min()) & (grid < draws.max())
        p, q = p[inside], q[inside]
        return np.sqrt(max(one_side(p, q), one_side(1 - p, 1 - q)))

    expected = (distance(1.01) + distance(1 / 1.01)) / (2 * np.log2(1.01))
    assert found == pytest.approx(expected, rel=0.05)
    assert power_scaling(draws, np.zeros(40_000))[0] < 1e-6
    wide = power_scaling(draws, -0.5 * (draws[:, 0] / 8.0) ** 2)[0]
    assert wide < 0.05 < found
    np.testing.assert_allclose(
        power_scaling(3.0 - 2.0 * draws, -0.5 * (draws[:, 0] / prior) ** 2), found
    )


def test_what_two_sensitivities_say():
    assert diagnosis(0.01, 0.2) == "data"
    assert diagnosis(0.2, 0.01) == "prior"
    assert diagnosis(0.2, 0.2) == "prior and data conflict"
