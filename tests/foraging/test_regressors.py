"""Regressors: against plain loops, and prediction errors that vanish where the world is as believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import inverse_rational_control as irc
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.decoding import decode
from inverse_rational_control.foraging.regressors import regressors
from inverse_rational_control.foraging.regressors_dataset import (
    REGRESSORS,
    regressors_dataset,
    regressors_steps,
    regressors_table,
)
from inverse_rational_control.recordings.dataset import record_dataset
from inverse_rational_control.statistics import block_standard_error
from inverse_rational_control.task import ABSENT, MISSING, Task

TASK = Task(n_bins=4, n_cues=3)


@pytest.fixture(scope="module")
def record():
    return irc.simulate(irc.Agent(), irc.World(), n_steps=60, task=TASK, seed=3)


def with_two_sessions(record):
    session = np.repeat([0, 1], 30)
    reward = record.reward.copy()
    reward[30] = 0
    return irc.Record(session, record.location, record.action, reward, record.cue)


def test_regressors_against_plain_loops(record):
    record = with_two_sessions(record)
    draws = np.array([irc.Agent().vector, irc.Agent(push_cost=0.4, temperature=0.3).vector])
    found = regressors(draws, record, TASK)
    centers = (np.arange(4) + 0.5) / 4
    mean, square, sure = (np.zeros((60, 2)) for _ in range(3))
    value, error = np.zeros(60), np.zeros(60)
    for theta in draws:
        model, beliefs = agent_model(theta, TASK), decode(theta, record, TASK).posterior
        values = np.zeros(60)
        for t in range(60):
            for i in range(4):
                for j in range(4):
                    p = beliefs[t, i, j] / 2
                    mean[t] += p * centers[[i, j]]
                    square[t] += p * centers[[i, j]] ** 2
                    sure[t] += p * np.maximum(centers[[i, j]], 1 - centers[[i, j]])
                    values[t] += beliefs[t, i, j] * model.plan.value[record.location[t], i, j]
        value += values / 2
        for t in range(59):
            paid = model.problem.reward[record.location[t], record.action[t]]
            error[t] += (paid + record.reward[t + 1] + 0.99 * values[t + 1] - values[t]) / 2
    np.testing.assert_allclose(found.belief_mean, mean, atol=1e-12)
    np.testing.assert_allclose(found.belief_sd, np.sqrt(square - mean**2), atol=1e-10)
    np.testing.assert_allclose(found.confidence, sure, atol=1e-12)
    np.testing.assert_allclose(found.value, value, atol=1e-10)
    last = [29, 59]
    assert np.isnan(found.prediction_error[last]).all()
    others = np.delete(np.arange(60), last)
    np.testing.assert_allclose(found.prediction_error[others], error[others], atol=1e-10)


def test_an_agent_that_knows_its_world_is_not_surprised_on_average():
    agent, task = irc.Agent(), Task()
    world = irc.World(**{name: getattr(agent, name) for name in vars(irc.World())})
    record = irc.simulate(agent, world, n_steps=10_000, task=task, seed=1)
    error = regressors(agent.vector[None], record, task).prediction_error[:-1]
    assert abs(error.mean()) < 4 * block_standard_error(error, 100)
    # One whose cues speak for food that is not there is disappointed.
    lying = {"cue_probability_absent": agent.cue_probability_present, "appearance_rate_1": 0.05}
    poorer = irc.World(**vars(world) | lying)
    record = irc.simulate(agent, poorer, n_steps=10_000, task=task, seed=1)
    error = regressors(agent.vector[None], record, task).prediction_error[:-1]
    assert error.mean() < -4 * block_standard_error(error, 100)


def test_steps_without_a_color_are_decoded_as_elsewhere(record):
    """A cue that was not shown, and one that was not recorded."""
    cue = record.cue.copy()
    cue[5, 0], cue[9] = ABSENT, MISSING
    lacking = replace(record, cue=cue)
    found = regressors(irc.Agent().vector[None], lacking, TASK)
    np.testing.assert_allclose(
        found.belief_mean, decode(irc.Agent().vector, lacking, TASK).means, atol=1e-12
    )
    assert (
        abs(
            found.belief_mean - regressors(irc.Agent().vector[None], record, TASK).belief_mean
        ).max()
        > 1e-3
    )


def test_no_draws_and_no_plan_are_refused(record):
    with pytest.raises(ValueError, match="draws: found none"):
        regressors(np.empty((0, 10)), record, TASK)


def test_rows_of_the_table_are_those_of_the_recording(record):
    dataset = record_dataset(record, TASK)
    dataset["row"] = ("step", np.arange(2, 62))
    dataset["time"] = ("step", 0.5 * np.arange(60))
    found = regressors(irc.Agent().vector[None], record, TASK)
    whole = regressors_dataset(60, "the truth").assign(
        {
            name: (REGRESSORS.variables[name].dims, values)
            for name, values in regressors_steps(found, dataset).items()
        }
    )
    table = regressors_table(whole)
    assert list(table["row"]) == list(range(2, 62))
    assert table["time"].iloc[-1] == 29.5
    assert set(table["location"]) <= {"middle", "box 1", "box 2"}
    np.testing.assert_array_equal(table["belief_mean_2"], found.belief_mean[:, 1])
