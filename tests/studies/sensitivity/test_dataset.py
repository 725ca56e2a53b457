"""Biases, losses and shifts by hand."""

import numpy as np
import xarray as xr

from inverse_rational_control.parameters import AGENT_PARAMETERS, natural, unconstrained
from inverse_rational_control.storage.contract import write
from inverse_rational_control.studies.sensitivity.dataset import (
    DECODERS,
    SENSITIVITY,
    decoders_dataset,
    sensitivity_dataset,
)
from inverse_rational_control.studies.sensitivity.settings import settings
from inverse_rational_control.task import Task
from tests.studies.sensitivity.sound import sound

TRUTH = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
TASKS = {setting.name: setting.task for setting in settings(Task(), [10], [0.5], [0.9])}


def _fits(error, status="converged", n_seeds=3, level=-4000.0):
    """Fits that all err by `error`, in standard errors of the unconstrained coordinates."""
    eta = unconstrained(TRUTH) + 0.1 * error
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
            "truth": ((*one, "parameter"), np.tile(TRUTH, (n_seeds, 1))),
            "status": (one, np.array([status] * n_seeds, dtype=object)),
            "decoded_correlation": ((*one, "box"), np.full((n_seeds, 2), 0.9)),
            "decoded_rmse": ((*one, "box"), np.full((n_seeds, 2), 0.1)),
        },
        {
            "seed": np.arange(n_seeds),
            "parameter": [parameter.name for parameter in AGENT_PARAMETERS],
        },
    )


def _summary(changed=None):
    fits = {
        ("matched", "task"): _fits(0.0),
        ("matched", "discount0.9"): _fits(1.0),
        ("mismatched", "task"): _fits(0.0),
        ("mismatched", "discount0.9"): _fits(-3.0, level=-4050.0),
    }
    return sensitivity_dataset(
        TASKS, fits | (changed or {}), sound()[list(DECODERS.required)], 5000
    )


def test_errors_in_standard_errors_by_hand():
    summary = _summary()
    shown = summary["mean_standardized_error"]
    np.testing.assert_allclose(shown.sel(design="matched", setting="discount0.9"), 1.0, rtol=1e-9)
    np.testing.assert_allclose(
        shown.sel(design="mismatched", setting="discount0.9"), -3.0, rtol=1e-9
    )
    np.testing.assert_allclose(summary["pooled_bias"], 0.5, rtol=1e-9)
    # Three fits at 0 and three at 1.
    error = np.sqrt(0.3) / np.sqrt(6)
    np.testing.assert_allclose(summary["pooled_bias_standard_error"], error, rtol=1e-9)
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


def test_what_is_made_meets_its_contract(tmp_path):
    write(_summary(), tmp_path / "summary.nc", SENSITIVITY)
    scores = {name: sound()[name].values for name in DECODERS.required}
    decoders = decoders_dataset(scores, ["truth", "estimate", "cues"], Task(), 1010, 100)
    write(decoders, tmp_path / "decoders.nc", DECODERS)
    assert decoders.attrs["n_blocks"] == 10
    np.testing.assert_allclose(decoders["level"], sound()["level"])
