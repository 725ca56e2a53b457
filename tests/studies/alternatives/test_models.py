"""All models fitted to one record, and the records they are fitted to."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.alternative_models import model_space, model_spaces
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PRIOR
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.alternatives.memoryless import Memoryless
from inverse_rational_control.studies.alternatives.models import AgentModels, fit_models
from inverse_rational_control.studies.alternatives.records import (
    draw_agent_of,
    record_of_model,
)
from inverse_rational_control.task import Task
from tests import ROOT

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
AGENT = dict(zip(NAMES, [0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2], strict=True))
WORLD = dict(zip(NAMES[:6], [0.15, 0.1, 0.05, 0.04, 0.4, 0.6], strict=True))
TASK = Task(n_bins=4, n_cues=3)
SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["fitting"]


def test_drawn_agents_lie_in_the_models_space_and_elsewhere_within_the_ranges():
    space = model_space({"from_world": NAMES[:6]}, WORLD, AGENT)
    ranges = {name: (0.9 * value, 1.1 * value) for name, value in AGENT.items()}
    theta, model, _ = draw_agent_of(space, ranges, TASK, np.random.default_rng(4))
    assert model.plan.converged
    np.testing.assert_allclose(theta[:6], list(WORLD.values()), rtol=1e-12)
    share = (theta / list(AGENT.values()))[6:]
    assert (np.abs(share - 1) < 0.1).all() and np.unique(share).size == 4


SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["fitting"]


class _Echo:
    """A baseline that repeats the record it was fitted to, but for its last step."""

    n_parameters = 0
    converged = True

    def fit(self, record):
        self.record = record
        return self

    def simulate(self, world, n_steps, rng):
        assert self.record.n_steps == n_steps
        return self.record.head(n_steps - 1)


def test_records_of_a_baseline_imitate_an_agent_and_have_no_true_parameters():
    spaces = model_spaces({}, WORLD, AGENT)
    ranges = {name: (0.9 * value, 1.1 * value) for name, value in AGENT.items()}
    world = np.array(list(WORLD.values()))
    asked = []

    def random(purpose):
        asked.append(purpose)
        return np.random.default_rng(len(purpose))

    made = record_of_model("echo", spaces, {"echo": _Echo()}, ranges, TASK, world, 50, random)
    assert asked == ["agent", "fit", "echo"]
    assert made.record.n_steps == 49
    assert np.isnan(made.truth).all()
    agent = record_of_model("full", spaces, {}, ranges, TASK, world, 50, random)
    np.testing.assert_array_equal(agent.record.action[:49], made.record.action)
    assert np.isfinite(agent.truth).all()


def _two_records():
    model = agent_model(np.array(list(AGENT.values())), TASK)
    world = np.array(list(WORLD.values()))
    return [simulate(model, world, 400, np.random.default_rng(seed)) for seed in (5, 6)]


@pytest.fixture(autouse=True)
def plain_whitening(monkeypatch):
    """Searches are shorter, and poorer, in the coordinates as they are."""
    monkeypatch.setattr(
        "inverse_rational_control.studies.alternatives.models.generic_whitening",
        lambda settings, task, space: np.eye(10) @ space.directions,
    )


def _fitted(spaces, held_out, **limits):
    settings = FitSettings(**SETTINGS | limits)
    agents = AgentModels(spaces, TASK, settings, 1, 0, PRIOR, n_evidence_draws=100)
    baselines = {"memoryless": Memoryless(TASK, 0.01)}
    record, other = (ForagingObjective(record, TASK) for record in _two_records())
    other = other if held_out else None
    return fit_models(
        record,
        other,
        agents,
        baselines,
        np.random.default_rng,
        lambda name: np.random.default_rng(len(name)),
    )


def test_every_model_is_fitted_and_scored_on_the_record_held_out():
    spaces = model_spaces({"rewards_known": {"from_agent": NAMES[6:9]}}, WORLD, AGENT)
    full, reduced, baseline = _fitted(spaces, held_out=True)
    assert [full.name, reduced.name, baseline.name] == ["full", "rewards_known", "memoryless"]
    assert [full.n_parameters, reduced.n_parameters, baseline.n_parameters] == [10, 7, 36]
    assert full.log_likelihood > reduced.log_likelihood - 1e-6
    np.testing.assert_allclose(reduced.estimate[6:9], list(AGENT.values())[6:9], rtol=1e-12)
    record, other = _two_records()
    for fit in (full, reduced):
        for found, data in (
            (fit.log_likelihood, record),
            (fit.held_out_log_likelihood, other),
        ):
            expected = ForagingObjective(data, TASK).log_likelihood(fit.estimate)
            assert found == pytest.approx(expected, abs=1e-8)
    assert np.isnan(baseline.estimate).all()
    expected = Memoryless(TASK, 0.01).fit(record).log_likelihood(other)
    assert baseline.held_out_log_likelihood == pytest.approx(expected)


def test_a_maximum_that_the_full_model_missed_is_found_from_a_reduced_one():
    """With few evaluations the full model, from its poor start, stays below a model near the truth."""
    spaces = model_spaces({"near": {"from_agent": NAMES[:9]}}, WORLD, AGENT)
    few = {"max_evaluations": 1, "warm_up_iterations": 0, "candidates_per_start": 1}
    full, near, _ = _fitted(spaces, held_out=False, **few)
    assert full.missed > 1.0
    assert full.log_likelihood >= near.log_likelihood
    assert near.missed == 0.0
    assert np.isnan(full.held_out_log_likelihood)
