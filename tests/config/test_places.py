"""Where results may go: a folder of their own, or one line that says why not."""

import os

import pytest

from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.places import is_writable, judge_results_folder
from tests import ROOT
from tests.config.mutations import defaults


def _spelled(key, value):
    """What a validated configuration makes of a path."""
    config = defaults()
    config[key] = value
    return validate_config(config)[0][key]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A working folder with a project's folders and one file, in which we are."""
    folder = tmp_path / "above" / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "file").write_text("")
    (folder / "link").symlink_to("nowhere")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return folder


def test_home_is_expanded_and_spelling_is_one(project):
    home = os.environ["HOME"]
    assert _spelled("results_directory", "~/runs") == f"{home}/runs"
    assert _spelled("results_directory", "./a//b/../c") == "a/c"
    assert _spelled("results_directory", "//a") == "/a"
    assert _spelled("results_directory", "../beside") == "../beside"
    assert _spelled("animals", {"one": "~/one.csv"}) == {"one": f"{home}/one.csv"}


@pytest.mark.parametrize(
    "folder",
    [
        *(
            "$HOME/x",
            "x/$USER",
            "~nobody_at_all/x",
            "a/~",
            "x/..",
            "..",
            "/",
            ".",
            "x" * 201,
            "é" * 101,
        ),
        *("a\0b", "a\nb", "\ud800", "a:b", "file:/x", "a\\b", "a b", "a\u202eb"),
    ],
)
def test_a_path_that_means_something_else_is_refused(folder):
    with pytest.raises(
        ConfigError, match=r"^results_directory: found .*, allowed: a folder name"
    ) as caught:
        _spelled("results_directory", folder)
    line = str(caught.value)
    assert line.startswith("results_directory: found ") and line.isprintable()


@pytest.mark.parametrize("file", ["$HOME/one.csv", "a\0.csv", "~nobody_at_all/one.csv"])
def test_a_file_with_an_unknown_folder_is_refused(file):
    with pytest.raises(ConfigError, match=r"^animals\.one: found "):
        _spelled("animals", {"one": file})


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        *(("src", "belongs to the project"), ("src/x", "belongs to the project")),
        *((".git", "belongs to the project"), (".snakemake/x", "belongs to the project")),
        *(("workflow", "belongs to the project"), ("x/../config", "belongs to the project")),
        *(("..", "which holds"), ("../../above", "which holds"), ("../project", "which holds")),
        *(("/etc", "belongs to the system"), ("/usr/x", "belongs to the system")),
        *(("/proc/x", "belongs to the system"), ("file", "in the way"), ("file/x/y", "in the way")),
        *(("link", "in the way"), ("link/x", "in the way")),
    ],
)
def test_a_folder_that_is_another_s_is_refused(project, folder, said):
    with pytest.raises(ConfigError, match=r"^results_directory: found .*; allowed: ") as caught:
        judge_results_folder(folder, project)
    assert said in str(caught.value)


def test_the_home_folder_is_not_for_results(project):
    with pytest.raises(ConfigError, match="holds the home folder"):
        judge_results_folder(os.environ["HOME"], ROOT)


def test_the_workflow_is_kept_wherever_the_run_takes_place(project):
    with pytest.raises(ConfigError, match="belongs to the project"):
        judge_results_folder(str(ROOT / "tests" / "x"), ROOT)


@pytest.mark.parametrize("folder", ["results", "a/b/c", "../beside", "srcs"])
def test_a_folder_of_its_own_is_taken_and_not_made(project, folder):
    judge_results_folder(folder, project)
    assert is_writable(folder)
    assert not os.path.lexists(folder)


def test_what_cannot_be_written_is_known(project, monkeypatch):
    monkeypatch.setattr(os, "access", lambda place, mode: str(place) != str(project))
    assert not is_writable("results/x")
