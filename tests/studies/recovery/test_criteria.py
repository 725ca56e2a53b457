"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.studies.recovery.criteria import criteria
from tests import ROOT
from tests.filled import filled
from tests.studies.recovery.made_up import LENGTHS, summary

BOUNDS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["check"]


def _fits(fall=-1.0):
    """Two batches of one record each; in the second an EM step of a start went down by so much."""
    sizes = {"start": 2, "iteration": 9, "parameter": 10, "parameter_other": 10}
    return [
        filled(FIT, sizes, {"em_fall": [-1.0, deepest]}).expand_dims(seed=[seed])
        for seed, deepest in enumerate((-1.0, fall))
    ]


def _failed(fall=-1.0, **given):
    judged = criteria(summary(**given), _fits(fall), BOUNDS)
    return {criterion.name for criterion in judged if criterion.failed}


def test_a_sound_study_passes():
    assert 5000 in LENGTHS
    judged = criteria(summary(), _fits(), BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 9


SOUND = summary()


def _changed(name, place, value):
    values = SOUND[name].values.copy()
    values[place] = value
    return {name: values}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"pooled_slope": -0.2}, "recovery_slope"),
        ({"pooled_slope": np.nan}, "recovery_slope"),
        (
            _changed("likelihood_ratio", (0, -1), -1e-6),
            "recovery_likelihood_below_truth",
        ),
        (
            {"likelihood_ratio": SOUND["likelihood_ratio"].values + 10.0},
            "recovery_likelihood_ratio",
        ),
        ({"coverage": SOUND["coverage"].values - 0.1}, "recovery_coverage"),
        (
            _changed("status", slice(0, 5), "not_converged"),
            "recovery_converged_share",
        ),
        (
            _changed("mean_efficiency", -1, 0.55),
            "recovery_efficiency_20000_steps",
        ),
        ({"fall": 2.0}, "recovery_em_steps_rise"),
    ],
)
def test_each_criterion_can_fail(given, name):
    assert _failed(**given) == {name}


def test_records_that_were_not_fitted_at_a_length_are_neither_good_nor_bad():
    status, ratio = SOUND["status"].values.copy(), SOUND["likelihood_ratio"].values.copy()
    status[5:, -1], ratio[5:, -1] = "", np.nan
    assert _failed(status=status, likelihood_ratio=ratio) == set()
    # A fit that led nowhere is not as likely as the truth.
    ratio[0, -1] = np.nan
    assert _failed(status=status, likelihood_ratio=ratio) == {"recovery_likelihood_below_truth"}


def test_fits_at_a_bound_are_counted_in_the_table():
    judged = criteria(summary(at_bound_count=[2] * LENGTHS.size), _fits(), BOUNDS)
    (why,) = [one.why for one in judged if one.name == "recovery_converged_share"]
    assert f"at a bound: {2 * (LENGTHS >= 2000).sum()}" in why
