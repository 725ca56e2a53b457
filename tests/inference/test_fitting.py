"""Fits: what they reach, what they claim, and what they do where nothing can be reached."""

import dataclasses
import warnings

import numpy as np
import pytest

from inverse_rational_control.foraging.likelihood import chain_inputs, evaluate, log_likelihood
from inverse_rational_control.inference import fitting
from inverse_rational_control.inference.fitting import (
    FitSettings,
    choose_start,
    climb,
    degeneracies,
    fit_record,
    generic_whitening,
)
from inverse_rational_control.inference.information import observed_information
from inverse_rational_control.inference.intervals import uncertainty
from inverse_rational_control.parameter_space import FULL_SPACE, parameter_space
from inverse_rational_control.parameters import AGENT_PARAMETERS, natural, unconstrained
from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.task import Task
from tests import REFERENCE


def _slope(eta, inputs, task):
    """Gradient by unconstrained coordinates, chain rule written out."""
    theta = natural(eta)
    gradient = evaluate(theta, inputs, task).gradient.copy()
    gradient[:6] *= theta[:6] * (1 - theta[:6])
    gradient[9] *= theta[9]
    return gradient


def _hessian(eta, inputs, task, step=5e-4):
    hessian = np.empty((10, 10))
    for k in range(10):
        beside = np.zeros(10)
        beside[k] = step
        ends = [_slope(eta + sign * beside, inputs, task) for sign in (1, -1)]
        hessian[k] = (ends[0] - ends[1]) / (2 * step)
    return hessian


def _blank(n_steps, **columns):
    """Record of an agent that stays in the middle, with columns changed."""
    rng = np.random.default_rng(0)
    still = dict.fromkeys(("session", "location", "action", "reward"))
    arrays = {name: np.zeros(n_steps, dtype=np.int64) for name in still}
    arrays["cue"] = rng.integers(0, 5, (2, n_steps)).T
    return Record(**(arrays | columns))


def test_fit_reaches_at_least_the_truths_likelihood(
    small_fit, small_record, small_task, paper_agent
):
    truth = log_likelihood(paper_agent, chain_inputs(small_record), small_task)
    assert small_fit.status == "converged"
    gain = 2 * (small_fit.log_likelihood - truth)
    # Chi-square with ten degrees of freedom: above 0 always, above 35 once in 10 000 records.
    assert 0 < gain < 35
    ends = [result.log_likelihood for result in small_fit.starts]
    # Both starts converged to a decrement of 1e-6 nats.
    assert max(ends) - min(ends) < 1e-5
    assert small_fit.log_likelihood == max(ends)


def test_convergence_is_what_it_says(small_fit, small_record, small_task, fit_settings):
    """Newton decrement and gradient, recomputed with another step and a chain rule of its own."""
    inputs = chain_inputs(small_record)
    for result in small_fit.starts:
        assert result.converged
        assert result.settled
        assert "converged" in result.stop_reason
        eta = unconstrained(result.end)
        slope, hessian = _slope(eta, inputs, small_task), _hessian(eta, inputs, small_task)
        assert (np.linalg.eigvalsh(-hessian) > 0).all()
        decrement = 0.5 * slope @ np.linalg.solve(-hessian, slope)
        # Starts that meet share an information matrix taken up to 0.3 standard deviations away.
        assert decrement <= 2 * fit_settings.tolerance
        scaled = result.whitened_gradient
        assert result.newton_decrement == pytest.approx(0.5 * scaled @ scaled, rel=1e-12)
        assert result.newton_decrement <= fit_settings.tolerance
        found = log_likelihood(result.end, inputs, small_task)
        assert result.log_likelihood == pytest.approx(found, abs=1e-9 * abs(found))
    best = small_fit.starts[small_fit.best]
    hessian = _hessian(unconstrained(best.end), inputs, small_task)
    # Differences with steps 1e-3 and 5e-4: truncation is about step^2.
    scale = np.sqrt(np.outer(np.diag(hessian), np.diag(hessian)))
    assert (np.abs(small_fit.information + hessian) / scale).max() < 1e-3


