"""Verdicts of whole fits: what would let a wrong one pass as an estimate."""

import numpy as np
import pytest

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.coordinates import Parameter
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.em import em
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.newton import newton
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.inference.search import Search, tolerated_fall
from inverse_rational_control.inference.squarem import squarem
from inverse_rational_control.inference.start import fit_start
from inverse_rational_control.parameter_space import parameter_space
from tests.inference.toy import TRUTH, NothingLatent, Psychometric


class _NeverLapses(Psychometric):
    """Answers that no lapse explains better than none: the maximum is at a bound."""

    def probability(self, theta):
        return super().probability([*theta[:2], np.clip(theta[2], 1e-300, 1.0)])


def test_a_maximum_at_a_bound_is_given_as_such():
    """One side of the threshold always yes, the other always no, but for the width."""
    x = np.linspace(-2, 3, 2000)
    width, threshold = 0.4, 0.5
    expected = 1 / (1 + np.exp(-(x - threshold) / width))
    # As many yes as the function without lapses predicts, evenly spread: nothing is left to chance.
    yes = np.diff(np.floor(np.cumsum(expected)), prepend=0.0) > 0
    yes[x < -1.0], yes[x > 2.0] = False, True
    found = fit(_NeverLapses(x, yes), FitSettings(), [TRUTH])
    assert found.at_bound.tolist() == [False, False, True]
    assert found.estimate[2] < 1e-5
    assert found.status == "at_bound"


def test_an_estimate_whose_plan_repels_is_not_converged(
    monkeypatch, small_objective, small_fit, fit_settings, small_whitening
):
    """The same estimate, sound but for the spectral radius."""
    assert small_fit.status == "converged"
    model = small_objective.evaluate(small_fit.estimate).model
    for radius, status in ((1.001, "not_converged"), (np.nan, "not_converged"), (0.9, "converged")):
        monkeypatch.setattr(type(model), "planner_radius", lambda _, given=radius: given)
        found = fit(
            ForagingObjective(small_objective.record, small_objective.task),
            *(fit_settings, [small_fit.estimate]),
            whitening=small_whitening,
        )
        assert found.status == status
        assert any("not attracting" in said for said in found.remarks) == (radius != 0.9)


_PLANE = parameter_space(
    parameters=tuple(Parameter(name, f"${name}$", "identity", "1") for name in ("x", "y"))
)


class _TwoHills(NothingLatent):
    """Maxima of height 25 at x = 1 and x = -1, a saddle of height 0 between them."""

    space, n_steps = _PLANE, 1000

    def log_likelihood(self, theta):
        x, y = theta
        return float(50.0 * x**2 - 25.0 * x**4 - 10.0 * y**2)

    def evaluate(self, theta):
        x, y = theta
        return Evaluation(self.log_likelihood(theta), np.array([100 * (x - x**3), -20 * y]))


def test_a_start_that_ends_on_a_saddle_goes_on_to_a_maximum():
    result = fit_start(_TwoHills(), FitSettings(), np.array([0.0, 0.5]))
    assert abs(result.end[0]) == pytest.approx(1.0, abs=1e-4)
    assert result.log_likelihood == pytest.approx(25.0, abs=1e-6)
    assert result.converged


def test_converged_means_within_the_tolerance_that_was_asked_for():
    """An end that EM left short of the maximum, judged by tolerances below and above its decrement."""
    toy = Psychometric.simulated()
    short = {"max_iterations": 2, "ascent_steps": 3, "tolerance": 1e-12}
    settings = FitSettings(method="em", em=short)
    start = TRUTH * 1.05
    decrement = fit(toy, settings, [start]).starts[0].newton_decrement
    assert decrement > 1e-9
    for factor, status in ((0.5, "not_converged"), (2.0, "converged")):
        judged = fit(toy, settings.model_copy(update={"tolerance": factor * decrement}), [start])
        assert judged.starts[0].newton_decrement == pytest.approx(decrement, rel=1e-6)
        assert judged.starts[0].converged == (status == "converged")
        assert judged.status == status
        by_itself = fit_start(toy, judged.settings, start)
        assert by_itself.converged == judged.starts[0].converged


class _WrongQ(Psychometric):
    """Its Q function is higher where the likelihood is lower: an E-step that counts wrongly."""

    def q_function(self, theta, evaluation):
        found = self.evaluate(theta)
        return -found.log_likelihood, -found.gradient


@pytest.mark.parametrize("method", [em, squarem])
def test_falls_of_em_are_noted_though_they_are_not_taken(method):
    limits = FitSettings().em.model_copy(update={"max_iterations": 5})
    toy = Psychometric.simulated()
    for kind, falls in ((Psychometric, False), (_WrongQ, True)):
        search = Search(kind(toy.x, toy.yes), toy.space.directions)
        eta = toy.space.unconstrained(np.array([0.0, 1.0, 0.3]))
        found = method(search, eta, limits)
        assert (search.em_fall > tolerated_fall(found.log_likelihood)) == falls
        # What was taken never fell: the path alone tells nothing.
        assert (np.diff(found.path.log_likelihood) >= 0).all()


def test_a_fall_is_kept_with_the_start():
    """All steps of a warm-up rose, but those up a wrong Q function."""
    toy, warm = Psychometric.simulated(), FitSettings(warm_up_iterations=3)
    for kind, falls in ((Psychometric, False), (_WrongQ, True)):
        (result,) = fit(kind(toy.x, toy.yes), warm, [np.array([0.0, 1.0, 0.3])]).starts
        assert (result.em_fall > tolerated_fall(result.log_likelihood)) == falls
    (cold,) = fit(toy, FitSettings(), [np.array([0.0, 1.0, 0.3])]).starts
    assert cold.em_fall == -np.inf


class _NearABound(NothingLatent):
    """A hill in x beside a probability that is best within a thousandth of 0."""

    space = parameter_space(
        parameters=(
            Parameter("x", "$x$", "identity", "1"),
            Parameter("probability", "$p$", "logit", "1"),
        )
    )
    n_steps = 1000
    best = -8.0

    def within(self, space):
        return self

    def evaluate(self, theta):
        x, p = theta
        off = np.log(p / (1 - p)) - self.best
        total = -50 * (x - 1) ** 2 - 0.25 * off**2
        return Evaluation(total, np.array([-100 * (x - 1), -0.5 * off / (p * (1 - p))]))

    def log_likelihood(self, theta):
        return self.evaluate(theta).log_likelihood


def test_last_digits_are_sought_at_a_bound_as_long_as_steps_find_them():
    """They are given up only where information taken just there does not lead on."""
    hill = _NearABound()
    search = Search(hill, hill.space.directions)
    begin = np.array([1.001, hill.best])
    climb = newton(search, begin, FitSettings())
    assert -6e-5 < search.visited[0].log_likelihood < -4e-5
    assert not climb.failed and climb.log_likelihood > -1e-7
    assert hill.space.at_bound(hill.space.natural(climb.end)).any()
