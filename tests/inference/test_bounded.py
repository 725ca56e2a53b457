"""Parameters kept within an interval: coordinates, fit, intervals, posterior, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import choose_start, fit_from_random_starts
from inverse_rational_control.inference.bound_intervals import with_profile_intervals
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.posterior import draw_posterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import AGENT_PARAMETERS, agent_parameters
from inverse_rational_control.random_streams import stream
from inverse_rational_control.task import Task
from tests.inference import gaussian
from tests.inference.toy import PARAMETERS, TRUTH, Psychometric
from tests.oracles.differences import central_differences

SETTINGS = FitSettings()
WITHIN = {"threshold": (0.2, 0.9), "width": (0.1, 3.0), "lapse": (0.05, 0.3)}


def test_coordinates_stay_inside_and_have_the_derivative_of_their_differences():
    kept = Coordinates(tuple(each.within(*WITHIN[each.name]) for each in PARAMETERS))
    eta = np.array([[-0.7, 0.2, 1.3], [3.0, -2.0, 0.0]])
    theta = kept.natural(eta)
    np.testing.assert_allclose(kept.unconstrained(theta), eta, rtol=1e-12, atol=1e-12)
    for row in range(2):
        for k in range(3):

            def one(moved, row=row, k=k):
                return kept.natural(np.where(np.arange(3) == k, moved[0], eta[row]))[k]

            slope = central_differences(one, eta[row, [k]])[0]
            assert kept.natural_jacobian(theta[row])[k] == pytest.approx(slope, rel=1e-9)
    for far, end in ((-15.9, 0), (15.9, 1)):
        theta = kept.natural(np.full(3, far))
        np.testing.assert_allclose(theta, [WITHIN[p.name][end] for p in PARAMETERS], rtol=1e-5)
        assert kept.at_bound(theta).all()
    # A thousandth of the width, not of one.
    assert not kept.at_bound(np.array([0.2 + 8e-4, 1.0, 0.1]))[0]
    assert kept.at_bound(np.array([0.2 + 6e-4, 1.0, 0.1]))[0]


def test_ranges_are_cut_to_what_lies_inside():
    kept = Coordinates(tuple(each.within(0.0, 1.0) for each in PARAMETERS))
    ends = np.array([[-1.0, 0.3, 2.0], [0.4, 0.6, 3.0]])
    np.testing.assert_allclose(kept.ranges_inside(ends), [[0.025, 0.3, 0.025], [0.4, 0.6, 0.975]])
    free = Coordinates(AGENT_PARAMETERS)
    ends = np.array([np.full(10, 0.01), np.full(10, 0.99)])
    np.testing.assert_array_equal(free.ranges_inside(ends), ends)


@pytest.mark.parametrize(
    ("name", "ends", "words"),
    [
        ("push_cost", (0.5, 0.5), r"bounded.push_cost: found \[0.5, 0.5\], allowed: \[low, high\]"),
        ("push_cost", (0.0, np.inf), "bounded.push_cost"),
        ("push_cost", (1.0, 1.0 + 1e-9), "bounded.push_cost"),
        ("appearance_rate_1", (-0.1, 0.5), r"with low < high within \[0, 1\]"),
        (
            "diffusion",
            (0.001, 0.1),
            r"bounded.diffusion: found \[0.001, 0.1\].*within \[0.01, inf\]",
        ),
        ("greed", (0.0, 1.0), "found 'greed'"),
    ],
)
def test_impossible_bounds_are_refused(name, ends, words):
    with pytest.raises(ValueError, match=words):
        parameter_space({}, (), agent_parameters(("diffusion",), 10), {name: ends})


def test_what_is_held_has_no_bounds_and_what_is_tied_has_the_same():
    ends = {"push_cost": (0.0, 0.5)}
    with pytest.raises(ValueError, match="found a bound of what is held"):
        parameter_space({"push_cost": 0.3}, (), bounded=ends)
    tied = [("travel_cost", "push_cost")]
    with pytest.raises(ValueError, match="bounded alike"):
        parameter_space({}, tied, bounded=ends)
    space = parameter_space({}, tied, bounded={**ends, "travel_cost": (0.0, 0.5)})
    theta = space.natural(space.directions @ np.full(space.size, 0.7))
    assert theta[7] == theta[8] and 0.25 < theta[7] < 0.5


def test_bounds_that_do_not_matter_change_nothing_but_the_coordinates():
    data = Psychometric.simulated(2000)
    free = fit(data, SETTINGS, [TRUTH])
    kept = fit(data.within(parameter_space({}, (), PARAMETERS, WITHIN)), SETTINGS, [TRUTH])
    assert kept.status == free.status == "converged"
    np.testing.assert_allclose(kept.estimate, free.estimate, rtol=1e-4)
    assert kept.log_likelihood == pytest.approx(free.log_likelihood, abs=1e-5)
    np.testing.assert_allclose(
        kept.intervals().standard_error, free.intervals().standard_error, rtol=1e-3
    )


def test_a_maximum_outside_ends_at_the_bound_and_so_does_its_interval():
    data = Psychometric.simulated(500)
    within = {"threshold": (0.6, 1.5)}
    kept = data.within(parameter_space({}, (), PARAMETERS, within))
    found = with_profile_intervals(fit(kept, SETTINGS, [np.array([0.8, 0.4, 0.1])]), kept)
    assert found.status == "at_bound" and found.at_bound.tolist() == [True, False, False]
    assert "at a bound: threshold (kept within [0.6, 1.5])" in found.remarks
    assert 0.6 < found.estimate[0] < 0.6 + 1e-3
    intervals = found.intervals()
    assert intervals.lower[0] == 0.6

    # The profile by brute force: others at their best for each threshold.
    def profile(value):
        held = data.within(parameter_space({"threshold": value}, (), PARAMETERS))
        return fit(held, SETTINGS, [TRUTH]).log_likelihood

    below = 2 * (profile(0.6 + 1e-9) - profile(intervals.upper[0]))
    assert below == pytest.approx(norm.ppf(0.975) ** 2, rel=0.05)


def test_draws_of_a_posterior_lie_inside_and_have_its_mean():
    """One Gaussian parameter within an interval, against quadrature."""
    held = {"a": 0.3, "b": -0.5}
    space = parameter_space(held, (), gaussian.PARAMETERS, {"c": (0.0, 1.0)})
    prior = normal_prior({**gaussian.INTERVALS, "c": (0.2, 3.0)}, space)
    density = LogPosterior(gaussian.Gaussian(space), prior)
    found = draw_posterior(
        density, SETTINGS, gaussian.QUICK, [space.admit(np.array([0.3, -0.5, 0.5]))], stream(1, "x")
    )
    assert ((found.draws[:, 2] > 0) & (found.draws[:, 2] < 1)).all()

    def height(eta):
        theta = space.natural(np.array([0.3, -0.5, eta]))
        theta[:2] = 0.3, -0.5
        value = gaussian.Gaussian(space).log_likelihood(theta)
        z = (eta - prior.mean[2]) / prior.standard_deviation[2]
        return np.exp(value - 0.5 * z**2), theta[2]

    mass = quad(lambda eta: height(eta)[0], -15, 15)[0]
    mean = quad(lambda eta: height(eta)[0] * height(eta)[1], -15, 15)[0] / mass
    deviation = found.draws[:, 2].std()
    assert found.draws[:, 2].mean() == pytest.approx(mean, abs=0.15 * deviation)
    # The stated interval's part inside, its end moved to 2.5 % of the width, has 95 % of the prior.
    np.testing.assert_allclose(prior.quantiles([0.025, 0.975])[:, 2], [0.2, 0.975], rtol=1e-12)


BOUNDED = {
    "push_cost": (0.0, 0.25),
    "appearance_rate_1": (0.1, 0.9),
    "temperature": (0.1, 0.4),
    "lapse": (0.0, 0.2),
    "discount": (0.9, 1.0),
}


def test_the_gradient_of_foraging_is_that_of_differences(paper_agent, small_record):
    task, extras = Task(n_bins=5), ("lapse", "discount")
    space = parameter_space({}, (), agent_parameters(extras, 5), BOUNDED)
    objective = ForagingObjective(small_record.head(300), task, space)
    theta = np.array([*paper_agent[:8], 0.2, paper_agent[9], 0.03, 0.97])
    evaluation = objective.evaluate(theta)
    by_eta = evaluation.gradient * space.natural_jacobian(theta)
    expected = central_differences(
        lambda eta: objective.log_likelihood(space.natural(eta)), space.unconstrained(theta)
    )
    np.testing.assert_allclose(by_eta, expected, rtol=1e-5, atol=1e-4)


def test_an_agent_is_fitted_within_its_bounds(small_record, small_task, fit_settings):
    """Its push cost is 0.3, which is not allowed; starts are drawn inside as well."""
    space = parameter_space({}, (), bounded={"push_cost": (0.0, 0.25), "grooming_reward": (0, 1)})
    objective = ForagingObjective(small_record, small_task, space)
    for number in range(3):
        start = choose_start(objective, fit_settings, np.random.default_rng(number))
        assert 0 < start[8] < 0.25
    found = fit_from_random_starts(objective, fit_settings, lambda k: stream(3, k), 2)
    assert found.status == "at_bound"
    assert found.at_bound.tolist() == [False] * 8 + [True, False]
    assert found.estimate[8] == pytest.approx(0.25, abs=3e-4)
    held = parameter_space({"push_cost": 0.25})
    best = fit_from_random_starts(objective.within(held), fit_settings, lambda k: stream(3, k), 1)
    assert found.log_likelihood == pytest.approx(best.log_likelihood, abs=0.05)