def test_histories_rise_from_the_start_to_the_end(small_fit, small_record, small_task):
    inputs = chain_inputs(small_record)
    for result in small_fit.starts:
        history = result.history
        likelihood = np.array(history.log_likelihood)
        assert np.diff(likelihood).min() >= -1e-9 * np.abs(likelihood).max()
        np.testing.assert_allclose(history.theta[0], result.start, rtol=1e-12)
        np.testing.assert_allclose(history.theta[-1], result.end, rtol=1e-12)
        assert likelihood[-1] == result.log_likelihood
        assert (np.diff(history.evaluations) >= 0).all()
        assert (np.diff(history.seconds) >= 0).all()
        assert history.evaluations[-1] <= result.n_evaluations
        middle = len(likelihood) // 2
        found = log_likelihood(history.theta[middle], inputs, small_task)
        assert likelihood[middle] == pytest.approx(found, abs=1e-9 * abs(found))


@pytest.mark.parametrize("first", [0, 1])
def test_em_never_falls(first, small_fit, small_record, small_task, fit_settings, small_scale):
    settings = dataclasses.replace(fit_settings, method="em", em_max_iterations=25)
    # A broad start, and the one that the accelerated fit had.
    start = np.array([0.1, 0.3, 0.2, 0.05, 0.3, 0.5, 0.4, 0.4, 0.1, 0.4])
    start = small_fit.starts[0].start if first else start
    fit = fit_record(small_record, small_task, settings, [start], scale=small_scale)
    likelihood = np.array(fit.starts[0].history.log_likelihood)
    assert likelihood.size > 5
    assert np.diff(likelihood).min() >= -1e-9 * np.abs(likelihood).max()
    assert "EM" in fit.starts[0].stop_reason or fit.starts[0].converged
    # EM comes within 40 nats of the top, then crawls, and never passes the maximum.
    assert small_fit.log_likelihood - 40 < likelihood[-1] <= small_fit.log_likelihood + 1e-6


def test_squarem_climbs_to_the_same_maximum_in_fewer_e_steps(
    small_fit, small_record, small_task, fit_settings, small_scale
):
    ends = {}
    for method in ("em", "squarem"):
        settings = dataclasses.replace(
            fit_settings, method=method, em_max_iterations=60, em_tolerance=1e-9
        )
        start = small_fit.starts[0].start
        ends[method] = climb(small_record, small_task, settings, start, small_scale)
        likelihood = np.array(ends[method].history.log_likelihood)
        assert np.diff(likelihood).min() >= -1e-9 * np.abs(likelihood).max()
        # The start, 60 E-steps and one per parameter for the information.
        assert ends[method].n_evaluations <= 61 + 11 + 2 * 10
        assert likelihood[-1] == ends[method].log_likelihood
        assert likelihood[-1] <= small_fit.log_likelihood + 1e-6
    assert "SQUAREM" in ends["squarem"].stop_reason
    left = {method: small_fit.log_likelihood - end.log_likelihood for method, end in ends.items()}
    assert left["squarem"] < left["em"]


def test_climb_is_a_fits_start_by_itself(
    small_fit, small_record, small_task, fit_settings, small_scale
):
    expected = small_fit.starts[0]
    found = climb(small_record, small_task, fit_settings, expected.start, small_scale)
    np.testing.assert_array_equal(found.end, expected.end)
    assert found.history.log_likelihood == expected.history.log_likelihood
    with pytest.raises(RecordError):
        climb(small_record, Task(n_bins=5, n_cues=2), fit_settings, expected.start, small_scale)


def test_em_refuses_a_step_down(monkeypatch, paper_agent, small_record, small_task, fit_settings):
    settings = dataclasses.replace(fit_settings, method="em", em_max_iterations=5)
    monkeypatch.setattr(fitting, "_maximize_q_function", lambda _, eta, *__: eta + 0.5)
    fit = fit_record(small_record, small_task, settings, [paper_agent], scale=np.eye(10))
    assert "fell" in fit.starts[0].stop_reason
    np.testing.assert_allclose(fit.estimate, paper_agent, rtol=1e-12)


