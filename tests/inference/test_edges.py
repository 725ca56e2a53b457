"""A likelihood that jumps: its maximum inside a region, and the supremum on a region's edge."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.coordinates import Parameter
from inverse_rational_control.inference import edge_slide, jumping, searches
from inverse_rational_control.inference.edges import Region, climb_continued, continuation
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.jumping import (
    AT_EDGE,
    beyond_jumps,
    broken_by_jumps,
    run_from,
)
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.inference.search import Search
from inverse_rational_control.inference.start import AGREE, Start, run_start
from inverse_rational_control.parameter_space import parameter_space
from tests.inference.toy import NothingLatent

_PLANE = parameter_space(
    parameters=tuple(Parameter(name, f"${name}$", "identity", "1") for name in ("x", "y"))
)
_FALL = 200.0  # nats, beyond the edge


class _Hill(NothingLatent):
    """A hill of height 0 at a summit, smooth everywhere, as wide as 1 / sqrt(curvature)."""

    space, n_steps = _PLANE, 1000

    def __init__(self, summit, edge):
        self.summit, self.edge = np.array(summit), edge
        self.curvature = np.array([[40.0, 12.0], [12.0, 8.0]])

    def log_likelihood(self, theta):
        away = theta - self.summit
        return float(-0.5 * away @ self.curvature @ away)

    def evaluate(self, theta):
        return Evaluation(self.log_likelihood(theta), -self.curvature @ (theta - self.summit))

    def holds(self, theta):
        return bool(theta[0] <= self.edge(theta[1]))


class _Cut(_Hill):
    """The same hill, but 200 nats lower beyond an edge x = edge(y)."""

    def log_likelihood(self, theta):
        return super().log_likelihood(theta) - (0.0 if self.holds(theta) else _FALL)

    def continued(self, theta):
        return _Hill(self.summit, self.edge)


def _bent(y):
    return 1.0 - 0.3 * (y - 0.4) ** 2 + 0.1 * np.sin(3.0 * y)


def _supremum(hill):
    """Along the edge, by one-dimensional search from every side."""
    found = [
        minimize_scalar(
            lambda y: -hill.log_likelihood(np.array([hill.edge(y), y])),
            bounds=(low, low + 0.5),
            method="bounded",
            options={"xatol": 1e-10},
        )
        for low in np.arange(-4.0, 6.0, 0.5)
    ]
    return -min(result.fun for result in found)


def _climbed(cut, start):
    climb = climb_continued(cut.continued(start), np.array(start), FitSettings())
    return climb, cut.log_likelihood(climb.end)


@pytest.mark.parametrize("start", [(-1.0, 2.0), (0.2, -1.0), (-2.0, 0.0)])
def test_the_supremum_on_an_edge_is_reached_from_its_right_side(start):
    cut = _Cut((2.0, 0.5), _bent)
    climb, reached = _climbed(cut, start)
    assert climb.at_edge
    assert cut.holds(climb.end)
    # Within half of what counts as agreement, and beside the edge.
    assert -0.5 * AGREE < reached - _supremum(cut) < 1e-6
    assert not cut.holds(climb.end + np.array([1e-4, 0.0]))


@pytest.mark.parametrize("y", [-1.0, 1.5])
def test_a_climb_goes_along_the_edge_from_beside_it(y):
    cut = _Cut((2.0, 0.5), _bent)
    start = np.array([cut.edge(y) - 1e-3, y])
    climb = climb_continued(cut.continued(start), start, FitSettings(), beside_edge=True)
    assert climb.at_edge and cut.holds(climb.end)
    assert -0.5 * AGREE < cut.log_likelihood(climb.end) - _supremum(cut) < 1e-6


def test_slides_along_an_edge_go_on_until_nothing_is_gained(monkeypatch):
    """Each ends early here, as it does where the record pins nothing along the edge."""
    monkeypatch.setattr(edge_slide, "_STEPS", 1)
    cut = _Cut((2.0, 0.5), _bent)
    start = np.array([cut.edge(-1.0) - 1e-3, -1.0])
    once, _ = edge_slide.along_edge(*_beside(cut, start))
    climb = climb_continued(cut.continued(start), start, FitSettings(), beside_edge=True)
    assert cut.log_likelihood(climb.end) > once.log_likelihood + 1.0


def _beside(cut, start):
    region = Region(cut.continued(start), FitSettings().difference_step)
    return region, region.point(start)


@pytest.mark.parametrize("start", [(-3.0, 2.0), (0.2, -2.0)])
def test_a_maximum_inside_is_no_edge(start):
    climb, reached = _climbed(_Cut((0.4, 0.5), _bent), start)
    assert not climb.at_edge
    assert reached == pytest.approx(0.0, abs=1e-4)


def test_where_the_way_along_an_edge_leads_inward_the_maximum_is_sought_again():
    """A tongue of the other region stands between start and maximum."""

    class Tongue(_Cut):
        def holds(self, theta):
            x, y = theta
            return not (abs(x) < 0.3 and y < 1.0 - x)

        def continued(self, theta):
            other = _Hill(self.summit, self.edge)
            other.holds = self.holds
            return other

    climb, reached = _climbed(Tongue((1.0, 0.0), None), (-1.5, 0.5))
    assert not climb.at_edge
    assert reached == pytest.approx(0.0, abs=1e-4)


_STARTS = [np.array(start) for start in ((-1.0, 2.0), (0.2, -1.0), (-2.0, 0.0), (0.0, 1.5))]


def test_a_fit_that_jumps_break_ends_at_the_edge_and_says_so():
    cut = _Cut((2.0, 0.5), _bent)
    found = fit(cut, FitSettings(), _STARTS)
    assert found.log_likelihood == pytest.approx(_supremum(cut), abs=0.5 * AGREE)
    assert found.at_edge and found.status == "at_bound"
    assert found.n_agreeing >= 3
    assert found.starts[found.best].stop_reason == AT_EDGE
    assert any(AT_EDGE in remark for remark in found.remarks)
    assert "at an edge" in found.summary()
    assert not found.wald_holds
    assert np.isnan(found.intervals().standard_error).all()
    # The information is that of the side on which the estimate lies.
    np.testing.assert_allclose(found.information, cut.curvature, rtol=1e-4)


def test_without_a_continuation_it_is_not_converged(monkeypatch):
    monkeypatch.setattr(searches, "broken_by_jumps", lambda results: False)
    cut = _Cut((2.0, 0.5), _bent)
    found = fit(cut, FitSettings(), _STARTS)
    assert found.status == "not_converged" and not found.at_edge


def test_paths_and_counts_go_on_where_a_start_is_led_on():
    cut, settings = _Cut((2.0, 0.5), _bent), FitSettings()
    whitening = cut.space.directions
    before = run_start(Search(cut, whitening), _STARTS[0], settings)
    after = beyond_jumps(cut, settings, before, whitening)
    assert after.at_edge and after.log_likelihood > before.log_likelihood
    assert after.n_evaluations > before.n_evaluations
    np.testing.assert_array_equal(after.start, before.start)
    np.testing.assert_array_equal(after.path.parameters[: len(before.path)], before.path.parameters)
    np.testing.assert_array_equal(after.path.parameters[-1], after.end)
    assert (np.diff(after.path.evaluations) >= 0).all()
    assert before.n_evaluations < after.path.evaluations[-1] <= after.n_evaluations
    # Judged by the side on which it lies.
    np.testing.assert_allclose(after.information, cut.curvature, rtol=1e-4)
    assert after.newton_decrement > settings.tolerance and not after.converged
    # One that is far below another, or flat, is left as it is.
    assert beyond_jumps(cut, settings, before, whitening, known=1e3) is before
    assert continuation(_Hill((0, 0), _bent), _STARTS[0]) is None


@pytest.mark.parametrize("climbs", [True, False])
def test_where_jumps_are_known_of_a_start_climbs_by_its_own_way_and_nothing_is_searched_first(
    monkeypatch, climbs
):
    cut, settings, given = _Cut((2.0, 0.5), _bent), FitSettings(), np.array([-1.0, 2.0])

    def climb():
        return climb_continued(cut.continued(given), given, settings)

    def started(by):
        search = Search(cut, cut.space.directions)
        return run_from(search, Start(given, 7, by), settings, -np.inf, climbs)

    ordinary, climbed = started(lambda: None)
    assert ordinary.n_evaluations > 7 and not (ordinary.at_edge or climbed)
    found, climbed = started(climb)
    assert climbed == climbs
    if not climbs:
        assert found.n_evaluations == ordinary.n_evaluations
        return
    monkeypatch.setattr(jumping, "run_start", None)
    found, _ = started(climb)
    assert found.at_edge and found.settled
    assert found.log_likelihood == pytest.approx(_supremum(cut), abs=0.5 * AGREE)
    np.testing.assert_array_equal(found.start, given)
    np.testing.assert_array_equal(found.path.parameters[[0, -1]], [given, found.end])
    assert found.path.log_likelihood[0] == cut.log_likelihood(given)
    assert climb().n_evaluations <= found.path.evaluations[-1] <= found.n_evaluations


def _end(log_likelihood, settled, jumped):
    sides = (np.zeros(2), np.ones(2)) if jumped else None
    return SimpleNamespace(log_likelihood=log_likelihood, settled=settled, jump_sides=sides)


@pytest.mark.parametrize(
    ("ends", "broken"),
    [
        ([(-3.0, False, True), (-4.0, False, True)], False),  # two that disagree are common
        ([(-3.0, False, True), (-4.0, False, True), (-5.0, False, True)], True),
        ([(-3.0, False, True), (-4.0, False, False), (-5.0, False, True)], True),
        ([(-3.0, True, True), (-4.0, False, True), (-5.0, False, True)], False),  # a flat top
        ([(-3.0, False, False), (-4.0, False, True), (-5.0, False, True)], False),
        ([(-3.0, False, True), (-4.0, True, False), (-5.0, True, False)], False),
        ([(np.nan, False, False), (-4.0, False, True), (-5.0, False, True)], True),
    ],
)
def test_jumps_have_broken_a_fit_whose_top_and_half_of_whose_starts_they_stopped(ends, broken):
    assert broken_by_jumps([_end(*end) for end in ends]) == broken
