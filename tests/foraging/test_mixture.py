"""Decoding over draws: against enumeration, on a record of known beliefs, and what is refused."""

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.foraging.decoding import Decoding, decode
from inverse_rational_control.foraging.likelihood import chain_inputs, log_likelihood
from inverse_rational_control.foraging.mixture import (
    decode_in_blocks,
    decode_mixture,
    tables_of,
)
from inverse_rational_control.foraging.scoring import credible_sets, score_decoding
from inverse_rational_control.statistics import block_standard_error
from inverse_rational_control.task import Task
from tests.oracles.enumeration import record_by_enumeration


def _decoded(draws, estimate, record, task):
    """What is left of a decoding over draws of a record of known beliefs."""
    inputs = chain_inputs(record)
    at_estimate, *tables = tables_of([estimate, *draws], inputs, task)
    return decode_in_blocks(
        at_estimate, tables, inputs, lambda *_: None, lambda a, b: record.belief_bin[a:b]
    )


def test_mixture_by_enumeration(random_agent, random_record):
    """Every latent path under every draw, listed; draws weigh the same, whatever their likelihood."""
    task = Task(n_bins=2, n_cues=2)
    record = random_record(task, [3, 2], seed=4)
    draws = [random_agent(seed) for seed in range(3)]
    expected, likelihoods, paths = 0.0, [], []
    for theta in draws:
        model = agent_model(theta, task)
        log_likelihood, sessions = record_by_enumeration(
            record,
            np.moveaxis(model.plan.policy, 1, 1),
            [box.kernel for box in model.boxes],
            [box.reset_kernel for box in model.boxes],
        )
        expected = expected + np.concatenate([s.posterior for s in sessions]) / len(draws)
        likelihoods.append(log_likelihood)
        paths.append(np.concatenate([s.best_path for s in sessions]))
    assert np.ptp(likelihoods) > 0.1
    found = decode_mixture(np.array(draws), record, task, draws[1])
    np.testing.assert_allclose(found.posterior, expected, rtol=1e-10)
    np.testing.assert_allclose(found.posterior.sum((1, 2)), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(found.path, paths[1])
    assert found.log_likelihood == pytest.approx(likelihoods[1])


def test_mixture_of_one_draw_is_its_decoding(small_record, small_task, paper_agent):
    record = small_record.head(100)
    one = decode(paper_agent, record, small_task)
    mixture = decode_mixture(paper_agent[None], record, small_task, paper_agent)
    np.testing.assert_array_equal(one.posterior, mixture.posterior)
    np.testing.assert_array_equal(one.path, mixture.path)


def test_no_draws_are_refused(small_record, small_task, paper_agent):
    with pytest.raises(ValueError, match="draws: found none"):
        decode_mixture(np.empty((0, 10)), small_record, small_task, paper_agent)


def test_credible_sets_and_their_masses_by_hand(small_record, small_task, paper_agent):
    record = small_record.head(80)
    draws = np.array([paper_agent, 0.8 * paper_agent, 1.2 * paper_agent])
    mixture = decode_mixture(draws, record, small_task, paper_agent)
    expected = np.zeros((3, 2))
    for box, marginal in enumerate(mixture.marginals):
        decoded = [decode(theta, record, small_task).marginals[box] for theta in draws]
        sets = credible_sets(marginal)
        for t, probability in enumerate(marginal):
            chosen, mass = set(), 0.0
            for k in sorted(range(5), key=lambda k: -probability[k]):
                if mass >= 0.9:
                    break
                chosen.add(k)
                mass += probability[k]
            assert set(np.flatnonzero(sets[t])) == chosen
            for k, one in enumerate(decoded):
                expected[k, box] += sum(one[t][bin_] for bin_ in chosen) / 80
    found = _decoded(draws, paper_agent, record, small_task).masses
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    score = score_decoding(mixture, record.belief_bin)
    np.testing.assert_allclose(score.credible_expected, expected.mean(0), rtol=1e-12)


def test_error_of_the_coverage_is_that_of_blocks():
    rng = np.random.default_rng(0)
    posterior = rng.dirichlet(np.ones(9), 1000).reshape(1000, 3, 3)
    bins = rng.integers(0, 3, (1000, 2))
    decoding = Decoding(posterior, bins, 0.0)
    score = score_decoding(decoding, bins)
    for box, marginal in enumerate(decoding.marginals):
        sets = credible_sets(marginal)
        surplus = sets[np.arange(1000), bins[:, box]] - (marginal * sets).sum(1)
        expected = block_standard_error(surplus, 100)
        assert score.credible_error[box] == pytest.approx(expected)
        assert score.credible_coverage[box] - score.credible_expected[box] == pytest.approx(
            surplus.mean()
        )


@pytest.fixture(scope="module")
def uncertain():
    """Agents from a prior, a record of each, and draws from the exact posterior.

    The prior is a list of agents, equally likely, so that the posterior is a finite sum: no sampler is
    involved.
    """
    task, rng = Task(n_bins=4), np.random.default_rng(8)
    base = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
    world = np.array([0.15, 0.10, 0.05, 0.04, 0.4, 0.6])
    grid = np.tile(base, (64, 1))
    grid[:, :4] = np.exp(rng.uniform(np.log(0.02), np.log(0.6), (64, 4)))
    grid[:, 4:6] = rng.uniform((0.05, 0.4), (0.6, 0.95), (64, 2))
    found = []
    for _ in range(40):
        theta = grid[rng.integers(len(grid))]
        record = simulate(agent_model(theta, task), world, 200, rng)
        heights = np.array([log_likelihood(each, chain_inputs(record), task) for each in grid])
        weight = np.exp(heights - heights.max())
        draws = grid[rng.choice(len(grid), 25, p=weight / weight.sum())]
        found.append((record, task, grid[heights.argmax()], draws))
    return found


def test_mixture_is_calibrated_where_the_estimate_alone_is_not(uncertain):
    """Over agents from the prior, sets of the mixture hold the belief as often as they say."""
    surplus = {"mixture": [], "estimate": [], "error": []}
    for record, task, estimate, draws in uncertain:
        decoded = _decoded(draws, estimate, record, task)
        score, spread = decoded.scores["decoding"], decoded.masses.std(0, ddof=1)
        surplus["mixture"].append(score.credible_coverage - score.credible_expected)
        surplus["error"].append(np.hypot(score.credible_error, spread))
        score = decoded.scores["estimate"]
        surplus["estimate"].append(score.credible_coverage - score.credible_expected)
    z = {}
    for name in ("mixture", "estimate"):
        by_agent = np.mean(surplus[name], axis=1)
        z[name] = by_agent.mean() / (by_agent.std(ddof=1) / np.sqrt(len(by_agent)))
    assert abs(z["mixture"]) < 3
    assert z["estimate"] < -3
    # The stated error is of the size of the difference.
    size = [np.sqrt(np.mean(np.square(surplus[name]))) for name in ("mixture", "error")]
    assert 0.6 < size[0] / size[1] < 1.5