def test_evaluations_are_limited(small_fit, small_record, small_task, fit_settings, small_scale):
    settings = dataclasses.replace(fit_settings, max_evaluations=12, warm_up_iterations=1)
    start = small_fit.starts[0].start
    fit = fit_record(small_record.head(300), small_task, settings, [start], scale=small_scale)
    assert fit.status != "converged"
    assert not fit.starts[0].converged
    # The line search may overrun by a step; Newton rounds add their own.
    assert fit.starts[0].n_evaluations < 12 + 20 * 15 + 12 * 12
    assert len(fit.starts[0].history.log_likelihood) >= 2


def test_fits_repeat_to_the_last_bit(small_record, small_task, fit_settings, small_scale):
    settings = dataclasses.replace(fit_settings, max_evaluations=15)
    record = small_record.head(400)
    rngs = [np.random.default_rng(4) for _ in range(2)]
    fits = [
        fit_record(
            record,
            small_task,
            settings,
            [choose_start(record, small_task, settings, rng)],
            scale=small_scale,
        )
        for rng in rngs
    ]
    np.testing.assert_array_equal(fits[0].estimate, fits[1].estimate)
    np.testing.assert_array_equal(fits[0].information, fits[1].information)
    assert fits[0].log_likelihood == fits[1].log_likelihood
    histories = [fit.starts[0].history for fit in fits]
    assert histories[0].log_likelihood == histories[1].log_likelihood


def test_chosen_start_is_the_likeliest_candidate(small_record, small_task, fit_settings):
    record, inputs = small_record.head(200), chain_inputs(small_record.head(200))
    lone = dataclasses.replace(fit_settings, candidates_per_start=1)
    rng = np.random.default_rng(7)
    candidates = [choose_start(record, small_task, lone, rng) for _ in range(8)]
    ranges = np.array([fit_settings.start_ranges[p.name] for p in AGENT_PARAMETERS])
    for candidate in candidates:
        assert (candidate >= ranges[:, 0]).all()
        assert (candidate <= ranges[:, 1]).all()
    chosen = choose_start(record, small_task, fit_settings, np.random.default_rng(7))
    likelihoods = [log_likelihood(theta, inputs, small_task) for theta in candidates]
    np.testing.assert_array_equal(chosen, candidates[int(np.argmax(likelihoods))])


def test_reserve_starts_serve_only_where_none_converged(
    small_fit, small_record, small_task, fit_settings, small_scale
):
    spare = [small_fit.estimate, small_fit.estimate]
    fit = fit_record(
        small_record, small_task, fit_settings, [small_fit.estimate], spare, small_scale
    )
    assert len(fit.starts) == 1
    assert fit.status == "converged"
    hopeless = dataclasses.replace(fit_settings, max_evaluations=1, warm_up_iterations=0)
    short = small_record.head(60)
    fit = fit_record(short, small_task, hopeless, [small_fit.estimate], spare, small_scale)
    assert len(fit.starts) >= 3


