"""Searches that know of each other: what a later one is spared, and what it is not."""

from dataclasses import replace

import numpy as np
import pytest

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.coordinates import Parameter
from inverse_rational_control.inference import fit as fit_module
from inverse_rational_control.inference import start as start_module
from inverse_rational_control.inference.agreement import agreement
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.inference.search import Search
from inverse_rational_control.inference.searches import Searches
from inverse_rational_control.inference.start import AGREE, Start, run_start
from inverse_rational_control.parameter_space import parameter_space
from tests.inference.toy import TRUTH, NothingLatent, Psychometric

FAR = np.array([-0.5, 1.5, 0.4])


@pytest.fixture(scope="module")
def toy():
    return Psychometric.simulated()


@pytest.fixture(scope="module")
def alone(toy):
    return run_start(Search(toy, toy.space.directions), FAR, FitSettings())


def test_a_second_start_stops_where_the_first_leads_on(toy):
    searches = Searches(toy, FitSettings())
    for _ in range(2):
        searches.run(FAR)
    first, second = searches.results
    assert first.converged and second.settled
    # Without information of its own and without the last digits.
    assert second.n_evaluations <= first.n_evaluations - toy.space.size
    assert 0 <= first.log_likelihood - second.log_likelihood < AGREE
    assert searches.top == 0


def test_the_top_is_one_that_converged_unless_another_is_truly_higher(toy):
    searches = Searches(toy, FitSettings())
    for _ in range(2):
        searches.run(FAR)
    first, second = searches.results
    for above, top in ((5e-4, 0), (5e-3, 1)):
        higher = first.log_likelihood + above
        searches.results[1] = replace(second, log_likelihood=higher, converged=False)
        assert searches.top == top


class _TwoHills(NothingLatent):
    """Two maxima at x = 0 and x = 4, the second lower by one nat; y is as steep as anywhere."""

    space = parameter_space(
        parameters=tuple(Parameter(name, f"${name}$", "identity", "1") for name in ("x", "y"))
    )
    n_steps = 1000

    def within(self, space):
        return self

    def evaluate(self, theta):
        x, y = theta
        hills = np.array([np.exp(-0.5 * x**2), np.exp(-0.5 * (x - 4) ** 2 - 0.1)])
        slopes = hills @ np.array([-x, 4 - x])
        total = 10 * hills.sum() - y**2
        return Evaluation(total, np.array([10 * slopes, -2 * y]))

    def log_likelihood(self, theta):
        return self.evaluate(theta).log_likelihood


def _from_the_lower_hill(known, thorough):
    hills = _TwoHills()
    search = Search(hills, hills.space.directions)
    return run_start(search, np.array([4.5, 0.7]), FitSettings(), known, thorough)


def test_a_challenger_is_left_on_a_lower_maximum():
    free = _from_the_lower_hill(-np.inf, thorough=True)
    assert free.converged
    left = _from_the_lower_hill(free.log_likelihood + 0.95, thorough=False)
    # Without the last digits: it ends where the other one went on.
    assert left.settled and left.newton_decrement > 1e-7 > free.newton_decrement
    assert left.n_evaluations <= free.n_evaluations
    # It still counts as another maximum; an independent start seeks the last digits.
    assert left.log_likelihood == pytest.approx(free.log_likelihood, abs=1e-3)
    assert _from_the_lower_hill(free.log_likelihood + 0.95, thorough=True).converged
    # What is higher than all others is sought to the last digits, a challenger too.
    assert _from_the_lower_hill(free.log_likelihood - 0.95, thorough=False).converged


def test_a_start_that_wanders_is_left(monkeypatch, toy, alone):
    monkeypatch.setattr(start_module, "_PATIENCE", 4)
    search = Search(toy, toy.space.directions)
    left = run_start(search, FAR, FitSettings(), alone.log_likelihood)
    assert "left" in left.stop_reason and not left.converged
    assert left.n_evaluations < 10 < alone.n_evaluations


def test_information_is_exact_and_not_taken_twice(monkeypatch, toy):
    taken = []

    honest = fit_module.observed_information

    def information(objective, eta, step, gradient):
        taken.append(eta)
        return honest(objective, eta, step, gradient)

    monkeypatch.setattr(fit_module, "observed_information", information)
    found = fit(toy, FitSettings(), [TRUTH])
    assert len(taken) == 1
    # What a search found exactly at its end serves again, and nothing else does.
    searches = Searches(toy, FitSettings())
    searches.run(found.estimate)
    end = toy.space.unconstrained(searches.results[0].end)
    searches.curvatures.clear()
    search = Search(toy, toy.space.directions, searches.curvatures)
    agreed = agreement(searches.results)
    for place, n_taken in ((end + 1e-3, 2), (end, 2)):
        search.curvature(place, 1e-6)
        fit_module._judged(searches, [], agreed)
        assert len(taken) == n_taken


def test_starts_may_be_plain_parameters_or_say_what_led_there(toy):
    found = fit(
        toy, FitSettings(), [FAR, Start(FAR, n_evaluations=100, challenger=True, seconds=50.0)]
    )
    plain, led = found.starts
    assert plain.n_evaluations < 100 < led.n_evaluations
    # Its path tells what was spent before it began.
    assert (plain.path.evaluations[0], led.path.evaluations[0]) == (1, 101)
    assert (
        plain.path.seconds[-1] < 50.0 < led.path.seconds[0] <= led.path.seconds[-1] <= led.seconds
    )
