"""A record as an objective: checked once; where fits start; and records that say too little."""

import warnings

import numpy as np
import pandas as pd
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PRIOR, PosteriorSettings
from inverse_rational_control.foraging.dataset import record_fit_dataset
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.per_second import with_seconds
from inverse_rational_control.foraging.starts import (
    choose_start,
    fit_from_random_starts,
    generic_whitening,
)
from inverse_rational_control.inference.bound_intervals import with_profile_intervals
from inverse_rational_control.inference.carried import parameter_rows
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.posterior import draw_posterior
from inverse_rational_control.inference.posterior_dataset import posterior_datasets
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.task import Task
from tests.conftest import PAPER_AGENT, START_RANGES
from tests.reduced_fit import REDUCED_FIT


def _blank(n_steps, **columns):
    """Record of an agent that stays in the middle, with columns changed."""
    rng = np.random.default_rng(0)
    still = dict.fromkeys(("session", "location", "action", "reward"))
    arrays = {name: np.zeros(n_steps, dtype=np.int64) for name in still}
    arrays["cue"] = rng.integers(0, 5, (2, n_steps)).T
    return Record(**(arrays | columns))


def test_a_record_that_does_not_fit_the_task_is_refused(small_record):
    with pytest.raises(RecordError, match="cue_1 at row"):
        ForagingObjective(small_record, Task(n_bins=5, n_cues=2))


def test_within_another_space_the_data_are_the_same(small_objective):
    space = parameter_space({"push_cost": 0.3})
    other = small_objective.within(space)
    assert other.space is space and small_objective.space is not space
    assert other.inputs is small_objective.inputs


def test_chosen_start_is_the_likeliest_candidate(small_record, small_task, fit_settings):
    objective = ForagingObjective(small_record.head(200), small_task)
    lone = fit_settings.model_copy(update={"candidates_per_start": 1})
    rng = np.random.default_rng(7)
    candidates = [choose_start(objective, lone, rng) for _ in range(8)]
    ranges = np.array([fit_settings.start_ranges[p.name] for p in AGENT_PARAMETERS])
    for candidate in candidates:
        assert (candidate >= ranges[:, 0]).all()
        assert (candidate <= ranges[:, 1]).all()
    chosen = choose_start(objective, fit_settings, np.random.default_rng(7))
    likelihoods = [objective.log_likelihood(theta) for theta in candidates]
    np.testing.assert_array_equal(chosen, candidates[int(np.argmax(likelihoods))])


