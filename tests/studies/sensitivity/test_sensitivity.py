"""Settings differ in one thing at a time; biases and losses by hand; criteria that can fail."""

from dataclasses import asdict

import numpy as np
import pytest
import xarray as xr
import yaml
from inverse_rational_control.studies.checking_registry import EXPERIMENT_CRITERIA

from inverse_rational_control.parameters import AGENT_PARAMETERS, natural, unconstrained
from inverse_rational_control.storage.contract import write
from inverse_rational_control.studies.sensitivity.analysis import (
    belief_accuracy,
    mean_and_error,
    settings,
)
from inverse_rational_control.studies.sensitivity.dataset import SENSITIVITY, sensitivity_dataset
from inverse_rational_control.task import Task
from tests import ROOT, synthetic

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BOUNDS = CONFIG["sensitivity"]["check"]
LISTS = {"n_bins": [20, 5, 10], "diffusion_bins": [1.0, 0.25, 0.5], "discounts": [0.99, 0.9]}


# --- settings ---------------------------------------------------------------------------------------


def test_settings_of_the_default_study():
    made = settings(Task(), **LISTS)
    assert [setting.name for setting in made] == [
        *("task", "bins5", "bins5_same_diffusion", "bins20", "bins20_same_diffusion"),
        *("diffusion0.25", "diffusion1", "discount0.9"),
    ]
    by_name = {setting.name: setting.task for setting in made}
    assert by_name["task"] == Task()
    assert by_name["bins5"].sigma == pytest.approx(0.1)
    assert by_name["bins20"].sigma == pytest.approx(0.025)
    assert by_name["bins5_same_diffusion"].sigma == by_name["bins20_same_diffusion"].sigma == 0.05
    assert by_name["diffusion0.25"].sigma == pytest.approx(1 / 40)
    assert by_name["diffusion1"].sigma == pytest.approx(1 / 10)


def test_settings_change_one_thing():
    task = Task(n_cues=7, grooming="presence", diffusion=0.03)
    for setting in settings(task, **LISTS):
        changed = {
            name for name, value in asdict(task).items() if asdict(setting.task)[name] != value
        }
        if setting.name.startswith("bins") and not setting.name.endswith("same_diffusion"):
            assert changed == {"n_bins", "diffusion"}
            part = setting.task.sigma * setting.task.n_bins
            assert part == pytest.approx(task.sigma * task.n_bins)
        else:
            assert len(changed) == (setting.name != "task"), setting


def test_settings_that_are_the_task_are_left_out():
    made = settings(Task(), [10], [0.5], [0.99])
    assert [setting.name for setting in made] == ["task"]


def test_impossible_settings_are_refused():
    with pytest.raises(ValueError, match="n_bins"):
        settings(Task(), [1], [0.5], [0.99])


# --- scores -----------------------------------------------------------------------------------------


def test_accuracy_compares_beliefs_not_bins():
    bins = np.array([[0, 3, 1, 2], [2, 2, 2, 2]]).T
    means = np.stack([(bins[:, 0] + 0.5) / 4, [0.1, 0.4, 0.2, 0.9]], 1)
    correlation, rmse = belief_accuracy(means, bins, 4)
    assert correlation[0] == pytest.approx(1.0)
    assert rmse[0] == 0.0
    assert np.isnan(correlation[1]), "a belief that does not move correlates with nothing"
    assert rmse[1] == pytest.approx(np.sqrt(np.mean((means[:, 1] - 0.625) ** 2)))
    # The same bins on a finer grid are other beliefs.
    assert belief_accuracy(means, bins, 8)[1][0] > 0.1


def test_mean_and_error_leave_out_what_is_missing():
    values = np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan], [5.0, np.nan, np.nan]])
    mean, error = mean_and_error(values)
    np.testing.assert_allclose(mean, [3.0, 5.0, np.nan])
    np.testing.assert_allclose(error, [2 / np.sqrt(3), np.nan, np.nan])


# --- summary ----------------------------------------------------------------------------------------

TASKS = {setting.name: setting.task for setting in settings(Task(), [10], [0.5], [0.9])}


def _fits(error, status="converged", n_seeds=3, level=-4000.0):
    """Fits that all err by `error`, in standard errors of the unconstrained coordinates."""
    names = [parameter.name for parameter in AGENT_PARAMETERS]
    eta = unconstrained(synthetic.TRUTH) + 0.1 * error
    estimate = np.tile(eta, (n_seeds, 1))
    one = ("seed",)
    return xr.Dataset(
        {
            "estimate": ((*one, "parameter"), natural(estimate)),
            "standard_error": ((*one, "parameter"), np.full((n_seeds, 10), 0.02)),
            "information": (
                (*one, "parameter", "parameter_other"),
                np.tile(100.0 * np.eye(10), (n_seeds, 1, 1)),
            ),
            "log_likelihood": (one, level + np.arange(n_seeds)),
            "truth_log_likelihood": (one, level - 4.0 + np.arange(n_seeds)),
            "truth": ((*one, "parameter"), np.tile(synthetic.TRUTH, (n_seeds, 1))),
            "status": (one, np.array([status] * n_seeds, dtype=object)),
            "decoded_correlation": ((*one, "box"), np.full((n_seeds, 2), 0.9)),
            "decoded_rmse": ((*one, "box"), np.full((n_seeds, 2), 0.1)),
        },
        {"seed": np.arange(n_seeds), "parameter": names},
    )


