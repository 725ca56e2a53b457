"""SQUAREM on a mixture with a known maximum, and where its guard is needed."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import poisson

from inverse_rational_control.inference.squarem import extrapolate

# Deaths of women over 80 per day, London 1910 to 1912 (Hasselblad 1969): the usual test of SQUAREM.
DAYS = np.array([162, 267, 271, 185, 111, 61, 27, 8, 3, 1])
DEATHS = np.arange(DAYS.size)
START = np.array([logit(0.3), np.log(1.0), np.log(2.5)])


def _parts(point):
    share, low, high = expit(point[0]), np.exp(point[1]), np.exp(point[2])
    return share * poisson.pmf(DEATHS, low), (1 - share) * poisson.pmf(DEATHS, high)


def _height(point):
    return float(DAYS @ np.log(sum(_parts(point))))


def _map(point):
    """EM of two Poisson components, in unconstrained coordinates."""
    one, other = _parts(point)
    weight = DAYS * one / (one + other)
    rest = DAYS - weight
    return np.array(
        [
            logit(weight.sum() / DAYS.sum()),
            np.log(weight @ DEATHS / weight.sum()),
            np.log(rest @ DEATHS / rest.sum()),
        ]
    )


def _run(em_map=_map, height=_height, start=START, limit=10_000, tolerance=1e-9):
    points, heights, calls = [], [], []

    def counted(point):
        calls.append(point)
        return height(point)

    def accept(point, value):
        points.append(point)
        heights.append(value)

    end, height_there, reason = extrapolate(em_map, counted, start, limit, tolerance, accept)
    assert height_there == heights[-1]
    return end, reason, points, np.array(heights), len(calls)


def test_same_fixed_point_as_em_in_fewer_maps():
    end, reason, points, heights, calls = _run()
    assert "gained less" in reason
    # Published: share 0.3599, means 1.256 and 2.663, log-likelihood -1989.946.
    assert expit(end[0]) == pytest.approx(0.3599, abs=2e-3)
    assert np.exp(end[1:]) == pytest.approx([1.256, 2.663], abs=5e-3)
    assert heights[-1] == pytest.approx(-1989.946, abs=1e-3)
    np.testing.assert_array_equal(points[0], START)
    np.testing.assert_array_equal(points[-1], end)
    plain, n_plain = START, 0
    while _height(plain) < heights[-1] - 1e-6:
        plain, n_plain = _map(plain), n_plain + 1
    # All of SQUAREM's calls, though it went on to gains of 1e-9.
    assert calls < n_plain / 5


def test_objective_never_falls():
    heights = _run()[3]
    assert np.diff(heights).min() >= 0


def test_leaps_that_fall_are_taken_back():
    """A map whose differences promise far more than there is: every leap overshoots the ridge."""

    def bent(point):
        return np.array([0.99 * point[0], 0.5 * point[1] + 0.2 * np.sin(40 * point[0])])

    def height(point):
        # -inf off the ridge, as where a planner finds no solution.
        return -np.inf if abs(point[1]) > 1 else -(point[0] ** 2) - 1e-3 * point[1] ** 2

    end, _, _, heights, _ = _run(bent, height, np.array([3.0, 0.9]), tolerance=1e-9)
    assert np.isfinite(heights).all()
    assert np.diff(heights).min() >= 0
    assert abs(end[0]) < 0.5


def test_map_that_goes_down_is_not_followed():
    end, reason, _, heights, _ = _run(em_map=lambda point: point + 3.0)
    assert "lowered" in reason
    assert heights.size == 1
    np.testing.assert_array_equal(end, START)


def test_map_without_an_answer_ends_the_run():
    end, reason, *_ = _run(em_map=lambda _: None)
    assert "no higher point" in reason
    np.testing.assert_array_equal(end, START)


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 7, 20])
def test_objectives_are_limited_and_the_end_is_the_highest(limit):
    end, reason, _, heights, calls = _run(limit=limit)
    assert calls == limit + 1
    assert "used up" in reason
    assert _height(end) == heights[-1] == heights.max()


def test_unusable_start():
    with pytest.raises(ValueError, match="start: found an objective of -inf"):
        _run(height=lambda _: -np.inf)
