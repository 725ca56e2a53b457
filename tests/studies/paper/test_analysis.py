"""The plane of an EM trajectory, the likelihood over it, and the states that a record visits."""

import numpy as np

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.parameters import natural, unconstrained
from inverse_rational_control.record import Record
from inverse_rational_control.studies.paper.analysis import (
    likelihood_surface,
    principal_plane,
    visit_frequency,
)


def test_principal_plane_of_a_known_ellipse():
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    first, second = np.eye(10)[3], (np.eye(10)[7] - np.eye(10)[8]) / np.sqrt(2)
    points = 5 + 3 * np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * second
    directions, explained = principal_plane(points)
    np.testing.assert_allclose(directions[0], first, atol=1e-12)
    np.testing.assert_allclose(np.abs(directions[1] @ second), 1.0, atol=1e-12)
    np.testing.assert_allclose(explained, [0.9, 0.1], atol=1e-12)
    # The sign is fixed: the largest entry is positive.
    assert directions[1][np.abs(directions[1]).argmax()] > 0


def test_short_trajectories_still_span_a_plane():
    for points in (np.zeros((1, 10)), np.arange(20.0).reshape(2, 10)):
        directions, explained = principal_plane(points)
        np.testing.assert_allclose(directions @ directions.T, np.eye(2), atol=1e-12)
        assert np.isfinite(explained).all()


def test_surface_holds_the_likelihood_and_covers_what_is_shown(
    small_record, small_task, paper_agent
):
    objective = ForagingObjective(small_record.head(50), small_task)
    origin = unconstrained(paper_agent)
    directions = np.eye(10)[[0, 9]]
    shown = np.array([[0.0, 0.0], [0.5, -0.2], [-0.1, 0.3]])
    surface = likelihood_surface(origin, directions, shown, 3, objective)
    assert surface.u[0] < -0.1
    assert surface.u[-1] > 0.5
    assert surface.v[0] < -0.2
    assert surface.v[-1] > 0.3
    for i in range(3):
        for j in range(3):
            eta = origin.copy()
            eta[0] += surface.u[i]
            eta[9] += surface.v[j]
            expected = objective.log_likelihood(natural(eta))
            np.testing.assert_allclose(surface.log_likelihood[i, j], expected, atol=1e-9)


def test_unsolved_planner_is_a_hole_in_the_surface(monkeypatch, small_record, small_task):
    from inverse_rational_control.agent import planner as planning

    monkeypatch.setattr(planning, "_MAX_ITERATIONS", 0)
    objective = ForagingObjective(small_record.head(5), small_task)
    surface = likelihood_surface(np.zeros(10), np.eye(10)[:2], np.zeros((1, 2)), 2, objective)
    assert np.isnan(surface.log_likelihood).all()


def test_visits_by_hand():
    columns = {name: np.zeros(4, dtype=int) for name in ("session", "action", "reward")}
    columns |= {f"cue_{box}": np.zeros(4, dtype=int) for box in (1, 2)}
    record = Record.from_columns(
        columns
        | {
            "location": np.array([0, 1, 1, 2]),
            "belief_bin_1": np.array([0, 2, 2, 1]),
            "belief_bin_2": np.array([1, 0, 0, 2]),
        }
    )
    visits = visit_frequency(record, 3)
    assert visits.sum() == 1.0
    assert visits[1, 2, 0] == 0.5
    assert visits[0, 0, 1] == visits[2, 1, 2] == 0.25
