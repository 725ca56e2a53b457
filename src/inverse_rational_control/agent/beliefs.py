"""Belief dynamics of one box: grid, discretized Bayes step, and their Jacobians.

Source: docs/model.md section 3. A push resets the belief to exactly 0, so the step after it starts from
a row of its own (the reset row). Simulator, planner and inference all use the tables made here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inverse_rational_control.agent import _belief_kernels
from inverse_rational_control.task import Task

__all__ = ["BeliefSteps", "BoxBeliefs", "bin_centers", "box_beliefs", "cue_distribution"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


class BeliefSteps(NamedTuple):
    """Belief steps of one box by what was seen: the C colors, then none shown, then one not recorded.

    Attributes
    ----------
    kernel : ndarray, shape (C or C + 2, N, N)
        P(next bin | bin, seen), [seen, from, to].
    reset_kernel : ndarray, shape (C or C + 2, N)
        The same after a push, from belief 0, [seen, to].
    kernel_jacobian, reset_kernel_jacobian : ndarray, leading dimension 0, 4 or 5
        As those of `BoxBeliefs`.
    """

    kernel: np.ndarray
    reset_kernel: np.ndarray
    kernel_jacobian: np.ndarray
    reset_kernel_jacobian: np.ndarray


@dataclass(frozen=True)
class BoxBeliefs:
    """Tables of one box's belief dynamics under the agent's parameters.

    Attributes
    ----------
    kernel : ndarray, shape (C, N, N)
        P(next bin | bin, next cue), [cue, from, to].
    reset_kernel : ndarray, shape (C, N)
        The same after a push, from belief 0, [cue, to].
    cue_probability : ndarray, shape (C, N)
        P(next cue | bin), [cue, bin].
    reset_cue_probability : ndarray, shape (C,)
        P(next cue | just pushed).
    planner_transition : ndarray, shape (N, N)
        Kernel with the cue averaged out, [from, to].
    planner_reset : ndarray, shape (N,)
        Reset row with the cue averaged out.
    rates : tuple of float
        Appearance and disappearance rate.
    task : Task
    n_derivatives : int
        Leading dimension of the Jacobians.
    *_jacobian : ndarray, leading dimension 0, 4 or 5
        Derivatives by (appearance rate, disappearance rate, cue probability present, absent), and by
        the diffusion where that is a parameter of the agent; none where only the tables are wanted.
    """

    kernel: np.ndarray
    reset_kernel: np.ndarray
    cue_probability: np.ndarray
    reset_cue_probability: np.ndarray
    planner_transition: np.ndarray
    planner_reset: np.ndarray
    kernel_jacobian: np.ndarray
    reset_kernel_jacobian: np.ndarray
    cue_probability_jacobian: np.ndarray
    reset_cue_probability_jacobian: np.ndarray
    planner_transition_jacobian: np.ndarray
    planner_reset_jacobian: np.ndarray
    rates: tuple[float, float]
    task: Task
    n_derivatives: int

    def steps(self, n_kernels: int) -> BeliefSteps:
        """The steps on the C colors, or those and the two without one, if more than C are asked for."""
        tables = (
            self.kernel,
            self.reset_kernel,
            self.kernel_jacobian,
            self.reset_kernel_jacobian,
        )
        if n_kernels <= len(self.kernel):
            return BeliefSteps(*tables)
        more = self._without_color
        axes = 0, 0, 1, 1
        return BeliefSteps(
            *(np.concatenate(pair, axis) for *pair, axis in zip(tables, more, axes, strict=True))
        )

    @cached_property
    def _without_color(self) -> BeliefSteps:
        """What no color was seen of: none shown (prediction alone), and shown but not recorded."""
        missing = _averaged(
            *(self.kernel, self.reset_kernel, self.kernel_jacobian, self.reset_kernel_jacobian),
            *(self.cue_probability, self.reset_cue_probability),
            *(self.cue_probability_jacobian, self.reset_cue_probability_jacobian),
        )
        axes = 0, 0, 1, 1
        return BeliefSteps(
            *(
                np.stack(pair, axis)
                for *pair, axis in zip(
                    _unseen(self.rates, self.task, self.n_derivatives), missing, axes, strict=True
                )
            )
        )


def bin_centers(n_bins: int) -> np.ndarray:
    """Centers of the belief bins, (i + 1/2)/N; shape (N,)."""
    return (np.arange(n_bins) + 0.5) / n_bins


def _log_cue(n_cues: int, probability: float) -> np.ndarray:
    cue = np.arange(n_cues)
    trials = n_cues - 1
    log_choices = np.array([math.log(math.comb(trials, k)) for k in range(n_cues)])
    return log_choices + cue * math.log(probability) + (trials - cue) * math.log1p(-probability)


def cue_distribution(n_cues: int, probability: float) -> np.ndarray:
    """Binomial(C - 1, probability) over cue colors; shape (C,)."""
    return np.exp(_log_cue(n_cues, probability))


def box_beliefs(
    appearance_rate: float,
    disappearance_rate: float,
    cue_probability_present: float,
    cue_probability_absent: float,
    task: Task,
    n_derivatives: int = 4,
) -> BoxBeliefs:
    """Build one box's tables with their derivatives (docs/model.md section 3).

    Parameters
    ----------
    appearance_rate, disappearance_rate, cue_probability_present, cue_probability_absent : float
        What the agent believes of this box; each in (0, 1).
    task : Task
        Gives number of bins and cues, and the diffusion.
    n_derivatives : int
        4, or 5 with that by the diffusion; 0 where no gradient will be asked for, which saves time.

    Returns
    -------
    BoxBeliefs
    """
    n_cues, centers = task.n_cues, bin_centers(task.n_bins)
    trials = n_cues - 1
    cue = np.arange(n_cues)
    log_present = _log_cue(n_cues, cue_probability_present)
    log_absent = _log_cue(n_cues, cue_probability_absent)
    # Derivative of log P(c | food) by its cue probability.
    score_present = (cue - trials * cue_probability_present) / (
        cue_probability_present * (1.0 - cue_probability_present)
    )
    score_absent = (cue - trials * cue_probability_absent) / (
        cue_probability_absent * (1.0 - cue_probability_absent)
    )
    rates = np.array([appearance_rate, disappearance_rate])
    log_ratio_jacobian = np.stack([score_present, -score_absent])
    tables = _steps(rates, log_present - log_absent, log_ratio_jacobian, task, n_derivatives)

    # The last "bin" is belief 0, right after a push.
    belief = np.append(centers, 0.0)
    predicted = appearance_rate + (1.0 - appearance_rate - disappearance_rate) * belief
    present, absent = np.exp(log_present)[:, None], np.exp(log_absent)[:, None]
    probability = present * predicted + absent * (1.0 - predicted)
    by_parameter = [
        (present - absent) * (1.0 - belief),
        (absent - present) * belief,
        present * score_present[:, None] * predicted,
        absent * score_absent[:, None] * (1.0 - predicted),
    ]
    # What cue comes next does not depend on the diffusion.
    by_parameter.append(np.zeros_like(probability))
    probability_jacobian = np.stack(by_parameter)[:n_derivatives]
    cue_probability, reset_cue_probability = probability[:, :-1], probability[:, -1]
    cue_jacobian, reset_cue_jacobian = (
        probability_jacobian[:, :, :-1],
        probability_jacobian[:, :, -1],
    )
    cues = cue_probability, reset_cue_probability, cue_jacobian, reset_cue_jacobian
    planner = _averaged(*tables, *cues)
    if task.cue_share < 1:
        planner = BeliefSteps(
            *(
                task.cue_share * with_cue + (1.0 - task.cue_share) * without
                for with_cue, without in zip(
                    planner, _unseen(rates, task, n_derivatives), strict=True
                )
            )
        )
    return BoxBeliefs(
        kernel=tables.kernel,
        reset_kernel=tables.reset_kernel,
        cue_probability=cue_probability,
        reset_cue_probability=reset_cue_probability,
        planner_transition=planner.kernel,
        planner_reset=planner.reset_kernel,
        kernel_jacobian=tables.kernel_jacobian,
        reset_kernel_jacobian=tables.reset_kernel_jacobian,
        cue_probability_jacobian=cue_jacobian,
        reset_cue_probability_jacobian=reset_cue_jacobian,
        planner_transition_jacobian=planner.kernel_jacobian,
        planner_reset_jacobian=planner.reset_kernel_jacobian,
        rates=(appearance_rate, disappearance_rate),
        task=task,
        n_derivatives=n_derivatives,
    )


def _steps(rates, log_ratio, log_ratio_jacobian, task: Task, n_derivatives: int) -> BeliefSteps:
    """Belief steps for evidence given as log P(c | present) / P(c | absent), shape (C,)."""
    n = task.n_bins
    edges = np.arange(n + 1) / n
    nodes = bin_centers(n)[:, None] + 0.5 * _NODES / n
    given = np.asarray(rates, dtype=float), log_ratio, log_ratio_jacobian
    kernel, kernel_jacobian = _belief_kernels.belief_kernel(
        *given, nodes, 0.5 * _WEIGHTS, edges, task.sigma, n_derivatives
    )
    reset_kernel, reset_kernel_jacobian = _belief_kernels.belief_kernel(
        *given, np.zeros((1, 1)), np.ones(1), edges, task.sigma, n_derivatives
    )
    return BeliefSteps(kernel, reset_kernel[:, 0], kernel_jacobian, reset_kernel_jacobian[:, :, 0])


def _unseen(rates, task: Task, n_derivatives: int) -> BeliefSteps:
    """The step on no cue, prediction alone; arrays without the dimension of cues."""
    kernel, reset, kernel_jacobian, reset_jacobian = _steps(
        rates, np.zeros(1), np.zeros((2, 1)), task, n_derivatives
    )
    return BeliefSteps(kernel[0], reset[0], kernel_jacobian[:, 0], reset_jacobian[:, 0])


def _averaged(
    kernel,
    reset_kernel,
    kernel_jacobian,
    reset_kernel_jacobian,
    cue_probability,
    reset_cue_probability,
    cue_jacobian,
    reset_cue_jacobian,
) -> BeliefSteps:
    """The step averaged over the cues that are expected; arrays without the dimension of cues."""
    return BeliefSteps(
        (cue_probability[:, :, None] * kernel).sum(0),
        reset_cue_probability @ reset_kernel,
        (
            cue_jacobian[..., None] * kernel + cue_probability[None, :, :, None] * kernel_jacobian
        ).sum(1),
        (
            reset_cue_jacobian[..., None] * reset_kernel
            + reset_cue_probability[None, :, None] * reset_kernel_jacobian
        ).sum(1),
    )
