"""The summary against counting by hand, on made-up fits of three records at two lengths."""

import numpy as np
import pytest
import xarray as xr

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import names, stack
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.studies.recovery.dataset import (
    EXPECTED_INFORMATION,
    FROM_FITS,
    RECOVERY,
    expected_information_dataset,
    recovery_dataset,
    steps_needed_table,
)
from tests.conftest import PAPER_AGENT
from tests.filled import filled

TRUTH = np.array(PAPER_AGENT)
LENGTHS = [100, 400]


def _fits(seeds, statuses, error, reach):
    """Every estimate errs by `error`, every interval reaches that far; two starts, 0.005 nats apart."""
    sizes = {"start": 2, "iteration": 3, "parameter": names(), "parameter_other": names()}
    parts = [
        filled(
            FIT,
            sizes,
            {
                "truth": TRUTH,
                "truth_log_likelihood": -55.0,
                "estimate": TRUTH + error,
                "interval_lower": TRUTH + error - reach,
                "interval_upper": TRUTH + error + reach,
                "status": status,
                "interval_kind": np.full(10, "wald" if status != "at_bound" else "none", object),
                "profile_deviance_at_truth": np.full(10, 1.0 if status == "at_bound" else np.nan),
                "log_likelihood": -50.0,
                "end_log_likelihood": [-50.0, -50.005],
            },
            ("truth", "truth_log_likelihood", "profile_deviance_at_truth"),
        )
        for status in statuses
    ]
    return stack(parts, seeds, FIT)[list(FROM_FITS)]


@pytest.fixture
def information():
    """Of four records: 10 per step on average in every unconstrained coordinate."""
    per_step = np.array([9.0, 11.0, 10.0, 10.0])[:, None, None] * np.eye(10)
    return expected_information_dataset(per_step, TRUTH, LENGTHS)


def _summary(information, agreement=0.01, fits=None):
    short = _fits([0, 1, 2], ["converged", "at_bound", "not_converged"], 0.02, 0.05)
    long = _fits([0, 1], ["converged", "converged"], 0.01, 0.005)
    return recovery_dataset(fits or [short, long], information, 100, 400, agreement, 0.95)


def test_expected_information(information, tmp_path):
    write(information, tmp_path / "information.nc", EXPECTED_INFORMATION)
    again = read(tmp_path / "information.nc", EXPECTED_INFORMATION)
    np.testing.assert_allclose(again["information_per_step"], 10.0 * np.eye(10))
    # Information grows with the length, so the bound falls with its square root.
    np.testing.assert_allclose(again["bound"][0], 2.0 * again["bound"][1])
    assert again.attrs["n_records"] == 4


def test_summary_by_hand(information, tmp_path):
    write(_summary(information), tmp_path / "summary.nc", RECOVERY)
    summary = read(tmp_path / "summary.nc", RECOVERY)
    assert summary["seed"].values.tolist() == [0, 1, 2]
    assert summary["status"].values.tolist() == [
        ["converged", "converged"],
        ["at_bound", "converged"],
        ["not_converged", ""],
    ]
    assert np.isnan(summary["error"].values[2, 1]).all(), "not fitted at this length"
    np.testing.assert_allclose(summary["error"].values[:2, 1], 0.01)
    for name, expected in (
        ("fitted_count", [3, 2]),
        ("at_bound_count", [1, 0]),
        ("unconverged_count", [1, 0]),
    ):
        assert summary[name].values.tolist() == expected
    # All short intervals hold the truth, that at the bound by its profile; no long one does.
    assert summary["covered"].values.sum((0, 2)).tolist() == [30, 0]
    assert summary["interval_defined"].values.sum((0, 2)).tolist() == [30, 20]
    assert summary["coverage"].values.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(summary["rmse"], [[0.02] * 10, [0.01] * 10])
    np.testing.assert_allclose(summary["slope"], -0.5)
    np.testing.assert_allclose(summary["pooled_slope"], -0.5)
    np.testing.assert_allclose(summary["likelihood_ratio"][:2], 10.0)
    expected = information["bound"].values ** 2 / np.array([[0.02], [0.01]]) ** 2
    np.testing.assert_allclose(summary["efficiency"], expected)
    np.testing.assert_allclose(summary["mean_efficiency"], expected.mean(1))
    np.testing.assert_allclose(summary["pooled_efficiency"], expected[1].mean())


def test_starts_that_end_close_to_the_best_agree(information):
    assert (_summary(information)["starts_agreeing"].values[:2] == 1.0).all()
    assert (_summary(information, agreement=0.001)["starts_agreeing"].values[:2] == 0.5).all()


def test_fits_at_a_bound_enter_like_all_others(information):
    """To leave them out would choose the records with small errors."""
    near, far = 0.01, 0.1
    short = _fits([0], ["converged"], near, 1.0)
    at_bound = _fits([1], ["at_bound"], far, np.nan)
    fits = [xr.concat([short, at_bound], "seed")] * 2
    summary = _summary(information, fits=fits)
    np.testing.assert_allclose(summary["rmse"], np.sqrt((near**2 + far**2) / 2))
    np.testing.assert_allclose(summary["coverage"], 1.0)
    fits = [part.copy(deep=True) for part in fits]
    for part in fits:
        part["profile_deviance_at_truth"][1] = 4.0
    np.testing.assert_allclose(_summary(information, fits=fits)["coverage"], 0.5)
    for part in fits:
        part["profile_deviance_at_truth"][1] = np.nan
    missing = _summary(information, fits=fits)
    np.testing.assert_allclose(missing["coverage"], 0.5)
    assert not missing["interval_defined"][1].any()


def test_the_table_of_steps_has_a_row_per_parameter_and_precision(information):
    table = steps_needed_table(information, TRUTH, [0.1, 0.5], 0.95)
    assert len(table) == 20
    first, last = table.iloc[0], table.iloc[10]
    assert first["parameter"] == last["parameter"] == names()[0]
    assert first["half width"] == pytest.approx(0.1 * TRUTH[0])
    # Information 10 per step: z^2 (1 - theta)^2 / (10 * 0.01) steps for a tenth of theta.
    expected = 1.96**2 * (1 - TRUTH[0]) ** 2 / 0.1
    assert first["steps"] == pytest.approx(expected, rel=0.01)
    assert first["steps"] / last["steps"] == pytest.approx(25, rel=0.01)


def test_errors_of_several_bounds_are_counted(information):
    error = 4.1 * information["bound"].values[:, 0].max()
    fits = [_fits([0, 1], ["converged", "at_bound"], error, 1.0) for _ in LENGTHS]
    assert _summary(information, fits=fits)["outlier_count"].values.tolist() == [2, 2]
