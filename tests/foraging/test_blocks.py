"""Decoding and regressors in blocks of steps: the same in any blocks, and in bounded memory."""

import logging
import tracemalloc
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pandas as pd
import pytest

import inverse_rational_control as irc
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.chain import forward_backward
from inverse_rational_control.chain.smoothing import room, smooth_in_blocks
from inverse_rational_control.foraging import mixture, regressors
from inverse_rational_control.foraging.decoding import Decoding, decode, tables_from_cues
from inverse_rational_control.foraging.likelihood import chain_inputs
from inverse_rational_control.foraging.mixture import alike, decode_in_blocks, tables_of
from inverse_rational_control.foraging.scoring import score_decoding
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.parameters import AGENT_PARAMETERS, WORLD_PARAMETERS
from inverse_rational_control.recordings.dataset import RECORD, names, record_dataset
from inverse_rational_control.storage import digest, netcdf
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.studies.paper.dataset import POSTERIOR
from inverse_rational_control.task import Task
from tests import ROOT
from tests.filled import filled

TASK = Task(n_bins=4, n_cues=3)
DRAWS = np.array([irc.Agent().vector, irc.Agent(push_cost=0.4, temperature=0.3).vector])


@pytest.fixture(scope="module")
def record():
    """300 steps in three sessions, of which one ends where a block of 100 does."""
    found = irc.simulate(irc.Agent(), irc.World(), n_steps=300, task=TASK, seed=3)
    found.session[200:] = 1
    found.session[230:] = 2
    found.reward[[200, 230]] = 0
    return found


def _in_blocks(record, block, others=()):
    inputs = chain_inputs(record)
    estimate, *draws = tables_of([irc.Agent(travel_cost=0.3).vector, *DRAWS], inputs, TASK)
    posterior, path = np.empty((300, 4, 4)), np.empty((300, 2), dtype=int)

    def take(begin, end, decoding, _):
        posterior[begin:end], path[begin:end] = decoding.posterior, decoding.path

    decoded = decode_in_blocks(
        estimate,
        draws,
        inputs,
        take,
        lambda begin, end: record.belief_bin[begin:end],
        {"cue": tables_from_cues(irc.World().vector, TASK, inputs.n_kernels)},
        block,
    )
    return Decoding(posterior, path, decoded.log_likelihood), decoded


@pytest.mark.parametrize("block", [1, 7, 100, 300])
def test_a_decoding_is_the_same_in_any_blocks(record, block):
    decoding, decoded = _in_blocks(record, block)
    one, other = (decode(theta, record, TASK).posterior for theta in DRAWS)
    estimate = decode(irc.Agent(travel_cost=0.3).vector, record, TASK)
    np.testing.assert_array_equal(decoding.posterior, (0.0 + one + other) / 2)
    np.testing.assert_array_equal(decoding.path, estimate.path)
    assert decoding.log_likelihood == estimate.log_likelihood
    for name, whole in (("decoding", decoding), ("estimate", estimate)):
        for score, value in vars(score_decoding(whole, record.belief_bin)).items():
            found = getattr(decoded.scores[name], score)
            np.testing.assert_allclose(found, value, rtol=1e-11, err_msg=f"{name} {score}")
    assert np.isnan(decoded.scores["cue"].path_correlation).all()


@pytest.mark.parametrize("block", [64, 300])
def test_masses_are_the_same_whether_marginals_are_held(record, block, monkeypatch):
    _, held = _in_blocks(record, block)
    monkeypatch.setattr(mixture, "_HELD_BYTES", 0)
    _, again = _in_blocks(record, block)
    np.testing.assert_array_equal(held.masses, again.masses)
    np.testing.assert_allclose(held.masses.mean(0), held.scores["decoding"].credible_expected)
    for score, value in vars(held.scores["decoding"]).items():
        np.testing.assert_array_equal(getattr(again.scores["decoding"], score), value)


