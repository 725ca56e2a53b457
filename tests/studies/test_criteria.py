"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import json
import logging

import numpy as np
import pytest
import yaml

from inverse_rational_control.config.loading import ConfigError
from inverse_rational_control.studies.checking_registry import (
    EXPERIMENT_CRITERIA,
    paper_criteria,
    recovery_criteria,
)
from inverse_rational_control.workflow import UserError, rule_log
from tests import ROOT, synthetic

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BOUNDS = CONFIG["check"]


def _sound_paper():
    """Synthetic results in which every criterion of the paper's agent holds."""
    record = synthetic.record(n_steps=400)
    fit = synthetic.fit()
    best = int(fit["best_start"])
    fit["status"] = ((), "converged")
    fit["log_likelihood"] = fit["truth_log_likelihood"] + 5.0
    fit["start_converged"] = ("start", np.ones(fit.sizes["start"], dtype=bool))
    fit["end_log_likelihood"] = ("start", np.full(fit.sizes["start"], float(fit["log_likelihood"])))
    fit["newton_decrement"].values[best] = 1e-9
    fit["planner_radius"] = ((), 0.8)
    fit["estimate"] = fit["truth"].copy()
    fit["information"] = (("parameter", "parameter_other"), 1e4 * np.eye(10))
    fit["information_positive_definite"] = ((), True)
    rising = -np.exp(-np.arange(fit.sizes["iteration"], dtype=float))
    fit["history_log_likelihood"] = (
        ("start", "iteration"),
        np.tile(rising, (fit.sizes["start"], 1)),
    )
    posterior = synthetic.posterior(record)
    posterior["correlation"] = ("box", np.array([0.95, 0.96]))
    posterior["credible_coverage"] = ("box", np.array([0.93, 0.94]))
    posterior["credible_expected"] = ("box", np.array([0.95, 0.96]))
    posterior["true_model_coverage"] = ("box", np.array([0.95, 0.96]))
    posterior["true_model_expected"] = ("box", np.array([0.951, 0.958]))
    behavior = synthetic.behavior()
    behavior["distance"] = behavior["null_distance"].median("replicate")
    models = synthetic.models()
    models["value_correlation"] = ((), 0.99)
    return {
        "fit": fit,
        "learning": fit.copy(deep=True),
        "posterior": posterior,
        "behavior": behavior,
        "models": models,
    }


def _failed(criteria):
    return {criterion.name for criterion in criteria if not criterion.passed}


def test_sound_results_pass():
    criteria = paper_criteria(**_sound_paper(), bounds=BOUNDS)
    assert _failed(criteria) == set()
    assert len({criterion.name for criterion in criteria}) == len(criteria) == 16


def _less_likely_than_truth(paper):
    paper["fit"]["log_likelihood"] = paper["fit"]["truth_log_likelihood"] - 0.1


def _far_more_likely_than_truth(paper):
    paper["fit"]["log_likelihood"] = paper["fit"]["truth_log_likelihood"] + 15.0


def _unconverged(paper):
    paper["fit"]["status"] = ((), "at_bound")


def _starts_apart(paper):
    paper["fit"]["end_log_likelihood"].values[0] -= 0.02


def _likelihood_fell(paper):
    paper["learning"]["history_log_likelihood"].values[0, 5] -= 1.0


def _unstable(paper):
    paper["fit"]["planner_radius"] = ((), 1.01)


def _radius_unknown(paper):
    paper["fit"]["planner_radius"] = ((), np.nan)


def _far_from_truth(paper):
    paper["fit"]["estimate"].values[3] += 0.3


def _no_intervals(paper):
    paper["fit"]["information_positive_definite"] = ((), False)


def _beliefs_missed(paper):
    paper["posterior"]["correlation"].values[1] = 0.5


def _overconfident(paper):
    paper["posterior"]["true_model_coverage"].values[0] = 0.8


