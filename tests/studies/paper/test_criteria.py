"""Every criterion passes on sound results and fails, alone, on the result of a wrong program."""

import numpy as np
import pytest
import yaml

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.decoding import decode, decode_from_cues
from inverse_rational_control.foraging.mixture import Decoded
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.scoring import score_decoding
from inverse_rational_control.foraging.starts import generic_whitening
from inverse_rational_control.inference.carried import ESTIMATE_ALONE
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.parameter_space import FULL_SPACE, parameter_space
from inverse_rational_control.parameters import WORLD_PARAMETERS, natural, unconstrained
from inverse_rational_control.studies.paper.analysis import (
    held_out_log_likelihoods,
    held_out_loss_bound,
)
from inverse_rational_control.studies.paper.criteria import criteria
from inverse_rational_control.studies.paper.dataset import posterior_dataset
from inverse_rational_control.task import Task
from tests import ROOT
from tests.conftest import PAPER_AGENT, PAPER_WORLD
from tests.studies.paper import made_up

BOUNDS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["check"]
N_STEPS = BOUNDS["asymptotic_from"]


def _sound():
    return {
        "fit": made_up.fit(),
        "em_trajectory": made_up.fit(),
        "posterior": made_up.posterior(n_steps=N_STEPS),
        "behavior": made_up.behavior(),
    }


def _failed(**spoilt):
    judged = criteria(**_sound() | spoilt, bounds=BOUNDS)
    return {criterion.name for criterion in judged if criterion.failed}


def test_sound_results_pass():
    judged = criteria(**_sound(), bounds=BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 11


def _fit(**given):
    return {"fit": made_up.fit(**given)}


SOUND_FIT = made_up.fit()
MISSED = {"log_likelihood": -4004.9, "end_log_likelihood": [-4004.9, -4004.9, -4004.9]}


@pytest.mark.parametrize(
    ("spoilt", "names"),
    [
        # The search gives up before it is at the maximum.
        (_fit(status="not_converged"), {"fit_converged"}),
        (_fit(status="at_bound"), {"fit_converged"}),
        # A lower maximum than the truth's, or one hardly above it: the search never left its start.
        (
            _fit(log_likelihood=-4062.6, end_log_likelihood=[-4062.6] * 3),
            {"truth_likelihood_ratio"},
        ),
        (_fit(**MISSED), {"truth_likelihood_ratio"}),
        # A likelihood that counts the record twice.
        (_fit(truth_log_likelihood=-4020.0), {"truth_likelihood_ratio"}),
        # Standard errors half, or three times, what they are; their information broken.
        (_fit(information=4 * SOUND_FIT["information"].values), {"truth_wald_statistic"}),
        (_fit(information=SOUND_FIT["information"].values / 9), {"truth_wald_statistic"}),
        (_fit(information_positive_definite=False), {"truth_wald_statistic"}),
        # Only one of three starts finds what may be one maximum of many.
        (_fit(end_log_likelihood=[-4000.0, -4000.5, -4000.5]), {"best_end_reached_again"}),
        # An E-step that counts wrongly: EM steps go down, and none of them is in the history.
        ({"em_trajectory": made_up.fit(em_fall=[-0.1, 0.01, -0.1])}, {"em_steps_rise"}),
        (_fit(em_fall=[1e-5, -0.1, -0.1]), {"em_steps_rise"}),
    ],
)
def test_wrong_fits_fail(spoilt, names):
    assert _failed(**spoilt) == names


def test_an_estimate_far_from_the_truth_fails():
    """Two parameters exchanged in the result."""
    estimate = SOUND_FIT["estimate"].values.copy()
    estimate[[0, 1]] = estimate[[1, 0]]
    assert _failed(**_fit(estimate=estimate)) == {"truth_wald_statistic"}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        # A decoder that learns nothing from actions, in one box.
        ({"log_score": [-1.1, -1.6]}, "belief_information"),
        ({"log_score": [-1.1, np.nan]}, "belief_information"),
        # Nor with the truth: then there is nothing to learn, which is as wrong.
        ({"true_model_log_score": [-1.0, -1.6]}, "belief_information"),
        # Credible sets too narrow, or too wide.
        ({"true_model_coverage": [0.92, 0.96]}, "belief_calibration"),
        ({"true_model_coverage": [0.95, 0.99]}, "belief_calibration"),
        # Sets that hold the truth less often than any draw expects; draws that are all alike.
        ({"credible_coverage": [0.905, 0.94]}, "belief_coverage"),
        ({"credible_masses": np.full((20, 2), [0.95, 0.945])}, "belief_coverage"),
    ],
)
def test_wrong_decodings_fail(given, name):
    assert _failed(posterior=made_up.posterior(n_steps=N_STEPS, **given)) == {name}


def test_wrong_resimulations_fail():
    # The inferred agent pushes at the wrong intervals.
    assert _failed(behavior=made_up.behavior(distance=[0.0, 0.0, 0.9, 0.0])) == {
        "behavior_distance"
    }
    assert _failed(behavior=made_up.behavior(distance=[0.0, np.nan, 0, 0])) == {"behavior_distance"}
    # It pushes, travels and rests as it should, each by itself.
    assert _failed(behavior=made_up.behavior(predictive_distance=9.0)) == {"predictive_distance"}


