"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.studies.recovery.analysis import efficiency, error_scaling
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
    assert len({criterion.name for criterion in judged}) == len(judged) == 7


SOUND = summary()


def _changed(name, place, value):
    values = SOUND[name].values.copy()
    values[place] = value
    return {name: values}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"pooled_slope": -0.4}, "recovery_slope"),
        ({"pooled_slope": -0.6}, "recovery_slope"),
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
        ({"pooled_efficiency": 0.7}, "recovery_efficiency"),
        ({"pooled_efficiency": 1.4}, "recovery_efficiency"),
        ({"pooled_efficiency": np.nan}, "recovery_efficiency"),
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


def test_a_made_study_is_judged_and_one_made_wrong_rejected():
    """Errors as theory has them pass; a slope of -0.4 and a bound of half the records do not."""
    scale = np.geomspace(0.5, 5.0, 10)

    def failed(power=-0.5, bound_by=1.0):
        rng = np.random.default_rng(4)
        lengths = np.array([2000, 5000, 10000, 20000])
        size = scale * (lengths[:, None] / 5000.0) ** power
        error = size * rng.normal(size=(200, 4, 10))
        error[20:, 2:] = np.nan
        bound = scale * (lengths[:, None] / 5000.0) ** -0.5 * bound_by
        left_out = bound * (1 + 0.002 * rng.normal(size=(20, 1, 10)))
        scaling = error_scaling(error, lengths)
        found = efficiency(error[:, 1:], bound[1:], left_out[:, 1:])
        return _failed(
            pooled_slope=scaling.pooled_slope,
            pooled_slope_standard_error=scaling.pooled_slope_standard_error,
            pooled_efficiency=found.mean,
            pooled_efficiency_standard_error=found.mean_standard_error,
        )

    assert failed() == set()
    assert "recovery_slope" in failed(power=-0.4)
    # The information of half the steps, or summed over half of the records too many.
    assert failed(bound_by=np.sqrt(2.0)) == {"recovery_efficiency"}
    assert failed(bound_by=np.sqrt(0.5)) == {"recovery_efficiency"}