@pytest.mark.parametrize(
    ("seed", "temperature", "n_times"), [(1, 0.002, 1), (1, 0.01, 2), (0, 0.002, 3)]
)
def test_a_chain_that_is_not_certain_is_smoothed_again_with_all(seed, temperature, n_times):
    """Strict agents under the record of another: scaled numbers underflow, at once or unnoticed."""
    task, rng = Task(n_bins=20), np.random.default_rng(seed)
    low = np.array([0.02, 0.02, 0.01, 0.01, 0.1, 0.5, 0.0, 0.0, 0.0])
    high = np.array([0.5, 0.5, 0.4, 0.4, 0.5, 0.9, 0.5, 0.6, 0.7])
    strict, other = (
        np.append(low + (high - low) * rng.random(9), each) for each in (temperature, 0.2)
    )
    record = simulate(agent_model(other, task), other[:6], 60, rng)
    inputs, taken = chain_inputs(record), []
    tables = tables_of([other, strict], inputs, task)
    found = np.full((2, 60, 20, 20), np.nan)

    def taker():
        taken.append(0)

        def take(block):
            taken[-1] += 1
            for chain in range(2):
                found[chain, block.begin : block.end] = block.smoothed(chain)

        return take

    log_likelihoods = smooth_in_blocks(tables, inputs, room(tables[0], inputs, 25), taker)
    for chain, each in enumerate(tables):
        expected = np.empty((60, 20, 20))
        counts = forward_backward.expected_counts(each, inputs, expected)
        np.testing.assert_array_equal(found[chain], expected)
        assert log_likelihoods[chain] == counts.log_likelihood
    assert taken == [3] * n_times


def test_what_is_impossible_is_not_decoded(record):
    inputs = chain_inputs(record)
    (tables,) = tables_of(DRAWS[:1], inputs, TASK)
    tables.log_emissions[inputs.emitted[150]] = -np.inf
    with pytest.raises(ValueError, match="nothing to decode"):
        shared = room(tables, inputs, 50)
        smooth_in_blocks([tables], inputs, shared, lambda: lambda block: block.smoothed(0))


def test_an_agent_that_does_not_perseverate_beside_one_that_does(record):
    """The action before is part of what is emitted, and tells nothing of the one."""
    inputs = chain_inputs(record, ("perseveration",))
    (plain,) = tables_of(DRAWS[:1], inputs, TASK)
    (other,) = tables_of([np.append(DRAWS[0], 0.5)], inputs, TASK, ("perseveration",))
    same, _ = alike([plain, other])
    posterior = np.empty((300, 4, 4))
    forward_backward.expected_counts(same, inputs, posterior)
    np.testing.assert_array_equal(posterior, decode(DRAWS[0], record, TASK).posterior)


@pytest.mark.parametrize("block", [1, 7, 100, 200])
def test_regressors_are_the_same_in_any_blocks(record, block):
    whole = regressors.regressors(DRAWS, record, TASK)
    for name, values in vars(regressors.regressors(DRAWS, record, TASK, block=block)).items():
        np.testing.assert_allclose(values, getattr(whole, name), rtol=1e-13, err_msg=name)
    assert np.flatnonzero(np.isnan(whole.prediction_error)).tolist() == [199, 229, 299]


def _script(name):
    spec = spec_from_file_location(name, ROOT / f"workflow/scripts/{name}.py")
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    if hasattr(script, "ROWS"):
        script.ROWS = 1000
    return script.main


