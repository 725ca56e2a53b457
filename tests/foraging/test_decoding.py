"""Decoded beliefs and their score: by hand on a small case, calibrated given the truth."""

import dataclasses

import numpy as np
import pytest

from inverse_rational_control.agent.beliefs import box_beliefs
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.chain.forward_backward import expected_counts
from inverse_rational_control.foraging.decoding import (
    Decoding,
    decode,
    decode_from_cues,
)
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.scoring import (
    N_LEVELS,
    credible_hits,
    log_scores,
    score_decoding,
)
from inverse_rational_control.record import RecordError
from inverse_rational_control.task import Task


def _by_hand():
    """Four steps, two bins; box 2 is uniform and says nothing."""
    first = np.array([[0.95, 0.05], [0.7, 0.3], [0.05, 0.95], [0.45, 0.55]])
    posterior = first[:, :, None] * np.array([0.5, 0.5])
    decoding = Decoding(posterior, np.array([[0, 0, 1, 1], [0, 0, 0, 0]]).T, -1.0)
    return decoding, np.array([[0, 1, 1, 1], [0, 1, 0, 1]]).T


def test_score_by_hand():
    decoding, true_bin = _by_hand()
    score = score_decoding(decoding, true_bin)
    means = np.array([0.25 * 0.95 + 0.75 * 0.05, 0.4, 0.725, 0.525])
    np.testing.assert_allclose(decoding.means[:, 0], means, rtol=1e-12)
    belief = np.array([0.25, 0.75, 0.75, 0.75])
    assert score.rmse[0] == pytest.approx(np.sqrt(np.mean((means - belief) ** 2)))
    deviations = (means - means.mean()) * (belief - belief.mean())
    norms = np.sqrt(np.sum((means - means.mean()) ** 2) * np.sum((belief - belief.mean()) ** 2))
    assert score.correlation[0] == pytest.approx(deviations.sum() / norms)
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
    decoding, true_bin = _by_hand()
    score = score_decoding(decoding, true_bin)
    assert np.isnan(score.correlation[1]), "a constant mean correlates with nothing"
    assert np.isnan(score.path_correlation[1])
    assert score.rmse[1] == pytest.approx(0.25)
    assert score.credible_expected[1] == 1.0


def test_score_counts_misses():
    decoding, true_bin = _by_hand()
    true_bin[:, 0] = [1, 0, 0, 0]
    score = score_decoding(decoding, true_bin)
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
    score = score_decoding(decoding, record.belief_bin)
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
    path = (decoding.path.T + 0.5) / 5
    truth = (record.belief_bin.T + 0.5) / 5
    assert (score.rmse < np.sqrt(np.mean((path - truth) ** 2, axis=1))).all()


def test_wrong_parameters_decode_worse(small_record, small_task, paper_agent):
    right = decode(paper_agent, small_record, small_task)
    swapped = paper_agent.copy()
    swapped[[4, 5]] = swapped[[5, 4]]
    wrong = decode(swapped, small_record, small_task)
    truths = (small_record.belief_bin,)
    assert (score_decoding(right, *truths).rmse < score_decoding(wrong, *truths).rmse).all()
    assert right.log_likelihood > wrong.log_likelihood


def test_nothing_is_decoded_from_an_unsolved_agent(
    monkeypatch, small_record, small_task, paper_agent
):
    from inverse_rational_control.agent import planner as planning

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


def test_log_score_by_hand():
    decoding, true_bin = _by_hand()
    expected = np.log([[0.95, 0.3, 0.95, 0.55], [0.5] * 4])
    np.testing.assert_allclose(log_scores(decoding, true_bin), expected, rtol=1e-12)
    score = score_decoding(decoding, true_bin)
    np.testing.assert_allclose(score.log_score, expected.mean(1), rtol=1e-12)


def test_a_bin_ruled_out_scores_minus_infinity():
    decoding, true_bin = _by_hand()
    decoding.posterior[0, 0] = 0.0
    assert log_scores(decoding, true_bin)[0, 0] == -np.inf


def _record(n_steps=600, seed=5):
    task = Task(n_bins=4)
    theta = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
    world = np.array([0.15, 0.10, 0.05, 0.04, 0.4, 0.6])
    record = simulate(agent_model(theta, task), world, n_steps, np.random.default_rng(seed))
    return theta, world, record, task


def test_cues_alone_are_filtered_box_by_box():
    """By hand: each box a chain of its own, moved by its cue's kernel, reset by its pushes."""
    _, world, record, task = _record()
    decoding = decode_from_cues(world, record, task)
    for box, cue in enumerate(record.cue.T):
        tables = box_beliefs(world[box], world[2 + box], world[4], world[5], task)
        belief = np.full(task.n_bins, 1 / task.n_bins)
        expected = [belief]
        for t in range(1, record.n_steps):
            if record.opened[t - 1] == box + 1:
                belief = tables.reset_kernel[cue[t]]
            else:
                belief = belief @ tables.kernel[cue[t]]
            expected.append(belief)
        assert (record.opened == box + 1).any()
        np.testing.assert_allclose(decoding.marginals[box], expected, rtol=1e-9, atol=1e-14)


def test_cues_alone_learn_nothing_from_actions():
    _, world, record, task = _record()
    waiting = (record.location == 0) & (record.action <= 1)
    other = np.where(waiting, 1 - record.action, record.action)
    assert (other != record.action).any()
    changed = dataclasses.replace(record, action=other)
    one, two = (decode_from_cues(world, r, task).posterior for r in (record, changed))
    np.testing.assert_array_equal(one, two)


def test_actions_tell_more_than_cues():
    """No decoder beats the true posterior in expectation; by far, where actions depend on beliefs."""
    theta, world, record, task = _record(n_steps=3000)
    true = (record.belief_bin,)
    gain = log_scores(decode(theta, record, task), *true)
    gain = gain - log_scores(decode_from_cues(world, record, task), *true)
    error = gain.reshape(2, -1, 100).mean(2).std(1, ddof=1) / np.sqrt(gain.shape[1] // 100)
    assert (gain.mean(1) > -4 * error).all()
    assert gain.mean() > 0


def test_cues_of_a_record_that_does_not_fit_are_refused():
    _, world, record, _ = _record()
    with pytest.raises(RecordError, match="cue_1"):
        decode_from_cues(world, record, Task(n_bins=4, n_cues=2))


def test_sets_of_the_most_probable_bins():
    probability = np.array([[0.5, 0.3, 0.2], [0.05, 0.05, 0.9]])
    for true, expected in (([1, 0], [True, False]), ([2, 2], [False, True])):
        hit, held = credible_hits(probability, np.array(true), 0.7)
        assert hit.tolist() == expected
        np.testing.assert_allclose(held, [0.8, 0.9])
    # True bins drawn as stated: covered as often as the sets have mass.
    rng = np.random.default_rng(4)
    stated = rng.dirichlet(np.ones(6), 20_000)
    true = (stated.cumsum(1) < rng.random((20_000, 1))).sum(1)
    hit, held = credible_hits(stated, true, 0.8)
    assert hit.mean() == pytest.approx(held.mean(), abs=4 * 0.4 / np.sqrt(20_000))
