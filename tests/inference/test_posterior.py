"""Samplers against posteriors known in closed form, and the verdict on what they draw."""

from math import exp, pi, sqrt

import numpy as np
import pytest
from arviz import ess

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.importance import ImportanceSample, importance_sample
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.nuts import nuts
from inverse_rational_control.inference.posterior import PosteriorStatus, draw_posterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.inference.whitened import Whitened
from inverse_rational_control.parameter_space import parameter_space
from tests.inference import toy
from tests.inference.gaussian import INTERVALS, PARAMETERS, QUICK, Gaussian, density, exact

FIXED = {"b": 0.4}


def _drawn(target, settings=QUICK, seed=1):
    return draw_posterior(
        target, FitSettings(), settings, [np.zeros(3)], np.random.default_rng(seed)
    )


def _whitened(target):
    """Around a point beside the mode, with a curvature that is not quite its own."""
    mode = np.where(target.space.is_free, 0.0, target.space.fixed)
    return Whitened.around(target, mode, 2.0 * np.eye(target.space.size))


@pytest.mark.parametrize("fixed", [None, FIXED])
@pytest.mark.parametrize("sampler", ["nuts", "importance"])
def test_moments_and_evidence_are_those_of_the_closed_form(sampler, fixed):
    found = _drawn(density(fixed), QUICK.model_copy(update={"sampler": sampler}))
    mean, deviation, evidence = exact(fixed)
    free = found.density.space.is_free
    assert found.status == PosteriorStatus.CONVERGED
    assert found.sampler == sampler
    score = (found.parameters[..., free] - mean) / deviation
    for power, moment, variance in ((1, 0.0, 1.0), (2, 1.0, 2.0)):
        size = found.importance.effective_size
        if sampler == "nuts":
            size = min(float(ess(score[..., k] ** power)) for k in range(len(mean)))
        error = 4.0 * np.sqrt(variance / size)
        np.testing.assert_allclose((score**power).mean((0, 1)), moment, atol=error)
    np.testing.assert_allclose(found.mode.estimate[free], mean, atol=1e-3)
    weighed = found.importance
    assert weighed.log_evidence_error < 0.05
    assert abs(weighed.log_evidence - evidence) < 4.0 * weighed.log_evidence_error
    if fixed:
        np.testing.assert_array_equal(found.draws[:, ~free], FIXED["b"])


def test_log_density_of_draws_is_the_densitys_own():
    for sampler in ("nuts", "importance"):
        found = _drawn(density(), QUICK.model_copy(update={"sampler": sampler}))
        own = [found.density.log_likelihood(theta) for theta in found.draws[:20]]
        np.testing.assert_allclose(found.log_density.ravel()[:20], own, rtol=1e-10)