def test_search_scale_whitens_a_generic_agent(small_scale, fit_settings, small_task):
    assert np.isfinite(small_scale).all()
    assert np.linalg.matrix_rank(small_scale) == 10
    again = generic_whitening(fit_settings, small_task)
    np.testing.assert_array_equal(small_scale, again)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("ten steps", "only 10 steps"),
        (_blank(80), "never leaves one place (middle)"),
        (_blank(80), "only one action"),
        (_blank(80, location=np.ones(80, dtype=np.int64)), "never leaves one place (box 1)"),
        (
            _blank(80, location=np.arange(80) % 2, action=2 - np.arange(80) % 2),
            "never opens a box",
        ),
    ],
    ids=["ten steps", "middle", "one action", "box 1", "never opens"],
)
def test_degenerate_records_are_marked(
    record, words, small_record, small_task, fit_settings, small_scale
):
    record = small_record.head(10) if record == "ten steps" else record
    assert any(words in reason for reason in degeneracies(record))
    settings = dataclasses.replace(fit_settings, max_evaluations=15, warm_up_iterations=1)
    start = np.array([0.2, 0.2, 0.1, 0.1, 0.4, 0.6, 0.2, 0.2, 0.2, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = fit_record(record, small_task, settings, [start], scale=small_scale)
    assert fit.status == "degenerate_record"
    assert any(words in remark for remark in fit.remarks)
    assert np.isfinite(fit.estimate).all()
    assert np.isfinite(fit.log_likelihood)


def test_healthy_record_is_not_called_degenerate(small_record):
    assert degeneracies(small_record) == []


def test_estimate_at_a_bound_is_marked(
    small_fit, small_record, small_task, fit_settings, small_scale
):
    """An agent that sees cues but believes that food never vanishes from box 1, to within 1e-5."""
    start = small_fit.estimate.copy()
    start[2] = 1e-5
    # No E-steps to spare: the fit ends where it begins.
    settings = dataclasses.replace(fit_settings, method="em", em_max_iterations=0)
    fit = fit_record(small_record, small_task, settings, [start], scale=small_scale)
    assert fit.parameter_at_bound.tolist() == [k == 2 for k in range(10)]
    assert any("at a bound: disappearance_rate_1" in remark for remark in fit.remarks)
    assert fit.status != "converged"


@pytest.mark.parametrize("method", ["quasi_newton", "em"])
def test_real_jump_is_met_and_marked(method):
    """Near the bistable agent 0.03 % of gamma_1 change the log-likelihood by 126 nats."""
    with np.load(REFERENCE / "bistable_n10.npz") as stored:
        theta = stored["theta"]
        columns = [stored[name] for name in ("location", "action", "reward")]
        cue = np.stack([stored["color_1"], stored["color_2"]], 1)
        record = Record(np.zeros(400, dtype=np.int64), *columns, cue)
    task, inputs = Task(), chain_inputs(record)
    sides = []
    for factor in (0.9707, 0.9710):
        beside = theta.copy()
        beside[0] *= factor
        sides.append(log_likelihood(beside, inputs, task))
    assert sides[1] - sides[0] > 100
    start = theta.copy()
    start[0] *= 0.9
    settings = FitSettings(
        start_ranges={},
        method=method,
        warm_up_iterations=0,
        max_evaluations=12,
        em_max_iterations=1,
        em_ascent_steps=4,
    )
    # Coordinates in which the first step goes across.
    fit = fit_record(record, task, settings, [start], scale=0.1 * np.eye(10))
    assert fit.starts[0].jump_sides is not None
    assert any("jump" in remark for remark in fit.remarks)
    assert len(fit.starts) == 3, "two more starts, one on each side"
    for result, side in zip(fit.starts[1:], fit.starts[0].jump_sides, strict=True):
        np.testing.assert_array_equal(result.start, side)


@pytest.mark.parametrize(("jumped", "n_starts"), [((True, False), 2), ((False, True), 4)])
def test_more_starts_lie_beside_the_jump_of_the_highest_start_alone(
    monkeypatch, small_record, small_task, paper_agent, jumped, n_starts
):
    sides = (0.9 * paper_agent, 1.1 * paper_agent)
    ends = iter(zip((-50.0, -40.0, -60.0, -60.0), (*jumped, False, False), strict=True))
    honest = fitting._fit_start

    def fit_start(start, *given):
        log_likelihood, jump = next(ends)
        result = honest(start, *given)
        beside = sides if jump else None
        return dataclasses.replace(result, log_likelihood=log_likelihood, jump_sides=beside)

    monkeypatch.setattr(fitting, "_fit_start", fit_start)
    settings = FitSettings(start_ranges={}, max_evaluations=2)
    starts = [paper_agent, paper_agent]
    fit = fit_record(small_record.head(300), small_task, settings, starts, scale=np.eye(10))
    assert len(fit.starts) == n_starts and fit.best == 1
    assert any("jump" in remark for remark in fit.remarks), "any jump is remarked"


class _Curve:
    """Stands in for a search: any function of eta with its slope."""

    def __init__(self, function, slope):
        self.function, self.slope, self.way = function, slope, []

    def point(self, eta):
        self.way.append((eta.copy(), self.function(eta), self.slope(eta)))
        return self.way[-1][1:]


@pytest.mark.parametrize(
    ("height", "steps"),
    [(127.0, (1.5, 0.8, -0.7, -0.2)), (-20.0, (1.5, 0.8, -0.7)), (3.0, (0.5, 0.2, 0.1))],
)
def test_planted_jump_is_found_between_its_sides(height, steps):
    def function(eta):
        return -0.5 * float(eta @ eta) + height * (eta[0] > 0.3)

    curve = _Curve(function, lambda eta: -eta)
    for step in steps:
        curve.point(np.full(10, step))
    sides = fitting._find_jump(curve)
    assert sides is not None
    first = sorted(unconstrained(side)[0] for side in sides)
    assert first[0] < 0.3 < first[1]
    # A quarter of a unit off the jump, along a diagonal of ten equal coordinates.
    np.testing.assert_allclose(np.abs(np.array(first) - 0.3), 0.25 / np.sqrt(10), atol=5e-3)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda eta: -200 * eta @ eta, lambda eta: -400 * eta),
        (lambda eta: -50 * np.cosh(3 * eta).sum(), lambda eta: -150 * np.sinh(3 * eta)),
        (lambda eta: 100 * np.sin(4 * eta).sum(), lambda eta: 400 * np.cos(4 * eta)),
    ],
    ids=["parabola", "cosh", "waves"],
)
def test_smooth_curves_hold_no_jump(function, slope):
    curve = _Curve(lambda eta: float(function(eta)), slope)
    for step in (1.5, 0.8, -0.7, -0.2, 0.9):
        curve.point(np.full(10, step))
    assert fitting._find_jump(curve) is None


