"""Profiles stored and put together with the information: values, intervals, sentences."""

from types import SimpleNamespace

import numpy as np
import pytest

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.parameters import AGENT_PARAMETERS, natural, unconstrained
from inverse_rational_control.studies.identifiability.analysis import profile_names
from inverse_rational_control.studies.identifiability.dataset import (
    IDENTIFIABILITY,
    PROFILES,
    identifiability_dataset,
    profiles_dataset,
)
from tests.filled import filled

PROFILE_NAMES = profile_names(parameter.name for parameter in AGENT_PARAMETERS)

ESTIMATE = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
DEVIATION = np.linspace(0.1, 0.5, 11)
NAMES = [parameter.name for parameter in AGENT_PARAMETERS]


def _profile(offset, deviation):
    """A profile of a quadratic likelihood: where Wald's interval is the profile's."""
    offset = np.asarray(offset, dtype=float)
    n = offset.size
    return SimpleNamespace(
        offset=offset,
        log_likelihood=-50.0 - 0.5 * (offset / deviation) ** 2,
        parameters=np.tile(ESTIMATE, (n, 1)),
        converged=np.ones(n, dtype=bool),
        stop_reason=["converged"] * n,
        n_evaluations=np.full(n, 3),
    )


def _profiles(truth=True, reach=4.0):
    traced = [_profile(size * np.linspace(-reach, reach, 9), size) for size in DEVIATION]
    at_truth = [_profile([0.0, size], size) for size in DEVIATION] if truth else ()
    directions = np.vstack([np.eye(10), np.eye(10)[9]])
    return profiles_dataset(PROFILE_NAMES, directions, DEVIATION, traced, at_truth)


def _summary(profiles, information=None):
    given = {
        "estimate": ESTIMATE,
        "log_likelihood": -50.0,
        "information": np.diag(DEVIATION[:10] ** -2) if information is None else information,
    }
    coordinates = {"parameter": NAMES, "parameter_other": NAMES, "start": 1, "iteration": 2}
    return identifiability_dataset(filled(FIT, coordinates, given), profiles, 0.95)


@pytest.mark.parametrize("truth", [True, False])
def test_both_kinds_meet_their_contracts(truth):
    profiles = _profiles(truth)
    PROFILES.check(profiles.assign_attrs(kind="profiles"), "made up")
    summary = _summary(profiles)
    IDENTIFIABILITY.check(summary.assign_attrs(kind="identifiability"), "made up")
    assert ("truth_likelihood_ratio" in summary) is truth


def test_of_a_quadratic_likelihood_both_intervals_are_the_same():
    summary = _summary(_profiles())
    for side in ("lower", "upper"):
        np.testing.assert_allclose(summary[f"profile_{side}"], summary[f"wald_{side}"], rtol=1e-9)
        assert not summary[f"{side}_open"].any()
    step = 1.959964 * DEVIATION[:10]
    np.testing.assert_allclose(
        summary["wald_upper"][:10], natural(unconstrained(ESTIMATE) + step), rtol=1e-6
    )
    # The weakest direction has no natural values: its offsets stay.
    np.testing.assert_allclose(summary["wald_upper"][10], 1.959964 * DEVIATION[10], rtol=1e-6)


def test_the_truth_lies_one_standard_deviation_away():
    summary = _summary(_profiles())
    np.testing.assert_allclose(summary["truth_likelihood_ratio"], 1.0)
    np.testing.assert_allclose(
        summary["truth"][:10], natural(unconstrained(ESTIMATE) + DEVIATION[:10]), rtol=1e-12
    )


def test_a_profile_that_does_not_reach_the_cut_is_open():
    summary = _summary(_profiles(reach=1.5))
    assert summary["lower_open"].all() and summary["upper_open"].all()
    assert summary["profile_lower"].isnull().all()


def test_an_indefinite_information_gives_no_wald_interval():
    summary = _summary(_profiles(), np.diag([-1.0, *np.ones(9)]))
    assert not summary["information_positive_definite"]
    assert summary["wald_lower"].isnull().all()
    assert summary["profile_lower"].notnull().all()
    assert "not positive definite" in str(summary["sentence"].values[0])


def test_weakest_direction_comes_first():
    summary = _summary(_profiles())
    assert NAMES[int(np.abs(summary["loading"].values[0]).argmax())] == "temperature"
    assert "temperature" in str(summary["sentence"].values[0])
