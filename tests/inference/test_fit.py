"""Fits of a real record: what they reach, what they claim, and what they do where nothing is found."""

import dataclasses

import numpy as np
import pytest

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import choose_start, generic_whitening
from inverse_rational_control.inference import em as em_module
from inverse_rational_control.inference import jumping
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.information import observed_information
from inverse_rational_control.inference.start import AGREE, Start, fit_start
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import natural, unconstrained
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task
from tests import REFERENCE


def _changed(settings, em=None, **changes):
    if em is not None:
        changes["em"] = settings.em.model_copy(update=em)
    return settings.model_copy(update=changes)


def _gradient(eta, objective):
    """Gradient by unconstrained coordinates, chain rule written out."""
    theta = natural(eta)
    gradient = objective.evaluate(theta).gradient.copy()
    gradient[:6] *= theta[:6] * (1 - theta[:6])
    gradient[9] *= theta[9]
    return gradient


def _hessian(eta, objective, step=5e-4):
    hessian = np.empty((10, 10))
    for k in range(10):
        beside = np.zeros(10)
        beside[k] = step
        ends = [_gradient(eta + sign * beside, objective) for sign in (1, -1)]
        hessian[k] = (ends[0] - ends[1]) / (2 * step)
    return hessian


@pytest.fixture
def begin(small_objective, small_task):
    """The objective of the small record's first steps."""

    def begin(n_steps):
        return ForagingObjective(small_objective.record.head(n_steps), small_task)

    return begin


def test_fit_reaches_at_least_the_truths_likelihood(small_fit, small_objective, paper_agent):
    assert small_fit.status == "converged"
    gain = 2 * (small_fit.log_likelihood - small_objective.log_likelihood(paper_agent))
    # Chi-square with ten degrees of freedom: above 0 always, above 35 once in 10 000 records.
    assert 0 < gain < 35
    ends = [result.log_likelihood for result in small_fit.starts]
    assert max(ends) - min(ends) < AGREE
    # Converged to a decrement of 1e-6 nats.
    assert max(ends) - small_fit.log_likelihood < 1e-5


def test_convergence_is_what_it_says(small_fit, small_objective, fit_settings):
    """Newton decrement and gradient, recomputed with another step and a chain rule of its own."""
    assert all(result.settled for result in small_fit.starts)
    converged = [result for result in small_fit.starts if result.converged]
    assert small_fit.starts[small_fit.best] in converged
    for result in converged:
        assert "converged" in result.stop_reason
        eta = unconstrained(result.end)
        gradient, hessian = _gradient(eta, small_objective), _hessian(eta, small_objective)
        assert (np.linalg.eigvalsh(-hessian) > 0).all()
        decrement = 0.5 * gradient @ np.linalg.solve(-hessian, gradient)
        # Starts that meet share an information matrix taken up to 0.3 standard deviations away.
        assert decrement <= 2 * fit_settings.tolerance
        whitened = result.whitened_gradient
        assert result.newton_decrement == pytest.approx(0.5 * whitened @ whitened, rel=1e-12)
        assert result.newton_decrement <= fit_settings.tolerance
        found = small_objective.log_likelihood(result.end)
        assert result.log_likelihood == pytest.approx(found, abs=1e-9 * abs(found))
    best = small_fit.starts[small_fit.best]
    hessian = _hessian(unconstrained(best.end), small_objective)
    # Differences to one side with a step of 1e-6, and central ones.
    scale = np.sqrt(np.outer(np.diag(hessian), np.diag(hessian)))
    assert (np.abs(small_fit.information + hessian) / scale).max() < 1e-3


def test_optimization_paths_rise_from_the_start_to_the_end(small_fit, small_objective):
    for result in small_fit.starts:
        path = result.path
        likelihood = path.log_likelihood
        assert np.diff(likelihood).min() >= -1e-9 * np.abs(likelihood).max()
        np.testing.assert_allclose(path.parameters[0], result.start, rtol=1e-12)
        np.testing.assert_allclose(path.parameters[-1], result.end, rtol=1e-12)
        assert likelihood[-1] == result.log_likelihood
        assert (np.diff(path.evaluations) >= 0).all()
        assert (np.diff(path.seconds) >= 0).all()
        assert path.evaluations[-1] <= result.n_evaluations
        middle = len(path) // 2
        found = small_objective.log_likelihood(path.parameters[middle])
        assert likelihood[middle] == pytest.approx(found, abs=1e-9 * abs(found))


