"""The tables of config/README.md come from the models."""

import re

import pytest
import yaml

from inverse_rational_control.config.animals import AnimalSection
from inverse_rational_control.config.configuration import Configuration
from inverse_rational_control.config.document import documented, main
from inverse_rational_control.config.section import has_keys, known_keys
from tests import ROOT

TEXT = (ROOT / "config" / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_what_the_command_writes(tmp_path):
    written = tmp_path / "README.md"
    written.write_text(TEXT, encoding="utf-8")
    main(str(written))
    assert written.read_text(encoding="utf-8") == TEXT, "run: make document"


def test_the_readme_has_a_row_for_every_key_with_its_default():
    rows = {}
    for line in TEXT.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        # Keys below a name of the user's own have rows too, but are not in every configuration.
        if len(cells) == 5 and re.fullmatch(r"`(?!animals\.NAME)[\w.]+`", cells[0]):
            rows[tuple(cells[0].strip("`").split("."))] = cells[1:]
    assert list(rows) == [path for path, field in known_keys(Configuration) if not has_keys(field)]
    for path, (meaning, unit, default, allowed) in rows.items():
        assert meaning and unit and allowed, path
        value = Configuration().model_dump(mode="json")
        for name in path:
            value = value[name]
        assert yaml.safe_load(default.strip("`")) == value, path


def test_the_readme_has_a_row_for_every_key_of_an_animal():
    for path, _ in known_keys(AnimalSection):
        if len(path) == 1 or path[0] == "events":
            assert f"| `animals.NAME.{'.'.join(path)}` |" in TEXT


def test_a_section_without_a_place_in_the_readme_is_named():
    with pytest.raises(ValueError, match=r"expected .*'task'"):
        documented(TEXT.replace("<!-- begin task -->", "<!-- begin tusk -->"))
