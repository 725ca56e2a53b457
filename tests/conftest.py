"""Agents, worlds, tasks and records that several test modules share."""

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import choose_start, generic_whitening
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task
from tests.oracles.dense_planner import arrival

# As in the workflow and behind the front door; and two runs of tests at once do not crowd each other.
threadpool_limits(limits=1)

# The same examples on every run and machine.
settings.register_profile(
    "deterministic", derandomize=True, deadline=None, max_examples=25, database=None
)
settings.load_profile("deterministic")

PAPER_AGENT = (0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2)
PAPER_WORLD = (0.15, 0.10, 0.05, 0.04, 0.4, 0.6)

START_RANGES = {
    "appearance_rate_1": (0.05, 0.4),
    "appearance_rate_2": (0.05, 0.4),
    "disappearance_rate_1": (0.03, 0.3),
    "disappearance_rate_2": (0.03, 0.3),
    "cue_probability_present": (0.25, 0.5),
    "cue_probability_absent": (0.5, 0.75),
    "grooming_reward": (0.0, 0.5),
    "travel_cost": (0.0, 0.5),
    "push_cost": (0.0, 0.5),
    "temperature": (0.1, 0.5),
}


@pytest.fixture
def paper_agent():
    """Parameters of the paper's agent."""
    return np.array(PAPER_AGENT)


@pytest.fixture
def paper_world():
    """Parameters of the paper's world."""
    return np.array(PAPER_WORLD)


@pytest.fixture(scope="session")
def small_task():
    """A task small enough for fits within a second."""
    return Task(n_bins=5)


@pytest.fixture(scope="session")
def small_record(small_task):
    """3000 steps of the paper's agent on the small task, enough to pin all ten parameters."""
    model = agent_model(np.array(PAPER_AGENT), small_task)
    return simulate(model, np.array(PAPER_WORLD), 3000, np.random.default_rng(5))


@pytest.fixture(scope="session")
def fit_settings():
    """Settings of a fit, the library's defaults with start ranges."""
    return FitSettings(start_ranges=START_RANGES)


@pytest.fixture(scope="session")
def small_objective(small_record, small_task):
    """The small record's log-likelihood."""
    return ForagingObjective(small_record, small_task)


@pytest.fixture(scope="session")
def small_whitening(fit_settings, small_task):
    """Search coordinates of the small task."""
    return generic_whitening(fit_settings, small_task)


@pytest.fixture(scope="session")
def small_fit(small_objective, fit_settings, small_whitening):
    """Quasi-Newton fit of the small record from two starts."""
    rng = np.random.default_rng(1)
    starts = [choose_start(small_objective, fit_settings, rng) for _ in range(2)]
    return fit(small_objective, fit_settings, starts, whitening=small_whitening)


@pytest.fixture
def random_agent():
    """Draw an agent from broad ranges: random_agent(seed)."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        theta = np.empty(10)
        theta[:4] = rng.uniform(0.02, 0.5, 4)
        theta[4:6] = rng.uniform(0.15, 0.85, 2)
        theta[6:9] = rng.uniform(0.0, 0.5, 3)
        theta[9] = rng.uniform(0.1, 0.5)
        return theta

    return draw


@pytest.fixture
def random_record():
    """Draw a record of arbitrary, allowed behavior: random_record(task, lengths, seed).

    Locations follow the actions; cues and rewards are noise, which the likelihood takes as given.
    """

    def draw(task, lengths, seed):
        rng = np.random.default_rng(seed)
        session, location, action = [], [], []
        for number, length in enumerate(lengths):
            here = 0
            for _ in range(length):
                options = np.flatnonzero(task.available[here])
                # Pushes twice as often, so that short records hold some of both boxes.
                weights = np.where(options == 4, 2.0, 1.0)
                act = int(rng.choice(options, p=weights / weights.sum()))
                session.append(number)
                location.append(here)
                action.append(act)
                if act in (1, 2, 3):
                    chances = arrival(here, act, task)
                    certain = chances.max() == 1.0
                    here = int(chances.argmax() if certain else rng.choice(3, p=chances))
        total = sum(lengths)
        return Record(
            session=np.array(session),
            location=np.array(location),
            action=np.array(action),
            reward=np.zeros(total, dtype=np.int64),
            cue=rng.integers(0, task.n_cues, (2, total)).T,
        )

    return draw
