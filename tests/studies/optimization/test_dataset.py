"""Optimization paths stored and put together: padding, order, which path is the best."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from inverse_rational_control.parameters import natural, unconstrained
from inverse_rational_control.studies.optimization.dataset import (
    OPTIMIZATION,
    OPTIMIZATION_PATHS,
    optimization_dataset,
    optimization_paths_dataset,
)
from inverse_rational_control.task import Task

TRUTH = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])


@dataclass
class _History:
    log_likelihood: list
    evaluations: range
    seconds: np.ndarray

    def __len__(self):
        return len(self.log_likelihood)


@dataclass
class _Path:
    """What the dataset takes of a path's result."""

    heights: list
    end: np.ndarray = field(default_factory=lambda: TRUTH.copy())
    information: np.ndarray = field(default_factory=lambda: np.eye(10))
    start: np.ndarray = field(default_factory=lambda: TRUTH.copy())
    converged: bool = True
    stop_reason: str = "converged"
    seconds: float = 1.0
    em_fall: float = -0.5

    @property
    def log_likelihood(self):
        return self.heights[-1]

    @property
    def n_evaluations(self):
        return len(self.heights)

    @property
    def path(self):
        n = len(self.heights)
        return _History(self.heights, range(1, n + 1), np.arange(n) / 10)


def _paths(*followed, task=None, start_from="chosen"):
    return optimization_paths_dataset(followed, task or Task(), start_from)


@pytest.fixture
def together():
    """Two starts; plain EM ends a nat short, one raw draw at another maximum."""
    away = natural(unconstrained(TRUTH) + 3.0 * np.eye(10)[2])
    chosen = [
        _paths(("em", 1, _Path([-9.0, -3.0]))),
        _paths(("em", 0, _Path([-8.0, -5.0, -2.0]))),
        _paths(("squarem", 0, _Path([-8.0, -1.0])), ("squarem", 1, _Path([-9.0, -1.5]))),
        _paths(("quasi_newton", 0, _Path([-8.0, -1.0])), ("quasi_newton", 1, _Path([-9.0, -1.0]))),
    ]
    drawn = [
        _paths(("quasi_newton", 0, _Path([-20.0, -7.0], end=away)), start_from="drawn"),
        _paths(("quasi_newton", 1, _Path([-20.0, -1.0])), start_from="drawn"),
    ]
    diffused = [
        _paths(
            ("em", 0, _Path(heights)),
            ("quasi_newton", 0, _Path([heights[0], heights[-1] + 0.5])),
            task=Task(diffusion=bins / 10),
            start_from="middle",
        )
        for bins, heights in ((1.0, [-6.0, -4.0]), (0.5, [-7.0, -6.0, -5.0]))
    ]
    return optimization_dataset(drawn, chosen, diffused, 2, [0.5, 2.0], 60, 0.95)


def test_paths_of_different_length_are_padded():
    paths = _paths(("em", 4, _Path([-3.0, -2.0, -1.0])), ("squarem", 4, _Path([-3.0, -1.0])))
    OPTIMIZATION_PATHS.check(paths.assign_attrs(kind="optimization_paths"), "made up")
    np.testing.assert_array_equal(
        paths["history_log_likelihood"], [[-3.0, -2.0, -1.0], [-3.0, -1.0, np.nan]]
    )
    np.testing.assert_array_equal(paths["end_log_likelihood"], [-1.0, -1.0])


def test_summary_meets_its_contract_with_starts_in_order(together):
    OPTIMIZATION.check(together.assign_attrs(kind="optimization"), "made up")
    assert float(together["best_log_likelihood"]) == -1.0
    np.testing.assert_array_equal(together["gap"], [2.0, 0.5])
    np.testing.assert_array_equal(
        together["history_log_likelihood"][0],
        [[-8.0, -5.0, -2.0], [-9.0, -3.0, np.nan]],
    )
    np.testing.assert_array_equal(together["evaluations_to_gap"][0], [[3.0, np.inf], [2.0, np.inf]])


def test_share_counts_the_ends_within_the_smallest_gap(together):
    np.testing.assert_array_equal(together["reached_share"], [0.5, 1.0])
    np.testing.assert_allclose(together["end_distance"], [[3.0, 0.0], [0.0, 0.0]], atol=1e-12)


def test_diffusions_are_in_order_each_with_its_own_maximum(together):
    np.testing.assert_allclose(together["diffusion"], [0.5, 1.0])
    np.testing.assert_array_equal(together["diffusion_maximum"], [-4.5, -3.5])
    np.testing.assert_array_equal(
        together["diffusion_evaluations_to_gap"], [[2.0, 3.0], [2.0, 2.0]]
    )
