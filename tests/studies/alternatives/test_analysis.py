"""Criteria, choices and matrices by hand."""

import numpy as np
import pytest

from inverse_rational_control.studies.alternatives.analysis import (
    akaike,
    bayesian,
    choose,
    confusion_matrix,
    inversion_matrix,
    inversion_standard_error,
    running_gap,
    share_intervals,
)


def test_criteria_and_choice():
    assert akaike(-10.0, 3) == 26.0
    assert bayesian(-10.0, 3, 100) == pytest.approx(20 + 3 * np.log(100))
    chosen = choose(np.array([[3.0, 1.0], [np.nan, 5.0], [np.nan, np.nan]]))
    assert chosen.tolist() == [1, 1, -1]


def test_confusion_and_inversion():
    confusion = confusion_matrix(np.array([[0, 0, 1, -1], [0, 1, 1, 1], [0, 0, 1, 1]]), 3)
    np.testing.assert_array_equal(confusion, [[0.5, 0.25, 0], [0.25, 0.75, 0], [0.5, 0.5, 0]])
    inversion = inversion_matrix(confusion)
    np.testing.assert_allclose(inversion[:, 0], [0.4, 0.2, 0.4])
    assert np.isnan(inversion[:, 2]).all()


def test_running_gap_never_rises():
    gap = running_gap(np.array([-np.inf, -5.0, -9.0, -2.0]), -1.0)
    assert gap.tolist() == [np.inf, 4.0, 4.0, 1.0]


def test_intervals_of_shares_hold_them_and_inversion_errors_match_resampling():
    chosen = np.array([[0] * 7 + [1] * 3, [1] * 9 + [0]])
    lower, upper = share_intervals(chosen, 2, 0.95)
    confusion = confusion_matrix(chosen, 2)
    assert ((lower <= confusion) & (confusion <= upper)).all()
    assert upper[0, 0] == pytest.approx(0.9333, abs=1e-3)  # 7 of 10, Clopper and Pearson
    rng = np.random.default_rng(0)
    many = 400
    chosen = (rng.random((2, many)) < np.array([[0.3], [0.9]])).astype(int)
    draws = []
    for _ in range(2000):
        again = np.stack([row[rng.integers(many, size=many)] for row in chosen])
        draws.append(inversion_matrix(confusion_matrix(again, 2)))
    np.testing.assert_allclose(inversion_standard_error(chosen, 2), np.std(draws, axis=0), rtol=0.1)
