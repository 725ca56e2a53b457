"""Every figure is drawn by the one script, from the datasets that it names, without any model."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
import yaml
from docutils.core import publish_parts
from jinja2 import Environment, StrictUndefined
from matplotlib.figure import Figure

from inverse_rational_control import plotting
from inverse_rational_control.recordings.dataset import RECORD
from inverse_rational_control.storage.contract import Contract, write
from inverse_rational_control.storage.source import source_files
from inverse_rational_control.studies.registry import FIGURES
from tests import ROOT
from tests.studies.paper import made_up

PACKAGE = ROOT / "src/inverse_rational_control"
REPORT = ROOT / "workflow/report"
MODULES = {
    number: f"inverse_rational_control.studies.{figure.module}"
    for number, figure in FIGURES.items()
}
#: Figures with statistical plots of seaborn, whose import takes as long as all else.
WITH_SEABORN = {5}


@pytest.mark.parametrize("number", FIGURES)
def test_figures_take_the_datasets_they_name(number):
    module = import_module(MODULES[number])
    assert all(isinstance(contract, Contract) for contract in module.INPUTS.values())
    drawn = inspect.signature(module.draw).parameters
    assert set(module.INPUTS) <= set(drawn)
    if drawn:
        shown = inspect.signature(module.numbers).parameters
        assert set(module.INPUTS) <= set(shown) <= set(drawn)


@pytest.mark.parametrize("number", FIGURES)
def test_figures_use_no_model(number):
    rooms = {
        path.relative_to(PACKAGE).parts[0]
        for path in source_files(PACKAGE / "plotting.py", [MODULES[number]])
    }
    assert not rooms & {"agent", "chain", "foraging"}


def test_figures_import_only_what_they_need():
    """Compilers, optimizers and statistical packages would double the time to draw a figure."""
    modules = [module for number, module in MODULES.items() if number not in WITH_SEABORN]
    program = f"import {', '.join(modules)}, sys; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {
        "numba",
        "arviz",
        "seaborn",
        "scipy.optimize",
        "scipy.stats",
        "pydantic",
        "matplotlib.pyplot",
    }
    found = heavy & set(run.stdout.split())
    assert not found


def _script():
    specification = importlib.util.spec_from_file_location(
        "draw_figure", ROOT / "workflow/scripts/draw_figure.py"
    )
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    return script


def test_same_content_same_bytes_and_numbers_beside(tmp_path, monkeypatch):
    monkeypatch.setattr(plotting, "PNG_RESOLUTION", 40)
    write(made_up.record(), tmp_path / "record.nc", RECORD)
    for name in ("one", "two"):
        # Whatever a user sets for matplotlib changes nothing.
        with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 3} if name == "two" else {}):
            _script().main(
                MODULES[2],
                tmp_path / f"{name}.pdf",
                tmp_path / f"{name}.png",
                tmp_path / f"{name}.csv",
                record=tmp_path / "record.nc",
                first_step=100,
                n_steps=60,
            )
    for kind in ("pdf", "png", "csv"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 7, "nothing else is left"
    table = pd.read_csv(tmp_path / "one.csv")
    assert (table["panel"] == "A").all()
    np.testing.assert_array_equal(table["step"], np.arange(100, 160))


def test_figure_without_numbers(tmp_path):
    _script().main(MODULES[1], tmp_path / "figure.pdf", tmp_path / "figure.png")
    assert {path.name for path in tmp_path.iterdir()} == {"figure.pdf", "figure.png"}


def test_unknown_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"found suffix '\.gif', allowed: \.pdf or \.png"):
        plotting.save(Figure(), [tmp_path / "figure.gif"])


@pytest.mark.parametrize("wildcards", [{}, {"animal": "Ada"}], ids=["study", "animal"])
@pytest.mark.parametrize("path", sorted(REPORT.glob("*.rst")), ids=lambda path: path.stem)
def test_captions_render(path, wildcards):
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    template = Environment(undefined=StrictUndefined).from_string(path.read_text(encoding="utf-8"))
    text = template.render(snakemake=SimpleNamespace(config=config, wildcards=wildcards))
    html = publish_parts(text, writer="html", settings_overrides={"halt_level": 2})["body"]
    assert html.strip()
    assert "{{" not in html
