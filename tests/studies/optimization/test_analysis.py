"""Costs to a gap and distances, against counting by hand."""

import numpy as np
import pytest

from inverse_rational_control.parameters import natural, unconstrained
from inverse_rational_control.studies.optimization.analysis import (
    cost_to_gap,
    distance,
    median_reached,
)


def test_cost_is_that_of_the_first_point_within_the_gap():
    height = np.array([[-10.0, -3.0, -0.5, -0.5], [-9.0, -2.0, np.nan, np.nan]])
    cost = np.array([[1.0, 4.0, 6.0, 9.0], [1.0, 2.0, np.nan, np.nan]])
    found = cost_to_gap(height, cost, 0.0, [20.0, 2.0, 0.5, 0.1])
    np.testing.assert_array_equal(found, [[1, 6, 6, np.inf], [1, 2, np.inf, np.inf]])


def test_path_without_a_point_never_arrives():
    nothing = np.full(3, np.nan)
    np.testing.assert_array_equal(cost_to_gap(nothing, nothing, 0.0, [1.0]), [np.inf])


@pytest.mark.parametrize(
    ("cost", "expected"),
    [([3.0, 1.0, 2.0], 2.0), ([1.0, np.inf, 2.0], 2.0), ([1.0, np.inf], np.inf)],
)
def test_median_counts_those_that_never_arrive(cost, expected):
    assert median_reached(np.array(cost)) == expected


def test_distance_is_in_standard_deviations(paper_agent):
    deviation = np.linspace(0.1, 1.0, 10)
    away = np.zeros((3, 10))
    away[0, 2], away[1, 9], away[2, 3] = 2 * deviation[2], -deviation[9], np.nan
    ends = natural(unconstrained(paper_agent) + away)
    found = distance(ends, paper_agent, np.diag(deviation**-2))
    np.testing.assert_allclose(found, [2.0, 1.0, np.nan], rtol=1e-9)
