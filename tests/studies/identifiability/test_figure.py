"""Figure 9 shows what its dataset holds, also where profiles end open, fail, or truths are unknown."""

import numpy as np
import pytest

from inverse_rational_control import plotting
from inverse_rational_control.studies.identifiability.figure import draw, numbers
from tests.studies.identifiability.made_up import summary


@pytest.mark.parametrize("truth", [True, False])
def test_numbers_are_those_of_the_dataset(truth):
    data = summary(truth)
    tables = numbers(data, n_directions=3)
    np.testing.assert_array_equal(tables["A"]["eigenvalue"], data["eigenvalue"])
    np.testing.assert_array_equal(tables["B"]["loading"], data["loading"].values.ravel())
    for name in ("value", "profile_log_likelihood"):
        np.testing.assert_array_equal(tables["D"][name], data[name].values.ravel())
    intervals = tables["D intervals"]
    assert list(intervals["profile"]) == list(data["profile"].values)
    for name in ("profile_lower", "profile_upper", "wald_lower", "wald_upper"):
        np.testing.assert_array_equal(intervals[name], data[name])
    assert ("truth_likelihood_ratio" in intervals) is truth


@pytest.mark.parametrize("truth", [True, False])
def test_profiles_that_end_open_fail_or_have_no_standard_error(tmp_path, truth):
    data = summary(truth, definite=False)
    data["profile_upper"][2] = np.nan
    data["upper_open"][2] = True
    data["profile_log_likelihood"][3, :2] = data["value"][4, 0] = np.nan
    data["profile_converged"][3, :3] = False
    plotting.save(draw(data, n_directions=10), [tmp_path / "figure.png"])
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    tables = numbers(data, n_directions=10)
    assert tables["C"]["correlation"].isna().all()
    assert tables["D intervals"]["upper_open"].sum() == 1
