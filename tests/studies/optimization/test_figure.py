"""Figure 8 shows what its dataset holds."""

import numpy as np

from inverse_rational_control.studies.optimization.figure import gap_at, numbers
from tests.studies.optimization.made_up import BEST, summary


def test_numbers_are_those_of_the_dataset():
    optimization = summary()
    tables = numbers(optimization)
    np.testing.assert_allclose(
        tables["C"]["gap"], BEST - optimization["end_log_likelihood"].values.ravel(), rtol=1e-9
    )
    known = np.isfinite(optimization["history_log_likelihood"].values)
    assert len(tables["A and B"]) == known.sum()
    np.testing.assert_array_equal(
        tables["A"]["evaluations_to_gap"], optimization["evaluations_to_gap"].values.ravel()
    )


def test_gap_at_a_cost_holds_until_the_next_point():
    gap, cost = np.array([9.0, 4.0, 1.0, np.nan]), np.array([1.0, 3.0, 6.0, np.nan])
    at = np.array([0.5, 1.0, 2.9, 3.0, 6.0, 99.0])
    np.testing.assert_array_equal(gap_at(gap, cost, at), [np.nan, 9, 9, 4, 1, 1])
    assert np.isnan(gap_at(np.full(2, np.nan), np.full(2, np.nan), at)).all()
