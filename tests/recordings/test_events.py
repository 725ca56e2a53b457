"""Events in seconds become steps: against a simulated record, and every rule by hand."""

import csv
import warnings

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.conversion import convert_events, write_tables
from inverse_rational_control.recordings.decisions import MEANINGS, remarks_on_decisions
from inverse_rational_control.recordings.layout import Layout
from inverse_rational_control.recordings.reading import read_recording
from inverse_rational_control.task import ABSENT, MISSING, Task
from tests.example import record_events

WANDERED = "0.4 enter 1; 1.4 leave 1; 3.4 enter 2; 5 stop"
SEEN = "0 start; 0 enter middle; 0 cue 1 3; 0 cue 2 1"


def _file(folder, lines, name="events.csv", header="time,event,box,value"):
    path = folder / name
    path.write_text("\n".join((header, *lines)) + "\n")
    return path


def _rows(words):
    """Rows of a table from "time event box value; ..."."""
    rows = [row.split() for row in words.split(";") if row.strip()]
    return [",".join("" if cell == "-" else cell for cell in [*row, "", ""][:4]) for row in rows]


def _convert(folder, lines, layout=None, task=None, **rules):
    return convert_events(
        [_file(folder, _rows(f"{SEEN}; {lines}"))], task or Task(), EventRules(**rules), layout
    )


def _steps(conversion, *names):
    return [conversion.steps[name].tolist() for name in names]


def _counted(conversion):
    return {kind: count for kind, count in conversion.decisions.counts.items() if count}


def _problems(folder, lines, **rules):
    with pytest.raises(RecordError) as caught:
        _convert(folder, lines, **rules)
    return [line.partition("events.csv: ")[2] for line in str(caught.value).splitlines()]


@pytest.fixture(scope="module")
def simulated():
    """A record of an agent that cannot push in the middle, as the example has them."""
    task = Task(restricted_actions=True)
    rng = np.random.default_rng(2)
    theta = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
    return simulate(
        agent_model(theta, task), np.array([0.15, 0.1, 0.05, 0.04, 0.4, 0.6]), 2000, rng
    )


def test_events_of_a_simulated_record_give_it_back(simulated, tmp_path):
    """Jitter within steps and rewards up to two and a half steps late, but none without its push."""
    rows = record_events.events_of(simulated, np.random.default_rng(1))
    path = _file(tmp_path, [",".join(map(str, row)) for row in rows])
    found = convert_events([path], Task())
    for name in ("location", "cue_1", "cue_2"):
        np.testing.assert_array_equal(found.steps[name], simulated.columns()[name])
    pushes = simulated.action == 4
    np.testing.assert_array_equal((found.steps["action"] == 4)[:-1], pushes[:-1])
    # Which way a move to the middle was heading is not in the events; all else is.
    given_away = ~((simulated.location > 0) & np.isin(simulated.action, (1, 2, 3)))
    np.testing.assert_array_equal(
        found.steps["action"][:-1][given_away[:-1]], simulated.action[:-1][given_away[:-1]]
    )
    assert found.steps["reward"].sum() == simulated.reward.sum()
    assert np.mean(found.steps["reward"] != simulated.reward) < 0.01
    assert set(_counted(found)) <= {
        *("sessions", "heading_box", "heading_middle", "rewards", "late_reward"),
        "several_candidates",
    }


def test_rewards_in_time_are_exact(simulated, tmp_path, monkeypatch):
    monkeypatch.setattr(record_events, "LATE_SHARE", 0.0)
    rows = record_events.events_of(simulated, np.random.default_rng(1))
    path = _file(tmp_path, [",".join(map(str, row)) for row in rows])
    found = convert_events([path], Task(), EventRules(reward_window=[0.0, 0.5]))
    np.testing.assert_array_equal(found.steps["reward"], simulated.reward)


def test_one_visit_by_hand(tmp_path):
    lines = "1.4 enter 1; 2.5 press 1; 2.9 reward 1; 3.2 cue 1 0; 4.1 leave 1; 6 stop"
    found = _convert(tmp_path, lines)
    assert _steps(found, "location", "action", "reward") == [
        [0, 0, 1, 1, 1, 0],
        [0, 2, 4, 0, 1, 0],
        [0, 0, 0, 1, 0, 0],
    ]
    assert _steps(found, "cue_1", "time") == [[3, 3, 3, 0, 0, 0], [0, 1, 2, 3, 4, 5]]
    assert found.steps["session"] == ["0"] * 6


