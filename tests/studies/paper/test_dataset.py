"""Datasets of the paper's agent hold what was computed, and meet their contracts."""

import json

import numpy as np
import pytest

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.behavior import (
    STATISTICS,
    behavior_counts,
    behavior_distances,
    compare_models,
    null_distances,
    resimulated_records,
    stacked_counts,
)
from inverse_rational_control.foraging.decoding import decode
from inverse_rational_control.foraging.mixture import Decoded
from inverse_rational_control.foraging.predictive import (
    PREDICTIVE_STATISTICS,
    predictive_check,
    predictive_statistics,
)
from inverse_rational_control.foraging.scoring import score_decoding
from inverse_rational_control.parameters import AGENT_PARAMETERS, unconstrained
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.studies.paper.analysis import Surface, visit_frequency
from inverse_rational_control.studies.paper.dataset import (
    BEHAVIOR,
    MODELS,
    POSTERIOR,
    behavior_dataset,
    decoded_steps,
    models_dataset,
    posterior_dataset,
)
from inverse_rational_control.studies.paper.surface_dataset import (
    SURFACE,
    optimization_path,
    surface_dataset,
)
from tests.studies.paper import made_up

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]


@pytest.fixture
def stored(tmp_path):
    """Write a dataset by its contract and read it again."""

    def store(dataset, contract):
        write(dataset, tmp_path / "file.nc", contract)
        return read(tmp_path / "file.nc", contract)

    return store


@pytest.fixture(scope="module")
def short(small_record):
    """60 steps of the small record."""
    return small_record.head(60)


def _whole(decoding, decoded, task, said, true_bin=None):
    """A decoding as it stands in its file."""
    steps = {
        name: (POSTERIOR.variables[name].dims, values)
        for name, values in decoded_steps(decoding, true_bin).items()
    }
    return posterior_dataset(decoded, len(decoding.path), task, said).assign(steps)


def test_posterior(short, small_task, paper_agent, stored):
    decoding = decode(paper_agent, short, small_task)
    decoded = Decoded(bin_centers(5), decoding.log_likelihood)
    bare = stored(_whole(decoding, decoded, small_task, "one agent"), POSTERIOR)
    assert bare.attrs["parameters_from"] == "one agent"
    assert not set(POSTERIOR.optional) & set(bare.data_vars)
    for box in (1, 2):
        np.testing.assert_array_equal(
            bare["marginal"].sel(box=box), decoding.marginals[box - 1].astype(np.float32)
        )
        np.testing.assert_array_equal(
            bare["posterior_mean"].sel(box=box), decoding.means.T[box - 1]
        )
    np.testing.assert_array_equal(bare["posterior"], decoding.posterior.astype(np.float32))
    np.testing.assert_array_equal(bare["bin"], bin_centers(5))

    scores = {
        name: score_decoding(decode(scale * paper_agent, short, small_task), short.belief_bin)
        for name, scale in (("decoding", 1.0), ("estimate", 0.9), ("true_model", 1.1), ("cue", 1.2))
    }
    masses = np.linspace(0.9, 1.0, 8).reshape(4, 2)
    decoded = Decoded(bin_centers(5), decoding.log_likelihood, scores, masses)
    whole = _whole(decoding, decoded, small_task, "four draws", short.belief_bin)
    whole = stored(whole, POSTERIOR)
    assert set(POSTERIOR.optional) <= set(whole.data_vars)
    for name, array in scores["decoding"].__dict__.items():
        np.testing.assert_array_equal(whole[name], array)
    np.testing.assert_array_equal(whole["true_belief_bin"], short.belief_bin)
    np.testing.assert_array_equal(whole["credible_masses"], masses)
    for name in ("estimate", "true_model"):
        np.testing.assert_array_equal(whole[f"{name}_correlation"], scores[name].correlation)
        np.testing.assert_array_equal(whole[f"{name}_coverage"], scores[name].credible_coverage)
        np.testing.assert_array_equal(whole[f"{name}_expected"], scores[name].credible_expected)
    for name in ("true_model", "cue"):
        np.testing.assert_array_equal(whole[f"{name}_log_score"], scores[name].log_score)


