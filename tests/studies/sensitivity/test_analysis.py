"""Decoders scored on beliefs and bins made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from inverse_rational_control.foraging.decoding import Decoding
from inverse_rational_control.studies.sensitivity.analysis import (
    compare_decoders,
    decoded_accuracy,
)
from inverse_rational_control.studies.sensitivity.dataset import DECODERS
from inverse_rational_control.task import Task


def _decoding(true_bin, certainty):
    """The true bin of each of two boxes with probability `certainty`, the other one otherwise."""
    marginals = np.where(np.arange(2) == true_bin[:, :, None], certainty, 1.0 - certainty)
    return Decoding(marginals[:, 0, :, None] * marginals[:, 1, None, :], true_bin, 0.0)


def test_a_decoder_that_knows_more_gains_on_cues():
    true_bin = np.random.default_rng(0).integers(0, 2, (400, 2))
    decodings = {"truth": _decoding(true_bin, 0.9), "cues": _decoding(true_bin, 0.6)}
    scores = compare_decoders(decodings, true_bin, block_steps=50)
    assert list(scores) == list(DECODERS.required)
    for name, values in scores.items():
        sizes = {"decoder": 2, "box": 2, "level": 10}
        assert values.shape == tuple(sizes[dim] for dim in DECODERS.required[name].dims)
    np.testing.assert_allclose(scores["decoder_log_score"][0], np.log(0.9))
    np.testing.assert_allclose(scores["log_score_gain"][0], np.log(0.9 / 0.6))
    np.testing.assert_allclose(scores["log_score_gain_standard_error"], 0.0, atol=1e-12)
    np.testing.assert_array_equal(scores["calibration_count"].sum(-1), 800)


def test_a_bin_that_was_ruled_out_gives_no_finite_gain():
    true_bin = np.zeros((40, 2), dtype=int)
    wrong = _decoding(1 - true_bin, 1.0)
    scores = compare_decoders({"truth": wrong, "cues": _decoding(true_bin, 0.6)}, true_bin, 10)
    assert (scores["log_score_gain"][0] == -np.inf).all()
    assert np.isnan(scores["log_score_gain_standard_error"][0]).all()


@pytest.mark.parametrize("unknown", ["estimate", "log_likelihood"])
def test_a_fit_that_led_nowhere_decodes_nothing(unknown):
    fit = SimpleNamespace(estimate=np.full(10, 0.3), log_likelihood=-9.0)
    setattr(fit, unknown, getattr(fit, unknown) * np.nan)
    for found in decoded_accuracy(fit, None, Task(), np.zeros((5, 2))):
        assert np.isnan(found).all()
