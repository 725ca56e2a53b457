"""Criteria, choices and matrices by hand."""

import numpy as np
import pytest

from inverse_rational_control.studies.alternatives.analysis import (
    akaike,
    bayesian,
    choose,
    confusion_matrix,
    inversion_matrix,
    running_gap,
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