def test_the_width_of_a_step_scales_all_times(tmp_path):
    lines = "0.7 enter 1; 1.25 press 1; 1.3 reward 1; 3 stop"
    found = _convert(tmp_path, lines, step_width=0.5)
    assert _steps(found, "location", "action") == [[0, 0, 1, 1, 1, 1], [0, 2, 4, 0, 0, 0]]
    assert _steps(found, "time") == [[0, 0.5, 1, 1.5, 2, 2.5]]


@pytest.mark.parametrize(
    ("lines", "rules", "locations", "actions", "kind"),
    [
        # several pushes in a step count once
        ("1.4 enter 1; 2.1 press 1; 2.8 press 1; 4 stop", {}, "0011", "0240", "several_pushes"),
        # a push just after arriving, and one just before leaving, take the step beside
        ("1.4 enter 1; 1.9 press 1; 4 stop", {}, "0011", "0240", "shifted_push"),
        ("1.4 enter 1; 3.1 press 1; 3.2 leave 1; 5 stop", {}, "00110", "02410", "shifted_push"),
        # from box to box within a step: through the middle
        ("0.4 enter 1; 2.4 enter 2; 5 stop", {}, "01102", "20330", "between_boxes"),
        # a visit shorter than a step
        ("1.2 enter 1; 1.7 leave 1; 3 stop", {}, "000", "000", "short_visit"),
        # where a move was heading
        (WANDERED, {}, "01002", "23030", "heading_box"),
        (WANDERED, {"heading_window": 1}, "01002", "21030", "heading_middle"),
        ("0.4 enter 1; 1.4 leave 1; 2.4 enter 1; 4 stop", {}, "0101", "2120", "heading_middle"),
        # leaving a box where it was not
        ("0.4 enter 1; 1.4 leave 2; 3 stop", {}, "011", "200", "left_already"),
        # rows a little out of order
        ("1.2 leave 1; 1.1 enter 1; 3 stop", {}, "000", "000", "sorted"),
    ],
)  # fmt: skip
def test_places_and_actions_by_hand(lines, rules, locations, actions, kind, tmp_path):
    found = _convert(tmp_path, lines, **rules)
    assert ["".join(map(str, each)) for each in _steps(found, "location", "action")] == [
        locations,
        actions,
    ]
    assert found.decisions.counts[kind] == 1
    assert len(found.decisions.times[kind]) == 1


@pytest.mark.parametrize(
    ("rewards", "rules", "expected", "kind"),
    [
        ("2.6 reward 1", {}, [0, 0, 0, 1, 0, 0, 0], None),
        ("4.4 reward 1", {}, [0, 0, 0, 1, 0, 0, 0], "late_reward"),
        ("4.4 reward", {}, [0, 0, 0, 1, 0, 0, 0], "late_reward"),
        # the last push before it, or the one before if that has its reward already
        ("5.7 reward 1", {"reward_window": [0, 4]}, [0, 0, 0, 0, 0, 0, 1], "several_candidates"),
        ("5.7 reward 1; 5.8 reward 1", {"reward_window": [0, 4]}, [0, 0, 0, 1, 0, 0, 1], "late_reward"),
        # a push is left to the reward that can have no other
        ("5.6 reward 1; 8.2 reward 1", {"reward_window": [0, 3.2]}, [0, 0, 0, 1, 0, 0, 1], None),
        # not before the window begins
        ("5.7 reward 1", {"reward_window": [1, 4]}, [0, 0, 0, 1, 0, 0, 0], "late_reward"),
    ],
)  # fmt: skip
def test_rewards_are_credited_to_the_push(rewards, rules, expected, kind, tmp_path):
    rows = f"1.4 enter 1; 2.5 press 1; 5.5 press 1; {rewards}; 9 stop".split(";")
    lines = ";".join(sorted(rows, key=lambda row: float(row.split()[0])))
    found = _convert(tmp_path, lines, **rules)
    assert _steps(found, "reward") == [[*expected, 0, 0]]
    assert kind is None or found.decisions.counts[kind] >= 1


def test_rewards_that_are_contested_all_through_a_session(tmp_path):
    """The last one has one push only, so that each before it takes the push before."""
    pushes = 2.5 + 2.0 * np.arange(3000)
    events = [(time, "press 1") for time in pushes]
    events += [(time + 0.1, "reward 1") for time in pushes[1:]]
    events.append((pushes[-1] + 3.0, "reward 1"))
    lines = ";".join(f"{time:.1f} {event}" for time, event in sorted(events))
    found = _convert(tmp_path, f"1.4 enter 1;{lines}", reward_window=[0, 3.2])
    assert found.steps["reward"].sum() == len(pushes)