def _summary(changed=None):
    fits = {
        ("matched", "task"): _fits(0.0),
        ("matched", "discount0.9"): _fits(1.0),
        ("mismatched", "task"): _fits(0.0),
        ("mismatched", "discount0.9"): _fits(-3.0, level=-4050.0),
    }
    return sensitivity_dataset(TASKS, fits | (changed or {}), n_steps=5000)


def test_errors_in_standard_errors_by_hand():
    summary = _summary()
    shown = summary["mean_standardized_error"]
    np.testing.assert_allclose(shown.sel(design="matched", setting="discount0.9"), 1.0, rtol=1e-9)
    np.testing.assert_allclose(
        shown.sel(design="mismatched", setting="discount0.9"), -3.0, rtol=1e-9
    )
    np.testing.assert_allclose(summary["pooled_bias"], 0.5, rtol=1e-9)
    # Three fits at 0 and three at 1.
    spread = np.sqrt(0.3) / np.sqrt(6)
    np.testing.assert_allclose(summary["pooled_bias_standard_error"], spread, rtol=1e-9)
    np.testing.assert_allclose(summary["likelihood_ratio"], 8.0)


def test_shift_is_paired_and_in_standard_errors_of_the_fit_with_the_right_setting():
    summary = _summary()
    np.testing.assert_allclose(summary["mean_shift"].sel(setting="task"), 0.0, atol=1e-12)
    # Fits that err by -3 standard errors beside fits of the same records that do not err.
    np.testing.assert_allclose(summary["mean_shift"].sel(setting="discount0.9"), -3.0, rtol=1e-9)
    np.testing.assert_allclose(summary["mean_shift_standard_error"], 0.0, atol=1e-12)
    lost = _summary({("mismatched", "discount0.9"): _fits(-3.0, status="not_converged")})
    assert lost["mean_shift"].sel(setting="discount0.9").isnull().all()


def test_loss_is_per_step_and_against_the_matched_fit_of_the_same_record():
    loss = _summary()["log_likelihood_loss"]
    np.testing.assert_allclose(loss.sel(setting="task"), 0.0)
    np.testing.assert_allclose(loss.sel(setting="discount0.9"), 50 / 5000)


def test_fits_that_did_not_converge_are_counted_and_shown():
    summary = _summary(
        {
            ("matched", "task"): _fits(0.0, status="not_converged"),
            ("matched", "discount0.9"): _fits(1.0, status="at_bound"),
        }
    )
    matched = summary.sel(design="matched")
    assert list(matched["at_bound_count"].values) == [0, 3]
    assert list(matched["unconverged_count"].values) == [3, 0]
    assert list(matched["converged_count"].values) == [0, 0]
    assert matched["estimate"].notnull().all()
    assert matched["mean_standardized_error"].isnull().all()


# --- criteria ---------------------------------------------------------------------------------------


def _failed(summary):
    criteria = EXPERIMENT_CRITERIA["sensitivity"](summary, BOUNDS)
    return {criterion.name for criterion in criteria if not criterion.passed}


def test_sound_results_pass_and_meet_their_contract(tmp_path):
    summary = synthetic.sensitivity()
    write(summary, tmp_path / "summary.nc", SENSITIVITY)
    assert _failed(summary) == set()


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


def _actions_mislead(summary):
    summary["log_score_gain"][0, 1] = -0.01


def _overconfident(summary):
    summary["calibration_observed"][0, 0, 9] = 0.8


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (_unconverged, "sensitivity_matched_converged_share"),
        (_below_truth, "sensitivity_likelihood_below_truth"),
        (_far_from_truth, "sensitivity_matched_likelihood_ratio"),
        (_too_near_truth, "sensitivity_matched_likelihood_ratio"),
        (_biased, "sensitivity_matched_bias"),
        (_actions_mislead, "decoder_log_score_gain_box_2"),
        (_overconfident, "decoder_calibration"),
    ],
)
def test_each_criterion_can_fail(spoil, name):
    summary = synthetic.sensitivity()
    spoil(summary)
    assert _failed(summary) == {name}


def test_what_is_not_judged_changes_no_verdict():
    summary = synthetic.sensitivity()
    summary["standardized_error"][1] = 50.0
    summary["log_likelihood_loss"][1:] = 3.0
    summary["likelihood_ratio"][1, 1:] = 300.0
    # Too few expected hits to say anything.
    summary["calibration_variance"][0, 0, 9] = 0.5
    summary["calibration_observed"][0, 0, 9] = 0.2
    assert _failed(summary) == set()


def test_no_fit_at_all_fails():
    summary = synthetic.sensitivity()
    summary["status"][:] = "at_bound"
    summary["pooled_bias"][:] = np.nan
    assert {
        "sensitivity_matched_converged_share",
        "sensitivity_matched_likelihood_ratio",
        "sensitivity_matched_bias",
    } <= _failed(summary)
