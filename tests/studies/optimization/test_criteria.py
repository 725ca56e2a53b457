"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest

from inverse_rational_control.studies.optimization.criteria import criteria
from tests.studies.optimization.made_up import summary

BOUNDS = {
    "monotone_tolerance": 1e-6,
    "start_agreement_nats": 0.01,
    "reached_share_minimum": 0.5,
}


def _failed(optimization):
    return {judged.name for judged in criteria(optimization, BOUNDS) if not judged.passed}


def test_sound_paths_pass():
    judged = criteria(summary(), BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 5


@pytest.mark.parametrize(
    ("name", "variable", "place", "value"),
    [
        ("em_monotone", "history_log_likelihood", (0, 1, 5), -6000.0),
        ("squarem_monotone", "history_log_likelihood", (1, 1, 5), -6000.0),
        ("quasi_newton_ends_agree", "end_log_likelihood", (1, 3), -5000.5),
        ("chosen_starts_reach_the_best", "reached_share", 1, 0.2),
        ("squarem_saves_e_steps", "evaluations_to_gap", (1, slice(0, 2), -1), np.inf),
        ("squarem_saves_e_steps", "evaluations_to_gap", (0, slice(0, 2), -1), 3.0),
    ],
)
def test_each_criterion_can_fail(name, variable, place, value):
    optimization = summary()
    optimization[variable].values[place] = value
    assert _failed(optimization) == {name}


def test_another_maximum_is_no_disagreement():
    """A converged end far from the best one is another maximum: counted in the share, not here."""
    optimization = summary()
    optimization["end_converged"].values[1, 0] = True
    assert _failed(optimization) == set()