@pytest.mark.parametrize(
    ("lines", "rules", "words"),
    [
        (
            "1.4 enter 1; 3.5 reward 1",
            {},
            "reward at row 7: found no push within 0 to 3 s before it",
        ),
        (
            "1.4 enter 1; 2.5 press 1; 4.6 reward 2",
            {},
            "reward at row 8: found no push within",
        ),
        (
            "1.4 enter 1; 2.5 press 1; 9 reward 1",
            {},
            "reward at row 8: found no push within",
        ),
        (
            "5.4 push 1; 9 stop",
            {},
            "push at row 6: found box 1 while at middle, allowed: at a box",
        ),
        ("5.4 push; 9 stop", {}, "push at row 6: found no box while at middle"),
        ("5.4 enter", {}, "box at row 6: found an empty cell of 'enter', allowed: a place"),
        (
            "5.4 cue middle 3",
            {},
            "box at row 6: found 'middle' of 'cue', allowed: box 1 or box 2",
        ),
        ("5.4 cue 1 7", {}, "value at row 6: found 7, allowed: whole numbers 0 to 4"),
        ("5.4 jump 1", {}, "event at row 6: found 'jump', allowed: enter, enters, leave"),
        ("x enter 1", {}, "time at row 6: found 'x', allowed: seconds"),
        ("9 enter 1; 3 leave 1", {}, "time at row 7: found 3 after 9, allowed: not falling"),
        ("1e9 stop", {}, "time at row 6: found 1000000000, allowed: sessions of at most"),
        (
            "1.2 enter 1; 1.5 press 1; 1.8 leave 1; 5 stop",
            {},
            "1 of 1 pushes were in visits shorter than a step, allowed: a share of 0.05",
        ),
    ],
)
def test_what_cannot_be_decided_is_refused_with_its_row(lines, rules, words, tmp_path):
    # The header is row 1, so the first line after the four of what is seen is row 6.
    found = _problems(tmp_path, lines, **rules)
    assert found[0].startswith(words), found


FREE_FOOD = "1.4 enter 1; 3.2 reward 1; 5.5 press 1; 5.9 reward 1; 6.5 reward; 9.2 reward; 11 stop"


def test_rewards_without_a_push_are_refused_by_the_name_of_the_key(tmp_path):
    found = _problems(tmp_path, FREE_FOOD)
    assert [line.partition(":")[0] for line in found] == [
        "reward at row 7",
        "reward at row 10",
        "reward at row 11",
    ]
    assert all("events.reward_without_push: leave_out" in line for line in found)


def test_rewards_without_a_push_are_left_out_where_that_is_asked_for(tmp_path):
    """All else is as without their rows, and each is counted and listed."""
    found = _convert(tmp_path, FREE_FOOD, reward_without_push="leave_out")
    pushed_for = "1.4 enter 1; 5.5 press 1; 5.9 reward 1; 11 stop"
    names = ("time", "location", "action", "reward", "cue_1", "cue_2")
    assert _steps(found, *names) == _steps(_convert(tmp_path, pushed_for), *names)
    assert _counted(found) == {"sessions": 1, "rewards": 1, "reward_without_push": 3}
    assert found.decisions.times["reward_without_push"] == [3.2, 6.5, 9.2]
    (said,) = found.remarks
    assert said.endswith("left out (events.reward_without_push), at 3.2, 6.5, 9.2 s")
    write_tables(found, tmp_path / "steps.csv", tmp_path / "decisions.csv")
    (remark,) = remarks_on_decisions(tmp_path / "decisions.csv")
    assert remark.startswith("3 of 4 rewards had no push")


def test_every_reward_that_is_left_out_is_listed(tmp_path):
    times = 10.5 + 5 * np.arange(26)
    lines = ";".join(f"{time} reward" for time in times)
    found = _convert(tmp_path, f"{lines}; 200 stop", reward_without_push="leave_out")
    assert found.decisions.times["reward_without_push"] == times.tolist()
    assert found.remarks[0].endswith("105.5 s and 6 more")


def test_rewards_that_a_push_brought_stay_where_others_are_left_out(simulated, tmp_path):
    rows = record_events.events_of(simulated, np.random.default_rng(1))
    path = _file(tmp_path, [",".join(map(str, row)) for row in rows])
    strict, loose = (
        convert_events([path], Task(), EventRules(reward_without_push=which))
        for which in ("refuse", "leave_out")
    )
    np.testing.assert_array_equal(strict.steps["reward"], loose.steps["reward"])
    assert strict.decisions == loose.decisions
    assert not loose.remarks
    write_tables(loose, tmp_path / "steps.csv", tmp_path / "decisions.csv")
    assert remarks_on_decisions(tmp_path / "decisions.csv") == []


