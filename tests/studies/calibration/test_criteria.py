"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest

from inverse_rational_control.config.calibration import CalibrationBounds
from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.studies.calibration.criteria import criteria
from tests.studies.calibration.made_up import agents, summary

BOUNDS = CalibrationBounds().model_dump()


def _failed(**given):
    return {judged.name for judged in criteria(summary(**given), BOUNDS) if judged.failed}


def test_a_sound_calibration_passes():
    judged = criteria(summary(), BOUNDS)
    assert all(criterion.passed for criterion in judged), [c for c in judged if not c.passed]
    assert len({criterion.name for criterion in judged}) == len(judged) == 8


@pytest.mark.parametrize("quantity", [0, 9, 10, 12])
def test_one_quantity_whose_ranks_are_not_uniform_is_enough(quantity):
    rank = agents()["rank"].values.copy()
    rank[:, quantity] = np.minimum(39, rank[:, quantity] + 12)
    failed = _failed(rank=rank)
    assert "calibration_ranks" in failed
    (judged,) = (c for c in criteria(summary(rank=rank), BOUNDS) if c.name == "calibration_ranks")
    assert judged.found == 1
    assert str(summary()["quantity"].values[quantity]) in judged.why


@pytest.mark.parametrize("scale", [0.85, 1.2])
def test_spread_is_judged_on_both_sides(scale):
    """About the middle, ranks of every parameter are drawn in or pushed out a little."""
    rank = agents(n_agents=400)["rank"].values.copy()
    middle = 19.5
    moved = np.clip(np.round(middle + scale * (rank[:, :10] - middle)), 0, 39)
    rank[:, :10] = moved
    assert "calibration_rank_spread" in _failed(n_agents=400, rank=rank)


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("level", [0, 1])
def test_coverage_is_judged_on_both_sides(share, level):
    covered = agents()["covered"].values.copy()
    spoilt = np.random.default_rng(0).random(covered.shape[:2]) < 0.25
    covered[spoilt, level] = bool(share)
    assert _failed(covered=covered) == {f"calibration_coverage_{(50, 80)[level]}"}


@pytest.mark.parametrize("shift", [-0.02, 0.02])
def test_belief_sets_are_judged_on_both_sides(shift):
    covered = agents()["belief_covered"].values + shift
    assert _failed(belief_covered=covered) == {"calibration_belief_sets"}


def test_a_wrong_gradient_is_seen():
    assert _failed(gradient_error=np.full(120, 0.01)) == {"calibration_gradient_error"}
    some = np.where(np.arange(120) < 20, 0.5, 1e-6)
    assert _failed(gradient_error=some) == set(), "jumps between the points of a difference"


def test_posteriors_without_draws_or_trust_are_counted():
    status = np.where(np.arange(120) < 20, "not_converged", "converged").astype(object)
    assert _failed(status=status) == {"calibration_usable_share"}
    rank = agents()["rank"].values.copy()
    rank[:20] = -1
    unknown = np.arange(120) < 20
    belief_covered = np.where(unknown, np.nan, agents()["belief_covered"])
    error = np.where(unknown, np.nan, 1e-6)
    found = _failed(status=status, rank=rank, belief_covered=belief_covered, gradient_error=error)
    assert found == {"calibration_usable_share"}


def test_shares_of_few_agents_are_not_judged():
    judged = {one.name: one for one in criteria(summary(n_agents=6), BOUNDS)}
    assert {name for name, one in judged.items() if one.passed is not None} == {
        *("calibration_ranks", "calibration_gradient_error"),
    }
    assert judged["calibration_rank_spread"].why == "6 agents; judged from 20 on"


def test_no_posterior_at_all_fails_everything_and_raises_nothing():
    nothing = np.full(120, np.nan)
    status = np.full(120, "not_converged", dtype=object)
    failed = _failed(
        status=status,
        rank=np.full((120, 13), -1),
        belief_covered=nothing,
        gradient_error=nothing,
    )
    assert len(failed) == 8


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("family_wise_level", 0.2),
        ("standard_errors", 20.0),
        ("gradient_error_maximum", 0.05),
        ("usable_share_minimum", 0.1),
    ],
)
def test_bounds_that_mean_nothing_are_refused(key, value):
    with pytest.raises(ConfigError, match=key):
        CalibrationBounds(**{key: value})
