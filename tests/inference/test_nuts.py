"""Chains that diverge are begun again with smaller steps; those that do not are left alone."""

import numpy as np
import pytest

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference import nuts as nuts_module
from inverse_rational_control.inference.nuts import nuts

SETTINGS = PosteriorSettings(n_chains=2, n_tune=100, n_draws=400, target_acceptance=0.6)


class _Funnel:
    """The first coordinate says how wide the others are; by nothing if it is no funnel."""

    size = 4

    def __init__(self, narrows):
        self.narrows = narrows

    def evaluate(self, z):
        log_width, others = self.narrows * z[0], z[1:]
        with np.errstate(over="ignore"):  # far off, paths that diverge
            shrunk = others * np.exp(-log_width)
            value = -0.5 * (z[0] ** 2 + shrunk @ shrunk) - log_width * len(others)
            by_first = -z[0] + self.narrows * (shrunk @ shrunk - len(others))
            gradient = np.array([by_first, *(-shrunk * np.exp(-log_width))])
        if not np.isfinite(value):
            return -np.inf, None
        return value, gradient

    def log_density(self, z):
        return self.evaluate(z)[0]


def _chains(narrows, settings=SETTINGS):
    return nuts(_Funnel(narrows), settings, np.random.default_rng(2))


def test_gradient_of_the_funnel_is_its_derivative():
    funnel, z = _Funnel(1.5), np.array([0.4, -0.3, 0.8, 0.1])
    steps = 1e-6 * np.eye(4)
    by = [(funnel.log_density(z + h) - funnel.log_density(z - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(funnel.evaluate(z)[1], by, rtol=1e-6)


@pytest.mark.parametrize(("narrows", "careful"), [(1.5, True), (0.0, False)])
def test_where_chains_diverge_the_first_round_is_made_again_with_smaller_steps(narrows, careful):
    chains = _chains(narrows)
    assert chains.z.shape[:2] == (2, 400), "what diverged is dropped"
    accepted = chains.statistics["acceptance_rate"].mean()
    assert (accepted > 0.8) == careful
    # Gradients of draws that are dropped count.
    kept = int(chains.statistics["n_steps"].sum())
    assert (chains.n_evaluations > 1.3 * kept) or not careful


def test_smaller_steps_diverge_less_often(monkeypatch):
    careful = _chains(1.5)
    monkeypatch.setattr(nuts_module, "_CAREFUL", 0.0)  # never begun again
    careless = _chains(1.5)
    assert careless.diverge_too_often and not careful.diverge_too_often
