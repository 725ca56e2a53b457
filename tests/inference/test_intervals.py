"""Standard errors and intervals from the observed information."""

import numpy as np
import pytest
from scipy.special import ndtri

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.information import (
    inverse_root,
    is_positive_definite,
    observed_information,
)
from inverse_rational_control.inference.intervals import wald_intervals
from inverse_rational_control.parameter_space import FULL_SPACE
from inverse_rational_control.parameters import natural, unconstrained


def _information(rng, size=0.02):
    root = rng.normal(size=(10, 10)) * size / np.sqrt(10)
    return np.linalg.inv(root @ root.T + (0.3 * size) ** 2 * np.eye(10))


def test_delta_method_against_sampling(paper_agent):
    """Where standard errors are small against the curvature, samples agree with the delta method."""
    rng = np.random.default_rng(0)
    information = _information(rng)
    found = wald_intervals(paper_agent, information, 0.95, FULL_SPACE)
    eta = unconstrained(paper_agent)
    samples = natural(rng.multivariate_normal(eta, np.linalg.inv(information), 40_000))
    # Standard error of a standard deviation: 1/sqrt(2 n) = 0.35 %; curvature adds about their square.
    np.testing.assert_allclose(found.standard_error, samples.std(0), rtol=0.02)
    inside = ((samples > found.lower) & (samples < found.upper)).mean(0)
    # 4.5 binomial standard errors of 0.95 at 40 000 samples: 0.0049.
    np.testing.assert_allclose(inside, 0.95, atol=0.005)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_are_wald_intervals_mapped_back(paper_agent, level):
    information = np.diag(np.arange(1.0, 11.0))
    found = wald_intervals(paper_agent, information, level, FULL_SPACE)
    eta = unconstrained(paper_agent)
    reach = ndtri((1 + level) / 2) / np.sqrt(np.arange(1.0, 11.0))
    np.testing.assert_allclose(unconstrained(found.lower), eta - reach, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(unconstrained(found.upper), eta + reach, rtol=1e-9, atol=1e-12)
    assert (found.lower[:6] > 0).all()
    assert (found.upper[:6] < 1).all()
    assert found.lower[9] > 0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda matrix: matrix - 2 * matrix[0, 0] * np.outer(np.eye(10)[0], np.eye(10)[0]),
        lambda matrix: matrix * np.where(np.eye(10)[0] > 0, np.nan, 1.0),
        lambda matrix: np.ones((10, 10)),
        lambda matrix: np.zeros((10, 10)),
    ],
    ids=["negative", "NaN", "singular", "zero"],
)
def test_no_standard_errors_without_positive_definite_information(spoil, paper_agent):
    information = spoil(_information(np.random.default_rng(1)))
    assert not is_positive_definite(information)
    found = wald_intervals(paper_agent, information, 0.95, FULL_SPACE)
    for array in (found.standard_error, found.lower, found.upper):
        assert np.isnan(array).all()


def test_units_do_not_decide_on_definiteness():
    """Eigenvalues that span 1 : 10^14 by units alone are fine."""
    assert is_positive_definite(np.diag(10.0 ** np.arange(-7, 3)))


def test_inverse_root_whitens():
    information = _information(np.random.default_rng(2))
    root = inverse_root(information)
    np.testing.assert_allclose(root.T @ information @ root, np.eye(10), atol=1e-8)


def test_observed_information_is_nan_beside_an_unsolved_planner(
    monkeypatch, small_record, small_task
):
    from inverse_rational_control.agent import planner as planning

    monkeypatch.setattr(planning, "_MAX_ITERATIONS", 0)
    objective = ForagingObjective(small_record.head(20), small_task)
    assert np.isnan(observed_information(objective, np.zeros(10), 1e-3)).all()


def test_standard_errors_of_a_fit_are_of_the_size_of_its_error(small_fit, paper_agent):
    """Ten errors in units of their standard errors: none beyond 4, squares about one."""
    found = small_fit.intervals(0.95)
    scaled = (small_fit.estimate - paper_agent) / found.standard_error
    assert np.isfinite(found.standard_error).all()
    assert np.abs(scaled).max() < 4
    assert ((found.lower < small_fit.estimate) & (small_fit.estimate < found.upper)).all()
