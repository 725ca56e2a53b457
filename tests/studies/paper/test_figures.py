"""Figures 1 to 5 show what their datasets hold, with and without a known truth."""

import json

import numpy as np
import pytest

from inverse_rational_control import plotting
from inverse_rational_control.inference.posterior_dataset import POSTERIOR
from inverse_rational_control.studies.paper import (
    figure1_graphical_models,
    figure2_task_data,
    figure3_parameters,
    figure4_beliefs,
    figure5_behavior,
)
from tests.filled import filled
from tests.studies.paper import made_up
from tests.studies.paper.made_up import AGENT

STRETCH = {"first_step": 100, "n_steps": 60}


@pytest.fixture(params=[True, False], ids=["truth known", "truth unknown"])
def truth(request):
    """Whether the truth is known."""
    return request.param


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """Draw a figure, save it in both formats, and return its numbers."""
    monkeypatch.setattr(plotting, "PNG_RESOLUTION", 40)

    def show(figure, **given):
        files = [tmp_path / "figure.pdf", tmp_path / "figure.png"]
        plotting.save(figure.draw(**given), files)
        assert files[0].read_bytes().startswith(b"%PDF")
        assert files[1].read_bytes().startswith(b"\x89PNG")
        assert sorted(tmp_path.iterdir()) == files, "nothing else is left"
        return figure.numbers(**given) if hasattr(figure, "numbers") else None

    return show


def test_graphical_models(shown):
    assert shown(figure1_graphical_models) is None


def test_task_data(truth, shown):
    record = made_up.record(truth)
    table = shown(figure2_task_data, record=record, **STRETCH)["A"]
    record = record.isel(step=slice(100, 160))
    assert ("food_1" in table) is truth
    for name in ("step", "location", "action", "reward"):
        np.testing.assert_array_equal(table[name], record[name])
    for name in ("cue", "food") if truth else ("cue",):
        for box in (1, 2):
            np.testing.assert_array_equal(table[f"{name}_{box}"], record[name].sel(box=box))


def test_axes_of_time_are_in_seconds_where_a_step_has_a_width(shown):
    """Steps of half a second: every axis, its label and its numbers."""
    task = {"task": json.dumps({"n_bins": 10, "n_cues": 5, "step_width": 0.5})}
    record = made_up.record(False).assign_attrs(task)
    posterior = made_up.posterior(False).assign_attrs(task)
    behavior = made_up.behavior().assign_attrs(step_width=0.5)
    given = {"posterior": posterior, "record": record, **STRETCH}
    for figure, named in (
        (figure2_task_data, {"record": record, **STRETCH}),
        (figure4_beliefs, given),
    ):
        table = shown(figure, **named)["A"]
        np.testing.assert_array_equal(table["time"], 0.5 * table["step"])
        last = figure.draw(**named).axes[-1 if figure is figure2_task_data else 2]
        assert last.get_xlabel() == "time (s)"
        np.testing.assert_allclose(last.get_xlim(), (49.75, 79.75), atol=1e-9)
    joint = figure4_beliefs.draw(**given).axes[0]
    assert joint.get_xlabel() == "time (s)" and joint.get_xlim() == (50.0, 79.5)
    intervals = shown(figure5_behavior, behavior=behavior)["C"]
    np.testing.assert_array_equal(intervals["item_in_seconds"], 0.5 * np.arange(1, 41))
    axes = figure5_behavior.draw(behavior).axes
    assert [ax.get_xlabel() for ax in axes[2:4]] == [
        "interval between pushes (s)",
        "interval between travels (s)",
    ]
    in_steps = figure5_behavior.draw(made_up.behavior()).axes
    for ax, other in zip(axes[2:4], in_steps[2:4], strict=True):
        np.testing.assert_allclose(ax.get_xlim(), 0.5 * np.array(other.get_xlim()))
        np.testing.assert_allclose(
            ax.lines[-1].get_xdata(), 0.5 * np.asarray(other.lines[-1].get_xdata())
        )
    labels = [label.get_text() for label in axes[4].get_xticklabels()]
    assert "same place, 2.5 s" in labels
    assert "same place, 5 steps" in [each.get_text() for each in in_steps[4].get_xticklabels()]


def test_axes_of_time_are_in_steps_where_a_step_has_no_width():
    task = {"task": json.dumps({"n_bins": 10, "n_cues": 5, "step_width": None})}
    record = made_up.record(False).assign_attrs(task)
    posterior = made_up.posterior(False).assign_attrs(task)
    for ax in (
        figure2_task_data.draw(record, **STRETCH).axes[-1],
        figure4_beliefs.draw(posterior, record, **STRETCH).axes[2],
    ):
        assert ax.get_xlabel() == "time (step)"
        assert ax.get_xlim() == (99.5, 159.5)
    assert "time" not in figure2_task_data.numbers(record, **STRETCH)["A"]
    axes = figure5_behavior.draw(made_up.behavior()).axes
    assert axes[2].get_xlabel() == "interval between pushes (step)"
    assert "item_in_seconds" not in figure5_behavior.numbers(made_up.behavior())["C"]


