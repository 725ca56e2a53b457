"""Coordinates that chains move in: one to one, their gradient and volume, and what they are for."""

import numpy as np
import pytest
from arviz import ess

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.importance import importance_sample
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.metric import N_CURVATURES, prepared
from inverse_rational_control.inference.nuts import nuts
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.inference.straightened import Straightened
from inverse_rational_control.inference.whitened import Whitened
from inverse_rational_control.parameter_space import parameter_space
from tests.inference.gaussian import PARAMETERS, PRECISION, QUICK, density, exact
from tests.inference.toy import NothingLatent

NOISE = 0.7
SETTINGS = PosteriorSettings(n_chains=2, n_tune=60, n_draws=300, n_importance_draws=4000)


class _Banana(NothingLatent):
    """b is a squared, and noise; c is noise whose width grows with a."""

    def __init__(self, space):
        self.space, self.n_steps = space, 1000

    def log_likelihood(self, theta):
        a, b, c = theta
        return -0.5 * ((b - a**2) / NOISE) ** 2 - 0.5 * c**2 * np.exp(-a) - 0.5 * a

    def evaluate(self, theta):
        a, b, c = theta
        off, spread = (b - a**2) / NOISE**2, np.exp(-a)
        by_a = 2.0 * a * off + 0.5 * c**2 * spread - 0.5
        return Evaluation(self.log_likelihood(theta), np.array([by_a, -off, -c * spread]))


@pytest.fixture(scope="module")
def bent():
    """Whitened and straightened coordinates of the banana, and the sample they were fitted to."""
    space = parameter_space(parameters=PARAMETERS)
    wide = {"a": (-2.0, 2.0), "b": (-100.0, 100.0), "c": (-100.0, 100.0)}
    target = LogPosterior(_Banana(space), normal_prior(wide, space))
    whitened = Whitened.around(target, np.zeros(3), np.diag([1.0, NOISE**-2, 1.0]))
    sample = importance_sample(whitened, SETTINGS, np.random.default_rng(0))
    assert sample.usable
    return whitened, sample, Straightened.of(whitened, sample)


def _points(n):
    return 2.0 * np.random.default_rng(3).standard_normal((n, 3))


def test_places_go_there_and_back(bent):
    coordinates = bent[2]
    for u in _points(20):
        theta = coordinates.natural(u)
        x = coordinates.whitened.located(_identity(coordinates), theta)
        np.testing.assert_allclose(coordinates.located(x), u, atol=1e-9)


def _identity(coordinates):
    return Whitened(coordinates.whitened.density, np.zeros(3), np.eye(3), 0.0)


def test_volume_is_the_jacobians(bent):
    coordinates = bent[2]
    whitened = np.linalg.slogdet(coordinates.whitened.root)[1]
    stretch = coordinates.log_stretch(_points(5))
    for u, found in zip(_points(5), stretch, strict=True):
        ends = [coordinates.natural(u + sign * 1e-6 * np.eye(3)) for sign in (1.0, -1.0)]
        jacobian = (ends[0] - ends[1]) / 2e-6
        assert found + whitened == pytest.approx(np.linalg.slogdet(jacobian)[1], abs=1e-7)


def test_gradient_is_that_of_density_and_volume(bent):
    coordinates = bent[2]
    for u in _points(10):
        value, gradient = coordinates.evaluate(u)
        own = coordinates.whitened.density.log_likelihood(coordinates.natural(u))
        assert value == pytest.approx(own + coordinates.log_stretch(u), abs=1e-9)
        assert value == pytest.approx(coordinates.log_density(u), abs=1e-9)
        for k, step in enumerate(1e-5 * np.eye(3)):
            change = coordinates.log_density(u + step) - coordinates.log_density(u - step)
            assert gradient[k] == pytest.approx(change / 2e-5, rel=1e-5, abs=1e-5)


def test_where_there_is_no_density_there_is_none():
    target = density(wall=-1.0)
    whitened = Whitened.around(target, np.array([-1.5, 0.0, 0.0]), np.eye(3))
    sample = importance_sample(whitened, SETTINGS, np.random.default_rng(1))
    coordinates = Straightened.of(whitened, sample)
    beyond = coordinates.located(coordinates.whitened.located(whitened, np.array([3.0, 0.0, 0.0])))
    assert coordinates.evaluate(beyond) == (-np.inf, None)
    assert coordinates.log_density(beyond) == -np.inf


def test_draws_in_bent_coordinates_are_true(bent):
    whitened, sample, _ = bent
    moved, starts, taken = prepared(whitened, sample, 2, np.random.default_rng(2))
    assert isinstance(moved, Straightened)
    assert taken == 0
    chains = nuts(moved, SETTINGS, np.random.default_rng(4), starts)
    theta = moved.natural(chains.z)
    variance = (2.0 / 1.959964) ** 2
    expected = {0: (0.0, variance), 1: (variance, 2.0 * variance**2 + NOISE**2)}
    for k, (mean, spread) in expected.items():
        error = np.sqrt(spread / float(ess(theta[..., k])))
        assert theta[..., k].mean() == pytest.approx(mean, abs=4.0 * error)


def test_weights_that_cannot_be_trusted_give_straight_coordinates_of_the_right_size():
    """A mode thought to be five times too narrow."""
    narrow = Whitened.around(density(), exact()[0], 25.0 * 4.0 * np.eye(3))
    settings = QUICK.model_copy(update={"n_importance_rounds": 1})
    sample = importance_sample(narrow, settings, np.random.default_rng(0))
    assert not sample.usable
    moved, starts, taken = prepared(narrow, sample, 4, np.random.default_rng(1))
    assert isinstance(moved, Whitened)
    assert 0 < taken <= N_CURVATURES * (1 + 3)
    prior = density().prior.standard_deviation
    curvature = moved.root.T @ (PRECISION + np.diag(prior**-2.0)) @ moved.root
    assert np.linalg.eigvalsh(curvature).min() > 0.3
    assert np.linalg.eigvalsh(curvature).max() < 3.0
    assert len(np.unique(starts, axis=0)) == 4


def test_rounds_stop_where_draws_serve_and_go_on_where_they_ended():
    whitened = Whitened.around(density(), exact()[0], PRECISION)
    runs = [
        nuts(whitened, QUICK, np.random.default_rng(0), serves=serves)
        for serves in (lambda chains: True, lambda chains: False)
    ]
    assert [run.z.shape[1] for run in runs] == [300, QUICK.n_draws]
    np.testing.assert_array_equal(runs[0].z, runs[1].z[:, :300])
    assert runs[0].n_evaluations < runs[1].n_evaluations
