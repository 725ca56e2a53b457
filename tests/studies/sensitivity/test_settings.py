"""Settings differ in one thing at a time."""

from dataclasses import asdict

import pytest

from inverse_rational_control.studies.sensitivity.settings import settings
from inverse_rational_control.task import Task

LISTS = {"n_bins": [20, 5, 10], "diffusion_bins": [1.0, 0.25, 0.5], "discounts": [0.99, 0.9]}


def test_settings_of_the_default_study():
    made = settings(Task(), **LISTS)
    assert [setting.name for setting in made] == [
        *("task", "bins5", "bins5_same_diffusion", "bins20", "bins20_same_diffusion"),
        *("diffusion0.25", "diffusion1", "discount0.9"),
    ]
    by_name = {setting.name: setting.task for setting in made}
    assert by_name["task"] == Task()
    assert by_name["bins5"].sigma == pytest.approx(0.1)
    assert by_name["bins20"].sigma == pytest.approx(0.025)
    assert by_name["bins5_same_diffusion"].sigma == by_name["bins20_same_diffusion"].sigma == 0.05
    assert by_name["diffusion0.25"].sigma == pytest.approx(1 / 40)
    assert by_name["diffusion1"].sigma == pytest.approx(1 / 10)


def test_settings_change_one_thing():
    task = Task(n_cues=7, grooming="presence", diffusion=0.03)
    for setting in settings(task, **LISTS):
        changed = {
            name for name, value in asdict(task).items() if asdict(setting.task)[name] != value
        }
        if setting.name.startswith("bins") and not setting.name.endswith("same_diffusion"):
            assert changed == {"n_bins", "diffusion"}
            part = setting.task.sigma * setting.task.n_bins
            assert part == pytest.approx(task.sigma * task.n_bins)
        else:
            assert len(changed) == (setting.name != "task"), setting


def test_settings_that_are_the_task_are_left_out():
    made = settings(Task(), [10], [0.5], [0.99])
    assert [setting.name for setting in made] == ["task"]


def test_impossible_settings_are_refused():
    with pytest.raises(ValueError, match="n_bins"):
        settings(Task(), [1], [0.5], [0.99])
