"""A record as an objective: checked once; where fits start; and records that say too little."""

import warnings

import numpy as np
import pytest

from inverse_rational_control.foraging.dataset import record_fit_dataset
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import (
    choose_start,
    fit_from_random_starts,
    generic_whitening,
)
from inverse_rational_control.inference.dataset import FIT, REDUCED_FIT
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.task import Task


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
