"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest

from inverse_rational_control.studies.identifiability.criteria import criteria
from tests.studies.identifiability.made_up import summary

BOUNDS = {"excess_nats": 0.01, "converged_share_minimum": 0.9, "interval_level": 0.999}


@pytest.mark.parametrize(
    ("name", "variable", "place", "value"),
    [
        (None, "profile_log_likelihood", (0, 4), -4000.0),
        # The weakest direction is not one of the ten that are judged together.
        (None, "truth_likelihood_ratio", -1, 100.0),
        ("profile_above_maximum", "profile_log_likelihood", (4, 2), -3999.98),
        ("profile_converged_share", "profile_converged", slice(2), False),
        # A maximization that failed at the truth tells nothing.
        ("truth_outside_profile_interval", "truth_likelihood_ratio", 3, np.nan),
        ("truth_outside_profile_interval", "truth_likelihood_ratio", 3, 16.0),
        ("information_positive_definite", "information_positive_definite", (), False),
    ],
)
def test_each_criterion_can_fail(name, variable, place, value):
    identifiability = summary()
    identifiability[variable].values[place] = value
    judged = criteria(identifiability, BOUNDS)
    assert len(judged) == 4
    assert {criterion.name for criterion in judged if not criterion.passed} == ({name} - {None})


def test_an_animal_has_no_truth_to_judge():
    judged = criteria(summary(truth=False), BOUNDS)
    assert len(judged) == 3
    assert all(criterion.passed for criterion in judged)
