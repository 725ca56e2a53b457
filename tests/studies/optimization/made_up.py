"""A made-up summary of the study: paths that near the best, each method at its own rate."""

import numpy as np

from inverse_rational_control.studies.optimization.dataset import OPTIMIZATION
from tests.filled import filled

BEST = -5000.0
GAPS = np.array([1.0, 0.1, 0.01])


def _to_gap(gap):
    within = gap[..., None, :] <= GAPS[:, None]
    return np.where(within.any(-1), 1.0 + within.argmax(-1), np.inf)


def summary(n_starts=30, n_iterations=120):
    """Some raw draws end at a lower maximum, one nowhere; one chosen start ends early."""
    rng = np.random.default_rng(8)
    rate = np.array([0.97, 0.9, 0.7])[:, None, None]
    gap = rng.uniform(40, 90, (3, 3, 1)) * rate ** np.arange(n_iterations)
    gap[2, :, 80:] = np.nan
    cost = np.where(np.isfinite(gap), 1.0 + np.arange(n_iterations), np.nan)
    ends = BEST - 1e-8 * rng.random((2, n_starts))
    ends[0, :4], ends[0, 4], ends[1, 0] = BEST - 250.0, np.nan, BEST - 3.0
    reached = ends >= BEST - GAPS[-1]
    maximum = np.array([-5100.0, -4900.0])
    em = np.array([80.0, 60.0])[:, None] * np.array([0.96, 0.9])[:, None] ** np.arange(90)
    given = {
        "best_log_likelihood": BEST,
        "gap": GAPS,
        "history_log_likelihood": BEST - gap,
        "history_evaluations": cost,
        "history_seconds": 0.03 * cost,
        "em_fall": np.full((3, 3), -1e-8),
        "evaluations_to_gap": _to_gap(gap),
        "end_log_likelihood": ends,
        "end_converged": reached,
        "end_distance": np.where(reached, 1e-4, 9.0),
        "reached_share": reached.mean(1),
        "diffusion_maximum": maximum,
        "diffusion_history_log_likelihood": maximum[:, None] - em,
        "diffusion_evaluations_to_gap": _to_gap(em),
    }
    coordinates = {
        "method": ["em", "squarem", "quasi_newton"],
        "choice": ["drawn", "chosen"],
        "start": 3,
        "trial": n_starts,
        "iteration": n_iterations,
        "gap_index": GAPS.size,
        "diffusion": [0.5, 1.0],
        "em_iteration": 90,
    }
    return filled(
        OPTIMIZATION,
        coordinates,
        given,
        attributes={"confidence_level": 0.95, "max_evaluations": n_iterations},
    )