def test_behavior(short, small_task, paper_agent, paper_world, stored):
    counts = behavior_counts(short)
    model, rng = agent_model(paper_agent, small_task), np.random.default_rng(1)
    records = list(resimulated_records([model], paper_world, short, 3, rng))
    replicates = stacked_counts([behavior_counts(record) for record in records])
    statistics = np.array([predictive_statistics(record) for record in records])
    check = predictive_check(predictive_statistics(short), statistics)
    distance, null = behavior_distances(counts, replicates), null_distances(replicates)
    checked = (check, PREDICTIVE_STATISTICS, "one agent")
    dataset = behavior_dataset(counts, replicates, distance, null, STATISTICS, "inferred", *checked)
    dataset = stored(dataset, BEHAVIOR)
    assert not set(BEHAVIOR.optional) & set(dataset.data_vars)
    held_out = np.arange(6.0).reshape(2, 3)
    given = counts, replicates, distance, null, STATISTICS, "true", *checked, held_out
    known = stored(behavior_dataset(*given), BEHAVIOR)
    np.testing.assert_array_equal(known["truth_held_out_log_likelihood"], held_out[1])
    for name in STATISTICS:
        label = name if "interval" in name else f"{name}_frequency"
        np.testing.assert_array_equal(dataset[label], counts.frequency(name))
        np.testing.assert_array_equal(dataset[f"replicate_{label}"], replicates.frequency(name))
    np.testing.assert_array_equal(dataset["distance"].sel(statistic="location"), distance[1])
    np.testing.assert_array_equal(dataset["null_distance"], null)
    assert dataset["interval"].values.tolist() == list(range(1, 41))
    assert json.loads(dataset.attrs["distances"]) == STATISTICS
    assert dataset.attrs["parameters_from"] == "one agent"
    np.testing.assert_array_equal(dataset["replicated"], statistics)
    np.testing.assert_array_equal(dataset["predictive_p"], check.p_values)
    assert float(dataset["observed"].sel(checked="rewards per step")) == short.reward.mean()
    assert float(dataset["predictive_distance"]) == check.distance
    assert float(dataset["predictive_p_together"]) == check.p_value


def test_models(short, small_task, paper_agent, stored):
    visits = visit_frequency(short, small_task.n_bins)
    true = agent_model(paper_agent, small_task)
    comparison = compare_models(true, agent_model(0.9 * paper_agent, small_task))
    dataset = stored(models_dataset(comparison, visits, bin_centers(5), "one agent"), MODELS)
    difference = comparison.inferred_value - comparison.true_value
    assert float(dataset["value_rmse"]) == pytest.approx(np.sqrt((difference**2).mean()))
    expected = (visits * comparison.policy_divergence).sum()
    assert float(dataset["mean_policy_divergence"]) == pytest.approx(expected)
    assert not set(MODELS.optional) & set(dataset.data_vars)
    band = np.stack([comparison.inferred_value - 1.0, comparison.inferred_value + 1.0])
    comparison = compare_models(true, true)
    same = stored(models_dataset(comparison, visits, bin_centers(5), "two draws", band), MODELS)
    np.testing.assert_array_equal(same["value_lower"], band[0])
    np.testing.assert_array_equal(same["value_upper"], band[1])
    assert float(same["value_correlation"]) == pytest.approx(1.0)
    assert float(same["value_rmse"]) == float(same["mean_policy_divergence"]) == 0.0


def test_path_of_a_start_ends_where_its_history_does():
    fit = made_up.fit()
    fit["history_log_likelihood"][1, 7:] = np.nan
    parameters, log_likelihood = optimization_path(fit, 1)
    assert parameters.shape == (7, 10)
    expected = unconstrained(fit["history_parameters"].values[1, :7])
    np.testing.assert_array_equal(parameters, expected)
    np.testing.assert_array_equal(log_likelihood, fit["history_log_likelihood"].values[1, :7])


@pytest.mark.parametrize("truth", [True, False])
def test_surface(stored, truth):
    grid = Surface(np.arange(3.0), np.arange(4.0), np.random.default_rng(0).random((3, 4)))
    points = ("end", "truth") if truth else ("end",)
    projected = {name: np.array([0.5, 2.5]) for name in points}
    projected |= {"trajectory": np.arange(10.0).reshape(5, 2), "quasi_newton": np.ones((2, 2))}
    heights = {name: offsets[..., 0] - 9.0 for name, offsets in projected.items()}
    directions = np.eye(10)[:2]
    dataset = stored(
        surface_dataset(grid, directions, np.array([0.8, 0.1]), projected, heights, NAMES), SURFACE
    )
    np.testing.assert_array_equal(dataset["log_likelihood"], grid.log_likelihood)
    np.testing.assert_array_equal(dataset["trajectory_v"], np.arange(10.0)[1::2])
    assert dataset["quasi_newton_log_likelihood"].values.tolist() == [-8.0, -8.0]
    assert ("truth_u" in dataset) is truth
    assert float(dataset["end_v"]) == 2.5
