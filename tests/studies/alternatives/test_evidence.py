"""Evidence against integration over a grid, and what AIC charges."""

from types import SimpleNamespace

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PRIOR
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import FULL_SPACE, parameter_space
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.alternatives.evidence import model_evidence
from inverse_rational_control.studies.alternatives.memoryless import Memoryless, _laplace
from inverse_rational_control.studies.alternatives.models import n_charged
from inverse_rational_control.task import Task

TASK = Task(n_bins=4, n_cues=3)
NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
AGENT = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
WORLD = np.array([0.2, 0.15, 0.1, 0.08, 0.4, 0.6])
#: Two free coordinates: what grooming is worth, and both costs, tied.
SPACE = parameter_space(
    {name: AGENT[k] for k, name in enumerate(NAMES) if k not in (6, 7, 8)},
    [["travel_cost", "push_cost"]],
)


@pytest.fixture(scope="module")
def objective():
    record = simulate(agent_model(AGENT, TASK), WORLD, 200, np.random.default_rng(3))
    return ForagingObjective(record, TASK, SPACE)


def _evidence(objective, intervals, n_draws=1500, estimate=AGENT):
    return model_evidence(
        objective,
        SPACE.admit(estimate),
        intervals,
        FitSettings(),
        n_draws,
        np.random.default_rng(0),
        SPACE.directions,
    )


def _by_grid(objective, intervals):
    """The integral of likelihood times prior, by rectangles."""
    prior = normal_prior(intervals, SPACE)
    steps, sizes = [], []
    for place in (6, 7):
        mean, deviation = prior.mean[place], prior.standard_deviation[place]
        steps.append(np.linspace(mean - 4.5 * deviation, mean + 4.5 * deviation, 61))
        sizes.append(steps[-1][1] - steps[-1][0])
    values = []
    for grooming in steps[0]:
        for cost in steps[1]:
            theta = AGENT.copy()
            theta[6], theta[7:9] = grooming, cost
            log_likelihood = objective.log_likelihood(theta)
            values.append(log_likelihood + prior.log_density(SPACE.unconstrained(theta)))
    values = np.array(values)
    top = values.max()
    return top + np.log(np.exp(values - top).sum() * np.prod(sizes))


def test_evidence_of_a_tied_model_is_the_integral_over_its_two_free_coordinates(objective):
    found = _evidence(objective, PRIOR)
    assert found.log_evidence == pytest.approx(_by_grid(objective, PRIOR), abs=0.05)
    assert 0 < found.standard_error < 0.05
    # Both tied costs counted, or the whitening left out, would be some tenths of a nat off.
    again = _evidence(objective, PRIOR, estimate=np.full(10, 0.4))
    assert again.log_evidence == pytest.approx(found.log_evidence, abs=0.06)


def test_a_flat_prior_gives_no_evidence(objective):
    assert np.isnan(_evidence(objective, PRIOR | {"grooming_reward": "flat"}).log_evidence)
    # That of a parameter that is held does not matter.
    held = _evidence(objective, PRIOR | {"temperature": "flat"}, n_draws=100)
    assert np.isfinite(held.log_evidence)


def test_laplace_evidence_of_the_memoryless_baseline_is_near_monte_carlo():
    features = np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]])
    counts = np.array([[30.0, 20.0], [40.0, 10.0], [25.0, 25.0]])
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    from inverse_rational_control.studies.alternatives.memoryless import (
        penalized_negative_log_likelihood,
    )

    best = minimize(
        penalized_negative_log_likelihood, np.zeros(4), args=(features, counts, 0.5), jac=True
    )
    weights = np.random.default_rng(0).standard_normal((100_000, 2, 2)) / np.sqrt(0.5)
    logits = np.einsum("sf,nfa->nsa", features, weights)
    values = (counts * log_softmax(logits, axis=2)).sum((1, 2))
    monte_carlo = values.max() + np.log(np.exp(values - values.max()).mean())
    assert _laplace(best.x, best.fun, features, counts, 0.5) == pytest.approx(monte_carlo, abs=0.03)


def test_the_baseline_carries_its_evidence(objective):
    policy = Memoryless(TASK, 0.01).fit(objective.record)
    assert np.isfinite(policy.log_evidence)
    assert policy.log_evidence < policy.log_likelihood(objective.record)


@pytest.mark.parametrize(
    ("space", "at_bound", "charged"),
    [
        (FULL_SPACE, [], 10),
        (FULL_SPACE, [2, 3], 8),
        (SPACE, [7, 8], 1),  # tied: one coordinate
    ],
)
def test_aic_charges_coordinates_that_are_not_at_a_bound(space, at_bound, charged):
    bounds = np.isin(np.arange(10), at_bound)
    assert n_charged(SimpleNamespace(space=space, at_bound=bounds)) == charged
