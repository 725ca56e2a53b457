"""The latent chain in blocks of steps, and where numbers leave the normal range."""

import gc

import netCDF4
import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.chain import (
    ChainInputs,
    ChainTables,
    chain_log_likelihood,
    expected_counts,
    most_probable_path,
    passes,
    plain,
)
from inverse_rational_control.chain.best_path import BestPath
from inverse_rational_control.chain.forward_backward import step_log_likelihoods
from inverse_rational_control.chain.log_space import log_expected_counts
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.task import Task


@pytest.fixture(scope="module")
def observed():
    """Tables and indices of 500 steps in three sessions."""
    theta = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
    model = agent_model(theta, Task(n_bins=5))
    record = simulate(model, theta[:6], 500, np.random.default_rng(3))
    record.session[190:] = 1
    record.session[401:] = 2
    return chain_tables(model), chain_inputs(record)


def _keep_blocks_of(n_steps, monkeypatch):
    monkeypatch.setattr(passes, "WHOLE_BYTES", 0)
    monkeypatch.setattr(passes, "BLOCK_BYTES", n_steps * 8 * 5 * 8)


@pytest.mark.parametrize("n_steps", [1, 7, 190, 499])
def test_blocks_change_nothing(observed, monkeypatch, tmp_path, n_steps):
    smoothed = np.empty((500, 5, 5))
    whole = expected_counts(*observed, smoothed)
    _keep_blocks_of(n_steps, monkeypatch)
    streamed = np.memmap(tmp_path / "posterior", float, "w+", shape=(500, 5, 5))
    blocks = expected_counts(*observed, streamed)
    assert blocks.log_likelihood == whole.log_likelihood
    np.testing.assert_array_equal(streamed, smoothed)
    for name in ("emissions", "ratio_1", "ratio_2", "reset_ratio_1", "reset_ratio_2"):
        np.testing.assert_array_equal(getattr(blocks, name), getattr(whole, name))


def test_posterior_streams_into_a_netcdf_variable(observed, monkeypatch, tmp_path):
    smoothed = np.empty((500, 5, 5))
    expected_counts(*observed, smoothed)
    _keep_blocks_of(60, monkeypatch)
    with netCDF4.Dataset(tmp_path / "posterior.nc", "w") as file:
        for name, size in (("step", 500), ("bin_1", 5), ("bin_2", 5)):
            file.createDimension(name, size)
        variable = file.createVariable("posterior", "f8", ("step", "bin_1", "bin_2"))
        expected_counts(*observed, variable)
        np.testing.assert_array_equal(variable[:], smoothed)


def test_memory_of_the_forward_pass_is_bounded(observed, monkeypatch):
    _keep_blocks_of(40, monkeypatch)
    chain = passes.Passes(observed[0], passes.room(*observed))
    chain.run()
    assert chain.room.alpha.shape == (41, 40)
    assert chain.checkpoints.shape == (13, 40)


@pytest.mark.parametrize(
    "run",
    [chain_log_likelihood, step_log_likelihoods, expected_counts, log_expected_counts, BestPath],
)
def test_memory_is_free_at_once(observed, run):
    """What holds itself waits for the garbage collector: thousands of passes would take gigabytes."""
    run(*observed)
    gc.collect()
    gc.disable()
    try:
        run(*observed)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_memory_of_a_forward_pass_is_handed_on_but_never_shared(observed):
    expected_counts(*observed)
    (held,) = passes._spare
    first, second = passes.room(*observed), passes.room(*observed)
    assert np.shares_memory(first.alpha, held)
    assert not np.shares_memory(second.alpha, first.alpha)
    first.alpha[...] = np.nan  # whatever it holds, nothing is taken from it
    passes.hand_on(first)
    whole, after = np.empty((2, 500, 5, 5))
    expected_counts(*observed, whole)
    assert passes._spare[0] is held
    passes._spare.clear()
    expected_counts(*observed, after)
    np.testing.assert_array_equal(whole, after)


def test_indices_outside_the_tables_are_found_at_every_call(observed):
    tables, inputs = observed
    fewer = ChainTables(
        tables.log_emissions,
        tables.kernels_1[:2],
        tables.kernels_2[:2],
        tables.resets_1[:2],
        tables.resets_2[:2],
    )
    expected_counts(tables, inputs)
    with pytest.raises(ValueError, match="kernel_1: found an index outside the tables"):
        expected_counts(fewer, inputs)


def test_improbable_emissions_are_carried_in_their_logarithm(observed):
    tables, inputs = observed
    # Every emission a factor e^-500 less probable: far below the smallest number, one step even.
    shifted = ChainTables(
        tables.log_emissions - 500.0,
        tables.kernels_1,
        tables.kernels_2,
        tables.resets_1,
        tables.resets_2,
    )
    expected = chain_log_likelihood(tables, inputs) - 500.0 * inputs.n_steps
    np.testing.assert_allclose(chain_log_likelihood(shifted, inputs), expected, rtol=1e-13)
    one, other = expected_counts(tables, inputs), expected_counts(shifted, inputs)
    np.testing.assert_allclose(other.emissions, one.emissions, rtol=1e-9, atol=1e-300)