def test_whitening_is_that_of_a_generic_agent(small_whitening, fit_settings, small_task):
    assert np.isfinite(small_whitening).all()
    assert np.linalg.matrix_rank(small_whitening) == 10
    np.testing.assert_array_equal(small_whitening, generic_whitening(fit_settings, small_task))


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("ten steps", "only 10 steps"),
        (_blank(80), "never leaves one place (middle)"),
        (_blank(80), "only one action"),
        (_blank(80, location=np.ones(80, dtype=np.int64)), "never leaves one place (box 1)"),
        (
            _blank(80, location=np.arange(80) % 2, action=2 - np.arange(80) % 2),
            "never opens a box",
        ),
    ],
    ids=["ten steps", "middle", "one action", "box 1", "never opens"],
)
def test_degenerate_records_are_marked(
    record, words, small_record, small_task, fit_settings, small_whitening
):
    record = small_record.head(10) if record == "ten steps" else record
    objective = ForagingObjective(record, small_task)
    assert any(words in reason for reason in objective.degeneracies())
    limits = {"max_evaluations": 15, "warm_up_iterations": 1}
    start = np.array([0.2, 0.2, 0.1, 0.1, 0.4, 0.6, 0.2, 0.2, 0.2, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settings = fit_settings.model_copy(update=limits)
        found = fit(objective, settings, [start], whitening=small_whitening)
    assert found.status == "degenerate_record"
    assert any(words in remark for remark in found.remarks)
    assert np.isfinite(found.estimate).all()
    assert np.isfinite(found.log_likelihood)


def test_healthy_record_is_not_called_degenerate(small_objective):
    assert small_objective.degeneracies() == []


@pytest.mark.parametrize(
    ("fixed", "tied", "contract"),
    [
        ({}, (), FIT),
        ({"travel_cost": 0.2}, [("appearance_rate_1", "appearance_rate_2")], REDUCED_FIT),
    ],
    ids=["full", "reduced"],
)
def test_full_and_reduced_fits_are_stored_alike(
    fixed,
    tied,
    contract,
    small_record,
    small_task,
    fit_settings,
    paper_agent,
    paper_world,
    tmp_path,
):
    space = parameter_space(fixed, tied)
    objective = ForagingObjective(small_record.head(400), small_task, space)
    settings = fit_settings.model_copy(update={"max_evaluations": 10})
    found = fit_from_random_starts(objective, settings, np.random.default_rng, 2)
    write(
        record_fit_dataset(found, objective, paper_agent, paper_world),
        tmp_path / "fit.nc",
        contract,
    )
    again = read(tmp_path / "fit.nc", contract)
    np.testing.assert_array_equal(again["information"], found.information)
    assert again["information"].shape == (space.size, space.size)
    assert again["whitened_gradient"].shape == (2, space.size)
    assert float(again["truth_log_likelihood"]) == objective.log_likelihood(paper_agent)
    np.testing.assert_array_equal(again["world"], paper_world)
    if tied:
        assert again["free"].values[0] == "appearance_rate_1 = appearance_rate_2"


@pytest.fixture(scope="module")
def without_cues():
    """A task without cues, 1500 steps of the paper's agent in it, and its fit."""
    task = Task(n_bins=4, n_cues=1, travel="direct", step_width=0.5)
    model = agent_model(np.array(PAPER_AGENT), task)
    world = np.array([0.15, 0.10, 0.05, 0.04, 0.4, 0.6])
    record = simulate(model, world, 1500, np.random.default_rng(3))
    objective = ForagingObjective(record, task)
    settings = FitSettings(start_ranges=START_RANGES, max_evaluations=120)
    whitening = generic_whitening(settings, task)
    assert whitening.shape == (10, 8)
    found = fit(objective, settings, [np.array(PAPER_AGENT)], whitening=whitening)
    return objective, with_profile_intervals(found, objective, np.array(PAPER_AGENT)), settings


def test_without_cues_their_parameters_are_not_estimated(without_cues, tmp_path):
    objective, found, _ = without_cues
    cues = ("cue_probability_present", "cue_probability_absent")
    assert objective.space.absent == cues
    assert objective.space.size == 8
    assert not set(objective.space.names) & set(cues)
    assert (found.estimate[4:6] == 0.5).all(), "nothing moves them"
    intervals = found.intervals()
    assert [str(kind) for kind in intervals.kind[4:6]] == ["absent", "absent"]
    assert np.isnan(intervals.lower[4:6]).all() and np.isnan(intervals.standard_error[4:6]).all()
    assert found.information.shape == (8, 8)
    assert "the task has no cues: q_1 and q_2 do not exist" in found.remarks
    assert not any("cue_probability" in line for line in found.summary().splitlines())
    # Stored as any fit, and left out of what is reported.
    dataset = record_fit_dataset(found, objective)
    write(dataset, tmp_path / "fit.nc", FIT)
    stored = read(tmp_path / "fit.nc", FIT)
    assert np.isnan(stored["information"].values[4:6]).all()
    table = parameter_rows(stored, None)
    assert len(table) == 8
    assert not set(table["parameter"]) & set(cues)


def test_tables_state_rates_per_second_too(without_cues):
    objective, found, _ = without_cues
    table = parameter_rows(record_fit_dataset(found, objective), None)
    both = with_seconds(table, objective.task).set_index("parameter")
    for k, name in enumerate(("appearance_rate_1", "appearance_rate_2", "disappearance_rate_1")):
        expected = -np.log(1 - found.estimate[k]) / 0.5
        assert both.loc[name, "estimate_in_seconds"] == pytest.approx(expected)
        assert both.loc[name, "unit_in_seconds"] == "1/s"
    assert np.isnan(both.loc["push_cost", "estimate_in_seconds"])
    assert (both["step_width"] == 0.5).all()
    assert with_seconds(table, Task()) is table
    more = pd.DataFrame(
        {"parameter": ["discount", "diffusion"], "unit": "1", "estimate": [0.9, 0.1]}
    )
    found = with_seconds(more, objective.task)["estimate_in_seconds"]
    assert found.tolist() == pytest.approx([-0.5 / np.log(0.9), 0.1 / np.sqrt(0.5)])


def test_without_cues_the_posterior_has_eight_parameters(without_cues):
    long, _, settings = without_cues
    objective = ForagingObjective(long.record.head(300), long.task)
    density = LogPosterior(objective, normal_prior(PRIOR, objective.space))
    quick = PosteriorSettings(
        n_chains=2, n_tune=50, n_draws=50, ess_minimum=10, sampler="importance"
    )
    whitening = generic_whitening(settings, objective.task)
    rng = np.random.default_rng(2)
    found = draw_posterior(density, settings, quick, [np.array(PAPER_AGENT)], rng, whitening)
    assert found.draws.shape[1] == 10
    assert (found.draws[:, 4:6] == 0.5).all()
    assert "cue_probability" not in found.summary()
    assert "q_1 and q_2 do not exist" in " ".join(found.remarks)
    summary = posterior_datasets(found)[""]
    for name in ("median", "interval_lower", "interval_upper", "mean", "standard_deviation"):
        np.testing.assert_array_equal(np.isnan(summary[name]), ~objective.space.exists)


def test_records_with_colors_that_never_occur_say_so_in_the_fit(small_record, fit_settings):
    objective = ForagingObjective(small_record.head(60), Task(n_bins=5, n_cues=9))
    start = np.array([0.2, 0.2, 0.1, 0.1, 0.4, 0.6, 0.2, 0.2, 0.2, 0.2])
    said = objective.diagnose(start, objective.evaluate(start)).remarks
    assert any("colors, 5, 6, 7, 8 never occur" in remark for remark in said)
