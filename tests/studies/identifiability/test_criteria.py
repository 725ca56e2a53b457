"""Every criterion passes on sound results and fails, alone, on the result of a wrong program."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.studies.identifiability.criteria import criteria
from tests import ROOT
from tests.studies.identifiability.made_up import summary

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BOUNDS = CONFIG["identifiability"]["check"]


def _failed(identifiability):
    judged = criteria(identifiability, BOUNDS)
    assert len(judged) == 4
    return {criterion.name for criterion in judged if criterion.failed}


def test_sound_profiles_pass():
    assert all(criterion.passed for criterion in criteria(summary(), BOUNDS))


@pytest.mark.parametrize(
    ("name", "variable", "place", "value"),
    [
        (None, "profile_log_likelihood", (0, 4), -4000.0),
        # The weakest direction is not one of the ten that are judged together.
        (None, "truth_likelihood_ratio", -1, 100.0),
        # The fit missed a maximum that a profile found.
        ("profile_above_maximum", "profile_log_likelihood", (4, 2), -3999.5),
        ("profile_converged_share", "profile_converged", slice(2), False),
        # A maximization that failed at the truth tells nothing.
        ("truth_outside_profile_interval", "truth_likelihood_ratio", 3, np.nan),
        ("truth_outside_profile_interval", "truth_likelihood_ratio", 3, 16.0),
        # A slice in place of a profile: nothing else is re-optimized, and the likelihood falls faster.
        ("profile_curvature", "profile_log_likelihood", (5, [7, 9]), -4000.2),
    ],
)
def test_each_criterion_can_fail(name, variable, place, value):
    identifiability = summary()
    identifiability[variable].values[place] = value
    assert _failed(identifiability) == {name} - {None}


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_standard_errors_off_by_a_twentieth_fail(factor):
    identifiability = summary()
    identifiability["wald_standard_deviation"].values[2] *= factor
    assert _failed(identifiability) == {"profile_curvature"}


def test_points_far_from_the_estimate_tell_nothing_of_the_curvature():
    far = summary().isel(point=slice(0, None, 4))
    judged = {criterion.name: criterion for criterion in criteria(far, BOUNDS)}
    assert judged["profile_curvature"].passed is None
    assert "standard errors away" in judged["profile_curvature"].why


def test_an_animal_has_no_truth_to_judge():
    judged = criteria(summary(truth=False), BOUNDS)
    assert len(judged) == 3
    assert all(criterion.passed for criterion in judged)
