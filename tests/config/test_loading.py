"""Reading configuration files: whatever is wrong with a file, one line names it."""

import subprocess
import sys

import pytest

from inverse_rational_control.config.loading import ConfigError, load_config
from tests import ROOT

DEFAULTS = ROOT / "config" / "config.yaml"


def _load_error(*paths) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(*paths)
    line = str(caught.value)
    assert len(line.splitlines()) == 1, f"more than one line: {line!r}"
    return line


def test_later_files_override_key_by_key(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("a: {b: 1, c: [1, 2]}\nd: 4\n")
    second.write_text("a: {c: [3]}\n")
    assert load_config(first, second) == {"a": {"b": 1, "c": [3]}, "d": 4}


def test_an_empty_file_changes_nothing(tmp_path):
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    assert load_config(DEFAULTS, tmp_path / "empty.yaml") == load_config(DEFAULTS)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"task: {n_bins: 5\nworld: 3\n", "not valid YAML"),
        (b"task:\n\tn_bins: 5\n", "line 2"),
        (b"task:\n  n_bins: 5\n  n_bins: 6\n", "line 3: key 'n_bins' is given twice"),
        (b"- 1\n- 2\n", "allowed: keys with values"),
        (b"just words\n", "allowed: keys with values"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a: \x00\n", "not valid YAML"),
    ],
)
def test_an_unreadable_file_gives_one_line_with_its_name(tmp_path, content, told):
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    line = _load_error(DEFAULTS, path)
    assert line.startswith(str(path))
    assert told in line


def test_a_missing_file_is_named(tmp_path):
    path = tmp_path / "absent.yaml"
    assert _load_error(path) == f"{path}: no such configuration file"
    assert str(tmp_path) in _load_error(tmp_path)


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("loading", ["yaml", "pydantic", "jsonschema", "xarray"]),
        ("fitting", ["yaml", "jsonschema", "inverse_rational_control.config.configuration"]),
    ],
)
def test_importing_a_module_stays_cheap(module, unwanted):
    code = f"import sys, inverse_rational_control.config.{module}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not set(unwanted) & set(run.stdout.split())
