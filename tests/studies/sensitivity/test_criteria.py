"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.studies.sensitivity.criteria import criteria
from tests import ROOT
from tests.studies.sensitivity.sound import sound

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BOUNDS = CONFIG["sensitivity"]["check"]


def _failed(summary):
    return {criterion.name for criterion in criteria(summary, BOUNDS) if criterion.failed}


def test_sound_results_pass():
    judged = criteria(sound(), BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 6


def _unconverged(summary):
    summary["status"][0, :, 0] = "not_converged"


def _below_truth(summary):
    summary["likelihood_ratio"][0, 2, 1] = -1e-6


def _far_from_truth(summary):
    summary["likelihood_ratio"][0, 2] = 25.0


def _too_near_truth(summary):
    summary["likelihood_ratio"][0, 2] = 1.0


def _biased(summary):
    summary["pooled_bias"][4] = -2.0


def _actions_are_ignored(summary):
    # But for what chance gives.
    summary["log_score_gain"][0, 1] = 0.03


def _overconfident(summary):
    summary["calibration_observed"][0, 0, 9] = 0.8


def _bins_off_by_one(summary):
    """What a level says of a bin is true of its neighbor."""
    observed = summary["calibration_observed"][0]
    observed[:] = np.roll(observed, 1, axis=-1)


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (_unconverged, "sensitivity_matched_converged_share"),
        (_below_truth, "sensitivity_likelihood_below_truth"),
        (_far_from_truth, "sensitivity_matched_likelihood_ratio"),
        (_too_near_truth, "sensitivity_matched_likelihood_ratio"),
        (_biased, "sensitivity_matched_bias"),
        (_actions_are_ignored, "decoder_log_score_gain"),
        (_overconfident, "decoder_calibration"),
        (_bins_off_by_one, "decoder_calibration"),
    ],
)
def test_each_criterion_can_fail(spoil, name):
    summary = sound()
    spoil(summary)
    assert _failed(summary) == {name}


def test_what_is_not_judged_changes_no_verdict():
    summary = sound()
    summary["standardized_error"][1] = 50.0
    summary["log_likelihood_loss"][1:] = 3.0
    summary["likelihood_ratio"][1, 1:] = 300.0
    # Too few expected hits to say anything.
    summary["calibration_variance"][0, 0, 9] = 0.5
    summary["calibration_observed"][0, 0, 9] = 0.2
    assert _failed(summary) == set()


def test_a_share_of_few_fits_is_not_judged():
    summary = sound(n_seeds=2)
    summary["status"][0, :, 0] = "not_converged"
    judged = {criterion.name: criterion for criterion in criteria(summary, BOUNDS)}
    share = judged["sensitivity_matched_converged_share"]
    assert share.passed is None and share.why == "16 fits; judged from 20 on"


def test_no_fit_at_all_fails():
    summary = sound()
    summary["status"][:] = "at_bound"
    summary["pooled_bias"][:] = np.nan
    assert {
        "sensitivity_matched_converged_share",
        "sensitivity_matched_likelihood_ratio",
        "sensitivity_matched_bias",
    } <= _failed(summary)
