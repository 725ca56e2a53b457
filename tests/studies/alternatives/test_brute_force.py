"""What a search costs, and where brute force looks."""

from types import SimpleNamespace

import numpy as np
import yaml

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.alternatives.brute_force import (
    brute_force,
    optimization_path,
)
from tests import ROOT

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]
SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["fitting"]


def test_a_search_pays_for_its_candidates_and_for_what_came_last():
    starts = [
        SimpleNamespace(
            path=SimpleNamespace(evaluations=[1, 3], log_likelihood=[-9.0, -5.0]),
            n_evaluations=6,
        ),
        SimpleNamespace(
            path=SimpleNamespace(evaluations=[1, 2], log_likelihood=[-8.0, -4.0]),
            n_evaluations=5,
        ),
    ]
    evaluations, best = optimization_path(starts, 8)
    assert evaluations.tolist() == [9, 11, 23, 24, 27]
    assert best.tolist() == [-9, -5, -5, -4, -4]


def test_brute_force_fills_the_start_ranges_evenly():
    seen = []
    objective = SimpleNamespace(log_likelihood=lambda theta: seen.append(theta) or len(seen))
    settings = FitSettings(**SETTINGS)
    values, best = brute_force(objective, settings, 64, np.random.default_rng(0))
    assert values.tolist() == list(range(1, 65))
    np.testing.assert_array_equal(best, seen[-1])
    low, high = np.array([SETTINGS["start_ranges"][name] for name in NAMES]).T
    # One point in each of 64 slices of every parameter's range: what a Sobol design promises.
    slices = np.floor(64 * (np.array(seen) - low) / (high - low)).astype(int)
    np.testing.assert_array_equal(np.sort(slices, 0), np.tile(np.arange(64)[:, None], 10))
