"""Checks of records against the task."""

import numpy as np
import pytest

from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.task import Task


def _record(**changes):
    columns = {
        "session": [0, 0, 1, 1],
        "location": [0, 1, 0, 2],
        "action": [2, 4, 3, 4],
        "reward": [1, 0, 0, 0],
        "cue_1": [0, 1, 2, 3],
        "cue_2": [4, 3, 2, 1],
    }
    return Record.from_columns(
        {name: np.array(values) for name, values in (columns | changes).items()}
    )


def test_properties_by_hand():
    record = _record(location=[0, 1, 0, 2], action=[4, 4, 3, 4])
    assert record.n_steps == 4
    assert record.session_starts.tolist() == [True, False, True, False]
    assert record.opened.tolist() == [0, 1, 0, 2]
    head = record.head(3)
    assert head.n_steps == 3
    assert head.food is None


def test_good_record_passes():
    _record().check(Task())
    _record(food_1=[0, 1, 0, 1], food_2=[0] * 4).check(Task())
    _record(belief_bin_1=[0] * 4, belief_bin_2=[9, 0, 0, 0]).check(Task())


@pytest.mark.parametrize(
    ("changes", "task", "words"),
    [
        ({"location": [0, 1, 3, 2]}, Task(), "location at row 2: found 3, allowed: 0 to 2"),
        ({"action": [2, 5, 3, 4]}, Task(), "action at row 1: found 5, allowed: 0 to 4"),
        ({"action": [2, 4, 3, -1]}, Task(), "action at row 3: found -1, allowed: 0 to 4"),
        ({"reward": [0, 0, 2, 0]}, Task(), "reward at row 2: found 2, allowed: 0 to 1"),
        ({"cue_1": [3, 0, 0, 0]}, Task(n_cues=3), "cue_1 at row 0: found 3, allowed: 0 to 2"),
        ({"cue_2": [0, 0, 0, 5]}, Task(), "cue_2 at row 3: found 5, allowed: 0 to 4"),
        (
            {"food_1": [0] * 4, "food_2": [0, 0, 0, 2]},
            Task(),
            "food_2 at row 3: found 2, allowed: 0 to 1",
        ),
        (
            {"belief_bin_1": [0, 0, 10, 0], "belief_bin_2": [0] * 4},
            Task(),
            "belief_bin_1 at row 2: found 10",
        ),
        ({"session": [0, 1, 0, 0]}, Task(), "session.*together"),
        (
            {"session": [0] * 4, "location": [0, 1, 1, 2]},
            Task(),
            "location at row 3: found 'box 2' after 'go to box 2' at 'box 1', allowed: 'middle'",
        ),
        ({"reward": [0, 1, 0, 0]}, Task(), "reward at row 1: found 1, allowed: 0 unless the step"),
        (
            {"cue_1": [0.0, 1.0, 2.0, 3.5]},
            Task(),
            "cue: found float64 of shape \\(4, 2\\), allowed",
        ),
        ({"cue_2": [0, 1, 2]}, Task(), "cue_1: found shape \\(4,\\), allowed: that of cue_2"),
        (
            {"location": [0, 0, 0, 2], "action": [2, 4, 3, 4]},
            Task(restricted_actions=True),
            "action at row 1: found 'push' at location 'middle', which task.restricted_actions",
        ),
        (
            {"location": [0, 1, 2, 2], "action": [2, 4, 3, 4]},
            Task(restricted_actions=True),
            "action at row 2: found 'go to box 2' at location 'box 2'",
        ),
    ],
)
def test_what_does_not_fit_the_task_is_named(changes, task, words):
    with pytest.raises(RecordError, match=words) as caught:
        _record(**changes).check(task, "rat.csv")
    assert str(caught.value).startswith(("rat.csv: ", "record: "))
    assert "\n" not in str(caught.value)


def test_unusual_actions_pass_where_the_task_allows_them():
    _record(location=[0, 0, 2, 2], action=[1, 4, 3, 4]).check(Task())


def test_empty_record():
    empty = Record(*(np.zeros(0, dtype=int) for _ in range(6)))
    with pytest.raises(RecordError, match="no steps found"):
        empty.check(Task(), "rat.csv")
