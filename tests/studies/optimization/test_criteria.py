"""Every criterion passes on sound results and fails, alone, on the result of a wrong program."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.studies.optimization.criteria import criteria
from tests import ROOT
from tests.studies.optimization.made_up import summary

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BOUNDS = CONFIG["optimization"]["check"]


def _failed(optimization):
    return {judged.name for judged in criteria(optimization, BOUNDS) if judged.failed}


def test_sound_paths_pass():
    judged = criteria(summary(), BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 4


@pytest.mark.parametrize(
    ("name", "variable", "place", "value"),
    [
        # An E-step that counts wrongly: its steps go down, and the guard does not take them.
        ("em_and_squarem_steps_rise", "em_fall", (0, 1), 0.5),
        ("em_and_squarem_steps_rise", "em_fall", (1, 1), 1e-5),
        # A path that is called converged half a nat below its maximum.
        ("quasi_newton_ends_agree", "end_log_likelihood", (1, 3), -5000.5),
        # The least likely of the candidates is chosen.
        ("chosen_starts_reach_the_best", "reached_share", 1, 0.7),
        # SQUAREM that never leaps, never arrives, or is compared with an EM that is faster.
        ("squarem_saves_e_steps", "evaluations_to_gap", (1, slice(0, 2), -1), np.inf),
        ("squarem_saves_e_steps", "evaluations_to_gap", (0, slice(0, 2), -1), 3.0),
    ],
)
def test_each_criterion_can_fail(name, variable, place, value):
    optimization = summary()
    optimization[variable].values[place] = value
    assert _failed(optimization) == {name}


def test_squarem_without_leaps_fails():
    optimization = summary()
    cost = optimization["evaluations_to_gap"].values
    cost[0, :, -1] = cost[1, :, -1]
    assert _failed(optimization) == {"squarem_saves_e_steps"}


def test_falls_of_quasi_newton_are_not_em_s():
    optimization = summary()
    optimization["em_fall"].values[2] = np.inf
    assert _failed(optimization) == set()


def test_another_maximum_is_no_disagreement():
    """A converged end far from the best one is another maximum: counted in the share, not here."""
    optimization = summary()
    optimization["end_converged"].values[1, 0] = True
    assert _failed(optimization) == set()


def test_a_share_of_few_starts_is_not_judged():
    judged = {criterion.name: criterion for criterion in criteria(summary(n_starts=6), BOUNDS)}
    reached = judged["chosen_starts_reach_the_best"]
    assert reached.passed is None and reached.why == "6 starts; judged from 20 on"
