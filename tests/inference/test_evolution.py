"""A likelihood of two hills on two sides of an edge: the lower one's summit is no end."""

from dataclasses import replace

import numpy as np
import pytest

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.coordinates import Parameter
from inverse_rational_control.inference import evolution
from inverse_rational_control.inference.edges import EdgeClimb
from inverse_rational_control.inference.evolution import beyond_hollows, climb_by_evolution
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.parameter_space import parameter_space
from tests.inference.toy import NothingLatent

_LOW, _HIGH = np.array([-1.0, 0.3]), np.array([1.5, -0.4])
_HEIGHT = 2.0  # nats, of one summit above the other


class _Hill(NothingLatent):
    """One hill, as far as it goes and beyond."""

    space, n_steps = (
        parameter_space(
            parameters=tuple(Parameter(name, f"${name}$", "identity", "1") for name in ("x", "y"))
        ),
        1000,
    )
    curvature = np.array([[0.9, 0.3], [0.3, 0.6]])

    def __init__(self, right):
        self.right = right
        self.summit, self.height = (_HIGH, _HEIGHT) if right else (_LOW, 0.0)

    def log_likelihood(self, theta):
        away = theta - self.summit
        return float(self.height - 0.5 * away @ self.curvature @ away)

    def evaluate(self, theta):
        return Evaluation(self.log_likelihood(theta), -self.curvature @ (theta - self.summit))

    def holds(self, theta):
        return bool(theta[0] > 0) == self.right


class _TwoHills(_Hill):
    """Either hill on its side of an edge, and no plan above both."""

    def __init__(self):
        pass

    def continued(self, theta):
        return _Hill(theta[0] > 0)

    def log_likelihood(self, theta):
        return self.continued(theta).log_likelihood(theta) if theta[1] < 0.6 else -np.inf

    def evaluate(self, theta):
        return self.continued(theta).evaluate(theta)


def _from(end, seed=0):
    climb = EdgeClimb(np.array(end), False, 7)
    return beyond_hollows(_TwoHills(), FitSettings(), climb, np.random.default_rng(seed))


def test_a_higher_summit_beyond_an_edge_is_found():
    found = _from(_LOW)
    np.testing.assert_allclose(found.end, _HIGH, atol=1e-3)
    assert not found.at_edge and found.n_evaluations > 7


def test_nothing_is_higher_than_the_highest_summit():
    found = _from(_HIGH)
    np.testing.assert_array_equal(found.end, _HIGH)
    assert not found.at_edge and found.n_evaluations > 7


def test_draws_are_the_generators_alone_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cma_signals.in").write_text(
        "'maxfevals': 1\n"
    )  # a file that the library would heed
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = _from(_LOW), _from(_LOW), _from(_LOW, seed=1)
    np.testing.assert_array_equal(first.end, again.end)
    assert (first.end != other.end).any()
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert [path.name for path in tmp_path.iterdir()] == ["cma_signals.in"]


@pytest.mark.parametrize("continued", [None, lambda self, theta: None])
def test_what_does_not_jump_is_left_as_it_is(continued, monkeypatch):
    class Smooth(_Hill):
        pass

    if continued is not None:
        Smooth.continued = continued
    climb = EdgeClimb(_LOW, False, 7)
    assert beyond_hollows(Smooth(False), FitSettings(), climb, np.random.default_rng(0)) is climb


def test_from_afar_the_highest_summit_is_found():
    climb = climb_by_evolution(
        _TwoHills(), FitSettings(), np.array([-4.0, -5.0]), np.random.default_rng(3)
    )
    np.testing.assert_allclose(climb.end, _HIGH, atol=1e-3)
    assert not climb.at_edge


def test_along_a_line_the_start_is_climbed_from(monkeypatch):
    """The library knows no strategy in one dimension."""
    line = replace(_Hill.space, directions=_Hill.space.directions[:, :1])
    monkeypatch.setattr(_Hill, "space", line)
    two, start = _TwoHills(), np.array([-0.5, 0.1])
    climb = climb_by_evolution(two, FitSettings(), start, np.random.default_rng(0))
    assert climb.end[1] == start[1]
    assert two.log_likelihood(climb.end) > two.log_likelihood(start)


@pytest.mark.parametrize(("n_steps", "most"), [(1000, 3000), (100_000, 400), (10**7, 400)])
def test_long_records_are_passed_less_often(n_steps, most, monkeypatch):
    """From 400 on by the steps of all passes, 40 million; ten generations are always made."""
    passes = []

    class Rough(_TwoHills):
        def log_likelihood(self, theta):
            passes.append(theta)
            return np.random.default_rng(len(passes)).standard_normal()  # nothing to settle on

    two = Rough()
    two.n_steps = n_steps
    monkeypatch.setattr(evolution, "_climbed", lambda *_: None)
    climb_by_evolution(two, FitSettings(), np.zeros(2), np.random.default_rng(0))
    assert 0.9 * most <= len(passes) <= most + 41
