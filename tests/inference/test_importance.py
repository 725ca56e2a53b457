"""Importance sampling of a bent density of known moments: neither too narrow nor an evidence too low."""

from functools import cache

import numpy as np
import pytest

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference import importance
from inverse_rational_control.inference.bending import Bend
from inverse_rational_control.inference.importance import importance_sample

SIZE, WIDTH, BENDING, REPEATS = 10, 1.5, 0.5, 12
SETTINGS = PosteriorSettings(n_importance_draws=1000, n_importance_rounds=12, ess_minimum=400)
DEVIATIONS = np.array([WIDTH, np.sqrt(1.0 + 2.0 * BENDING**2)])
LOG_EVIDENCE = np.log(WIDTH) + 0.5 * SIZE * np.log(2.0 * np.pi)


class _Banana:
    """The first coordinate is wider than thought, the second bends with it; others are unit normal."""

    size, log_volume = SIZE, 0.0

    def log_density(self, z):
        residual = z.copy()
        residual[0] = z[0] / WIDTH
        residual[1] = z[1] - BENDING * (residual[0] ** 2 - 1.0)
        return -0.5 * float(residual @ residual)


@cache
def _samples():
    return [
        importance_sample(_Banana(), SETTINGS, np.random.default_rng(seed))
        for seed in range(REPEATS)
    ]


def _mean_and_error(values):
    return np.mean(values, 0), np.std(values, 0, ddof=1) / np.sqrt(len(values))


def test_standard_deviations_of_a_bent_density_are_its_own():
    """Straight proposals whose draws are counted again give 0.94 and 0.93 (errors 0.01)."""
    samples = _samples()
    assert all(each.usable and each.effective_size >= SETTINGS.ess_minimum for each in samples)
    found = [np.sqrt(np.diag(each.moments[1])[:2]) / DEVIATIONS for each in samples]
    ratio, error = _mean_and_error(found)
    assert error.max() < 0.02
    assert (np.abs(ratio - 1.0) < 3.0 * error).all()


def test_evidence_of_a_bent_density_is_its_own():
    ratio, error = _mean_and_error([each.log_evidence for each in _samples()])
    assert error < 0.015
    assert ratio == pytest.approx(LOG_EVIDENCE, abs=3.0 * error)


def test_only_draws_that_no_proposal_was_fitted_to_are_returned(monkeypatch):
    fitted = []

    def of(z, log_weight, own=Bend.of):
        fitted.append(z)
        return own(z, log_weight)

    monkeypatch.setattr(importance.Bend, "of", of)
    found = importance_sample(_Banana(), SETTINGS, np.random.default_rng(0))
    assert len(fitted) >= 3
    known = {row.tobytes() for row in fitted[-1]}
    assert not any(row.tobytes() in known for row in found.z)
    assert found.n_evaluations == len(fitted[-1]) + len(found.z)
    assert len(found.z) >= 2 * SETTINGS.n_importance_draws


def test_a_proposal_is_fitted_even_where_one_draw_has_all_the_weight():
    z = np.random.default_rng(0).standard_normal((50, 3))
    log_weight = np.full(50, -800.0)
    log_weight[7] = 0.0
    x, log_volume = Bend.of(z, log_weight).bent(np.ones((1, 3)))
    assert np.isfinite(x).all()
    assert abs(log_volume[0]) < 3.0
