"""Another task's objective, with three parameters of its own: fitted, stored and told like any other."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.dataset import FIT, fit_dataset
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.profiles import trace_profile, wald_standard_deviation
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.storage.contract import read, write
from tests.inference.toy import PARAMETERS, SPACE, TRUTH, Psychometric
from tests.reduced_fit import REDUCED_FIT

START = np.array([0.0, 1.0, 0.3])


@pytest.fixture(scope="module")
def toy():
    return Psychometric.simulated()


@pytest.fixture(scope="module")
def toy_fit(toy):
    return fit(toy, FitSettings(), [START, TRUTH])


def _contract(of):
    """A contract of another task: without what only a planner has, and without its task."""
    required = {k: v for k, v in of.required.items() if not k.startswith("planner_")}
    attributes = ("method", "confidence_level")
    return dataclasses.replace(of, required=required, attributes=attributes)


def test_gradient_of_the_toy_equals_central_differences(toy):
    found = toy.evaluate(START).gradient
    for k, beside in enumerate(1e-5 * np.eye(3)):
        ends = [toy.log_likelihood(START + sign * beside) for sign in (1, -1)]
        assert found[k] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6)


def test_fit_finds_the_maximum_that_scipy_finds(toy, toy_fit):
    assert toy_fit.status == "converged"
    assert all(result.settled for result in toy_fit.starts)
    assert toy_fit.starts[toy_fit.best].converged
    bounds = [(-1, 2), (0.05, 2), (1e-3, 0.9)]
    found = minimize(lambda theta: -toy.log_likelihood(theta), TRUTH, bounds=bounds, tol=1e-10)
    assert toy_fit.log_likelihood >= -found.fun - 1e-6
    np.testing.assert_allclose(toy_fit.estimate, found.x, atol=2e-3)
    assert not toy_fit.at_bound.any()


def test_intervals_hold_the_truth_and_respect_the_coordinates(toy_fit):
    intervals = toy_fit.intervals(0.999)
    assert ((intervals.lower < TRUTH) & (intervals.upper > TRUTH)).all()
    assert intervals.lower[1] > 0 and 0 < intervals.lower[2] < intervals.upper[2] < 1
    # 4000 answers: a few hundredths on each.
    assert (intervals.standard_error < 0.1).all()


@pytest.mark.parametrize("method", ["em", "squarem"])
def test_em_without_latent_variables_is_ascent(toy, toy_fit, method):
    found = fit(toy, FitSettings(method=method), [START])
    assert found.log_likelihood == pytest.approx(toy_fit.log_likelihood, abs=0.01)
    assert (np.diff(found.starts[0].path.log_likelihood) >= 0).all()


def test_data_that_say_nothing_are_marked(toy):
    silent = Psychometric(toy.x[:100], np.ones(100, dtype=bool))
    found = fit(silent, FitSettings(max_evaluations=10), [START])
    assert found.status == "degenerate_record"
    assert "all answers are the same" in found.summary()


def test_a_fit_is_stored_and_comes_back(toy_fit, tmp_path):
    contract = _contract(FIT)
    write(fit_dataset(toy_fit), tmp_path / "fit.nc", contract)
    again = read(tmp_path / "fit.nc", contract)
    np.testing.assert_array_equal(again["estimate"], toy_fit.estimate)
    np.testing.assert_array_equal(again["information"], toy_fit.information)
    assert again["parameter"].values.tolist() == ["threshold", "width", "lapse"]
    assert str(again["status"].values) == "converged"


def test_a_reduced_fit_is_stored_and_comes_back(toy, toy_fit, tmp_path):
    space = parameter_space({"lapse": 0.1}, [("threshold",)], PARAMETERS)
    found = fit(toy.within(space), FitSettings(), [START])
    assert found.status == "converged"
    assert found.estimate[2] == pytest.approx(0.1, rel=1e-14)
    assert found.log_likelihood <= toy_fit.log_likelihood
    contract = _contract(REDUCED_FIT)
    write(fit_dataset(found), tmp_path / "fit.nc", contract)
    again = read(tmp_path / "fit.nc", contract)
    assert again["free"].values.tolist() == ["threshold", "width"]
    assert again["information"].dims == ("free", "free_other")
    np.testing.assert_array_equal(again["information"], found.information)
    np.testing.assert_array_equal(again["free_direction"], np.eye(3)[:, :2])
    np.testing.assert_array_equal(again["standard_error"], found.intervals(0.95).standard_error)
    assert again["standard_error"][2] == 0.0
    assert again["history_parameters"].sizes["parameter"] == 3


def test_summary_is_a_table_for_people(toy, toy_fit):
    lines = toy_fit.summary().splitlines()
    assert lines[0].split()[:3] == ["parameter", "unit", "estimate"]
    assert "95 % interval" in lines[0]
    assert [line.split()[0] for line in lines[2:5]] == ["threshold", "width", "lapse"]
    assert f"{toy_fit.estimate[0]:.4g}" in lines[2] and " cm " in lines[2]
    assert any(line.startswith("status: converged") for line in lines)
    n_starts = len(toy_fit.starts)
    agreeing = f"{n_starts} within 0.01 nats of the highest"
    assert any("converged" in line and line.endswith(agreeing) for line in lines)
    assert "50 % interval" in toy_fit.summary(0.5)
    assert max(map(len, lines)) <= 88
    held = fit(toy.within(parameter_space({"lapse": 0.1}, (), PARAMETERS)), FitSettings(), [START])
    assert held.summary().splitlines()[4].endswith("held fixed")


def test_a_profile_of_another_task_is_near_walds_parabola(toy, toy_fit):
    direction = np.eye(3)[0]
    deviation = wald_standard_deviation(toy_fit.information, direction)
    profile = trace_profile(
        *(toy, toy_fit.estimate, toy_fit.log_likelihood, True, toy_fit.information),
        *(direction, deviation * np.array([-0.5, 0.5]), FitSettings()),
    )
    assert profile.converged.all()
    below = toy_fit.log_likelihood - profile.log_likelihood[[0, 2]]
    np.testing.assert_allclose(below.mean(), 0.5 * 0.5**2, rtol=0.05)


def test_a_space_checks_its_own_parameters():
    assert SPACE.is_full and SPACE.names == ("threshold", "width", "lapse")
    with pytest.raises(ValueError, match="allowed: threshold, width, lapse"):
        parameter_space({"temperature": 1.0}, (), PARAMETERS)
    with pytest.raises(ValueError, match=r"lapse: found 1\.5"):
        parameter_space({"lapse": 1.5}, (), PARAMETERS)