def test_coverage_with_the_estimate_alone_is_judged_only_where_draws_were_wanted():
    posterior = made_up.posterior(n_steps=N_STEPS, credible_coverage=[0.9, 0.9])
    posterior = posterior.drop_vars("credible_masses")
    posterior.attrs["parameters_from"] = "the estimate alone"
    assert _failed(posterior=posterior) == set()
    posterior.attrs["parameters_from"] += ", as the posterior has not converged"
    assert _failed(posterior=posterior) == {"belief_coverage"}


def test_what_short_records_cannot_be_judged_by_is_said():
    judged = criteria(**_sound() | {"posterior": made_up.posterior()}, bounds=BOUNDS)
    left_out = {criterion.name: criterion.why for criterion in judged if criterion.passed is None}
    assert set(left_out) == {
        "truth_wald_statistic",
        *("belief_information", "belief_calibration", "belief_coverage"),
    }
    assert all(why.startswith("400 steps; judged from 5000 on") for why in left_out.values())
    one = made_up.fit().isel(start=slice(1))
    judged = {c.name: c for c in criteria(**_sound() | {"fit": one}, bounds=BOUNDS)}
    assert judged["best_end_reached_again"].passed is None


@pytest.fixture(scope="module")
def fitted():
    """A record of the paper's agent, the full fit, and the reward-only one: the world is believed."""
    task, agent, world = Task(), np.array(PAPER_AGENT), np.array(PAPER_WORLD)
    record = simulate(agent_model(agent, task), world, N_STEPS, np.random.default_rng(1003))
    held = {p.name: value for p, value in zip(WORLD_PARAMETERS, PAPER_WORLD, strict=True)}
    estimates = {}
    for name, space in (("full", FULL_SPACE), ("reward_only", parameter_space(held))):
        settings = FitSettings()
        objective = ForagingObjective(record, task).within(space)
        whitening = generic_whitening(settings, task, space)
        found = fit(objective, settings, [agent], whitening=whitening)
        assert found.status == "converged"
        estimates[name] = found.estimate
    return record, estimates


def _decoded(record, decoding, true_bin=None):
    """The posterior of Figure 4 with some decoding as the estimate's and, scored, as the truth's."""
    true_bin = record.belief_bin if true_bin is None else true_bin
    others = (
        decode(np.array(PAPER_AGENT), record, Task()),
        decode_from_cues(np.array(PAPER_WORLD), record, Task()),
    )
    names = ("decoding", "true_model", "cue")
    scores = {
        name: score_decoding(each, true_bin)
        for name, each in zip(names, (decoding, *others), strict=True)
    }
    decoded = Decoded(decoding.centers, decoding.log_likelihood, scores)
    return posterior_dataset(decoded, record.n_steps, Task(), ESTIMATE_ALONE)


@pytest.mark.parametrize(
    ("estimate", "failed"),
    [("full", set()), ("reward_only", {"belief_information", "held_out_loss"})],
)
def test_the_reward_only_fit_fails_in_figures_4_and_5(fitted, estimate, failed):
    record, estimates = fitted
    theta = estimates[estimate]
    posterior = _decoded(record, decode(theta, record, Task()))
    of_estimate, of_truth = held_out_log_likelihoods(
        [agent_model(each, Task()) for each in (theta, np.array(PAPER_AGENT))],
        np.array(PAPER_WORLD),
        N_STEPS,
        np.random.default_rng(3),
    )
    behavior = made_up.behavior(
        held_out_log_likelihood=of_estimate, truth_held_out_log_likelihood=of_truth
    )
    assert _failed(posterior=posterior, behavior=behavior) == failed


def test_a_decoder_that_ignores_actions_fails_though_it_follows_the_beliefs(fitted):
    record, _ = fitted
    posterior = _decoded(record, decode_from_cues(np.array(PAPER_WORLD), record, Task()))
    assert (posterior["correlation"] > 0.9).all()
    assert _failed(posterior=posterior) == {"belief_information"}


def test_belief_bins_off_by_one_fail(fitted):
    record, estimates = fitted
    shifted = np.minimum(record.belief_bin + 1, 9)
    posterior = _decoded(record, decode(estimates["full"], record, Task()), shifted)
    assert (posterior["correlation"] > 0.9).all()
    assert "belief_calibration" in _failed(posterior=posterior)


def test_loss_on_held_out_records_stays_below_its_bound_as_often_as_it_says():
    """Normal data of known variance, whose likelihood is exactly quadratic."""
    rng, k, m, level = np.random.default_rng(4), 6, 3, 0.9
    error = rng.normal(size=(40_000, k))
    new = rng.normal(size=(40_000, m, k))
    # Log-likelihood of a record whose mean is sufficient, in units of its standard error.
    loss = 0.5 * ((new - error[:, None]) ** 2 - new**2).sum(2).mean(1)
    assert (loss < held_out_loss_bound(k, m, level)).mean() == pytest.approx(level, abs=0.006)


def test_made_up_estimate_is_a_standard_error_from_the_truth():
    off = unconstrained(SOUND_FIT["estimate"].values) - unconstrained(np.array(PAPER_AGENT))
    np.testing.assert_allclose(off, 0.01)
    np.testing.assert_allclose(natural(unconstrained(np.array(PAPER_AGENT))), PAPER_AGENT)
