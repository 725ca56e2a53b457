"""Every criterion passes on sound results and fails, alone, on the result of a wrong program."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.studies.alternatives.criteria import criteria
from tests import ROOT
from tests.studies.alternatives.sound import N_STEPS, sound

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BOUNDS = CONFIG["alternatives"]["check"]


def _failed(summary, **bounds):
    judged = criteria(summary, BOUNDS | bounds)
    return {criterion.name for criterion in judged if criterion.failed}


def test_sound_results_pass():
    judged = criteria(sound(), BOUNDS)
    assert all(criterion.passed for criterion in judged)
    names = [criterion.name for criterion in judged]
    assert len(set(names)) == len(names) == 1 + 1 + 4 + 3


OF_TRUE = "alternatives_held_out_gain_over_true_rewards"


@pytest.mark.parametrize(
    ("name", "variable", "place", "value"),
    [
        # Prediction judged on the record that was fitted: more parameters gain what they should lose.
        (OF_TRUE, "held_out_mean", 1, -1.5 / N_STEPS),
        (OF_TRUE, "held_out_mean", 1, 6.0 / N_STEPS),
        # Every alternative is the full model: nothing was held.
        ("alternatives_wrong_ones_predict_worse", "held_out_mean", 2, 0.0),
        ("alternatives_wrong_ones_predict_worse", "held_out_mean", 3, 6.0 / N_STEPS),
        # A missed maximum, by what starts from a reduced model's estimate show.
        ("alternatives_full_maximum_missed", "missed", 2, 0.5),
        # A reduced model's likelihood above the full one's: parameters that are not held.
        ("alternatives_full_maximum_missed", "excess_log_likelihood", (3, 1), 0.5),
        ("alternatives_recovery_maxima_missed", "recovery_missed", (0, slice(10)), 0.5),
        ("alternatives_settled_share", "status", (slice(None), slice(2)), "not_converged"),
        ("alternatives_settled_share", "recovery_status", (0, slice(0, 10), 0), "not_converged"),
        # A reward-only fit in place of the full one, on a record of the default study.
        (
            "alternatives_independent_search_finds_nothing_higher",
            "polished_gap",
            (),
            -57.6,
        ),
        ("alternatives_independent_search_finds_nothing_higher", "polished_gap", (), np.nan),
        # Labels of models exchanged; a penalty of the wrong sign.
        ("alternatives_aic_recovers_every_model", "confusion_aic", 2, [1.0, 0.0, 0.0]),
        ("alternatives_aic_recovers_every_model", "confusion_aic", 0, [0.6, 0.4, 0.0]),
        # Evidence without the prior's normalization: the full model always wins.
        (
            "alternatives_evidence_recovers_every_agents_model",
            "confusion_evidence",
            1,
            [1.0, 0.0, 0.0],
        ),
        # BIC with AIC's penalty: one in ten too many.
        ("alternatives_bic_spares_reduced_models", "confusion_bic", 1, [0.1, 0.9, 0.0]),
    ],
)
def test_each_criterion_can_fail(name, variable, place, value):
    summary = sound()
    summary[variable].values[place] = value
    assert _failed(summary) == {name}


def test_a_baseline_may_fit_better_than_the_full_model():
    """It is none of the agent's models, so no theorem forbids it."""
    summary = sound()
    summary["excess_log_likelihood"][:, 3] = 5.0
    assert _failed(summary) == set()


def test_wrong_models_that_creep_are_stated_not_judged():
    summary = sound()
    summary["recovery_status"][0, :, 1:] = "not_converged"
    assert _failed(summary) == set()
    why = {criterion.name: criterion.why for criterion in criteria(summary, BOUNDS)}
    assert "40 of 180 did not" in why["alternatives_settled_share"]


def test_how_often_bic_is_right_is_stated():
    summary = sound()
    summary["confusion_bic"][0] = [0.3, 0.6, 0.1]
    why = {criterion.name: criterion.why for criterion in criteria(summary, BOUNDS)}
    assert "BIC recovers full 0.3, true_rewards 1" in why["alternatives_bic_spares_reduced_models"]


@pytest.mark.parametrize(("chance_level", "passed"), [(0.01, False), (0.05, True)])
def test_recovery_is_judged_against_choosing_at_random(chance_level, passed):
    """One of three models at random: 13 of 20 records are right 0.4 % of the time."""
    summary = sound()
    summary["confusion_aic"][0] = [0.65, 0.35, 0.0]
    assert (_failed(summary, chance_level=chance_level) == set()) == passed


def test_few_and_short_records_are_not_judged():
    judged = {c.name: c for c in criteria(sound(n_pairs=3, n_replicates=2), BOUNDS)}
    left_out = {name: one.why for name, one in judged.items() if one.passed is None}
    assert set(left_out) == {
        OF_TRUE,
        "alternatives_wrong_ones_predict_worse",
        "alternatives_aic_recovers_every_model",
        "alternatives_evidence_recovers_every_agents_model",
        "alternatives_bic_spares_reduced_models",
    }
    assert left_out[OF_TRUE] == "3 pairs of records; judged from 5 on"
    short = sound().assign_attrs(n_steps=800, recovery_steps=600)
    judged = {c.name: c for c in criteria(short, BOUNDS)}
    assert judged["alternatives_full_maximum_missed"].passed is None
    assert "records of 600 steps" in judged["alternatives_recovery_maxima_missed"].why
