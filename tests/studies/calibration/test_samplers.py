"""Right and wrong samplers of a small model, through the study's own analysis and criteria.

The model is the psychometric function: hundreds of posteriors in seconds.
"""

from dataclasses import replace

import numpy as np
import pytest

from inverse_rational_control.config.calibration import CalibrationBounds
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.inference.posterior import draw_posterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.recordings.dataset import stack
from inverse_rational_control.studies.calibration.agents import compare, judgment
from inverse_rational_control.studies.calibration.criteria import criteria
from inverse_rational_control.studies.calibration.dataset import (
    CALIBRATED,
    calibrated_dataset,
    calibration_dataset,
)
from tests.inference import toy

PRIOR = normal_prior(
    {"threshold": (-0.5, 1.5), "width": (0.15, 1.2), "lapse": (0.02, 0.3)}, toy.SPACE
)
NAMES = [parameter.name for parameter in toy.PARAMETERS]
LEVELS = (0.5, 0.8, 0.95)
N_AGENTS, N_TRIALS, N_RANKED = 160, 30, 49
SETTINGS = PosteriorSettings(
    sampler="importance", n_importance_draws=400, ess_minimum=150, n_chains=2, n_draws=200
)
BOUNDS = CalibrationBounds().model_dump()


class _Misled(toy.Psychometric):
    """Says a gradient that is off by 5 %, of a log-likelihood that is right."""

    def evaluate(self, theta):
        found = super().evaluate(theta)
        return Evaluation(found.log_likelihood, 1.05 * found.gradient)


def _record(agent, kind=toy.Psychometric):
    rng = np.random.default_rng([agent, 0])
    truth = PRIOR.draw(rng)
    x = rng.uniform(-2, 3, N_TRIALS)
    yes = rng.random(N_TRIALS) < toy.Psychometric(x, None).probability(truth)
    return truth, kind(x, yes)


def _posterior(agent, prior=PRIOR, settings=SETTINGS):
    truth, objective = _record(agent)
    rng = np.random.default_rng([agent, 1])
    return truth, draw_posterior(LogPosterior(objective, prior), FitSettings(), settings, [], rng)


def _failed(posteriors):
    """Names of the criteria that a list of (truth, posterior) does not meet."""
    parts = []
    for agent, (truth, posterior) in enumerate(posteriors):
        drawn = posterior.thinned(N_RANKED)
        log_likelihood = posterior.density.objective.log_likelihood
        others = (
            np.array([log_likelihood(truth)]),
            np.array([[log_likelihood(theta)] for theta in drawn]),
        )
        rng = np.random.default_rng([agent, 2])
        found = compare(posterior, truth, drawn, others, LEVELS, rng) | judgment(posterior)
        # There are no beliefs here: theirs are as good as can be.
        found |= {"belief_mass": 0.9, "belief_covered": 0.9 + 0.01 * rng.standard_normal()}
        found |= {"truth": truth}
        parts.append(calibrated_dataset(found, LEVELS, NAMES, ["log_likelihood"]))
    joined = stack(parts, range(len(parts)), CALIBRATED, "agent")
    attributes = {"n_ranked_draws": N_RANKED, "belief_mass_level": 0.9, "n_steps": N_TRIALS}
    summary = calibration_dataset(joined.assign_attrs(attributes))
    return {judged.name for judged in criteria(summary, BOUNDS) if not judged.passed}


@pytest.fixture(scope="module")
def right():
    """Truths and posteriors by the sampler as it is."""
    return [_posterior(agent) for agent in range(N_AGENTS)]


def _with_draws(posterior, eta):
    parameters = toy.SPACE.natural(eta).reshape(posterior.parameters.shape)
    return replace(posterior, parameters=parameters)


def test_the_right_sampler_passes(right):
    assert _failed(right) == set()


def test_draws_shrunk_by_a_fifth_fail(right):
    def shrunk(posterior):
        eta = toy.SPACE.unconstrained(posterior.draws)
        return _with_draws(posterior, eta.mean(0) + 0.8 * (eta - eta.mean(0)))

    failed = _failed([(truth, shrunk(posterior)) for truth, posterior in right])
    assert {"calibration_ranks", "calibration_rank_spread", "calibration_coverage_80"} <= failed


def test_draws_widened_by_a_fourth_fail(right):
    def widened(posterior):
        eta = toy.SPACE.unconstrained(posterior.draws)
        return _with_draws(posterior, eta.mean(0) + 1.25 * (eta - eta.mean(0)))

    failed = _failed([(truth, widened(posterior)) for truth, posterior in right])
    assert "calibration_rank_spread" in failed


def test_a_prior_left_out_fails():
    """As good as left out: five times as wide, so that the posterior still exists."""
    wide = replace(PRIOR, standard_deviation=5.0 * PRIOR.standard_deviation)
    failed = _failed([_posterior(agent, wide) for agent in range(80)])
    assert "calibration_ranks" in failed


def test_a_gradient_off_by_a_twentieth_fails_although_no_rank_sees_it(right):
    """Draws are exact for the density, whatever leads to them: here they are the right sampler's own."""

    def misled(agent, posterior):
        density = LogPosterior(_record(agent, _Misled)[1], PRIOR)
        return replace(posterior, density=density)

    posteriors = [
        (truth, misled(agent, posterior)) for agent, (truth, posterior) in enumerate(right)
    ]
    assert _failed(posteriors) == {"calibration_gradient_error"}


def test_importance_sampling_that_does_not_adapt_fails_under_a_wide_prior():
    wide = replace(PRIOR, standard_deviation=3.0 * PRIOR.standard_deviation)
    settings = SETTINGS.model_copy(update={"n_importance_rounds": 1, "n_importance_draws": 150})
    failed = _failed([_posterior(agent, wide, settings) for agent in range(60)])
    assert "calibration_usable_share" in failed
