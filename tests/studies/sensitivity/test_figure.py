"""Figure 11 from a dataset alone, numbers beside it."""

import numpy as np

from inverse_rational_control.studies.sensitivity.figure import draw, numbers
from inverse_rational_control.studies.sensitivity.setting_panels import labels
from tests.studies.sensitivity.sound import sound


def test_numbers_are_those_of_the_dataset():
    summary, tables = sound(), numbers(sound())
    for name in ("mean_error", "mean_error_standard_error", "mean_standardized_error"):
        expected = summary[name].sel(design="mismatched").values.ravel()
        np.testing.assert_array_equal(tables["C"][name], expected)
    np.testing.assert_array_equal(tables["C"]["mean_shift"], summary["mean_shift"].values.ravel())
    relative = tables["A"]["relative_standard_error"].to_numpy().reshape(-1, 10)
    standard_error = summary["mean_standard_error"].sel(design="matched").values
    np.testing.assert_allclose(relative, standard_error / standard_error[0], rtol=1e-12)
    np.testing.assert_array_equal(
        tables["D"]["log_likelihood_loss"], summary["log_likelihood_loss"].values.ravel()
    )
    scores = tables["F"]["decoder_log_score"].dropna()
    np.testing.assert_array_equal(scores, summary["decoder_log_score"].values.ravel())


def test_labels_say_what_each_setting_changes():
    assert labels(sound()) == [
        *("task", "N 5, σ 0.1", "N 5", "N 20, σ 0.025", "N 20"),
        *("σ 0.025", "σ 0.1", "discount 0.9"),
    ]


def test_settings_without_a_fit_are_drawn_as_such():
    summary = sound()
    for name in ("mean_standard_error", "mean_standardized_error"):
        summary[name][:, 2] = np.nan
    summary["decoded_correlation"][1, 3] = np.nan
    summary["log_likelihood_loss"][3] = np.nan
    summary["at_bound_count"][0, 2] = summary.sizes["seed"]
    figure = draw(summary)
    figure.draw_without_rendering()
    for ax in figure.subfigs[0].axes:
        texts = [text.get_text() for text in ax.texts]
        assert texts.count("–") == 10
        assert texts.count("−4") == 1, "fits left out, above their column"
    assert numbers(summary)["A"]["relative_standard_error"].isna().sum() == 10
