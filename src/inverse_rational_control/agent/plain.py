"""Belief tables and the Bellman backup, plainly: what `beliefs` and `bellman` compute, to be read first.

The tests hold the compiled loops to these. Source: docs/model.md sections 3 to 5.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.agent.bellman import BellmanProblem
from inverse_rational_control.task import BOX_1, BOX_2, OPENED_BOX, Task

__all__ = [
    "averaged",
    "bin_masses",
    "box_tables",
    "planner_tables",
    "prediction_tables",
    "softmax_backup",
    "updated_belief",
]


def updated_belief(belief, cue, appearance, disappearance, present, absent, n_cues):
    """Exact belief after one telegraph step and a cue (the paper's belief update).

    belief and cue may be arrays; present and absent are the cue probabilities with and without food.
    """
    predicted = appearance + (1 - appearance - disappearance) * belief
    with_food = binom.pmf(cue, n_cues - 1, present) * predicted
    without = binom.pmf(cue, n_cues - 1, absent) * (1 - predicted)
    return with_food / (with_food + without)


def bin_masses(mean: float, sigma: float, n_bins: int) -> np.ndarray:
    """Mass of a normal truncated to [0, 1] in each bin; upper tails where both edges lie above."""
    z = (np.arange(n_bins + 1) / n_bins - mean) / sigma
    mass = np.empty(n_bins)
    for j in range(n_bins):
        mass[j] = ndtr(-z[j]) - ndtr(-z[j + 1]) if z[j] > 0 else ndtr(z[j + 1]) - ndtr(z[j])
    return mass / (ndtr((1 - mean) / sigma) - ndtr(-mean / sigma))


def box_tables(parameters, task: Task):
    """One box's belief step, averaged over the beliefs in each bin, and its cues.

    Parameters
    ----------
    parameters : sequence of 4 numbers
        Appearance rate, disappearance rate, cue probability present and absent.
    task : Task

    Returns
    -------
    kernel, reset_kernel : ndarray, shapes (C, N, N) and (C, N)
        [cue, from, to] and, after a push, from belief 0, [cue, to].
    cue_probability, reset_cue_probability : ndarray, shapes (C, N) and (C,)
        [cue, bin] and, after a push, [cue].
    """
    n, n_cues = task.n_bins, task.n_cues
    nodes, weights = np.polynomial.legendre.leggauss(8)
    kernel, reset_kernel = np.zeros((n_cues, n, n)), np.zeros((n_cues, n))
    for cue in range(n_cues):
        for i, center in enumerate(bin_centers(n)):
            for node, weight in zip(nodes, weights, strict=True):
                after = updated_belief(center + node / (2 * n), cue, *parameters, n_cues)
                kernel[cue, i] += weight / 2 * bin_masses(after, task.sigma, n)
        after = updated_belief(0.0, cue, *parameters, n_cues)
        reset_kernel[cue] = bin_masses(after, task.sigma, n)
    appearance, disappearance, present, absent = parameters
    predicted = appearance + (1 - appearance - disappearance) * np.append(bin_centers(n), 0.0)
    cues = np.arange(n_cues)[:, None]
    seen = binom.pmf(cues, n_cues - 1, present) * predicted
    seen += binom.pmf(cues, n_cues - 1, absent) * (1 - predicted)
    return kernel, reset_kernel, seen[:, :-1], seen[:, -1]


def prediction_tables(parameters, task: Task):
    """One box's belief step where no cue is shown, by prediction alone, [from, to] and [to]."""
    n = task.n_bins
    appearance, disappearance = parameters[:2]
    nodes, weights = np.polynomial.legendre.leggauss(8)

    def stepped(belief):
        predicted = appearance + (1 - appearance - disappearance) * belief
        return bin_masses(predicted, task.sigma, n)

    kernel = np.zeros((n, n))
    for i, center in enumerate(bin_centers(n)):
        for node, weight in zip(nodes, weights, strict=True):
            kernel[i] += weight / 2 * stepped(center + node / (2 * n))
    return kernel, stepped(0.0)


def planner_tables(parameters, task: Task):
    """What the planner takes: cues averaged out, and steps without one, [from, to] and [to]."""
    share = task.cue_share
    pairs = zip(
        averaged(*box_tables(parameters, task)), prediction_tables(parameters, task), strict=True
    )
    return tuple(share * with_cue + (1 - share) * without for with_cue, without in pairs)


def averaged(kernel, reset_kernel, cue_probability, reset_cue_probability):
    """`box_tables` with the cue averaged out, [from, to] and [to]."""
    transition = np.einsum("ci,cij->ij", cue_probability, kernel)
    return transition, reset_cue_probability @ reset_kernel


def softmax_backup(problem: BellmanProblem, value: np.ndarray):
    """One Bellman backup of a value function, shape (3, N, N).

    Returns
    -------
    q_value, policy : ndarray, shape (3, 5, N, N)
        [location, action, bin 1, bin 2]; -inf and 0 where the action is not available.
    backed : ndarray, shape (3, N, N)
        The policy's average of Q, as in the paper; not the log-sum-exp.
    """
    task, boxes = problem.task, problem.boxes
    n, temperature = task.n_bins, problem.temperature
    q_value = np.full((*problem.reward.shape, n, n), -np.inf)
    for location, action in np.argwhere(task.available):
        opened = OPENED_BOX[location, action]
        move_1, move_2 = (
            np.tile(box.planner_reset, (n, 1)) if opened == number else box.planner_transition
            for number, box in zip((BOX_1, BOX_2), boxes, strict=True)
        )
        food = {BOX_1: bin_centers(n)[:, None], BOX_2: bin_centers(n)[None]}.get(opened, 0.0)
        arrived = np.tensordot(task.arrival[location, action], value, 1)
        ahead = move_1 @ arrived @ move_2.T
        q_value[location, action] = problem.reward[location, action] + food + task.discount * ahead
    below = q_value - q_value.max(1, keepdims=True)
    weight = np.exp(below / temperature) if temperature > 0 else (below == 0.0).astype(float)
    policy = weight / weight.sum(1, keepdims=True)
    return q_value, policy, (policy * np.where(policy > 0, q_value, 0.0)).sum(1)