@pytest.mark.parametrize("first", [0, 1])
def test_em_never_falls(first, small_fit, small_objective, fit_settings, small_whitening):
    settings = _changed(fit_settings, method="em", em={"max_iterations": 25})
    # A broad start, and the one that the quasi-Newton fit had.
    start = np.array([0.1, 0.3, 0.2, 0.05, 0.3, 0.5, 0.4, 0.4, 0.1, 0.4])
    start = small_fit.starts[0].start if first else start
    result = fit(small_objective, settings, [start], whitening=small_whitening).starts[0]
    likelihood = result.path.log_likelihood
    assert likelihood.size > 5
    assert np.diff(likelihood).min() >= -1e-9 * np.abs(likelihood).max()
    assert "EM" in result.stop_reason or result.converged
    # EM comes within 40 nats of the top, then creeps, and never passes the maximum.
    assert small_fit.log_likelihood - 40 < likelihood[-1] <= small_fit.log_likelihood + 1e-6


def test_squarem_reaches_the_same_maximum_in_fewer_e_steps(
    small_fit, small_objective, fit_settings, small_whitening
):
    ends = {}
    for method in ("em", "squarem"):
        limits = {"max_iterations": 60, "tolerance": 1e-9}
        settings = _changed(fit_settings, method=method, em=limits)
        start = small_fit.starts[0].start
        ends[method] = fit_start(small_objective, settings, start, small_whitening)
        likelihood = ends[method].path.log_likelihood
        assert np.diff(likelihood).min() >= -1e-9 * np.abs(likelihood).max()
        # The start, 60 E-steps and one per parameter for the information.
        assert ends[method].n_evaluations <= 61 + 11 + 2 * 10
        assert likelihood[-1] == ends[method].log_likelihood
        assert likelihood[-1] <= small_fit.log_likelihood + 1e-6
    assert "SQUAREM" in ends["squarem"].stop_reason
    left = {method: small_fit.log_likelihood - end.log_likelihood for method, end in ends.items()}
    assert left["squarem"] < left["em"]


def test_one_start_by_itself_is_a_fits_start(
    small_fit, small_objective, fit_settings, small_whitening
):
    expected = small_fit.starts[0]
    found = fit_start(small_objective, fit_settings, expected.start, small_whitening)
    np.testing.assert_array_equal(found.end, expected.end)
    np.testing.assert_array_equal(found.path.log_likelihood, expected.path.log_likelihood)


def test_em_refuses_a_step_down(monkeypatch, paper_agent, small_objective, fit_settings):
    settings = _changed(fit_settings, method="em", em={"max_iterations": 5})
    monkeypatch.setattr(em_module, "m_step", lambda _, eta, *__: eta + 0.5)
    found = fit(small_objective, settings, [paper_agent])
    assert "fell" in found.starts[0].stop_reason
    np.testing.assert_allclose(found.estimate, paper_agent, rtol=1e-12)


def test_evaluations_are_limited(small_fit, begin, fit_settings, small_whitening):
    settings = _changed(fit_settings, max_evaluations=6, warm_up_iterations=1)
    start = small_fit.starts[0].start
    found = fit(begin(300), settings, [start], whitening=small_whitening)
    assert found.status != "converged"
    assert not found.starts[0].converged
    # The line search may overrun by a step; Newton rounds add their own.
    assert found.starts[0].n_evaluations < 6 + 20 * 15 + 12 * 12
    assert len(found.starts[0].path) >= 2


def test_fits_repeat_to_the_last_bit(begin, fit_settings, small_whitening):
    settings, objective = _changed(fit_settings, max_evaluations=15), begin(400)
    starts = [choose_start(objective, settings, np.random.default_rng(4)) for _ in range(2)]
    one, other = (fit(objective, settings, [start], whitening=small_whitening) for start in starts)
    np.testing.assert_array_equal(one.estimate, other.estimate)
    np.testing.assert_array_equal(one.information, other.information)
    assert one.log_likelihood == other.log_likelihood
    paths = [found.starts[0].path for found in (one, other)]
    np.testing.assert_array_equal(paths[0].log_likelihood, paths[1].log_likelihood)


