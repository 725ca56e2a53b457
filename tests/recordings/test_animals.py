"""Entries of the section `animals`: what is fitted, under which name, and how files are laid out."""

import numpy as np
import pytest

from inverse_rational_control.config.animal_spaces import animal_space
from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.loading import load_config, task_from_config
from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.animals import expanded, layout_of, with_own
from inverse_rational_control.recordings.reading import read_recording
from inverse_rational_control.task import Task
from tests import ROOT

HEADER = "Monkey,Day,Place,Act,location,reward,cue_1,cue_2,mood"


@pytest.fixture
def monkeys(tmp_path):
    """Two subjects whose rows alternate by session, one of whose names no file can have."""
    rows = [
        *(f"Ada,{day},{place},{act},9,0,1,3,x" for day in ("mon", "1") for place, act in WALK),
        *(f"Bo 2/ü,mon,{place},{act},9,0,{cue},3,x" for cue, (place, act) in enumerate(WALK)),
        *(f"Ada,tue,{place},{act},9,0,1,3,x" for place, act in WALK),
    ]
    path = tmp_path / "monkeys.csv"
    path.write_text("\n".join((HEADER, *rows)))
    return str(path)


WALK = (("center", "to left"), ("left", "lever"), ("left", "stay"))
ENTRY = {
    "subject": "Monkey",
    "session": "Day",
    "columns": {"location": "Place", "action": "Act"},
    "codes": {
        "location": {"center": "middle", "left": "box 1"},
        "action": {"to left": 2, "lever": "push"},
    },
}


def _checked(animals):
    config = load_config(ROOT / "config/config.yaml")
    config["animals"] = animals
    return validate_config(config)[0]["animals"]


def _read(dataset, task=None):
    return read_recording(dataset["files"], task or Task(), layout_of(dataset))


def test_a_path_is_one_animal_as_it_always_was():
    assert expanded({"m": "monkey.csv"}) == {
        "m": {"files": ["monkey.csv"], "only_subject": None, "only_session": None}
    }


def test_every_subject_is_an_animal_with_a_name_for_files(monkeys):
    datasets = expanded(_checked({"m": {"file": monkeys, **ENTRY}}))
    assert list(datasets) == ["m_Ada", "m_Bo_2"]
    ada, bo = (_read(dataset) for dataset in datasets.values())
    assert ada.record.n_steps == 9 and bo.record.n_steps == 3
    assert ada.sessions == ("Ada mon", "Ada 1", "Ada tue")
    assert ada.record.location.tolist() == [0, 1, 1] * 3
    assert ada.record.action.tolist() == [2, 4, 0] * 3
    assert ada.rows.tolist() == [2, 3, 4, 5, 6, 7, 11, 12, 13]
    assert bo.record.cue[:, 0].tolist() == [0, 1, 2]
    assert "not read: location, mood" in " ".join(ada.remarks)


def test_subjects_sessions_and_everything_together(monkeys):
    entry = {"file": monkeys, **ENTRY, "fit": ["pooled", "subject", "session"]}
    datasets = expanded(_checked({"m": entry}))
    assert list(datasets) == [
        "m",
        "m_Ada",
        "m_Bo_2",
        "m_Ada_mon",
        "m_Ada_1",
        "m_Bo_2_mon",
        "m_Ada_tue",
    ]
    assert _read(datasets["m"]).record.n_steps == 12
    assert _read(datasets["m"]).record.session_starts.sum() == 4
    assert _read(datasets["m_Ada_1"]).rows.tolist() == [5, 6, 7]


def test_names_that_differ_in_signs_only_get_numbers(tmp_path):
    path = tmp_path / "rats.csv"
    path.write_text("rat,location,action,reward,cue_1,cue_2\na b,0,0,0,0,0\na-b,0,0,0,0,0\n")
    entry = {"file": str(path), "subject": "rat"}
    assert list(expanded({"m": entry})) == ["m_a_b", "m_a_b_2"]
    assert list(expanded({"m": entry | {"subjects": ["a-b"]}})) == ["m_a_b"]
    assert list(
        expanded({"m": {"file": "not/there.csv", "subject": "rat", "subjects": ["7"]}})
    ) == ["m_7"]
    with pytest.raises(RecordError, match="another animal's name"):
        expanded({"m": entry, "m_a_b": "other.csv"})


def test_several_files_are_one_animal_whose_sessions_do_not_go_on(tmp_path):
    table = "session,location,action,reward,cue_1,cue_2\n1,0,0,0,0,0\n2,0,0,0,1,1\n"
    paths = [tmp_path / name for name in ("may.csv", "june.csv")]
    for path in paths:
        path.write_text(table)
    found = _read(expanded({"m": {"files": [str(path) for path in paths]}})["m"])
    assert found.record.session.tolist() == [0, 1, 2, 3]
    assert found.file.tolist() == [0, 0, 1, 1]
    paths[0].write_text(table.replace("1,0,0", "1,0,9"))
    paths[1].write_text(table.replace("2,0,0", "2,7,0"))
    with pytest.raises(RecordError) as caught:
        _read(expanded({"m": {"files": [str(path) for path in paths]}})["m"])
    lines = str(caught.value).splitlines()
    assert "may.csv: action at row 2" in lines[0] and "june.csv: location at row 3" in lines[1]


