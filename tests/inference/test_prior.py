"""Priors, and the posterior's mode."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PRIOR
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import FULL_SPACE, parameter_space
from inverse_rational_control.parameters import AGENT_PARAMETERS
from tests.inference.toy import PARAMETERS, SPACE, TRUTH, Psychometric

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
TOY = {"threshold": (-1.0, 2.0), "width": (0.1, 2.0), "lapse": (0.02, 0.4)}


def test_the_prior_has_the_stated_quantiles():
    prior = normal_prior(PRIOR, FULL_SPACE)
    ends = prior.quantiles([0.025, 0.975])
    np.testing.assert_allclose(ends.T, [PRIOR[name] for name in NAMES], atol=1e-12)
    rng = np.random.default_rng(0)
    draws = np.array([prior.draw(rng) for _ in range(4000)])
    inside = ((draws > ends[0]) & (draws < ends[1])).mean(0)
    np.testing.assert_allclose(inside, 0.95, atol=4 * np.sqrt(0.95 * 0.05 / 4000))
    assert np.abs(np.corrcoef(FULL_SPACE.unconstrained(draws).T) - np.eye(10)).max() < 0.07
    np.testing.assert_allclose(prior.center, prior.quantiles([0.5])[0])


def test_density_is_normal_and_integrates_to_one():
    prior = normal_prior(TOY, SPACE)
    eta = np.array([0.3, -0.7, -1.9])
    expected = norm.logpdf(eta, prior.mean, prior.standard_deviation).sum()
    assert prior.log_density(eta) == pytest.approx(expected, abs=1e-12)
    for k, parameter in enumerate(PARAMETERS):
        low, high = prior.quantiles([1e-6, 1 - 1e-6])[:, k]

        def density(x, k=k):
            return np.exp(prior.log_marginal(np.where(np.arange(3) == k, x, TRUTH))[k])

        total = quad(density, low, high, limit=200)[0]
        assert total == pytest.approx(1.0, abs=1e-4), parameter.name


def test_tied_parameters_count_once_and_fixed_ones_not_at_all():
    space = parameter_space({"grooming_reward": 0.2}, [["travel_cost", "push_cost"]])
    prior = normal_prior(PRIOR, space)
    assert prior.is_proper
    assert np.isfinite(prior.standard_deviation).sum() == space.size == 8
    drawn = prior.draw(np.random.default_rng(1))
    assert drawn[NAMES.index("grooming_reward")] == 0.2
    assert drawn[NAMES.index("travel_cost")] == drawn[NAMES.index("push_cost")]
    # What only a fixed parameter would say is not said.
    assert normal_prior(PRIOR | {"grooming_reward": "flat"}, space).is_proper


def test_flat_means_no_density_and_no_draws():
    prior = normal_prior(TOY | {"width": "flat"}, SPACE)
    assert not prior.is_proper
    eta = np.array([0.3, -0.7, -1.9])
    assert prior.gradient(eta)[1] == 0.0
    assert prior.log_density(eta) == prior.log_density(eta + np.array([0.0, 5.0, 0.0]))
    with pytest.raises(ValueError, match="found flat, allowed: a proper prior"):
        prior.draw(np.random.default_rng(0))
    with pytest.raises(ValueError, match="found no interval of lapse"):
        normal_prior({name: TOY[name] for name in ("threshold", "width")}, SPACE)


def test_gradient_of_the_log_posterior_is_its_derivative():
    density = LogPosterior(Psychometric.simulated(300), normal_prior(TOY, SPACE))
    theta = np.array([0.2, 0.6, 0.2])
    found = density.evaluate(theta)
    assert found.log_likelihood == density.log_likelihood(theta)
    for k, step in enumerate(1e-6 * np.eye(3)):
        change = density.log_likelihood(theta + step) - density.log_likelihood(theta - step)
        assert found.gradient[k] == pytest.approx(change / 2e-6, rel=1e-5)
    value, gradient = density.q_function(theta, found)
    assert value == pytest.approx(found.log_likelihood)
    np.testing.assert_allclose(gradient, found.gradient)


def test_the_mode_lies_between_prior_and_likelihood_and_nears_the_latter():
    distances = []
    for n_steps in (40, 4000):
        toy = Psychometric.simulated(n_steps)
        by_likelihood = fit(toy, FitSettings(), [TRUTH])
        by_both = fit(LogPosterior(toy, normal_prior(TOY, SPACE)), FitSettings(), [TRUTH])
        assert by_both.status == "converged"
        assert by_both.log_likelihood < by_likelihood.log_likelihood
        prior = by_both.diagnosis.measures["log_prior"]
        likelihood = by_both.log_likelihood - prior
        assert likelihood == pytest.approx(toy.log_likelihood(by_both.estimate))
        assert likelihood <= by_likelihood.log_likelihood + 1e-9
        distances.append(by_likelihood.log_likelihood - likelihood)
    assert distances[1] < 0.05 < distances[0]


def test_a_record_that_says_nothing_has_the_priors_mode():
    toy = Psychometric(np.zeros(60) - 50.0, np.zeros(60, dtype=bool))
    prior = normal_prior(TOY, SPACE)
    found = fit(LogPosterior(toy, prior), FitSettings(), [TRUTH])
    assert found.status == "converged"
    # Nobody answers yes, 50 cm below: only the lapse rate is pulled down.
    np.testing.assert_allclose(found.estimate[:2], prior.center[:2], rtol=1e-3)
    assert found.estimate[2] < prior.center[2]
    assert any("all answers are the same" in said for said in found.remarks)