@pytest.mark.parametrize("sampler", ["nuts", "importance"])
def test_same_seed_same_draws_bit_for_bit(sampler):
    settings = QUICK.model_copy(update={"sampler": sampler, "n_draws": 100})
    one, same, other = (_drawn(density(), settings, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.parameters, same.parameters)
    assert not np.array_equal(one.parameters, other.parameters)


def test_chains_start_apart():
    chains = nuts(_whitened(density()), QUICK, np.random.default_rng(0))
    assert np.abs(chains.z[0] - chains.z[1]).max() > 0.1


@pytest.mark.parametrize("limit", [40, 3000])
def test_exhausted_evaluations_are_not_converged(limit):
    wanting = {"max_evaluations": limit, "n_draws": 2000, "ess_minimum": 1e6}
    settings = QUICK.model_copy(update=wanting)
    found = _drawn(density(), settings)
    assert found.status == PosteriorStatus.NOT_CONVERGED or found.draws.shape[0] > 0
    assert any("limit of evaluations was met" in remark for remark in found.remarks)
    if limit == 40:
        assert found.status == PosteriorStatus.NOT_CONVERGED
        assert not found.draws.size
        led = sum(start.n_evaluations for start in found.mode.starts)
        weighed = 0 if found.importance is None else found.importance.n_evaluations
        assert found.n_evaluations == led + weighed + limit, (
            "gradients count though nothing came of them"
        )
    else:
        assert 0 < found.parameters.shape[1] < 2000, "draws after the limit are left out"
        assert np.isfinite(found.log_density).all()


def test_auto_takes_weighted_draws_where_they_serve_and_where_there_are_no_chains():
    auto = QUICK.model_copy(update={"sampler": "auto"})
    assert _drawn(density(), auto).sampler == "importance"
    wanting = auto.model_copy(update={"ess_minimum": 1e6, "n_importance_rounds": 1})
    assert _drawn(density(), wanting).sampler == "nuts"
    spent = wanting.model_copy(update={"max_evaluations": 40})
    found = _drawn(density(), spent)
    assert found.sampler == "importance"
    assert found.draws.size
    assert found.status != PosteriorStatus.CONVERGED


def test_a_wall_is_met_and_the_draws_stay_true():
    """A normal cut off at its mean in the first coordinate is a half-normal there."""
    mean, deviation, _ = exact()
    target = density(wall=mean[0])
    at = mean - [deviation[0], 0.0, 0.0]
    whitened = Whitened.around(target, at, np.diag(deviation**-2.0))
    settings = QUICK.model_copy(update={"n_draws": 600, "max_tree_depth": 4})
    chains = nuts(whitened, settings, np.random.default_rng(5))
    drawn = whitened.natural(chains.z)[..., 0].ravel()
    assert (drawn <= mean[0]).all()
    assert chains.n_at_walls > 0
    assert chains.statistics["diverging"].sum() >= chains.n_at_walls
    expected = mean[0] - sqrt(2.0 / pi) * deviation[0]
    size = float(ess(whitened.natural(chains.z)[..., 0]))
    spread = deviation[0] * sqrt(1.0 - 2.0 / pi)
    assert abs(drawn.mean() - expected) < 4.0 * spread / sqrt(size)
    weighed = importance_sample(whitened, settings, np.random.default_rng(5))
    value = np.exp(weighed.log_weight) @ whitened.natural(weighed.z)[:, 0]
    assert value == pytest.approx(expected, abs=4.0 * spread / sqrt(weighed.effective_size))
    # Half of the normal's mass is left.
    assert weighed.log_evidence == pytest.approx(
        exact()[2] - np.log(2.0), abs=4.0 * weighed.log_evidence_error
    )


def test_a_jump_is_met_and_the_draws_stay_true():
    mean, _, _ = exact()
    settings = QUICK.model_copy(update={"n_draws": 300, "max_tree_depth": 3})
    for step, jumps in ((mean[0], True), (None, False)):
        whitened = _whitened(density(step=step))
        chains = nuts(whitened, settings, np.random.default_rng(2))
        assert chains.jump_met is jumps
    above = _above_the_step(_whitened(density(step=mean[0])), mean[0], settings)
    # Both halves of the normal weigh alike before the step.
    share = exp(3.0) / (1.0 + exp(3.0))
    error = sqrt(share * (1.0 - share) / float(ess(above)))
    assert above.mean() == pytest.approx(share, abs=4.0 * error)


def _above_the_step(whitened, step, settings):
    chains = nuts(whitened, settings, np.random.default_rng(3))
    return (whitened.natural(chains.z)[..., 0] > step).astype(float)


def test_a_prior_that_is_flat_somewhere_is_refused():
    space = parameter_space(parameters=PARAMETERS)
    flat = LogPosterior(Gaussian(space), normal_prior(INTERVALS | {"a": "flat"}, space))
    with pytest.raises(ValueError, match="found flat, allowed: a proper prior"):
        _drawn(flat)


def test_no_density_anywhere_is_refused():
    with pytest.raises(ValueError, match="found no start that has a density"):
        _drawn(density(wall=-1e3))


def test_resampling_follows_the_weights():
    weight = np.array([0.5, 0.0, 0.3, 0.2])
    with np.errstate(divide="ignore"):
        sample = ImportanceSample(
            np.zeros((4, 1)), np.log(weight), np.zeros(4), 0.1, 1.0, 0.0, 0.1, 4
        )
    chosen = sample.resampled(1000, np.random.default_rng(0))
    assert np.abs(np.bincount(chosen, minlength=4) - 1000 * weight).max() <= 1.0
    assert len(set(chosen[:20])) > 1, "shuffled"


def test_weights_without_support_are_not_trusted():
    """A mode thought to be five times too narrow, with no round to mend it."""
    target = density()
    narrow = Whitened.around(target, exact()[0], 25.0 * 4.0 * np.eye(3))
    settings = QUICK.model_copy(update={"n_importance_rounds": 1})
    first = importance_sample(narrow, settings, np.random.default_rng(0))
    assert not first.usable
    more = QUICK.model_copy(update={"n_importance_rounds": 6})
    assert importance_sample(narrow, more, np.random.default_rng(0)).usable


def test_a_round_that_looks_good_is_confirmed_by_another():
    """Even where the first serves at once, as for a normal; a single round is judged as it is."""
    rounds = {}
    for most in (1, 6):
        settings = QUICK.model_copy(update={"n_importance_rounds": most})
        sample = importance_sample(_whitened(density()), settings, np.random.default_rng(0))
        rounds[most] = sample.n_evaluations // QUICK.n_importance_draws
    assert rounds[1] == 1
    assert 2 <= rounds[6] < 6


def test_gradient_of_the_posterior_is_the_derivative_of_its_density():
    """Logit, log and identity coordinates, a prior on each."""
    intervals = {"threshold": (-1.0, 2.0), "width": (0.1, 1.5), "lapse": (0.02, 0.3)}
    target = LogPosterior(toy.Psychometric.simulated(200), normal_prior(intervals, toy.SPACE))
    theta = np.array([0.2, 0.6, 0.15])
    found = target.evaluate(theta)
    for k, value in enumerate(theta):
        step = 1e-6 * np.eye(3)[k]
        change = target.log_likelihood(theta + step) - target.log_likelihood(theta - step)
        assert found.gradient[k] == pytest.approx(change / 2e-6, rel=1e-6), value
    assert found.log_likelihood == target.log_likelihood(theta)
