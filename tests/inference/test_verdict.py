"""Jumps that are found, smooth curves that hold none, saddles that are left, and statuses."""

from types import SimpleNamespace

import numpy as np
import pytest

from inverse_rational_control.inference.information import Curvature
from inverse_rational_control.inference.newton import point_beyond_saddle
from inverse_rational_control.inference.search import Point
from inverse_rational_control.inference.verdict import FitStatus, fit_status, jump_sides
from inverse_rational_control.parameter_space import FULL_SPACE
from inverse_rational_control.parameters import unconstrained


class _Curve:
    """Stands in for a search: any function of eta with its gradient."""

    space = FULL_SPACE

    def __init__(self, function, gradient):
        self.function, self.gradient, self.visited = function, gradient, []

    def point(self, eta):
        self.visited.append(Point(eta.copy(), self.function(eta), self.gradient(eta)))
        return self.visited[-1]


@pytest.mark.parametrize(
    ("height", "steps"),
    [(127.0, (1.5, 0.8, -0.7, -0.2)), (-20.0, (1.5, 0.8, -0.7)), (3.0, (0.5, 0.2, 0.1))],
)
def test_planted_jump_is_found_between_its_sides(height, steps):
    def function(eta):
        return -0.5 * float(eta @ eta) + height * (eta[0] > 0.3)

    curve = _Curve(function, lambda eta: -eta)
    for step in steps:
        curve.point(np.full(10, step))
    sides = jump_sides(curve)
    assert sides is not None
    first = sorted(unconstrained(side)[0] for side in sides)
    assert first[0] < 0.3 < first[1]
    # A quarter of a unit off the jump, along a diagonal of ten equal coordinates.
    np.testing.assert_allclose(np.abs(np.array(first) - 0.3), 0.25 / np.sqrt(10), atol=5e-3)


@pytest.mark.parametrize(
    ("function", "gradient"),
    [
        (lambda eta: -200 * eta @ eta, lambda eta: -400 * eta),
        (lambda eta: -50 * np.cosh(3 * eta).sum(), lambda eta: -150 * np.sinh(3 * eta)),
        (lambda eta: 100 * np.sin(4 * eta).sum(), lambda eta: 400 * np.cos(4 * eta)),
    ],
    ids=["parabola", "cosh", "waves"],
)
def test_smooth_curves_hold_no_jump(function, gradient):
    curve = _Curve(lambda eta: float(function(eta)), gradient)
    for step in (1.5, 0.8, -0.7, -0.2, 0.9):
        curve.point(np.full(10, step))
    assert jump_sides(curve) is None


def test_a_saddle_is_left_uphill_and_a_maximum_is_not():
    def ended(curvature):
        information = np.diag([*curvature, *np.ones(8)])
        local = Curvature.of(information, np.zeros(10), FULL_SPACE)
        return SimpleNamespace(end=np.zeros(10), log_likelihood=0.0, curvature=local)

    curve = _Curve(lambda eta: float(eta[0] ** 2 - eta[0] ** 4 - eta[1] ** 2), np.zeros_like)
    beyond = point_beyond_saddle(curve, ended((-2.0, 2.0)))
    assert abs(beyond[0]) == pytest.approx(0.3)  # at 1 it is as low again
    assert curve.function(beyond) > 0
    assert point_beyond_saddle(curve, ended((2.0, 2.0))) is None
    flat = _Curve(lambda eta: -float(eta @ eta), np.zeros_like)
    assert point_beyond_saddle(flat, ended((-2.0, 2.0))) is None


def test_status_by_what_is_known():
    known = {
        "degenerate": False,
        "settled": True,
        "converged": True,
        "interior": True,
        "sound": True,
    }

    def status(**changes):
        return fit_status(**known | changes)

    assert status() is FitStatus.CONVERGED
    assert status() == "converged"
    assert status(degenerate=True, interior=False) is FitStatus.DEGENERATE_RECORD
    assert status(interior=False) is FitStatus.AT_BOUND
    assert status(interior=False, converged=False) is FitStatus.AT_BOUND
    assert status(converged=False) is FitStatus.NOT_CONVERGED
    assert status(sound=False) is FitStatus.NOT_CONVERGED
    assert status(settled=False, converged=False, interior=False) is FitStatus.NOT_CONVERGED