def _different_behavior(paper):
    distance = paper["behavior"]["distance"].copy()
    distance[2] = 0.9
    paper["behavior"]["distance"] = distance


def _different_values(paper):
    paper["models"]["value_correlation"] = ((), 0.3)


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (_less_likely_than_truth, "fit_likelihood_above_truth"),
        (_far_more_likely_than_truth, "truth_likelihood_ratio"),
        (_unconverged, "fit_converged"),
        (_starts_apart, "converged_starts_agree"),
        (_likelihood_fell, "fit_history_monotone"),
        (_unstable, "planner_attracting"),
        (_radius_unknown, "planner_attracting"),
        (_far_from_truth, "truth_outside_interval"),
        (_no_intervals, "truth_outside_interval"),
        (_beliefs_missed, "belief_correlation_box_2"),
        (_overconfident, "belief_calibration_box_1"),
        (_different_behavior, "push_interval_distance"),
        (_different_values, "value_function_correlation"),
    ],
)
def test_each_criterion_of_the_paper_can_fail(spoil, name):
    paper = _sound_paper()
    spoil(paper)
    assert _failed(paper_criteria(**paper, bounds=BOUNDS)) == {name}


def _sound_recovery():
    summary = synthetic.recovery()
    shape = (summary.sizes["seed"], summary.sizes["n_steps"])
    rng = np.random.default_rng(0)
    ratio = np.broadcast_to(rng.chisquare(10, shape[0])[:, None], shape)
    summary["likelihood_ratio"] = (("seed", "n_steps"), ratio - ratio.mean() + 10.0)
    summary["status"] = (("seed", "n_steps"), np.full(shape, "converged", dtype=object))
    summary["coverage"] = ("n_steps", np.full(shape[1], 0.94))
    summary["coverage_standard_error"] = ("n_steps", np.full(shape[1], 0.02))
    summary["pooled_slope"] = ((), -0.48)
    return summary


def _fits():
    fit = _sound_paper()["fit"]
    return [fit.expand_dims(seed=[0]), fit.expand_dims(seed=[1])]


def test_sound_recovery_passes():
    assert 5000 in _sound_recovery()["n_steps"].values
    criteria = recovery_criteria(_sound_recovery(), _fits(), BOUNDS)
    assert _failed(criteria) == set()
    assert len(criteria) == 9


def test_each_criterion_of_the_recovery_can_fail():
    summary = _sound_recovery()
    summary["pooled_slope"] = ((), -0.2)
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == {"recovery_slope"}

    summary = _sound_recovery()
    summary["pooled_slope"] = ((), np.nan)
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == {"recovery_slope"}

    summary = _sound_recovery()
    summary["likelihood_ratio"].values[:, -1] -= 8.0
    assert "recovery_likelihood_below_truth" in _failed(recovery_criteria(summary, _fits(), BOUNDS))

    summary = _sound_recovery()
    summary["likelihood_ratio"] = summary["likelihood_ratio"] + 10.0
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == {"recovery_likelihood_ratio"}

    summary = _sound_recovery()
    summary["coverage"] = summary["coverage"] - 0.1
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == {"recovery_coverage"}

    summary = _sound_recovery()
    summary["status"].values[:5] = "not_converged"
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == {"recovery_converged_share"}

    summary = _sound_recovery()
    summary["mean_efficiency"].values[-1] = 0.55
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == {
        "recovery_efficiency_20000_steps"
    }

    # Seeds that were not fitted at the longest lengths are neither good nor bad.
    summary = _sound_recovery()
    summary["status"].values[5:, -1] = ""
    summary["likelihood_ratio"].values[5:, -1] = np.nan
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == set()
    summary["likelihood_ratio"].values[0, -1] = np.nan
    assert _failed(recovery_criteria(summary, _fits(), BOUNDS)) == {
        "recovery_likelihood_below_truth"
    }

    fits = _fits()
    fits[1]["history_log_likelihood"].values[0, 0, 7] -= 2.0
    assert _failed(recovery_criteria(_sound_recovery(), fits, BOUNDS)) == {
        "recovery_history_monotone"
    }