def test_every_undecided_event_is_told_at_once(tmp_path):
    found = _problems(tmp_path, "5.4 push 1; 7.5 push 2; 8.5 reward 1; 20 stop")
    assert [line.split(":")[0] for line in found] == [
        "push at row 6",
        "push at row 7",
        "reward at row 8",
    ]


def test_a_gap_begins_a_session_and_nothing_is_known_after_it(tmp_path):
    lines = "1.4 enter 1; 30.2 cue 1 2; 31.1 enter 2; 32.2 cue 2 2; 35 stop"
    found = _convert(tmp_path, lines, longest_gap=20.0)
    assert found.steps["session"] == ["0.1"] * 2 + ["0.2"] * 3
    # The first whole step of which place and cues are known: steps go on in time.
    assert _steps(found, "time") == [[0, 1, 32, 33, 34]]
    assert _steps(found, "location", "cue_2") == [[0, 0, 2, 2, 2], [1, 1, 2, 2, 2]]
    assert _counted(found) == {"sessions": 2, "gap": 1, "before_known": 1}
    assert len(set(_convert(tmp_path, lines).steps["session"])) == 1


def test_only_stated_intervals_are_used(tmp_path):
    lines = "1.4 enter 1; 2.5 press 1; 2.9 reward 1; 8 cue 1 0; 20 stop"
    found = _convert(tmp_path, lines, intervals=[[2, 5], [10, 12]])
    assert _steps(found, "time", "location") == [[2, 3, 4, 10, 11], [1] * 5]
    assert _steps(found, "cue_1") == [[3, 3, 3, 0, 0]], "what was shown before still tells"
    assert found.steps["session"] == ["0.1"] * 3 + ["0.2"] * 2
    started = _convert(tmp_path, "3 stop; 4.5 enter 1; 6 start; 8 stop; 9.1 cue 1 1")
    assert _steps(started, "time", "location") == [[0, 1, 2, 6, 7], [0, 0, 0, 1, 1]]


def test_steps_before_anything_is_known_are_left_out(tmp_path):
    path = _file(tmp_path, _rows("0 start; 2.2 enter middle; 0.1 cue 1 1; 3.1 cue 2 2; 5 stop"))
    with pytest.raises(RecordError, match="time at row 4: found"):
        convert_events([path], Task())
    path = _file(tmp_path, _rows("0 start; 0.1 cue 1 1; 2.2 enter middle; 3.1 cue 2 2; 5 stop"))
    found = convert_events([path], Task())
    assert found.steps["time"].tolist() == [3, 4]
    assert found.decisions.counts["before_known"] == 3


def _positions(folder, pairs):
    return str(
        _file(folder, [f"{time},{place}" for time, place in pairs], "places.csv", "time,place")
    )


def test_positions_say_where_the_animal_is(tmp_path):
    places = [0] * 14 + [1] * 4 + [""] * 4 + [1] * 20 + [0] * 8
    positions = _positions(tmp_path, [(0.1 * k, place) for k, place in enumerate(places)])
    path = _file(tmp_path, _rows("0 cue 1 3; 0 cue 2 1; 2.5 press 1; 2.9 reward"))
    found = convert_events([path], Task(), EventRules(positions=positions))
    assert _steps(found, "location", "action") == [[0, 0, 1, 1, 1], [0, 2, 4, 0, 1]]
    assert found.decisions.counts["outside"] == 4
    middle = convert_events([path], Task(), EventRules(positions=positions, outside="middle"))
    assert middle.steps["location"].tolist() == [0, 0, 0, 1, 1]


def test_a_gap_in_tracking_counts_although_cues_go_on(tmp_path):
    times = [0.1 * k for k in range(40)] + [10 + 0.1 * k for k in range(40)]
    positions = _positions(tmp_path, [(time, 1) for time in times])
    lines = [f"{time},cue,{box},1" for time in range(14) for box in (1, 2)]
    found = convert_events(
        [_file(tmp_path, lines)], Task(), EventRules(positions=positions, longest_gap=2.0)
    )
    assert found.steps["session"] == ["0.1"] * 4 + ["0.2"] * 4
    assert found.steps["time"].tolist() == [0, 1, 2, 3, 10, 11, 12, 13]


