"""Every figure is drawn from datasets alone, with and without a known truth, numbers beside it."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from docutils.core import publish_parts
from jinja2 import Environment, StrictUndefined
from matplotlib.figure import Figure

from inverse_rational_control import plotting as style
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import RECORD
from inverse_rational_control.storage import contract as datasets
from inverse_rational_control.studies.alternatives.dataset import ALTERNATIVES
from inverse_rational_control.studies.paper.dataset import BEHAVIOR, POSTERIOR
from inverse_rational_control.studies.recovery.dataset import RECOVERY
from inverse_rational_control.studies.sensitivity.dataset import SENSITIVITY
from tests import ROOT, synthetic

FIGURES = ROOT / "src" / "irc" / "figures"
REPORT = ROOT / "workflow" / "report"
SCRIPTS = ROOT / "workflow" / "scripts" / "figures"
STRETCH = {"first_step": 100, "n_steps": 60}


def _load(path: Path):
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def low_resolution(monkeypatch):
    """Keep the tests short."""
    monkeypatch.setattr(style, "PNG_RESOLUTION", 40)


@pytest.fixture(scope="module", params=[True, False], ids=["truth known", "truth unknown"])
def results(request, tmp_path_factory):
    """A directory of datasets, their paths by kind, and whether the truth is among them."""
    return _results(tmp_path_factory.mktemp("results"), request.param)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """The same with the truth known, for tests that need it once."""
    return _results(tmp_path_factory.mktemp("known"), truth=True)


def _results(directory: Path, truth: bool):
    record = synthetic.record(truth=truth)
    made = {
        "record": record,
        "fit": synthetic.fit(truth=truth),
        "posterior": synthetic.posterior(record, truth=truth),
        "behavior": synthetic.behavior(),
        "surface": synthetic.surface(truth=truth),
        "recovery": synthetic.recovery(),
        "sensitivity": synthetic.sensitivity(),
    }
    if truth:
        made["models"] = synthetic.models()
    paths = {kind: directory / f"{kind}.nc" for kind in made}
    for kind, dataset in made.items():
        datasets.write(dataset, paths[kind], kind)
    return directory, paths, truth


def _draw(results, name: str, kinds: list[str], numbers: bool = True, **values) -> pd.DataFrame:
    directory, paths, _ = results
    outputs = {"pdf": directory / f"{name}.pdf", "png": directory / f"{name}.png"}
    if numbers:
        outputs["numbers"] = directory / f"{name}_numbers.csv"
    script = _load(next(SCRIPTS.glob(f"{name}_*.py")))
    script.main(**{kind: paths[kind] for kind in kinds if kind in paths}, **values, **outputs)
    assert outputs["pdf"].read_bytes().startswith(b"%PDF")
    assert outputs["png"].read_bytes().startswith(b"\x89PNG")
    assert not list(directory.glob("*.part*")) + list(directory.glob(".*"))
    return pd.read_csv(outputs["numbers"]) if numbers else None


def test_graphical_models(known):
    _draw(known, "figure1", [], numbers=False)


def test_task_data(results):
    _, paths, truth = results
    table = _draw(results, "figure2", ["record"], **STRETCH)
    record = datasets.read(paths["record"], RECORD).isel(step=slice(100, 160))
    assert ("food_1" in table) is truth
    for name in table.columns.drop(["panel"]):
        np.testing.assert_array_equal(table[name], record[name])


def test_parameters(results):
    _, paths, truth = results
    table = _draw(results, "figure3", ["fit", "surface"])
    fit, surface = (datasets.read(paths[kind], kind) for kind in ("fit", "surface"))
    estimates = table[table["panel"] == "B"]
    assert list(estimates["item"]) == list(fit["parameter"].values)
    for name in ("estimate", "standard_error", "interval_lower", "interval_upper"):
        np.testing.assert_allclose(estimates[name], fit[name], rtol=1e-12)
    assert ("truth" in table) is truth
    assert ("world" in table) is truth
    if truth:
        np.testing.assert_allclose(estimates["truth"], fit["truth"], rtol=1e-12)
        np.testing.assert_allclose(estimates["world"][:6], fit["world"], rtol=1e-12)
    grid = table[table["item"] == "surface"]["log_likelihood"].to_numpy()
    np.testing.assert_allclose(grid, surface["log_likelihood"].values.ravel(), rtol=1e-12)
    assert (table["item"] == "truth").any() == truth


def test_estimate_without_interval(known, tmp_path):
    fit = synthetic.fit()
    fit["interval_lower"][2] = fit["interval_upper"][2] = np.nan
    datasets.write(fit, tmp_path / "fit.nc", FIT)
    directory, paths, truth = known
    changed = directory, paths | {"fit": tmp_path / "fit.nc"}, truth
    table = _draw(changed, "figure3", ["fit", "surface"])
    assert table[table["panel"] == "B"]["interval_lower"].isna().sum() == 1


def test_beliefs(results):
    _, paths, truth = results
    table = _draw(results, "figure4", ["posterior", "record"], **STRETCH)
    posterior = datasets.read(paths["posterior"], POSTERIOR)
    for box in (1, 2):
        shown = table[(table["panel"] == "A") & (table["box"] == box)]
        expected = posterior["marginal"].sel(box=box).isel(step=slice(100, 160)).values.ravel()
        np.testing.assert_allclose(shown["probability"], expected, rtol=1e-12)
    assert (table["panel"] == "B").any() == truth


def test_behavior(results):
    _, paths, truth = results
    table = _draw(results, "figure5", ["behavior", "models"])
    behavior = datasets.read(paths["behavior"], BEHAVIOR)
    actions = table[table["panel"] == "A"]
    np.testing.assert_allclose(actions["recorded"], behavior["action_frequency"], rtol=1e-12)
    replicates = behavior["replicate_action_frequency"]
    np.testing.assert_allclose(actions["inferred_mean"], replicates.mean("replicate"), rtol=1e-12)
    lower, upper = np.percentile(replicates, [2.5, 97.5], axis=0)
    np.testing.assert_allclose(actions["inferred_lower"], lower, rtol=1e-12)
    np.testing.assert_allclose(actions["inferred_upper"], upper, rtol=1e-12)
    np.testing.assert_allclose(actions["distance"], behavior["distance"][0], rtol=1e-12)
    assert (table["panel"] == "E").any() == truth


def test_behavior_without_a_single_push(known, tmp_path):
    behavior = synthetic.behavior()
    for name in ("push_interval", "replicate_push_interval"):
        behavior[name][:] = np.nan
    behavior["distance"][2] = np.nan
    behavior["null_distance"][:, 2] = np.nan
    datasets.write(behavior, tmp_path / "behavior.nc", BEHAVIOR)
    directory, paths, truth = known
    changed = directory, paths | {"behavior": tmp_path / "behavior.nc"}, truth
    table = _draw(changed, "figure5", ["behavior", "models"])
    assert table[table["panel"] == "C"]["null_percentile"].isna().all()


def test_recovery(known):
    _, paths, _ = known
    table = _draw(known, "figure6", ["recovery"])
    recovery = datasets.read(paths["recovery"], RECOVERY)
    errors = table[table["panel"] == "A"]
    np.testing.assert_allclose(errors["error"], recovery["error"].values.ravel(), rtol=1e-12)
    slopes = table[table["panel"] == "B"]
    np.testing.assert_allclose(slopes["slope"][:-1], recovery["slope"], rtol=1e-12)
    assert slopes["parameter"].iloc[-1] == "all"
    efficient = table[table["panel"] == "C"]
    np.testing.assert_allclose(efficient["efficiency"], recovery["efficiency"].values.ravel())
    marked = table[table["panel"] == "E"]
    np.testing.assert_array_equal(marked["at_bound_count"], recovery["at_bound_count"])


def test_recovery_of_two_lengths(known, tmp_path):
    recovery = synthetic.recovery(n_seeds=2).isel(n_steps=[0, 1])
    recovery["slope"][:] = recovery["slope_standard_error"][:] = np.nan
    datasets.write(recovery, tmp_path / "recovery.nc", RECOVERY)
    directory, paths, truth = known
    _draw(
        (directory, paths | {"recovery": tmp_path / "recovery.nc"}, truth), "figure6", ["recovery"]
    )


def test_recovery_without_a_converged_fit(known, tmp_path):
    recovery = synthetic.recovery(n_seeds=3)
    recovery["status"] = recovery["status"].copy(data=np.full(recovery["status"].shape, "at_bound"))
    for name in ("rmse_interior", "slope", "slope_standard_error", "coverage"):
        recovery[name] = recovery[name] * np.nan
    recovery["pooled_slope"] = recovery["pooled_slope"] * np.nan
    datasets.write(recovery, tmp_path / "recovery.nc", RECOVERY)
    directory, paths, truth = known
    _draw(
        (directory, paths | {"recovery": tmp_path / "recovery.nc"}, truth), "figure6", ["recovery"]
    )


def test_alternatives(tmp_path):
    alternatives = synthetic.alternatives()
    alternatives["brute_force_gap"][:2] = np.inf  # no finite likelihood yet
    alternatives["confusion_aic"][:, 1] = 0.0
    alternatives["inversion_aic"][:, 1] = np.nan  # a model that is never chosen
    datasets.write(alternatives, tmp_path / "alternatives.nc", ALTERNATIVES)
    table = _draw(
        (tmp_path, {"alternatives": tmp_path / "alternatives.nc"}, True),
        "figure10",
        ["alternatives"],
    )
    held_out = table[table["panel"] == "A"]["held_out_difference"]
    np.testing.assert_allclose(
        held_out, alternatives["held_out_difference"].values.ravel(), rtol=1e-12
    )
    confusion = table[table["panel"] == "E"]["confusion_bic"]
    np.testing.assert_allclose(confusion, alternatives["confusion_bic"].values.ravel())
    searches = table[table["panel"] == "D"]["search"]
    assert dict(searches.value_counts()) == {"brute force": 64, "fit": 30}


def test_sensitivity(known):
    _, paths, _ = known
    table = _draw(known, "figure11", ["sensitivity"])
    summary = datasets.read(paths["sensitivity"], SENSITIVITY)
    shown = table[table["panel"] == "C"]
    for name in ("mean_error", "mean_error_standard_error", "mean_standardized_error"):
        expected = summary[name].sel(design="mismatched").values.ravel()
        np.testing.assert_allclose(shown[name], expected, rtol=1e-12)
    np.testing.assert_allclose(shown["mean_shift"], summary["mean_shift"].values.ravel())
    relative = table[table["panel"] == "A"]["relative_standard_error"].to_numpy().reshape(-1, 10)
    standard_error = summary["mean_standard_error"].sel(design="matched").values
    np.testing.assert_allclose(relative, standard_error / standard_error[0], rtol=1e-12)
    loss = table[table["panel"] == "D"]["log_likelihood_loss"]
    np.testing.assert_allclose(loss, summary["log_likelihood_loss"].values.ravel(), rtol=1e-12)
    scores = table[(table["panel"] == "F") & table["decoder_log_score"].notna()]
    np.testing.assert_allclose(
        scores["decoder_log_score"], summary["decoder_log_score"].values.ravel(), rtol=1e-12
    )


def test_sensitivity_says_what_each_setting_changes():
    from inverse_rational_control.studies.sensitivity.figure import labels

    assert labels(synthetic.sensitivity()) == [
        *("task", "N 5, σ 0.1", "N 5", "N 20, σ 0.025", "N 20"),
        *("σ 0.025", "σ 0.1", "discount 0.9"),
    ]


def test_sensitivity_with_settings_that_have_no_fit(known, tmp_path):
    summary = synthetic.sensitivity()
    for name in ("mean_standard_error", "mean_standardized_error"):
        summary[name][:, 2] = np.nan
    summary["decoded_correlation"][1, 3] = np.nan
    summary["log_likelihood_loss"][3] = np.nan
    summary["at_bound_count"][0, 2] = summary.sizes["seed"]
    datasets.write(summary, tmp_path / "summary.nc", SENSITIVITY)
    directory, paths, truth = known
    changed = directory, paths | {"sensitivity": tmp_path / "summary.nc"}, truth
    table = _draw(changed, "figure11", ["sensitivity"])
    assert table[table["panel"] == "A"]["relative_standard_error"].isna().sum() == 10


def test_stretch_beyond_the_record(known):
    table = _draw(known, "figure2", ["record"], first_step=10_000, n_steps=50)
    assert list(table["step"]) == list(range(350, 400))


def test_same_content_same_bytes(known, tmp_path):
    _, paths, _ = known
    script = _load(SCRIPTS / "figure2_task_data.py")
    for name in ("one", "two"):
        outputs = {kind: tmp_path / f"{name}.{kind}" for kind in ("pdf", "png")}
        script.main(paths["record"], **outputs, numbers=tmp_path / f"{name}.csv", **STRETCH)
    for kind in ("pdf", "png", "csv"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


def test_unknown_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"found suffix '\.gif', allowed: \.pdf or \.png"):
        style.save(Figure(), [tmp_path / "figure.gif"])


@pytest.mark.parametrize("path", sorted(REPORT.glob("*.rst")), ids=lambda path: path.stem)
def test_captions_render(path):
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    template = Environment(undefined=StrictUndefined).from_string(path.read_text(encoding="utf-8"))
    text = template.render(snakemake=SimpleNamespace(config=config))
    html = publish_parts(text, writer="html", settings_overrides={"halt_level": 2})["body"]
    assert html.strip()
    assert "{{" not in html


@pytest.mark.parametrize("path", sorted(FIGURES.glob("*.py")), ids=lambda path: path.stem)
def test_figures_import_no_model(path):
    allowed = ("irc.datasets", "irc.parameters", "irc.task", "irc.figures")
    imported = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            names = [f"{base}.{a.name}" for a in node.names] if base == "irc" else [base]
            assert node.level == 0, "absolute imports only"
            imported += names
        elif isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
    for name in imported:
        assert not name.startswith("irc") or name.startswith(allowed), name