def test_a_saddle_is_left_uphill_and_a_maximum_is_not():
    def local(curvature):
        return fitting._Local.at(np.diag([*curvature, *np.ones(8)]), FULL_SPACE)

    curve = _Curve(lambda eta: float(eta[0] ** 2 - eta[0] ** 4 - eta[1] ** 2), np.zeros_like)
    beyond = fitting._leave_saddle(curve, np.zeros(10), 0.0, local((-2.0, 2.0)))
    assert abs(beyond[0]) == pytest.approx(0.3)  # at 1 it is as low again
    assert curve.function(beyond) > 0
    assert fitting._leave_saddle(curve, np.zeros(10), 0.0, local((2.0, 2.0))) is None
    flat = _Curve(lambda eta: -float(eta @ eta), np.zeros_like)
    assert fitting._leave_saddle(flat, np.zeros(10), 0.0, local((-2.0, 2.0))) is None


def test_more_starts_are_not_wasted_on_a_degenerate_record(
    small_record, small_task, fit_settings, small_scale, paper_agent
):
    fit = fit_record(
        small_record.head(10), small_task, fit_settings, [paper_agent], [paper_agent], small_scale
    )
    assert len(fit.starts) == 1
    assert fit.status == "degenerate_record"


def test_unsolved_start_gives_a_marked_result(
    monkeypatch, small_record, small_task, fit_settings, paper_agent
):
    unsolved = dataclasses.replace(
        evaluate(paper_agent, chain_inputs(small_record.head(2)), small_task), gradient=None
    )
    monkeypatch.setattr(fitting, "evaluate", lambda *_: unsolved)
    fit = fit_record(small_record, small_task, fit_settings, [paper_agent], scale=np.eye(10))
    assert fit.status == "not_converged"
    assert np.isnan(fit.estimate).all()
    assert np.isnan(fit.log_likelihood)
    assert "failed at the start" in fit.starts[0].stop_reason
    assert fit.remarks


