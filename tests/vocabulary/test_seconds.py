"""What is per second and what is per step, by hand."""

import math

import pytest

from inverse_rational_control import seconds


def test_by_hand():
    assert float(seconds.rate_per_step(0.5, 2.0)) == pytest.approx(1 - math.exp(-1.0))
    assert seconds.discount_per_step(100.0, 0.2) == pytest.approx(math.exp(-0.002))
    assert seconds.diffusion_per_step(0.1, 0.25) == pytest.approx(0.05)


def test_two_steps_are_one_of_twice_the_width():
    rate, horizon, diffusion = 0.03, 40.0, 0.2
    once, twice = (seconds.rate_per_step(rate, width) for width in (0.2, 0.4))
    assert 1 - (1 - once) ** 2 == pytest.approx(float(twice))
    once, twice = (seconds.discount_per_step(horizon, width) for width in (0.2, 0.4))
    assert once**2 == pytest.approx(twice)
    once, twice = (seconds.diffusion_per_step(diffusion, width) for width in (0.2, 0.4))
    assert 2 * once**2 == pytest.approx(twice**2)


@pytest.mark.parametrize("width", [0.01, 0.2, 3.0])
def test_inverses(width):
    assert float(
        seconds.rate_per_second(seconds.rate_per_step(0.3, width), width)
    ) == pytest.approx(0.3)
    assert seconds.horizon(seconds.discount_per_step(7.0, width), width) == pytest.approx(7.0)
    back = seconds.diffusion_per_second(seconds.diffusion_per_step(0.1, width), width)
    assert back == pytest.approx(0.1)
