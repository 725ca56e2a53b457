"""When steps are remarked on as too fine for the grid of beliefs."""

import dataclasses

import numpy as np
import pytest

from inverse_rational_control.agent.fineness import drift_per_step, remarks_on_agent
from inverse_rational_control.agent.plain import updated_belief
from inverse_rational_control.task import Task


@pytest.mark.parametrize("task", [Task(n_bins=5), Task(n_cues=1), Task(cue_share=0.3)], ids=str)
def test_drift_by_plain_loops(task, random_agent):
    theta = random_agent(3)
    expected = np.zeros(2)
    for box in (0, 1):
        gamma, epsilon, present, absent = theta[[box, 2 + box, 4, 5]]
        for i in range(task.n_bins):
            b = (i + 0.5) / task.n_bins
            p = gamma + (1 - gamma - epsilon) * b
            moved = (1 - task.cue_share) * abs(p - b)
            for cue in range(task.n_cues):
                chance = sum(
                    share * _binomial(task.n_cues - 1, cue, q)
                    for share, q in ((p, present), (1 - p, absent))
                )
                after = updated_belief(b, cue, gamma, epsilon, present, absent, task.n_cues)
                moved += task.cue_share * chance * abs(after - b)
            expected[box] += moved / task.n_bins
    np.testing.assert_allclose(drift_per_step(theta, task), expected, rtol=1e-12)


def _binomial(n, k, q):
    from math import comb

    return comb(n, k) * q**k * (1 - q) ** (n - k)


def test_fine_steps_are_remarked_on_and_the_width_advised_is_wide_enough(paper_agent):
    assert remarks_on_agent(paper_agent, Task()) == []
    slow = paper_agent.copy()
    slow[:4] = np.array([0.003, 0.005, 0.002, 0.004])
    task = Task(n_cues=1, step_width=0.2)
    (said,) = remarks_on_agent(slow, task)
    assert said.startswith("beliefs of box 1 diffuse by 0.05 per step, more than")
    wider = task.sigma / drift_per_step(slow, task).min()
    assert f"{0.2 * wider:.2g} s (task.step_width)" in said
    wide = slow.copy()
    wide[:4] = 1 - (1 - slow[:4]) ** (1.3 * wider)
    assert remarks_on_agent(wide, dataclasses.replace(task, step_width=0.26 * wider)) == []


def test_without_cues_nothing_is_said_of_them(paper_agent):
    paper_agent[4] = paper_agent[5]
    assert any("cues mean the opposite" in line for line in remarks_on_agent(paper_agent, Task()))
    assert remarks_on_agent(paper_agent, Task(n_cues=1)) == []