def test_fits_at_a_bound_are_counted_in_the_table():
    summary = _sound_recovery()
    summary["at_bound_count"] = ("n_steps", np.full(summary.sizes["n_steps"], 2))
    criteria = {c.name: c for c in recovery_criteria(summary, _fits(), BOUNDS)}
    long = int((summary["n_steps"].values >= int(summary.attrs["slope_from"])).sum())
    assert f"at a bound: {2 * long}" in criteria["recovery_converged_share"].why


def _judge_alternatives(summary):
    return EXPERIMENT_CRITERIA["alternatives"](summary, CONFIG["alternatives"]["check"])


def test_sound_alternatives_pass():
    criteria = _judge_alternatives(synthetic.alternatives())
    assert _failed(criteria) == set()
    names = [criterion.name for criterion in criteria]
    assert len(set(names)) == len(names) == 3 + 1 + 2 + 1 + 3 + 1 + 1


@pytest.mark.parametrize(
    ("name", "variable", "place", "value"),
    [
        # 1.5 nats over 5000 steps is what a true alternative with three parameters fewer may gain.
        ("alternatives_held_out_gain_over_true_rewards", "held_out_mean", 1, 6.0 / 5000),
        ("alternatives_full_maximum_missed", "missed", 2, 0.02),
        ("alternatives_reduced_not_above_full", "excess_log_likelihood", (3, 1), 0.02),
        ("alternatives_settled_share", "status", (slice(None), 2), "not_converged"),
        ("alternatives_recovered_full", "confusion_aic", 0, [0.6, 0.4, 0.0]),
        ("alternatives_recovered_memoryless", "confusion_aic", 2, [1.0, 0.0, 0.0]),
        ("alternatives_bic_spares_true_rewards", "confusion_bic", 1, [0.2, 0.8, 0.0]),
        ("alternatives_brute_force_finds_nothing_higher", "brute_force_gap", -1, -1e-6),
    ],
)
def test_each_criterion_of_the_alternatives_can_fail(name, variable, place, value):
    summary = synthetic.alternatives()
    summary[variable].values[place] = value
    assert _failed(_judge_alternatives(summary)) == {name}


def test_a_wrong_rival_that_predicts_better_fails_twice():
    """As a alternative above the full model, and as a wrong one that predicts better."""
    summary = synthetic.alternatives()
    summary["held_out_mean"][2] = 6.0 / 5000
    assert _failed(_judge_alternatives(summary)) == {
        "alternatives_held_out_gain_over_wrong_rewards",
        "alternatives_wrong_ones_predict_worse",
    }


def test_missed_maxima_of_the_model_recovery_are_counted():
    summary = synthetic.alternatives()
    summary["recovery_missed"][1, :2] = [3.25, 0.02]
    text = {criterion.name: str(criterion) for criterion in _judge_alternatives(summary)}
    assert "2 of 15 records fell short, by up to 3.25" in text["alternatives_full_maximum_missed"]


@pytest.mark.parametrize(
    ("error", "traceback"),
    [(ConfigError("key: found 1"), False), (UserError("two\nlines"), False), (KeyError("x"), True)],
)
def test_rule_log_ends_with_one_line_and_keeps_the_traceback_for_the_log(
    tmp_path, capsys, error, traceback
):
    log = tmp_path / "rule.log"
    handlers = logging.getLogger().handlers[:]
    try:
        with pytest.raises(SystemExit) as ended, rule_log([str(log)]):
            raise error
    finally:
        logging.getLogger().handlers[:] = handlers
        logging.captureWarnings(False)
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Error: ")
    assert "Traceback" not in shown
    assert ("Traceback" in log.read_text()) == traceback
    assert json.dumps(str(error))[1:4] in log.read_text()
