"""A fit's file holds what the fit found; one that found nothing is refused."""

import numpy as np
import pytest

from inverse_rational_control.foraging.dataset import record_fit_dataset
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.dataset import FIT, by_parameter, read_estimate
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.storage.contract import DatasetError, read, write


@pytest.fixture
def fitted(small_fit, small_objective, paper_agent, paper_world):
    """The small fit as a dataset."""
    return record_fit_dataset(small_fit, small_objective, paper_agent, paper_world)


def test_fit_file_holds_what_the_fit_found(
    fitted, small_fit, small_objective, paper_agent, tmp_path
):
    write(fitted, tmp_path / "fit.nc", FIT)
    fitted = read(tmp_path / "fit.nc", FIT)
    interval = small_fit.intervals(0.95)
    np.testing.assert_array_equal(fitted["estimate"], small_fit.estimate)
    np.testing.assert_array_equal(fitted["standard_error"], interval.standard_error)
    np.testing.assert_array_equal(fitted["interval_lower"], interval.lower)
    np.testing.assert_array_equal(fitted["interval_upper"], interval.upper)
    assert fitted["status"].item() == small_fit.status
    assert fitted["log_likelihood"].item() == small_fit.log_likelihood
    assert fitted["truth_log_likelihood"].item() == small_objective.log_likelihood(paper_agent)
    assert fitted.sizes["start"] == len(small_fit.starts)
    for k, result in enumerate(small_fit.starts):
        length = len(result.path)
        history = fitted["history_log_likelihood"].values[k]
        np.testing.assert_array_equal(history[:length], result.path.log_likelihood)
        assert np.isnan(history[length:]).all()
        np.testing.assert_array_equal(
            fitted["history_parameters"].values[k, :length], result.path.parameters
        )
        assert fitted["n_iterations"].values[k] == length - 1
        assert fitted["stop_reason"].values[k] == result.stop_reason


def test_fit_without_an_estimate_is_refused_in_one_line(fitted, tmp_path):
    path = tmp_path / "fit.nc"
    write(fitted, path, FIT)
    assert read_estimate(path)["estimate"].notnull().all()
    nothing = fitted.copy(deep=True)
    nothing["estimate"] = nothing["estimate"] * np.nan
    write(nothing, path, FIT)
    with pytest.raises(DatasetError) as caught:
        read_estimate(path)
    message = str(caught.value)
    assert "\n" not in message
    for word in (str(path), "'estimate'", "found no numbers"):
        assert word in message


def test_a_reduced_fit_by_parameters_is_of_kind_fit(
    small_record, small_task, fit_settings, paper_agent
):
    """What is said of free coordinates stands at the first parameter that each moves."""
    tied = [("appearance_rate_1", "appearance_rate_2")]
    space = parameter_space({"push_cost": 0.3, "temperature": 0.2}, tied)
    objective = ForagingObjective(small_record.head(500), small_task, space)
    found = fit(objective, fit_settings, [paper_agent], whitening=space.directions)
    reduced = record_fit_dataset(found, objective).assign_attrs(kind="fit")
    whole = by_parameter(reduced)
    FIT.check(whole, "fit")
    free = [0, *range(2, 8)]
    at = np.ix_(free, free)
    np.testing.assert_array_equal(whole["information"].values[at], found.information)
    assert np.isnan(whole["information"].values).sum() == 100 - 49
    assert np.isnan(whole["whitened_gradient"].values[:, [1, 8, 9]]).all()
    assert by_parameter(whole) is whole