def test_impossible_observations_are_said_to_be_so(observed):
    tables, inputs = observed
    impossible = tables.log_emissions.copy()
    impossible[inputs.emitted[250]] = -np.inf
    counts = expected_counts(
        ChainTables(
            impossible, tables.kernels_1, tables.kernels_2, tables.resets_1, tables.resets_2
        ),
        inputs,
    )
    assert counts.log_likelihood == -np.inf
    assert not counts.usable
    assert counts.emissions is None


def _assert_equals_plain_passes(tables, inputs):
    n_steps, n = inputs.n_steps, tables.kernels_1.shape[1]
    posterior = np.empty((n_steps, n, n))
    found = expected_counts(tables, inputs, posterior)
    smoothed, counts = plain.backward(tables, inputs, *plain.forward(tables, inputs))
    assert found.log_likelihood == pytest.approx(counts.log_likelihood, rel=1e-12)
    assert chain_log_likelihood(tables, inputs) == found.log_likelihood
    factors = {
        "emissions": 1.0,
        "ratio_1": tables.kernels_1,
        "ratio_2": tables.kernels_2,
        "reset_ratio_1": tables.resets_1,
        "reset_ratio_2": tables.resets_2,
    }
    total = {}
    pairs = [(posterior, smoothed)]
    for name, factor in factors.items():
        one, other = getattr(found, name) * factor, getattr(counts, name) * factor
        pairs.append((one, other))
        total[name] = one.sum()
    # Relative to the largest: what is left out is 1e-20 of a row, what remains is rounding.
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-14 * n_steps)
    np.testing.assert_allclose(posterior.sum((1, 2)), 1.0, rtol=0, atol=1e-12)
    assert total["emissions"] == pytest.approx(n_steps, rel=1e-12)
    n_moves = (inputs.reset >= 0).sum()
    for factor in (1, 2):
        moved = total[f"ratio_{factor}"] + total[f"reset_ratio_{factor}"]
        assert moved == pytest.approx(n_moves, rel=1e-12)


#: Products formed whole and in tiles; rows and columns that fill vectors and tiles, or half, or not.
SIZES = [10, 16, 17, 24, 40]


@pytest.mark.parametrize("n_bins", SIZES)
def test_banded_chain_equals_plain_passes(n_bins, random_agent, random_record):
    task = Task(n_bins=n_bins, n_cues=4)
    record = random_record(task, [35, 25], seed=24)
    inputs = chain_inputs(record)
    assert set(inputs.reset) == {-1, 0, 1, 2}
    _assert_equals_plain_passes(chain_tables(agent_model(random_agent(7), task)), inputs)


@pytest.mark.parametrize("n_bins", SIZES)
@pytest.mark.parametrize("banded", [False, True], ids=["full", "scattered"])
def test_any_kernels_equal_plain_passes(n_bins, banded):
    """Kernels without a band, or with rows whose few entries lie anywhere."""
    rng = np.random.default_rng(n_bins)

    def rows(*shape):
        table = rng.random(shape)
        if banded:
            table *= rng.random(shape) < 3.0 / n_bins
            table[..., 0] += 1e-3
        return table / table.sum(-1, keepdims=True)

    tables = ChainTables(
        np.log(rng.random((3, n_bins, n_bins))),
        *(rows(2, n_bins, n_bins) for _ in range(2)),
        *(rows(2, n_bins) for _ in range(2)),
    )
    emitted, kernel_1, kernel_2, reset = rng.integers(0, [[3], [2], [2], [3]], (4, 60))
    reset[[0, 31]] = -1
    inputs = (emitted, kernel_1, kernel_2, reset)
    _assert_equals_plain_passes(tables, ChainInputs(*(index.astype(np.int32) for index in inputs)))


def test_most_probable_path_is_the_plain_one(observed):
    tables, inputs = observed
    path_1, path_2, log_probability = most_probable_path(tables, inputs)
    path, expected = plain.most_probable_path(tables, inputs)
    np.testing.assert_array_equal(np.stack([path_1, path_2], 1), path)
    assert log_probability == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("block", [1, 7, 190, 500])
def test_the_path_is_the_same_in_any_blocks(observed, block):
    """Sessions end at a block's last step, and within."""
    path_1, path_2, log_probability = most_probable_path(*observed)
    best = BestPath(*observed, block)
    found = np.concatenate([best.block(*each) for each in reversed(best.blocks)][::-1])
    np.testing.assert_array_equal(found, np.stack([path_1, path_2], 1))
    assert best.log_probability == log_probability


@pytest.mark.parametrize("name", ["emitted", "kernel_1", "kernel_2", "reset"])
def test_an_index_outside_the_tables_is_refused(observed, name):
    tables, inputs = observed
    indices = {each: array.copy() for each, array in inputs.arrays.items()}
    indices[name][7] = 99
    with pytest.raises(ValueError, match=f"{name}: found an index outside the tables"):
        expected_counts(tables, ChainInputs(**indices))
