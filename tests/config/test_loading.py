"""Reading configuration files: whatever is wrong with a file, one line names it."""

import os
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
        (b"a: 1\nb: \x00\n", "line 2: not valid YAML"),
        (b"a: 1\n# caf\xe9\n", "line 2: is not a text file in UTF-8"),
        (b"a: 1\nb: &x [1, *x]\n", "line 2: the alias *x stands in what it names"),
        (b"a: &x {b: *x}\n", "line 1: the alias *x stands in what it names"),
        (b"a: *x\n", "line 1: not valid YAML"),
        (b"a:\n  " + b"[" * 500 + b"]" * 500, "line 2: is nested too deep"),
        (b"".join(b" " * i + b"a:\n" for i in range(500)), "line 21: is nested too deep"),
        (b"a: 1\nb: 2026-13-45\n", "line 2: found '2026-13-45', which is no timestamp"),
        (b"a: 1\nb: !!float x\n", "line 2: found 'x', which is no float"),
        (b"a: !!bool x\n", "line 1: found 'x', which is no bool"),
        (b"a: !!timestamp x\n", "line 1: found 'x', which is no timestamp"),
        (b"a: " + b"9" * 999 + b"\nb: " + b"9" * 5000, "line 2: found a value of 5000 characters"),
        (b"a: !!python/object/apply:os.system [ls]\n", "line 1: not valid YAML"),
        (b'a: "\\UFFFFFFFF"\n', "line 1: not valid YAML"),
        (b"%YAML " + b"9" * 5000 + b".1\n---\na: 1\n", "line 1: not valid YAML"),
        (b"? [1]\n: 2\n", "line 1: not valid YAML"),
        (b"a: 1\n---\nb: 2\n", "line 2: not valid YAML"),
        (b"__use_yte__: true\na: ?1 + 1\n", "no templates"),
        (b"a: 1 #" + b"x" * 200_000, "allowed: at most 200000"),
    ],
)
def test_an_unreadable_file_gives_one_line_with_its_name(tmp_path, content, told):
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    line = _load_error(DEFAULTS, path)
    assert line.startswith(str(path))
    assert told in line


LAUGHS = {
    "lists": ("&a0 [x, x]", lambda i: f"&a{i} [{', '.join([f'*a{i - 1}'] * 10)}]"),
    "sections": (
        "&a0 {x: 1}",
        lambda i: f"&a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(10))}}}",
    ),
    "merged": ("&a0 {x: 1}", lambda i: f"&a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}"),
}


@pytest.mark.parametrize("kind", LAUGHS)
def test_aliases_that_unfold_to_too_much_are_refused_before_anything_is_built(tmp_path, kind):
    first, level = LAUGHS[kind]
    path = tmp_path / "laughs.yaml"
    lines = [f"k0: {first}", *(f"k{i}: {level(i)}" for i in range(1, 15))]
    path.write_text("\n".join(lines))
    assert f"{path}, line 5: unfolds to too many values" in _load_error(path)
    # Some are fine.
    path.write_text("\n".join(lines[:3]))
    assert set(load_config(path)) == {"k0", "k1", "k2"}


def test_what_is_no_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        assert "is no regular file" in _load_error(path)


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