def test_positions_and_arrivals_at_once_are_refused(tmp_path):
    positions = _positions(tmp_path, [(0, 0), (1, 1)])
    with pytest.raises(
        RecordError, match="event at row 3: found enter, allowed: where the animal is"
    ):
        convert_events([_file(tmp_path, _rows(SEEN))], Task(), EventRules(positions=positions))


def test_subjects_sessions_names_and_codes_of_the_person(tmp_path):
    header = "Animal,Day,t [s],what,where,color"
    lines = [
        f"{animal},{day},{line}"
        for animal in ("Ada", "Bo 2")
        for day in ("mon", "tue")
        for line in (
            "0,in,C,",
            "0,light,L,red",
            "0,light,R,blue",
            "1.4,in,L,",
            "2.5,lever,L,",
            "4,stop,,",
        )
    ]
    layout = Layout(
        columns={"time": "t [s]", "event": "what", "box": "where", "value": "color"},
        codes={
            "event": {"in": "enter", "light": "cue", "lever": "push"},
            "box": {"C": "middle", "L": "box 1", "R": 2},
            "cue": {"red": 0, "blue": 4},
        },
        subject="Animal",
        session="Day",
        only_subject="Bo 2",
    )
    found = convert_events([_file(tmp_path, lines, header=header)], Task(), None, layout)
    assert found.steps["session"] == ["Bo 2 mon"] * 4 + ["Bo 2 tue"] * 4
    assert found.steps["action"].tolist() == [0, 2, 4, 0] * 2
    assert found.steps["cue_2"].tolist() == [4] * 8


def test_steps_and_decisions_are_files_one_can_look_at(tmp_path):
    found = _convert(tmp_path, "1.4 enter 1; 2.5 press 1; 2.9 reward 1; 4.1 leave 1; 6 stop")
    write_tables(found, tmp_path / "steps.csv", tmp_path / "decisions.csv")
    again = read_recording([tmp_path / "steps.csv"], Task())
    np.testing.assert_array_equal(again.record.action, found.steps["action"])
    np.testing.assert_array_equal(again.time, found.steps["time"])
    with open(tmp_path / "decisions.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == list(MEANINGS)
    heading = next(row for row in rows if row["kind"] == "heading_middle")
    assert (heading["count"], heading["first_times"]) == ("1", "4")


def test_hours_of_fine_steps_are_quick(tmp_path):
    """65 000 steps of 0.2 s, mostly staying."""
    lines = "".join(f"{3.1 * k:.2f} {('leave', 'enter')[k % 2]} 1;" for k in range(1, 4190))
    found = _convert(tmp_path, f"{lines} 13000 stop", step_width=0.2)
    assert found.steps["step"].size == 65_000


def test_a_box_may_show_nothing_or_what_nobody_recorded(tmp_path):
    """Neither is the same as nothing being known yet; steps of both kinds are counted."""
    found = _convert(
        tmp_path, "1 cue 1 absent; 2.9 cue 2 missing; 4 cue 1 2; 5 cue 2 dark; 6 stop",
        Layout(codes={"cue": {"dark": "absent"}}),
    )  # fmt: skip
    assert _steps(found, "cue_1", "cue_2") == [
        [3, ABSENT, ABSENT, ABSENT, 2, 2],
        [1, 1, 1, MISSING, MISSING, ABSENT],
    ]
    assert _counted(found) == {"sessions": 1, "no_cue": 4, "missing_cue": 2}
    write_tables(found, tmp_path / "steps.csv", tmp_path / "decisions.csv")
    read = read_recording([tmp_path / "steps.csv"], Task())
    assert read.record.without_color() == {"absent": 4, "missing": 2}
    assert sum("were not shown" in said for said in read.remarks) == 1


def test_steps_begin_where_a_box_is_known_to_show_nothing(tmp_path):
    rows = _rows("0 start; 0 enter middle; 1 cue 1 absent; 2 cue 2 3; 4 stop")
    found = convert_events([_file(tmp_path, rows)], Task())
    assert _steps(found, "time", "cue_1") == [[2.0, 3.0], [ABSENT, ABSENT]]
    assert _counted(found)["before_known"] == 2


@pytest.mark.parametrize(
    "times", [("inf", "inf"), ("-1e308", "1e308"), ("nan", "1"), ("-inf", "inf")]
)
def test_times_beyond_all_bounds_are_refused_without_a_warning(times, tmp_path):
    """Infinite ones, and those whose difference is."""
    lines = [f"{times[0]},start,,", f"{times[1]},enter,middle,"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RecordError, match=r"time at row [23]: found .*, allowed: se"):
            convert_events([_file(tmp_path, lines)], Task())
