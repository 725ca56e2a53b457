"""Figure 6 shows what its dataset holds, also with two lengths or without a converged fit."""

import numpy as np
import pytest

from inverse_rational_control import plotting
from inverse_rational_control.studies.recovery.figure import draw, numbers
from tests.studies.recovery.made_up import LENGTHS, summary


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Draw a summary and save it."""
    monkeypatch.setattr(plotting, "PNG_RESOLUTION", 40)

    def save(summary):
        plotting.save(draw(summary), [tmp_path / "figure.pdf", tmp_path / "figure.png"])
        assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")

    return save


def test_numbers_are_those_of_the_dataset(saved):
    recovery = summary()
    saved(recovery)
    tables = numbers(recovery)
    assert tables["A"]["error"].tolist() == recovery["error"].values.ravel().tolist()
    np.testing.assert_array_equal(tables["B"]["slope"][:-1], recovery["slope"])
    assert tables["B"]["parameter"].iloc[-1] == "all"
    np.testing.assert_array_equal(tables["C"]["efficiency"], recovery["efficiency"].values.ravel())
    np.testing.assert_array_equal(tables["D"]["coverage"], recovery["coverage"])
    np.testing.assert_array_equal(tables["E"]["at_bound_count"], recovery["at_bound_count"])


def test_two_lengths(saved):
    nothing = np.full(10, np.nan)
    saved(summary(2, LENGTHS[:2], slope=nothing, slope_standard_error=nothing))


def test_without_a_converged_fit(saved):
    recovery = summary(3, status=np.full((3, LENGTHS.size), "at_bound", dtype=object))
    for name in ("rmse", "slope", "slope_standard_error", "coverage", "pooled_slope"):
        recovery[name] = recovery[name] * np.nan
    saved(recovery)
