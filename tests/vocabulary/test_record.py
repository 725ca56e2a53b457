"""Checks of records against the task."""

import numpy as np
import pytest

from inverse_rational_control.record import Record, RecordError
from inverse_rational_control.task import ABSENT, MISSING, Task

SLIPS = {"middle": {"box 1": {"middle": 0.2, "box 1": 0.8}}}


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
            r"cue_1: found float64 of shape \(4,\), allowed",
        ),
        ({"cue_2": [0, 1, 2]}, Task(), "cue_2: found 3 steps, allowed: as many as session has, 4"),
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
        (
            {"location": [0, 0, 0, 2], "action": [2, 4, 3, 4]},
            Task(
                available_actions={"middle": ["stay", "go to box 1", "go to box 2"]}, travel=SLIPS
            ),
            "action at row 1: found 'push' at location 'middle', which task.available_actions does not "
            "allow, allowed there: stay, go to box 1, go to box 2",
        ),
        (
            {"session": [0] * 4, "location": [1, 2, 0, 2], "action": [3, 2, 3, 4]},
            Task(travel="direct"),
            "location at row 2: found 'middle' after 'go to box 1' at 'box 2', allowed: 'box 1'",
        ),
        (
            {"session": [0] * 4, "location": [0, 2, 0, 2], "action": [2, 1, 3, 4]},
            Task(travel=SLIPS),
            "row 1: found 'box 2' after 'go to box 1' at 'middle', allowed: 'middle' or 'box 1'",
        ),
        ({"cue_1": [0, -3, 2, 3]}, Task(), "cue_1 at row 1: found -3, allowed: 0 to 4, -1 .*, -2"),
    ],
)
def test_what_does_not_fit_the_task_is_named(changes, task, words):
    with pytest.raises(RecordError, match=words) as caught:
        _record(**changes).check(task, "rat.csv")
    assert str(caught.value).startswith(("rat.csv: ", "record: "))
    assert "\n" not in str(caught.value)


def test_unusual_actions_pass_where_the_task_allows_them():
    _record(location=[0, 0, 2, 2], action=[1, 4, 3, 4]).check(Task())


#: From box 1 to box 2 at once and back, as the paper's task does not allow.
DIRECT = {"session": [0] * 4, "location": [1, 2, 2, 1], "action": [3, 4, 2, 4]}


def test_direct_movers_pass_where_the_task_allows_them():
    _record(**DIRECT).check(Task(travel="direct"))
    table = {"box_1": {"box_2": "box_2"}, "box 2": {"box 1": {"box 1": 0.9, "middle": 0.1}}}
    _record(**DIRECT).check(Task(travel=table))
    with pytest.raises(
        RecordError,
        match=r"row 1: found 'box 2' after 'go to box 2' at 'box 1', allowed: 'middle' .*task.travel",
    ):
        _record(**DIRECT).check(Task())