def _decoded_file(folder, n_steps, **outputs):
    """Run a rule's script on a record of so many steps; peak memory of its arrays, and the record."""
    agent, world = irc.Agent().vector, irc.World().vector
    behavior = irc.simulate(irc.Agent(), irc.World(), n_steps=n_steps, task=Task(), seed=3)
    given = {"estimate": 1.05 * agent, "world": world}
    sizes = {"start": 2, "iteration": 5, "world_parameter": names(WORLD_PARAMETERS)}
    sizes |= dict.fromkeys(("parameter", "parameter_other"), names(AGENT_PARAMETERS))
    write(record_dataset(behavior, Task(), agent, world), folder / "record.nc", RECORD)
    write(filled(FIT, sizes, given, ("world",)), folder / "fit.nc", FIT)
    tracemalloc.start()
    try:
        _script("decode_beliefs")(
            config={"root_seed": 0},
            record=folder / "record.nc",
            fit=folder / "fit.nc",
            parameter_posterior=[],
            n_carried=2,
            log=logging.getLogger("decoding"),
            **{name: folder / file for name, file in outputs.items()},
        )
        return tracemalloc.get_traced_memory()[1], behavior
    finally:
        tracemalloc.stop()


OUTPUTS = {
    "agent": {"posterior": "posterior.nc"},
    "animal": {"posterior": "posterior.nc", "regressors": "regressors.nc", "table": "beliefs.csv"},
}


@pytest.mark.parametrize("outputs", OUTPUTS.values(), ids=OUTPUTS)
def test_memory_does_not_grow_with_the_record_but_for_its_indices(outputs, tmp_path, monkeypatch):
    """A step's joint posterior is 800 bytes, its marginals and the path's way back some hundreds."""
    monkeypatch.setattr(mixture, "_BLOCK_BYTES", 0)
    monkeypatch.setattr(digest, "_BLOCK_BYTES", 2**18)
    monkeypatch.setattr(netcdf, "_READ_BYTES", 2**16)
    short, long = 4 * mixture.ALIGNED, 16 * mixture.ALIGNED
    peaks = [_decoded_file(tmp_path, n_steps, **outputs)[0] for n_steps in (short, long)]
    assert (peaks[1] - peaks[0]) / (long - short) < 100


def test_the_file_holds_what_is_decoded_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(mixture, "_BLOCK_BYTES", 0)
    _, behavior = _decoded_file(tmp_path, 2500, **OUTPUTS["animal"])
    found = read(tmp_path / "posterior.nc", POSTERIOR)
    expected = decode(1.05 * irc.Agent().vector, behavior, Task())
    np.testing.assert_array_equal(found["posterior"], expected.posterior.astype(np.float32))
    np.testing.assert_array_equal(found["posterior_mean"], expected.means)
    np.testing.assert_array_equal(found["most_probable_bin"], expected.path)
    np.testing.assert_array_equal(found["true_belief_bin"], behavior.belief_bin)
    assert float(found["log_likelihood"]) == expected.log_likelihood
    for name in ("cue_log_score", "true_model_log_score", "log_score"):
        assert np.isfinite(found[name]).all()
    table = pd.read_csv(tmp_path / "beliefs.csv")
    np.testing.assert_allclose(table[["belief_mean_1", "belief_mean_2"]], expected.means, atol=1e-6)


def test_what_watches_a_decoding_sees_each_draw_of_each_step_once(record):
    """One draw after the other, or the estimate where there are none."""
    inputs = chain_inputs(record)
    estimate, *draws = tables_of([irc.Agent().vector, *DRAWS], inputs, TASK)
    seen, smoothed, ended = np.zeros((2, 300), dtype=int), np.empty((2, 300, 4, 4)), []

    class Watch:
        def begin(self, begin, end):
            self.steps = slice(begin, end)

        def add(self, number, posterior):
            seen[number, self.steps] += 1
            smoothed[number, self.steps] = posterior

        def end(self):
            ended.append(self.steps)

    decode_in_blocks(estimate, draws, inputs, lambda *_: None, block=70, watcher=Watch)
    assert (seen == 1).all()
    assert [each.start for each in ended] == [280, 210, 140, 70, 0]
    for posterior, theta in zip(smoothed, DRAWS, strict=True):
        np.testing.assert_array_equal(posterior, decode(theta, record, TASK).posterior)
    decode_in_blocks(draws[1], None, inputs, lambda *_: None, block=70, watcher=Watch)
    np.testing.assert_array_equal(smoothed[0], smoothed[1])