def test_task_data_where_some_steps_or_all_have_no_cue(truth, shown):
    record = made_up.record(truth)
    record["cue"] = record["cue"].where(record["step"] % 3 > 0, -1)
    table = shown(figure2_task_data, record=record, **STRETCH)["A"]
    assert (table["cue_1"][::3] == -1).sum() + (table["cue_1"] >= 0).sum() > 0
    record = record.assign_attrs(task=json.dumps({"n_bins": 10, "n_cues": 1}))
    shown(figure2_task_data, record=record, **STRETCH)


def test_stretch_beyond_the_record(shown):
    table = shown(figure2_task_data, record=made_up.record(), first_step=10_000, n_steps=50)["A"]
    assert list(table["step"]) == list(range(350, 400))


def test_parameters(truth, shown):
    fit, surface = made_up.fit(truth), made_up.surface(truth)
    tables = shown(figure3_parameters, fit=fit, surface=surface)
    estimates = tables["B"]
    assert list(estimates["item"]) == list(fit["parameter"].values)
    for name in ("estimate", "standard_error", "interval_lower", "interval_upper"):
        np.testing.assert_array_equal(estimates[name], fit[name])
    assert ("truth" in estimates) is ("world" in estimates) is truth
    if truth:
        np.testing.assert_array_equal(estimates["truth"], fit["truth"])
        np.testing.assert_array_equal(estimates["world"][:6], fit["world"])
    kind = np.where(np.isin(fit["parameter"], ["cue_probability_present"]), "absent", "wald")
    fit["interval_kind"] = ("parameter", kind.astype(object))
    left = shown(figure3_parameters, fit=fit, surface=surface)["B"]
    assert list(left["item"]) == [name for name in AGENT if name != "cue_probability_present"]
    on_plane = tables["A"]
    grid = on_plane[on_plane["item"] == "surface"]["log_likelihood"]
    np.testing.assert_array_equal(grid, surface["log_likelihood"].values.ravel())
    for item, name in (("em", "trajectory"), ("quasi_newton", "quasi_newton")):
        path = on_plane[on_plane["item"] == item]
        np.testing.assert_array_equal(path["u"], surface[f"{name}_u"])
    assert (on_plane["item"] == "truth").any() == truth


@pytest.mark.parametrize("status", ["converged", "rough", "not_converged"])
def test_parameters_with_a_posterior_that_has_something_to_report(shown, status):
    fit, surface = made_up.fit(), made_up.surface()
    middle = fit["estimate"].values
    given = {
        "status": status,
        "median": middle,
        "interval_lower": middle - 0.01,
        "interval_upper": middle + 0.02,
    }
    drawn = filled(POSTERIOR, {"parameter": made_up.AGENT}, given, (), made_up.TASK)
    table = shown(figure3_parameters, fit=fit, surface=surface, parameter_posterior=drawn)["B"]
    assert ("posterior_median" in table) is (status != "not_converged")
    if status != "not_converged":
        np.testing.assert_array_equal(table["posterior_interval_upper"], middle + 0.02)


def test_estimate_without_interval(shown):
    fit = made_up.fit()
    fit["interval_lower"][2] = fit["interval_upper"][2] = np.nan
    table = shown(figure3_parameters, fit=fit, surface=made_up.surface())["B"]
    assert table["interval_lower"].isna().sum() == 1


def test_beliefs(truth, shown):
    posterior = made_up.posterior(truth)
    tables = shown(figure4_beliefs, posterior=posterior, record=made_up.record(truth), **STRETCH)
    for box in (1, 2):
        part = tables["A"][tables["A"]["box"] == box]
        expected = posterior["marginal"].sel(box=box).isel(step=slice(100, 160)).values.ravel()
        np.testing.assert_array_equal(part["probability"], expected)
    assert ("B" in tables) is truth


