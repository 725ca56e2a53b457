"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.studies.paper.criteria import criteria
from tests import ROOT
from tests.studies.paper import made_up

BOUNDS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["check"]


def _sound():
    return {
        "fit": made_up.fit(),
        "em_trajectory": made_up.fit(),
        "posterior": made_up.posterior(),
        "behavior": made_up.behavior(),
        "models": made_up.models(),
    }


def _failed(results):
    return {judged.name for judged in criteria(**results, bounds=BOUNDS) if not judged.passed}


def test_sound_results_pass():
    judged = criteria(**_sound(), bounds=BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 19


def _far_from_truth():
    estimate = made_up.fit()["estimate"].values
    estimate[3] += 0.3
    return made_up.fit(estimate=estimate)


def _likelihood_fell():
    history = made_up.fit()["history_log_likelihood"].values
    history[0, 5] -= 1.0
    return made_up.fit(history_log_likelihood=history)


@pytest.mark.parametrize(
    ("spoilt", "name"),
    [
        ({"fit": made_up.fit(log_likelihood=-4005.1)}, "fit_likelihood_above_truth"),
        ({"fit": made_up.fit(log_likelihood=-3990.0)}, "truth_likelihood_ratio"),
        ({"fit": made_up.fit(status="at_bound")}, "fit_converged"),
        (
            {"fit": made_up.fit(end_log_likelihood=[-4000.02, -4000.0, -4000.0])},
            "converged_starts_agree",
        ),
        ({"em_trajectory": _likelihood_fell()}, "fit_history_monotone"),
        ({"fit": _likelihood_fell()}, "fit_history_monotone"),
        ({"fit": made_up.fit(planner_radius=1.01)}, "planner_attracting"),
        ({"fit": made_up.fit(planner_radius=np.nan)}, "planner_attracting"),
        ({"fit": _far_from_truth()}, "truth_outside_interval"),
        ({"fit": made_up.fit(information_positive_definite=False)}, "truth_outside_interval"),
        (
            {"posterior": made_up.posterior(correlation=[0.95, 0.5])},
            "belief_correlation_box_2",
        ),
        (
            {"posterior": made_up.posterior(true_model_coverage=[0.8, 0.96])},
            "belief_calibration_box_1",
        ),
        (
            {"behavior": made_up.behavior(distance=[0.0, 0.0, 0.9, 0.0])},
            "push_interval_distance",
        ),
        (
            {"posterior": made_up.posterior(credible_coverage=[0.905, 0.94])},
            "belief_coverage_box_1",
        ),
        (
            {"posterior": made_up.posterior(credible_masses=np.full((20, 2), [0.95, 0.945]))},
            "belief_coverage_box_1",
        ),
        ({"behavior": made_up.behavior(predictive_distance=9.0)}, "predictive_distance"),
        ({"models": made_up.models(value_correlation=0.3)}, "value_function_correlation"),
    ],
)
def test_each_criterion_can_fail(spoilt, name):
    assert _failed(_sound() | spoilt) == {name}


def test_starts_that_did_not_converge_need_not_agree():
    fit = made_up.fit(
        end_log_likelihood=[-4000.0, -4000.0, -4300.0], start_converged=[True, True, False]
    )
    assert _failed(_sound() | {"fit": fit}) == set()


def test_coverage_with_the_estimate_alone_is_judged_only_where_draws_were_wanted():
    posterior = made_up.posterior(credible_coverage=[0.9, 0.9]).drop_vars("credible_masses")
    posterior.attrs["parameters_from"] = "the estimate alone"
    assert _failed(_sound() | {"posterior": posterior}) == set()
    posterior.attrs["parameters_from"] += ", as the posterior has not converged"
    names = {"belief_coverage_box_1", "belief_coverage_box_2"}
    assert _failed(_sound() | {"posterior": posterior}) == names
