"""Information by differences of a gradient, also beside a wall."""

import numpy as np
import pytest

from inverse_rational_control.inference.information import minus_hessian

CURVATURE = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
POINT = np.array([0.2, -0.1, 0.4])
DIRECTIONS = np.array([[1.0, 0.0], [0.5, 1.0], [0.0, -1.0]])


def gradient_within(wall):
    """Gradient of a quadratic function that has none beyond a wall in the first coordinate."""
    return lambda point: None if point[0] > wall else -CURVATURE @ point


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("step", [0.01, (0.01, 0.001)])
def test_of_a_quadratic_function_it_is_its_curvature(known, step):
    gradient = gradient_within(np.inf)
    found = minus_hessian(gradient, POINT, DIRECTIONS, step, gradient(POINT) if known else None)
    assert found == pytest.approx(DIRECTIONS.T @ CURVATURE @ DIRECTIONS, abs=1e-10)


@pytest.mark.parametrize("known", [True, False])
def test_of_several_steps_the_first_that_stays_inside_is_taken(known):
    gradient, taken = gradient_within(0.205), []

    def noted(point):
        taken.append(point)
        return gradient(point)

    here = gradient(POINT) if known else None
    found = minus_hessian(noted, POINT, DIRECTIONS, (0.01, 0.001), here)
    assert found == pytest.approx(DIRECTIONS.T @ CURVATURE @ DIRECTIONS, abs=1e-10)
    assert len(taken) == (3 if known else 5), "one beyond the wall, then what is needed"
    assert np.abs(taken[1] - POINT)[0] == pytest.approx(0.001)
    assert np.isnan(minus_hessian(noted, POINT, DIRECTIONS, (0.01, 0.008), here)).all()