def test_behavior(truth, shown):
    behavior = made_up.behavior()
    models = {"models": made_up.models()} if truth else {}
    tables = shown(figure5_behavior, behavior=behavior, **models)
    for panel, name in (("A", "action"), ("B", "location")):
        table = tables[panel]
        np.testing.assert_array_equal(table["recorded"], behavior[f"{name}_frequency"])
        replicates = behavior[f"replicate_{name}_frequency"]
        mean = replicates.mean("replicate")
        np.testing.assert_allclose(table["inferred_mean"], mean, rtol=1e-12)
        lower, upper = np.percentile(replicates, [2.5, 97.5], axis=0)
        np.testing.assert_allclose(table["inferred_lower"], lower, rtol=1e-12)
        np.testing.assert_allclose(table["inferred_upper"], upper, rtol=1e-12)
    np.testing.assert_array_equal(tables["A"]["distance"], behavior["distance"][[0] * 5])
    assert ("E" in tables) is truth
    checked = tables["F"]
    assert list(checked["item"]) == list(behavior["checked"].values)
    np.testing.assert_array_equal(checked["predictive_p"], behavior["predictive_p"])
    np.testing.assert_array_equal(checked["recorded"], behavior["observed"])
    lower = np.percentile(behavior["replicated"], 2.5, axis=0)
    np.testing.assert_allclose(checked["inferred_lower"], lower, rtol=1e-12)


def test_record_among_its_replicates():
    """Panel F: dots are the record's statistics in standard deviations of the replicates."""
    behavior = made_up.behavior()
    figure = figure5_behavior.draw(behavior)
    ax = figure.axes[-1]
    dots = next(line for line in ax.lines if line.get_linestyle() == "None")
    replicated = behavior["replicated"].values
    expected = (behavior["observed"].values - replicated.mean(0)) / replicated.std(0)
    np.testing.assert_allclose(dots.get_ydata(), expected, rtol=1e-10)
    words = [text.get_text() for text in ax.texts]
    assert f"{float(behavior['predictive_p'][3]):.2f}" in words
    assert figure.legends[0].get_title().get_text().endswith("posterior (converged)")
    assert ax.get_title().startswith("all statistics together: p = ")
    # None of 200 replicates is that far out: a p of 0 is not known.
    behavior["predictive_p"][3] = behavior["predictive_p_together"][()] = 0.0
    ax = figure5_behavior.draw(behavior).axes[-1]
    assert ax.get_title() == "all statistics together: p < 0.005"
    assert "< 0.005" in [text.get_text() for text in ax.texts]


def test_statistics_that_a_record_lacks(shown):
    behavior = made_up.behavior()
    behavior["observed"][3] = behavior["predictive_p"][3] = np.nan
    behavior["replicated"][:, 4] = np.nan
    behavior["replicated"][:, 5] = behavior["observed"][5] = 0.25
    table = shown(figure5_behavior, behavior=behavior)["F"]
    assert np.isnan(table["recorded"][3])
    assert np.isnan(table["inferred_mean"][4])
    assert table["inferred_upper"][5] == 0.25


def test_bands_of_the_values():
    models = made_up.models()
    ax = figure5_behavior.draw(made_up.behavior(), models).axes[4]
    ends = np.array(ax.collections[0].get_segments())
    np.testing.assert_array_equal(ends[:, 0, 1], models["value_lower"].values.ravel())
    np.testing.assert_array_equal(ends[:, 1, 1], models["value_upper"].values.ravel())
    without = figure5_behavior.draw(
        made_up.behavior(), models.drop_vars(["value_lower", "value_upper"])
    )
    assert not without.axes[4].collections


def test_bars_of_the_replicates_are_those_of_the_numbers():
    """What seaborn draws: a mark at the mean, a line over the central share of the replicates."""
    behavior = made_up.behavior()
    ax = figure5_behavior.draw(behavior).axes[0]
    table = figure5_behavior.numbers(behavior)["A"]
    marks, *bars = ax.lines
    np.testing.assert_allclose(marks.get_ydata(), table["inferred_mean"], rtol=1e-12)
    for bar, low, high in zip(bars, table["inferred_lower"], table["inferred_upper"], strict=True):
        heights = np.asarray(bar.get_ydata())
        assert np.nanmin(heights) == pytest.approx(low)
        assert np.nanmax(heights) == pytest.approx(high)


def test_divergence_is_cumulated_over_the_steps_of_each_state():
    models = made_up.models()
    curve = figure5_behavior.draw(made_up.behavior(), models).axes[5].lines[0]
    divergence, share = curve.get_xdata()[1:], curve.get_ydata()[1:]
    visits = models["visit_frequency"].values
    for at in (0.2, 0.5, 0.8):
        expected = visits[models["policy_divergence"].values <= at].sum()
        assert share[np.searchsorted(divergence, at, "right") - 1] == pytest.approx(expected)
    assert share[-1] == pytest.approx(1.0)


def test_behavior_without_a_single_push(shown):
    behavior = made_up.behavior()
    for name in ("push_interval", "replicate_push_interval"):
        behavior[name][:] = np.nan
    behavior["distance"][2] = np.nan
    behavior["null_distance"][:, 2] = np.nan
    table = shown(figure5_behavior, behavior=behavior, models=made_up.models())["C"]
    assert table["null_percentile"].isna().all()
