"""Whether steps are too fine for the grid of beliefs, and all that is remarked on an agent in a task.

Source: docs/model.md section 3.
"""

from __future__ import annotations

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers, cue_distribution
from inverse_rational_control.parameters import BOX_PARAMETERS, remarks
from inverse_rational_control.task import Task

__all__ = ["CUE_PARAMETERS", "drift_per_step", "remarks_on_agent"]

#: What an agent does not have where the task has no cues.
CUE_PARAMETERS = ("cue_probability_present", "cue_probability_absent")


def drift_per_step(theta: np.ndarray, task: Task) -> np.ndarray:
    """How far a belief update moves each box's belief, on average over bins and expected cues, (2,).

    Parameters
    ----------
    theta : ndarray, shape (10,)
        Natural coordinates; what comes after the ten does not matter.
    task : Task
    """
    belief = bin_centers(task.n_bins)
    drifts = []
    for places in BOX_PARAMETERS:
        appearance, disappearance, present, absent = theta[list(places)]
        predicted = appearance + (1.0 - appearance - disappearance) * belief
        with_food = cue_distribution(task.n_cues, present)[:, None] * predicted
        probability = with_food + cue_distribution(task.n_cues, absent)[:, None] * (1.0 - predicted)
        with_cue = (probability * np.abs(with_food / probability - belief)).sum(0).mean()
        without = np.abs(predicted - belief).mean()
        drifts.append(task.cue_share * with_cue + (1.0 - task.cue_share) * without)
    return np.array(drifts)


def remarks_on_agent(theta: np.ndarray, task: Task) -> list[str]:
    """Say in words what is unusual, though allowed, about an agent's parameters in a task."""
    said = remarks(theta)
    if not task.has_cues:
        said = [line for line in said if not line.startswith(CUE_PARAMETERS)]
    drift = drift_per_step(theta, task)
    box = int(drift.argmin())
    if task.sigma > drift[box]:
        # What an update moves grows with the step, the grid's diffusion is a part of a bin.
        wider = task.sigma / drift[box]
        advice = f"steps {wider:.2g} times as wide"
        if task.step_width is not None:
            advice += f", {wider * task.step_width:.2g} s (task.step_width)"
        said.append(
            f"beliefs of box {box + 1} diffuse by {task.sigma:.2g} per step, more than what they are "
            f"moved by, {drift[box]:.2g}: the steps are too fine for the grid ({advice}, or more bins "
            "with less diffusion, would not be)"
        )
    return said
