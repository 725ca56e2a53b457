"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import pytest
import yaml

from inverse_rational_control.studies.alternatives.criteria import criteria
from tests import ROOT
from tests.studies.alternatives.sound import N_STEPS, sound

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BOUNDS = CONFIG["alternatives"]["check"]


def _failed(summary):
    return {criterion.name for criterion in criteria(summary, BOUNDS) if not criterion.passed}


def test_sound_results_pass():
    assert _failed(sound()) == set()
    names = [criterion.name for criterion in criteria(sound(), BOUNDS)]
    assert len(set(names)) == len(names) == 3 + 1 + 2 + 1 + 3 + 1 + 1


@pytest.mark.parametrize(
    ("name", "variable", "place", "value"),
    [
        # 1.5 nats over 5000 steps is what a true alternative with three parameters fewer may gain.
        ("alternatives_held_out_gain_over_true_rewards", "held_out_mean", 1, 6.0 / N_STEPS),
        ("alternatives_full_maximum_missed", "missed", 2, 0.02),
        ("alternatives_reduced_not_above_full", "excess_log_likelihood", (3, 1), 0.02),
        ("alternatives_settled_share", "status", (slice(None), 2), "not_converged"),
        ("alternatives_recovered_full", "confusion_aic", 0, [0.6, 0.4, 0.0]),
        ("alternatives_recovered_memoryless", "confusion_aic", 2, [1.0, 0.0, 0.0]),
        ("alternatives_bic_spares_true_rewards", "confusion_bic", 1, [0.2, 0.8, 0.0]),
        ("alternatives_brute_force_finds_nothing_higher", "brute_force_gap", -1, -1e-6),
    ],
)
def test_each_criterion_can_fail(name, variable, place, value):
    summary = sound()
    summary[variable].values[place] = value
    assert _failed(summary) == {name}


def test_a_wrong_alternative_that_predicts_better_fails_twice():
    """As an alternative above the full model, and as a wrong one that predicts better."""
    summary = sound()
    summary["held_out_mean"][2] = 6.0 / N_STEPS
    assert _failed(summary) == {
        "alternatives_held_out_gain_over_wrong_rewards",
        "alternatives_wrong_ones_predict_worse",
    }


def test_a_baseline_may_fit_better_than_the_full_model():
    """It is none of the agent's models, so no theorem forbids it."""
    summary = sound()
    summary["excess_log_likelihood"][:, 3] = 5.0
    assert _failed(summary) == set()


def test_missed_maxima_of_the_model_recovery_are_counted():
    summary = sound()
    summary["recovery_missed"][1, :2] = [3.25, 0.02]
    why = {criterion.name: criterion.why for criterion in criteria(summary, BOUNDS)}
    assert "2 of 15 records fell short, by up to 3.25" in why["alternatives_full_maximum_missed"]


@pytest.mark.parametrize(("chance_level", "passed"), [(0.01, False), (0.05, True)])
def test_recovery_is_judged_against_choosing_at_random(chance_level, passed):
    """One of three models at random: four or more of five records are right 4.5 % of the time."""
    summary = sound()
    summary["confusion_aic"][0] = [0.8, 0.2, 0.0]
    judged = criteria(summary, BOUNDS | {"chance_level": chance_level})
    assert all(criterion.passed for criterion in judged) == passed
