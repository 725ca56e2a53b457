"""The study's datasets from fits and fixed points: what counts as identified, what is counted how."""

import numpy as np
import pytest

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.recordings.dataset import stack
from inverse_rational_control.studies.population.dataset import (
    FIXED_POINTS,
    FROM_FITS,
    POPULATION,
    fixed_points_dataset,
    multiplicity_table,
    population_dataset,
)
from inverse_rational_control.studies.population.fixed_points import FixedPoint
from tests.filled import filled

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]

OPTIONAL = ("truth", "truth_log_likelihood", "profile_deviance_at_truth")


def _point(radius, first_action):
    """A solution under which everyone takes the first action with a probability."""
    rest = (1 - first_action) / 4
    policy = np.broadcast_to([[[first_action]], *[[[rest]]] * 4], (3, 5, 2, 2))
    return FixedPoint(np.zeros((3, 2, 2)), policy, radius, 0.0, 7)


@pytest.fixture
def points():
    """Agent 3 has one fixed point, agent 5 three, of which one repels."""
    three = [_point(0.5, 0.2), _point(0.9, 0.7), _point(1.1, 0.4)]
    return fixed_points_dataset([[_point(0.8, 0.2)], three], [3, 5])


def _fits(status, definite=(True, True), wald=(True, True)):
    """Agents whose estimates lie half a standard error above the truth."""
    parts = []
    for k in range(2):
        given = {
            "truth": np.full(10, 0.3),
            "estimate": np.full(10, 0.3) + 0.01 * (k + 1),
            "information": 4.0 * np.eye(10),
            "information_positive_definite": definite[k],
            "log_likelihood": -100.0,
            "truth_log_likelihood": -104.0,
            "status": status[k],
            "interval_kind": np.full(10, "wald" if wald[k] else "profile", dtype=object),
            "profile_deviance_at_truth": np.full(10, np.nan if wald[k] else 4.0),
        }
        coordinates = {"parameter": NAMES, "parameter_other": NAMES, "start": 1, "iteration": 2}
        parts.append(filled(FIT, coordinates, given, OPTIONAL)[list(FROM_FITS)])
    return stack(parts, [3, 5], FIT, "agent")


def test_fixed_points_are_padded_and_their_policies_compared_with_the_agents_own(points):
    FIXED_POINTS.check(points.assign_attrs(kind="fixed_points"), "made up")
    np.testing.assert_array_equal(points["n_fixed_points"], [1, 3])
    np.testing.assert_array_equal(points["radius"][0], [0.8, np.nan, np.nan])
    np.testing.assert_allclose(points["policy_difference"][1], [0.0, 0.5, 0.2])


def test_a_row_of_the_table_is_a_number_of_fixed_points_and_of_attracting_ones(points):
    table = multiplicity_table(points)
    assert list(table["fixed points"]) == [1, 3]
    assert list(table["attracting"]) == [1, 2]
    assert list(table["agents"]) == [1, 1]
    assert list(table["radius of attracting"]) == ["0.800 to 0.800", "0.500 to 0.900"]
    assert list(table["radius of repelling"]) == ["", "1.100 to 1.100"]
    assert list(table["largest policy difference"]) == ["", 0.5]


def test_population_meets_its_contract(points):
    fits = _fits(["converged", "converged"])
    population = population_dataset(fits, points, [0.95, 0.5])
    POPULATION.check(population.assign_attrs(kind="population"), "made up")
    assert list(population["level"]) == [0.5, 0.95]
    assert list(population["agent"]) == [3, 5]
    np.testing.assert_array_equal(population["likelihood_ratio"], [8.0, 8.0])
    np.testing.assert_array_equal(population["n_attracting"], [1, 2])
    assert population["covered"].values.all()
    np.testing.assert_allclose(population["z_score"][:, 6], [0.02, 0.04])
    np.testing.assert_allclose(population["z_mean"][6], 0.03)
    np.testing.assert_allclose(population["pooled_coverage"], 1.0)


def test_everyone_counts_by_profile_where_walds_intervals_do_not_hold(points):
    """A deviance of 4 at the truth is two standard errors, in the direction of the error."""
    fits = _fits(["converged", "at_bound"], wald=(True, False))
    population = population_dataset(fits, points, [0.5, 0.95, 0.99])
    np.testing.assert_array_equal(population["identified"], [True, False])
    np.testing.assert_allclose(population["z_score"][1], 2.0)
    assert population["covered"][1].values.tolist() == [[False, False, True]] * 10
    np.testing.assert_allclose(population["coverage"], [[0.5, 0.5, 1.0]] * 10)
    np.testing.assert_allclose(population["pooled_coverage"], [0.5, 0.5, 1.0])
    np.testing.assert_allclose(population["z_mean"][6], (0.02 + 2.0) / 2)


def test_an_agent_without_an_interval_is_a_miss(points):
    fits = _fits(["converged", "at_bound"], wald=(True, False))
    fits["profile_deviance_at_truth"][:] = np.nan
    population = population_dataset(fits, points, [0.95])
    assert not population["interval_defined"][1].any()
    np.testing.assert_allclose(population["pooled_coverage"], 0.5)


def test_statistics_are_over_all_agents_and_over_converged_ones(points):
    """With three agents each; the one that ran away counts among all."""
    fits = _fits(["converged", "converged"])
    more = fits.isel(agent=[0, 1, 0, 1]).assign_coords(agent=range(4))
    more["estimate"] = more["estimate"] + np.array([0.0, 0.0, 0.0, 0.5])[:, None]
    more["status"] = ("agent", np.array(["converged"] * 3 + ["at_bound"], dtype=object))
    population = population_dataset(more, points.isel(agent=[0, 1, 0, 1]), [0.5])
    np.testing.assert_allclose(population["bias"], (0.01 + 0.02 + 0.01 + 0.52) / 4)
    np.testing.assert_allclose(population["bias_interior"], (0.01 + 0.02 + 0.01) / 3)
