"""What people read of one animal and of several: order, words, differences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from inverse_rational_control.foraging.animal_summary import (
    animal_summary,
    parameters_of_animals,
    shown,
)
from inverse_rational_control.foraging.misfit import misfit_sentences

NAMES = ("appearance_rate_1", "temperature")


def table(median, width, status="converged", level=0.95):
    median, width = np.asarray(median, float), np.asarray(width, float)
    return pd.DataFrame(
        {
            "parameter": NAMES,
            "unit": ["1/step", "reward"],
            "posterior_median": median,
            "posterior_lower": median - width,
            "posterior_upper": median + width,
            "posterior_level": level,
            "posterior_status": status,
            "estimate": median + 1,
            "interval_lower": median,
            "interval_upper": median + 2,
            "interval_level": 0.9,
            "at_bound": [False, True],
            "fit_status": "at_bound",
        }
    )


def behavior(together, p_values, observed):
    replicated = np.linspace(0, 1, 101)[:, None] * np.ones(len(p_values))
    return xr.Dataset(
        {
            "predictive_p_together": ((), together),
            "predictive_p": ("checked", p_values),
            "observed": ("checked", observed),
            "replicated": (("replicate", "checked"), replicated),
        },
        {"checked": ["share of pushes", "reward rate", "pushes per visit"]},
    )


def test_misfit_is_said_first_then_what_is_missed_worst_first():
    said = misfit_sentences(behavior(0.004, [0.5, 0.0, 0.01], [0.5, 3.0, -1.0]))
    assert said[0].startswith(
        "the model misses something that this animal does (p = 0.004, of 101 s"
    )
    assert said[1].startswith("reward rate: 3, more than the agents' 0.025 to 0.975")
    assert said[2].startswith("pushes per visit: -1, less than")
    assert len(said) == 3


def test_intervals_are_said_in_seconds_where_a_step_has_a_width():
    given = behavior(0.004, [0.5, 0.0, 0.01], [0.5, 3.0, -1.0])
    name = "interval between pushes: 50 % quantile"
    given = given.assign_coords(checked=["share of pushes", name, "pushes per visit"])
    assert misfit_sentences(given)[1].startswith(
        f"{name}: 3, more than the agents' 0.025 to 0.975 ("
    )
    said = misfit_sentences(given.assign_attrs(step_width=0.5))
    assert said[1].startswith(f"{name}: 1.5 s, more than the agents' 0.0125 to 0.487 s (")
    assert said[2].startswith("pushes per visit: -1, less than")


def test_a_fitting_model_is_said_to_fit():
    said = misfit_sentences(behavior(0.4, [0.5, 0.3, 0.9], [0.5, 0.5, 0.5]))
    assert said[0].startswith(
        "agents with the inferred parameters behave like this animal (p = 0.4"
    )
    assert len(said) == 1


def test_single_statistics_that_differ_are_said_where_all_together_fit():
    said = misfit_sentences(behavior(0.4, [0.5, 0.0, 0.9], [0.5, 3.0, 0.5]))
    assert said[0].endswith("but for single statistics")
    assert said[1].startswith("reward rate")


def test_summary_says_misfit_first_then_what_describes_the_animal():
    text = animal_summary(
        "m1", table([0.2, 0.3], [0.1, 0.1]), np.full(6, 0.15), ["it differs", "pushes: 3"],
        ("described best by x", "Others are worse."), ["something odd"],
    )  # fmt: skip
    lines = text.splitlines()
    assert lines[0] == "m1: it differs; described best by x."
    assert lines[1].startswith("What it does differently from agents")
    assert lines[2] == "- pushes: 3"
    assert lines[3] == "Others are worse."
    assert lines[4].startswith("Report the medians and intervals below, with the warning that")
    row = next(line for line in lines if "appearance_rate_1" in line)
    assert "0.2 " in row
    assert "0.1 to 0.3" in row
    assert "95 % interval" in text
    assert row.split()[-1] == "0.15"
    assert "at a bound" in next(line for line in lines if "temperature" in line)
    assert lines[-1] == "- something odd"


@pytest.mark.parametrize("status", ["not_converged", "not drawn"])
def test_without_a_posterior_the_fit_is_shown(status):
    text = animal_summary(
        "m1", table([0.2, 0.3], [0.1, 0.1], status), np.full(6, 0.15), ["it fits"], None
    )
    assert "1.2" in next(line for line in text.splitlines() if "appearance_rate_1" in line)
    assert text.startswith("m1: it fits; which description is best was not asked")
    assert "90 % interval" in text, "the level of the interval that is shown"
    assert "warning" not in text
    missed = misfit_sentences(behavior(0.004, [0.5, 0.3, 0.9], [0.5, 0.5, 0.5]))
    text = animal_summary("m1", table([0.2, 0.3], [0.1, 0.1]), np.full(6, 0.15), missed, None)
    assert "with the warning that" in text, "all together, though no statistic by itself"


def test_animals_side_by_side():
    tables = {
        "a": table([0.0, 1.0], [1.959964, 1.959964]),
        "b": table([3.0, 1.0], [1.959964, 1.959964]),
    }
    found = parameters_of_animals(tables).set_index(["animal", "parameter"])
    # Errors of 1 each: a mean of 1.5, and a difference of 3 with error sqrt(2).
    assert found.loc[("a", "appearance_rate_1"), "mean"] == pytest.approx(1.5)
    assert found.loc[("b", "appearance_rate_1"), "from_others"] == pytest.approx(3 / np.sqrt(2))
    assert found.loc[("a", "temperature"), "from_others"] == pytest.approx(0.0)
    # The same errors from intervals of another level.
    narrower = tables | {"b": table([3.0, 1.0], [1.644854, 1.644854], level=0.9)}
    pd.testing.assert_frame_equal(
        parameters_of_animals(narrower).set_index(["animal", "parameter"])[["mean", "from_others"]],
        found[["mean", "from_others"]],
    )
    # An interval may reach further to one side: that which faces the others counts, of both.
    wider_below = tables["b"].assign(
        **{end: tables["b"][end] - 30 for end in ("posterior_lower", "interval_lower")}
    )
    wider_above = tables["b"].assign(
        **{end: tables["b"][end] + 30 for end in ("posterior_upper", "interval_upper")}
    )
    for wider, error in ((wider_below, 1 + 30 / 1.959964), (wider_above, 1.0)):
        found = parameters_of_animals(tables | {"b": wider}).set_index(["animal", "parameter"])
        for animal, sign in (("a", -1), ("b", 1)):
            away = found.loc[(animal, "appearance_rate_1"), "from_others"]
            assert away == pytest.approx(3 * sign / np.sqrt(1 + error**2))
    alone = parameters_of_animals({"a": tables["a"]})
    assert alone["from_others"].isna().all()
    assert alone["mean"].tolist() == pytest.approx([0.0, 1.0])


def test_pages_for_the_report_hold_text_and_tables_as_they_are():
    """Signs that HTML reads are escaped; a table's empty cells are empty, numbers short."""
    page = shown("Bo & Ada", "the model misses something (p < 0.001)\n  - more than 2")
    assert "<title>Bo &amp; Ada</title>" in page
    assert "<pre>the model misses something (p &lt; 0.001)\n  - more than 2</pre>" in page
    page = shown("all", pd.DataFrame({"animal": ["a<b"], "value": [0.123456], "mean": [np.nan]}))
    cells = "".join(page.split())
    assert "<td>a&lt;b</td><td>0.1235</td><td></td>" in cells
    assert page.startswith("<!DOCTYPE html>")
    assert "utf-8" in page
