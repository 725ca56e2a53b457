"""A believer in the true parameters filters like the exact Bayes filter, ever closer as N grows."""

import numpy as np
import pytest

from inverse_rational_control.agent.beliefs import bin_centers, box_beliefs
from inverse_rational_control.task import Task
from tests.oracles.exact_filter import exact_beliefs

WORLD = (0.15, 0.05, 0.4, 0.6)  # appearance, disappearance, cue probabilities of one box


def _telegraph(n_steps, rng):
    """Food, cues and pushes of one box in the true world."""
    gamma, eps, q_present, q_absent = WORLD
    food, cues, opened = 0, [], []
    for _ in range(n_steps):
        vanish = rng.random() < eps
        appear = rng.random() < gamma
        food = int(not vanish) if food else int(appear)
        cues.append(rng.binomial(4, q_present if food else q_absent))
        opened.append(rng.random() < 0.1)
        food = 0 if opened[-1] else food
    return np.array(cues), np.array(opened)


def _binned_mean(n_bins, sigma, cues, opened):
    """Mean over the agent's own noise of its binned belief: the kernels, one after the other."""
    box = box_beliefs(*WORLD, Task(n_bins=n_bins, diffusion=sigma))
    centers = bin_centers(n_bins)
    state = np.full(n_bins, 1 / n_bins)
    means = [state @ centers]
    for t in range(1, len(cues)):
        kernel, reset = box.kernel[cues[t]], box.reset_kernel[cues[t]]
        state = reset if opened[t - 1] else state @ kernel
        means.append(state @ centers)
    return np.array(means)


@pytest.fixture(scope="module")
def stretch():
    """Cues, pushes and the exact belief of 400 steps."""
    cues, opened = _telegraph(400, np.random.default_rng(17))
    return cues, opened, exact_beliefs(0.5, cues, opened, *WORLD, 5)


def test_error_falls_with_the_number_of_bins(stretch):
    cues, opened, exact = stretch
    errors = []
    for n_bins in (5, 10, 20, 40):
        mean = _binned_mean(n_bins, 0.5 / n_bins, cues, opened)
        # The start is uniform, not at 0.5: forgotten after the first push or some twenty steps.
        errors.append(np.sqrt(np.mean((mean - exact)[30:] ** 2)))
    # Half-bin noise: the error falls with every doubling, and at N = 40 is below a bin's width.
    assert (np.diff(errors) < 0).all()
    assert errors[-1] < 0.025
    assert errors[-1] < errors[0] / 4


def test_diffusion_much_smaller_than_a_bin_still_converges(stretch):
    cues, opened, exact = stretch
    mean = _binned_mean(80, 1e-3, cues, opened)
    assert np.sqrt(np.mean((mean - exact)[30:] ** 2)) < 0.01


def test_after_a_push_the_belief_is_the_exact_one(stretch):
    cues, opened, exact = stretch
    after = np.flatnonzero(opened[:-1]) + 1
    fine = _binned_mean(200, 1e-3, cues, opened)
    # One step from belief exactly 0: only half a bin and the diffusion are between them.
    assert np.abs(fine - exact)[after].max() < 0.5 / 200 + 4e-3
