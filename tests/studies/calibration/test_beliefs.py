"""Belief sets of right and wrong decoders, from short records of many agents, through the criterion.

The prior is a list of agents, so that their posterior is known without a sampler: by their likelihoods.
"""

import numpy as np
import pytest

from inverse_rational_control.agent.model import draw_agent
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.calibration import CalibrationBounds
from inverse_rational_control.config.posterior import PRIOR
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import FULL_SPACE
from inverse_rational_control.random_streams import stream
from inverse_rational_control.studies.calibration.agents import belief_measures, decoded
from inverse_rational_control.studies.calibration.criteria import criteria
from inverse_rational_control.task import Task
from tests.conftest import PAPER_WORLD
from tests.studies.calibration.made_up import summary

TASK = Task(n_bins=4, n_cues=3)
N_CANDIDATES, N_AGENTS, N_STEPS, N_DRAWS, MASS = 40, 60, 100, 200, 0.9
#: The power of a normal density that is a fifth narrower.
NARROWER = 1 / 0.8**2


@pytest.fixture(scope="module")
def decodings():
    """Of each agent: true bins, decodings under draws from its posterior, and under the likeliest."""
    own = {name: PRIOR[name] for name in FULL_SPACE.parameter_names}
    prior, rng = normal_prior(own, FULL_SPACE), stream(0, "test", "candidates")
    candidates = [draw_agent(lambda: prior.draw(rng), TASK)[0] for _ in range(N_CANDIDATES)]
    found = []
    for agent in range(N_AGENTS):
        rng = stream(0, "test", "agent", agent)
        record = simulate(
            candidates[rng.integers(N_CANDIDATES)], np.array(PAPER_WORLD), N_STEPS, rng
        )
        objective = ForagingObjective(record, TASK)
        each = [decoded(objective, candidate.theta) for candidate in candidates]
        log_likelihood = np.array([one[0] for one in each])
        weight = np.exp(log_likelihood - log_likelihood.max())
        drawn = rng.choice(N_CANDIDATES, N_DRAWS, p=weight / weight.sum())
        found.append((record.belief_bin, [each[k] for k in drawn], each[log_likelihood.argmax()]))
    return found


def _sharpened(marginals):
    marginals = marginals**NARROWER
    return marginals / marginals.sum(-1, keepdims=True)


def _judged(decodings, decoder):
    measures = [
        belief_measures(decoder(drawn, likeliest), likeliest, true_bin, MASS)
        for true_bin, drawn, likeliest in decodings
    ]
    given = {
        name: np.array([each[name] for each in measures])
        for name in ("belief_covered", "belief_mass")
    }
    found = criteria(summary(n_agents=N_AGENTS, **given), CalibrationBounds().model_dump())
    return next(one for one in found if one.name == "calibration_belief_sets")


def test_sets_under_all_draws_together_hold_what_they_say(decodings):
    assert _judged(decodings, lambda drawn, likeliest: drawn).passed


def test_beliefs_decoded_at_the_estimate_as_if_it_were_known_are_caught(decodings):
    judged = _judged(decodings, lambda drawn, likeliest: [likeliest])
    assert judged.failed and judged.found < -0.03


def test_sets_that_are_a_fifth_too_narrow_are_caught(decodings):
    def narrower(drawn, likeliest):
        return [(0.0, _sharpened(np.mean([marginals for _, marginals in drawn], axis=0)))]

    judged = _judged(decodings, narrower)
    assert judged.failed and judged.found < -0.02
