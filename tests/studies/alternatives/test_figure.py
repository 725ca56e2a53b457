"""Figure 10 from a dataset alone, numbers beside it."""

import numpy as np

from inverse_rational_control.studies.alternatives.figure import draw, numbers
from tests.studies.alternatives.sound import sound


def _odd():
    """No finite likelihood at first, and a model that is never chosen."""
    summary = sound()
    summary["brute_force_gap"][:2] = np.inf
    summary["confusion_evidence"][:, 1] = 0.0
    summary["inversion_evidence"][:, 1] = np.nan
    return summary


def test_what_is_nothing_is_drawn_as_a_dash():
    figure = draw(_odd())
    figure.draw_without_rendering()
    inversion = next(
        ax
        for part in figure.subfigs
        for ax in part.axes
        if ax.get_title() == "% of column's records"
    )
    assert sum(text.get_text() == "–" for text in inversion.texts) == 3
    # No error is stated of what is nothing.
    assert sum(text.get_text().startswith("±") for text in inversion.texts) == 2


def test_numbers_are_those_of_the_dataset():
    summary = _odd()
    tables = numbers(summary)
    for panel, name in (("A", "held_out_difference"), ("B", "bic_difference")):
        np.testing.assert_array_equal(tables[panel][name], summary[name].values.ravel())
    np.testing.assert_array_equal(
        tables["E"]["confusion_bic"], summary["confusion_bic"].values.ravel()
    )
    assert dict(tables["D"]["search"].value_counts()) == {"brute force": 64, "fit": 30}