def test_four_lines_import_the_record_of_another_program(tmp_path):
    """Steps with true beliefs in five bins, grooming by presence."""
    rows = [
        "0,0,1,0,3,2,0,0,0,0",
        "1,0,2,0,1,3,0,0,3,4",
        "2,1,4,0,1,3,0,1,4,4",
        "3,1,0,1,1,1,1,1,0,1",
    ]
    header = "step,location,action,reward,cue_1,cue_2,food_1,food_2,belief_bin_1,belief_bin_2"
    (tmp_path / "lab.csv").write_text("\n".join((header, *rows)))
    (tmp_path / "my.yaml").write_text(
        "animals:\n  lab:\n    file: lab.csv\n    task: {n_bins: 5, grooming: presence}\n"
    )
    config = load_config(ROOT / "config/config.yaml", tmp_path / "my.yaml")
    checked = validate_config(config)[0]
    (dataset,) = expanded(checked["animals"]).values()
    own = with_own(checked, dataset)
    assert own["task"] == checked["task"] | {"n_bins": 5, "grooming": "presence"}
    dataset["files"] = [str(tmp_path / "lab.csv")]
    assert _read(dataset, task_from_config(own)).record.belief_bin.tolist()[1] == [3, 4]


WORLD = {"appearance_rate_1": 0.15, "cue_probability_present": 0.4}


def test_parameters_are_held_and_tied():
    entry = {
        "held": {"push_cost": 0.3},
        "from_world": ["cue_probability_present", "appearance_rate_1"],
        "world": {"appearance_rate_1": 0.25},
        "tied": [["disappearance_rate_1", "disappearance_rate_2"]],
    }
    space = animal_space(entry, WORLD)
    assert space.size == 6
    natural = space.natural(np.where(np.isnan(space.fixed), 0.0, space.fixed))
    held = dict(zip([p.name for p in space.parameters], natural, strict=True))
    assert held["push_cost"] == pytest.approx(0.3)
    assert held["appearance_rate_1"] == pytest.approx(0.25), "the animal's own world"
    assert held["cue_probability_present"] == pytest.approx(0.4)
    assert "disappearance_rate_1 = disappearance_rate_2" in space.names


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            {"held": {"appearance_rate_1": 2.0}},
            "animals.m.parameters.appearance_rate_1: found 2.0, al",
        ),
        (
            {"held": {"appearance_rate_1": 0.2}, "from_world": ["appearance_rate_1"]},
            "animals.m.from_world: found appearance_rate_1 held twice, allowed: once",
        ),
        ({"held": {"pushcost": 0.2}}, "animals.m.held.pushcost: found the name"),
        (
            {"events": {"step_width": 0}},
            "animals.m.events.step_width: found 0, allowed: a finite number",
        ),
        (
            {"events": {"stepwidth": 1}},
            "animals.m.events.stepwidth: unknown key (found 1), nearest known",
        ),
        ({"task": {"n_bins": 1}}, "animals.m.task.n_bins: found 1, allowed: a whole number >= 2"),
        ({"codes": {"place": 3}}, "animals.m.codes.place: found 3, allowed: a section of lines"),
        ({"files": ["b.csv"]}, "animals.m: found a section with the keys file, files, allowed: "),
        (
            {"fit": ["everything"]},
            "animals.m.fit: found ['everything'], allowed: a list of one or more",
        ),
        ({"subject": 3}, "animals.m.subject: found 3, allowed: text"),
    ],
)
def test_mistakes_of_an_entry_are_named(entry, words):
    with pytest.raises(ConfigError) as caught:
        _checked({"m": {"file": "a.csv", **entry}})
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"subject": "rat"}, "column 'rat' is missing (found: location, action"),
        (
            {"fit": ["session"]},
            "animals.m.fit: found session, allowed: with the column of sessions",
        ),
        ({"file": "none.csv", "subject": "rat"}, "none.csv: no such file"),
        (
            {"file": "rat.nc", "subject": "rat"},
            "animals.m: found 'rat.nc' with subject or session, al",
        ),
    ],
)
def test_what_cannot_be_expanded_is_named(entry, words, tmp_path):
    path = tmp_path / "rat.csv"
    path.write_text("location,action,reward,cue_1,cue_2\n0,0,0,0,0\n")
    with pytest.raises(RecordError) as caught:
        expanded({"m": {"file": str(path), **entry}})
    assert words in str(caught.value)


def test_codes_say_what_was_not_shown(monkeys):
    entry = {"file": monkeys, **ENTRY}
    entry["codes"] = {**ENTRY["codes"], "cue_1": {"1": "absent"}, "cue": {"3": "missing"}}
    (ada, _) = expanded(_checked({"m": entry})).values()
    assert _read(ada).record.cue[0].tolist() == [-1, -2]
    entry["codes"]["cue"] = {"3": -3}
    (ada, _) = expanded(_checked({"m": entry})).values()
    with pytest.raises(RecordError, match=r"codes\.cue\.3: found -3, allowed: a color, or one of"):
        _read(ada)


def test_codes_that_mean_nothing_are_named(monkeys):
    entry = {"file": monkeys, **ENTRY, "codes": {"location": {"left": "box 3"}}}
    (ada, _) = expanded(_checked({"m": entry})).values()
    with pytest.raises(
        RecordError, match=r"codes\.location\.left: found 'box 3', allowed: a whole"
    ):
        _read(ada)