def test_unsolved_trial_is_a_rejected_step(
    monkeypatch, small_fit, small_record, small_task, fit_settings, small_scale
):
    """The planner "fails" wherever gamma_1 exceeds a wall between start and maximum."""
    wall = small_fit.estimate[0] - 0.02
    original = evaluate

    def walled(theta, inputs, task):
        found = original(theta, inputs, task)
        return dataclasses.replace(found, gradient=None) if theta[0] > wall else found

    monkeypatch.setattr(fitting, "evaluate", walled)
    start = small_fit.estimate.copy()
    start[0] = wall - 0.05
    settings = dataclasses.replace(fit_settings, max_evaluations=40)
    fit = fit_record(small_record, small_task, settings, [start], scale=small_scale)
    assert fit.estimate[0] <= wall
    assert np.isfinite(fit.log_likelihood)
    begun = log_likelihood(start, chain_inputs(small_record), small_task)
    assert fit.log_likelihood > begun
    assert fit.status != "converged"


def test_bad_calls_are_refused(small_record, small_task, fit_settings):
    with pytest.raises(ValueError, match="starts: found none, allowed: at least one"):
        fit_record(small_record, small_task, fit_settings, [])
    with pytest.raises(RecordError, match="cue_1 at row"):
        fit_record(small_record, Task(n_bins=5, n_cues=2), fit_settings, [np.ones(10)])


def test_settings_come_from_the_configuration(fit_settings):
    config = {
        "start_ranges": fit_settings.start_ranges,
        "candidates_per_start": 3,
        "method": "em",
        "tolerance": 1e-5,
        "max_evaluations": 7,
        "difference_step": 2e-3,
        "warm_up_iterations": 4,
        "em": {"max_iterations": 11, "ascent_steps": 12, "tolerance": 0.5},
    }
    settings = FitSettings.from_config(config)
    assert dataclasses.astuple(settings)[1:] == (3, "em", 1e-5, 7, 2e-3, 4, 11, 12, 0.5)


def test_fit_in_a_space_is_the_maximum_there(small_record, small_task, fit_settings, paper_agent):
    """Fixed parameters stay to the last bit, tied ones agree, and no free direction climbs."""
    space = parameter_space(
        {"travel_cost": 0.25, "cue_probability_present": 0.42},
        [("disappearance_rate_1", "disappearance_rate_2")],
    )
    fit = fit_record(small_record, small_task, fit_settings, [paper_agent], space=space)
    assert fit.status in ("converged", "at_bound")
    assert fit.estimate[7] == 0.25
    assert fit.estimate[4] == 0.42
    assert fit.estimate[2] == pytest.approx(fit.estimate[3], rel=1e-14)
    assert fit.information.shape == (7, 7)
    inputs = chain_inputs(small_record)
    slope = _slope(unconstrained(fit.estimate), inputs, small_task)
    by_space = space.directions.T @ slope
    assert np.abs(by_space).max() < 0.05 < np.abs(slope).max()
    interval = uncertainty(fit.estimate, fit.information, 0.95, space)
    np.testing.assert_array_equal(interval.standard_error[[4, 7]], 0.0)
    assert (interval.standard_error[space.is_free] > 0).all()


def test_information_in_a_space_is_the_full_one_projected(small_record, small_task, paper_agent):
    space = parameter_space({"push_cost": 0.3}, [("appearance_rate_1", "appearance_rate_2")])
    inputs = chain_inputs(small_record)
    eta = unconstrained(paper_agent)
    full = observed_information(eta, inputs, small_task, 1e-3)
    part = observed_information(eta, inputs, small_task, 1e-3, space=space)
    expected = space.directions.T @ full @ space.directions
    # Both are central differences of step 1e-3, in different directions.
    np.testing.assert_allclose(part, expected, rtol=0, atol=1e-4 * np.abs(full).max())
    slope = _slope(eta, inputs, small_task)
    to_one_side = observed_information(eta, inputs, small_task, 1e-5, slope)
    np.testing.assert_allclose(to_one_side, full, rtol=0, atol=1e-3 * np.abs(full).max())
