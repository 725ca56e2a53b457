"""Decoded beliefs and their score: by hand on a small case, calibrated given the truth."""

import dataclasses

import numpy as np
import pytest

from irc.agent import agent_model
from irc.chain import expected_counts
from irc.decoding import N_LEVELS, Decoding, decode, score_decoding
from irc.likelihood import chain_inputs, chain_tables
from irc.records import RecordError
from irc.simulation import simulate
from irc.task import Task


def _by_hand():
    """Four steps, two bins; box 2 is uniform and says nothing."""
    first = np.array([[0.95, 0.05], [0.7, 0.3], [0.05, 0.95], [0.45, 0.55]])
    posterior = first[:, :, None] * np.array([0.5, 0.5])
    decoding = Decoding(posterior, np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]), -1.0)
    return decoding, np.array([0, 1, 1, 1]), np.array([0, 1, 0, 1])


def test_score_by_hand():
    decoding, true_1, true_2 = _by_hand()
    score = score_decoding(decoding, true_1, true_2)
    means = np.array([0.25 * 0.95 + 0.75 * 0.05, 0.4, 0.725, 0.525])
    np.testing.assert_allclose(decoding.means[0], means, rtol=1e-12)
    belief = np.array([0.25, 0.75, 0.75, 0.75])
    assert score.rmse[0] == pytest.approx(np.sqrt(np.mean((means - belief) ** 2)))
    deviations = (means - means.mean()) * (belief - belief.mean())
    spread = np.sqrt(np.sum((means - means.mean()) ** 2) * np.sum((belief - belief.mean()) ** 2))
    assert score.correlation[0] == pytest.approx(deviations.sum() / spread)
    # Path 0 0 1 1 against 0 1 1 1.
    assert score.path_correlation[0] == pytest.approx(1 / np.sqrt(3))
    np.testing.assert_array_equal(score.true_bin_steps[0], [1, 3])
    np.testing.assert_allclose(score.posterior_given_true[0], [[0.95, 0.05], [0.4, 0.6]])
    # Levels: 0.05 twice, 0.3, 0.45, 0.55, 0.7, 0.95 twice.
    np.testing.assert_array_equal(score.calibration_count[0], [2, 0, 0, 1, 1, 1, 0, 1, 0, 2])
    assert score.calibration_observed[0][0] == 0.0
    assert score.calibration_observed[0][3] == 1.0
    assert score.calibration_observed[0][9] == 1.0
    assert score.calibration_predicted[0][9] == pytest.approx(0.95)
    assert np.isnan(score.calibration_observed[0][1])
    # 90 % sets: {0}, both, {1}, both; the true bin is inside all four.
    assert score.credible_coverage[0] == 1.0
    assert score.credible_expected[0] == pytest.approx((0.95 + 1 + 0.95 + 1) / 4)


def test_score_of_a_decoding_that_says_nothing():
    decoding, true_1, true_2 = _by_hand()
    score = score_decoding(decoding, true_1, true_2)
    assert np.isnan(score.correlation[1]), "a constant mean correlates with nothing"
    assert np.isnan(score.path_correlation[1])
    assert score.rmse[1] == pytest.approx(0.25)
    assert score.credible_expected[1] == 1.0


def test_score_counts_misses():
    decoding, _, true_2 = _by_hand()
    score = score_decoding(decoding, np.array([1, 0, 0, 0]), true_2)
    # The two certain steps are wrong.
    assert score.credible_coverage[0] == 0.5
    assert score.calibration_observed[0][9] == 0.0


def test_decoding_is_the_chains_posterior(small_record, small_task, paper_agent):
    record = small_record.head(200)
    decoding = decode(paper_agent, record, small_task)
    posterior = np.empty_like(decoding.posterior)
    tables = chain_tables(agent_model(paper_agent, small_task))
    counts = expected_counts(tables, chain_inputs(record), posterior)
    np.testing.assert_array_equal(decoding.posterior, posterior)
    assert decoding.log_likelihood == counts.log_likelihood
    first, second = decoding.marginals
    np.testing.assert_allclose(first, decoding.posterior.sum(2), rtol=0, atol=0)
    np.testing.assert_allclose(second, decoding.posterior.sum(1), rtol=0, atol=0)


def test_decoder_given_its_own_truth_is_calibrated(paper_agent, paper_world):
    task = Task(n_bins=5)
    model = agent_model(paper_agent, task)
    record = simulate(model, paper_world, 20_000, np.random.default_rng(3))
    decoding = decode(paper_agent, record, task)
    score = score_decoding(decoding, record.belief_bin_1, record.belief_bin_2)
    assert score.calibration_count.sum() == 2 * 20_000 * 5
    assert score.calibration_observed.shape == (2, N_LEVELS)
    # Binomial standard error per level, counts thinned fivefold for the beliefs' memory.
    predicted, observed = score.calibration_predicted, score.calibration_observed
    error = np.sqrt(predicted * (1 - predicted) / (score.calibration_count / 5))
    full = score.calibration_count > 500
    assert full.sum() > 10
    assert (np.abs(observed - predicted) / error)[full].max() < 4.5
    # Same for the 90 % sets: 0.3 / sqrt(4000) = 0.005.
    np.testing.assert_allclose(score.credible_coverage, score.credible_expected, atol=0.02)
    assert (score.credible_expected >= 0.9).all()
    assert (score.correlation > 0.5).all()
    # The posterior mean has the least squared error, so less than the best path's.
    path = (np.stack([decoding.path_1, decoding.path_2]) + 0.5) / 5
    truth = (np.stack([record.belief_bin_1, record.belief_bin_2]) + 0.5) / 5
    assert (score.rmse < np.sqrt(np.mean((path - truth) ** 2, axis=1))).all()


def test_wrong_parameters_decode_worse(small_record, small_task, paper_agent):
    right = decode(paper_agent, small_record, small_task)
    swapped = paper_agent.copy()
    swapped[[4, 5]] = swapped[[5, 4]]
    wrong = decode(swapped, small_record, small_task)
    truths = (small_record.belief_bin_1, small_record.belief_bin_2)
    assert (score_decoding(right, *truths).rmse < score_decoding(wrong, *truths).rmse).all()
    assert right.log_likelihood > wrong.log_likelihood


def test_nothing_is_decoded_from_an_unsolved_agent(
    monkeypatch, small_record, small_task, paper_agent
):
    from irc import planning

    monkeypatch.setattr(planning, "_MAX_ITERATIONS", 0)
    with pytest.raises(ValueError, match="nothing to decode"):
        decode(paper_agent, small_record, small_task)


def test_nothing_is_decoded_from_an_impossible_record(small_record, paper_agent):
    """A push in the middle, decoded under a task that does not allow it."""
    task = Task(n_bins=5, restricted_actions=True)
    record = dataclasses.replace(
        small_record.head(3), location=np.zeros(3, dtype=int), action=np.full(3, 4)
    )
    with pytest.raises(RecordError, match="action at row 0: found 'push' at location 'middle'"):
        decode(paper_agent, record, task)