def test_an_animal_that_may_be_in_motion_in_the_middle_but_never_pushes_there():
    """A stretch as of the authors' simulated agent: availability by place, moves as in the paper."""
    stretch = {
        "session": [0] * 20,
        "location": [0, 0, 2, 2, 2, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0],
        "action": [0, 3, 4, 0, 1, 0, 2, 3, 0, 0, 1, 2, 4, 3, 0, 0, 0, 2, 1, 0],
        "reward": [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
        "cue_1": [3, 2, 4, 3, 2, 3, 1, 1, 2, 1, 3, 1, 2, 4, 3, 3, 0, 4, 2, 3],
        "cue_2": [1, 2, 3, 4, 2, 1, 4, 2, 1, 2, 2, 1, 1, 1, 2, 0, 1, 2, 3, 2],
    }
    task = Task(
        n_bins=5,
        grooming="presence",
        available_actions={"middle": ["stay", "go_to_middle", "go_to_box_1", "go_to_box_2"]},
    )
    record = _record(**stretch)
    record.check(task)
    assert record.remarks(task) == []
    with pytest.raises(RecordError, match="row 10: found 'go to middle' at location 'middle'"):
        record.check(Task(restricted_actions=True))


def test_slips_pass_where_the_task_has_them():
    slipped = {
        "session": [0] * 4,
        "location": [0, 0, 1, 1],
        "action": [2, 2, 4, 0],
        "reward": [0] * 4,
    }
    _record(**slipped).check(Task(travel=SLIPS))
    with pytest.raises(RecordError, match="row 1: found 'middle'"):
        _record(**slipped).check(Task())


def test_what_lacks_a_color_is_counted_and_remarked():
    record = _record(cue_1=[ABSENT, 1, MISSING, MISSING])
    record.check(Task())
    assert record.without_color() == {"absent": 1, "missing": 2}
    said = " ".join(record.remarks(Task(cue_share=0.8)))
    assert "colors, 0 never occur" in said
    assert "1 of 8 cues were not shown" in said
    assert "share 0.8" in said
    assert "2 of 8 cues were shown, but are not recorded" in said
    assert _record(cue_1=[0, 1, 2, 3]).remarks(Task()) == []
    (said,) = _record().remarks(Task(n_cues=7))
    assert "of the cue's 7 colors, 5, 6 never occur" in said


def test_a_task_without_cues_says_so():
    record = _record(cue_1=[0] * 4, cue_2=[ABSENT] * 4)
    record.check(Task(n_cues=1))
    assert record.remarks(Task(n_cues=1)) == ["the task has no cues: q_1 and q_2 do not exist"]


def test_empty_record():
    empty = Record(*(np.zeros(0, dtype=int) for _ in range(6)))
    with pytest.raises(RecordError, match="no steps found"):
        empty.check(Task(), "rat.csv")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"location": ["a", "b", "c", "d"]},
            "location: found <U1 of shape (4,), allowed: whole numbers",
        ),
        (
            {"location": None},
            "location: found object of shape (), allowed: whole numbers, one for each",
        ),
        (
            {"location": [[0, 1], [0, 1]]},
            "location: found int64 of shape (2, 2), allowed: whole numbers",
        ),
        ({"cue_1": [[0], [1, 2]]}, "cue_1: found object of shape (2,), allowed: whole numbers"),
        (
            {"reward": [0.0, 0.0, 0.0, 0.0]},
            "reward: found float64 of shape (4,), allowed: whole numbers",
        ),
        ({"action": [2, 4, 3]}, "action: found 3 steps, allowed: as many as session has, 4"),
        ({"cue_2": [2, 4, 3]}, "cue_2: found 3 steps, allowed: as many as session has, 4"),
        (
            {"action": ...},
            "found the columns session, location, reward, cue_1, cue_2, allowed: session, ",
        ),
        (
            {"color": [0, 0, 0, 0]},
            "found the columns session, location, action, reward, cue_1, cue_2, c",
        ),
        ({"cue_1": ...}, "found one of cue_1 and cue_2, allowed: both"),
    ],
)
def test_columns_that_make_no_record_are_refused_in_one_line(changes, words):
    columns = {name: values.tolist() for name, values in _record().columns().items()} | changes
    columns = {name: values for name, values in columns.items() if values is not ...}
    with pytest.raises(RecordError) as refused:
        Record.from_columns(columns)
    assert str(refused.value).startswith(f"record: {words}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("columns", "found"), [([1, 2], "list"), (None, "NoneType")])
def test_columns_have_names(columns, found):
    with pytest.raises(RecordError, match=rf"^record: found {found}, allowed: columns by name$"):
        Record.from_columns(columns)


def test_a_record_of_lists_is_refused():
    given = {
        name: values.tolist() for name, values in _record().__dict__.items() if values is not None
    }
    with pytest.raises(
        RecordError, match="record: session: found list, allowed: an array of whole"
    ):
        Record(**given).check(Task())