def test_starts_go_on_until_two_agree(
    small_fit, small_objective, begin, fit_settings, small_whitening
):
    estimate = small_fit.estimate
    spare = [estimate, estimate]
    found = fit(small_objective, fit_settings, [estimate], spare, small_whitening)
    assert len(found.starts) == 2, "one start is not confirmed, and two that agree are enough"
    assert (found.status, found.n_agreeing) == ("converged", 2)
    hopeless = _changed(fit_settings, max_evaluations=1, warm_up_iterations=0)
    found = fit(begin(60), hopeless, [estimate], spare, small_whitening)
    assert len(found.starts) >= 3


def test_a_maximum_that_one_start_found_is_remarked(
    small_fit, small_objective, fit_settings, small_whitening
):
    found = fit(small_objective, fit_settings, [small_fit.estimate], whitening=small_whitening)
    assert found.n_agreeing == 1
    assert any("found by one start only, of 1" in remark for remark in found.remarks)
    assert not any("one start only" in remark for remark in small_fit.remarks)


def test_e_steps_before_a_start_are_counted(
    small_fit, small_objective, fit_settings, small_whitening
):
    ends = [
        fit(small_objective, fit_settings, [start], whitening=small_whitening).starts[0]
        for start in (small_fit.estimate, Start(small_fit.estimate, 17))
    ]
    assert ends[1].n_evaluations == ends[0].n_evaluations + 17
    np.testing.assert_array_equal(ends[0].end, ends[1].end)


def test_more_starts_are_not_wasted_on_a_degenerate_record(
    begin, fit_settings, small_whitening, paper_agent
):
    found = fit(begin(10), fit_settings, [paper_agent], [paper_agent], small_whitening)
    assert len(found.starts) == 1
    assert found.status == "degenerate_record"


def test_estimate_at_a_bound_is_marked(
    monkeypatch, small_fit, small_objective, fit_settings, small_whitening
):
    """An agent that sees cues but believes that food never vanishes from box 1, to within 1e-5."""
    start = small_fit.estimate.copy()
    start[2] = 1e-5
    # No M-step finds a higher point: the fit ends where it begins.
    monkeypatch.setattr(em_module, "m_step", lambda *_: None)
    settings = _changed(fit_settings, method="em")
    found = fit(small_objective, settings, [start], whitening=small_whitening)
    assert found.at_bound.tolist() == [k == 2 for k in range(10)]
    assert any("at a bound: disappearance_rate_1" in remark for remark in found.remarks)
    assert found.status != "converged"
    row = next(line for line in found.summary().splitlines() if line.startswith("disappearance"))
    assert row.endswith("at a bound")


@pytest.mark.parametrize("method", ["quasi_newton", "em"])
def test_real_jump_is_met_and_marked(method):
    """Near the bistable agent 0.03 % of gamma_1 change the log-likelihood by 126 nats."""
    with np.load(REFERENCE / "bistable_n10.npz") as stored:
        theta = stored["theta"]
        columns = [stored[name] for name in ("location", "action", "reward")]
        cue = np.stack([stored["color_1"], stored["color_2"]], 1)
        record = Record(np.zeros(400, dtype=np.int64), *columns, cue)
    objective = ForagingObjective(record, Task())
    sides = []
    for factor in (0.9707, 0.9710):
        beside = theta.copy()
        beside[0] *= factor
        sides.append(objective.log_likelihood(beside))
    assert sides[1] - sides[0] > 100
    start = theta.copy()
    start[0] *= 0.9
    settings = _changed(
        FitSettings(method=method),
        warm_up_iterations=0,
        max_evaluations=12,
        em={"max_iterations": 1, "ascent_steps": 4},
    )
    # Coordinates in which the first step goes across.
    found = fit(objective, settings, [start], whitening=0.1 * np.eye(10))
    assert found.starts[0].jump_sides is not None
    assert any("jump" in remark for remark in found.remarks)
    assert len(found.starts) == 3, "two more starts, one on each side"
    for result, side in zip(found.starts[1:], found.starts[0].jump_sides, strict=True):
        np.testing.assert_array_equal(result.start, side)


@pytest.mark.parametrize(("jumped", "n_starts"), [((True, False), 2), ((False, True), 4)])
def test_more_starts_lie_beside_the_jump_of_the_highest_start_alone(
    monkeypatch, begin, paper_agent, jumped, n_starts
):
    sides = (0.9 * paper_agent, 1.1 * paper_agent)
    ends = iter(zip((-50.0, -40.0, -60.0, -60.0), (*jumped, False, False), strict=True))
    honest = jumping.run_start

    def run_start(*given, **more):
        log_likelihood, jump = next(ends)
        beside = sides if jump else None
        result = honest(*given, **more)
        return dataclasses.replace(result, log_likelihood=log_likelihood, jump_sides=beside)

    monkeypatch.setattr(jumping, "run_start", run_start)
    found = fit(begin(300), FitSettings(max_evaluations=2), [paper_agent, paper_agent])
    assert len(found.starts) == n_starts and found.best == 1
    assert any("jump" in remark for remark in found.remarks), "any jump is remarked"


class _Walled(ForagingObjective):
    """The planner "fails" wherever gamma_1 exceeds a wall."""

    wall = -np.inf

    def evaluate(self, theta):
        found = super().evaluate(theta)
        return dataclasses.replace(found, gradient=None) if theta[0] > self.wall else found


def test_unsolved_start_gives_a_marked_result(small_record, small_task, fit_settings, paper_agent):
    found = fit(_Walled(small_record, small_task), fit_settings, [paper_agent])
    assert found.status == "not_converged"
    assert np.isnan(found.estimate).all()
    assert np.isnan(found.log_likelihood)
    assert "failed at the start" in found.starts[0].stop_reason
    assert found.remarks
    assert "no start led anywhere" in found.summary()


def test_unsolved_trial_is_a_rejected_step(
    small_fit, small_record, small_task, fit_settings, small_whitening
):
    """A wall between start and maximum."""
    objective = _Walled(small_record, small_task)
    objective.wall = wall = small_fit.estimate[0] - 0.02
    start = small_fit.estimate.copy()
    start[0] = wall - 0.05
    settings = _changed(fit_settings, max_evaluations=40)
    found = fit(objective, settings, [start], whitening=small_whitening)
    assert found.estimate[0] <= wall
    assert np.isfinite(found.log_likelihood)
    assert found.log_likelihood > objective.log_likelihood(start)
    assert found.status != "converged"


def test_a_fit_needs_a_start(small_objective, fit_settings):
    with pytest.raises(ValueError, match="starts: found none, allowed: at least one"):
        fit(small_objective, fit_settings, [])


def test_fit_in_a_space_is_the_maximum_there(
    small_objective, small_task, fit_settings, paper_agent
):
    """Fixed parameters stay to the last bit, tied ones agree, and no free direction leads higher."""
    space = parameter_space(
        {"travel_cost": 0.25, "cue_probability_present": 0.42},
        [("disappearance_rate_1", "disappearance_rate_2")],
    )
    whitening = generic_whitening(fit_settings, small_task, space)
    found = fit(small_objective.within(space), fit_settings, [paper_agent], whitening=whitening)
    assert found.status in ("converged", "at_bound")
    assert found.estimate[7] == 0.25
    assert found.estimate[4] == 0.42
    assert found.estimate[2] == pytest.approx(found.estimate[3], rel=1e-14)
    assert found.information.shape == (7, 7)
    gradient = _gradient(unconstrained(found.estimate), small_objective)
    by_space = space.directions.T @ gradient
    assert np.abs(by_space).max() < 0.05 < np.abs(gradient).max()
    intervals = found.intervals(0.95)
    np.testing.assert_array_equal(intervals.standard_error[[4, 7]], 0.0)
    assert (intervals.standard_error[space.is_free] > 0).all()


def test_information_in_a_space_is_the_full_one_projected(small_objective, paper_agent):
    space = parameter_space({"push_cost": 0.3}, [("appearance_rate_1", "appearance_rate_2")])
    eta = unconstrained(paper_agent)
    full = observed_information(small_objective, eta, 1e-3)
    part = observed_information(small_objective.within(space), eta, 1e-3)
    expected = space.directions.T @ full @ space.directions
    # Both are central differences of step 1e-3, in different directions.
    np.testing.assert_allclose(part, expected, rtol=0, atol=1e-4 * np.abs(full).max())


def test_information_to_one_side_is_that_of_central_differences(small_objective, paper_agent):
    # The settings' step; one of 1e-3 to one side would be wrong by a tenth in the weakest direction.
    eta = unconstrained(paper_agent)
    central = observed_information(small_objective, eta, 1e-4)
    eigenvalues, vectors = np.linalg.eigh(central)
    whitened = vectors / np.sqrt(np.abs(eigenvalues))
    gradient = _gradient(eta, small_objective)

    def error(step):
        found = observed_information(small_objective, eta, step, gradient)
        return np.abs(whitened.T @ (found - central) @ whitened).max()

    assert error(FitSettings().difference_step) < 1e-3 < 1e-2 < error(1e-3)
