"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest

from inverse_rational_control.studies.population.criteria import criteria
from tests.studies.population.made_up import summary

BOUNDS = {"coverage_standard_errors": 3, "likelihood_share_minimum": 0.99}


def _failed(**given):
    return {judged.name for judged in criteria(summary(**given), BOUNDS) if judged.failed}


def test_a_sound_population_passes():
    judged = criteria(summary(), BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 4


@pytest.mark.parametrize("place", [0, 1, 2])
def test_coverage_of_each_level_is_judged(place):
    name = f"population_coverage_{(50, 80, 95)[place]}"
    share = np.array([0.51, 0.79, 0.94])
    for wrong in (share[place] - 0.1, np.nan):
        assert _failed(pooled_coverage=np.where(np.arange(3) == place, wrong, share)) == {name}
    # Too many that cover is as wrong, as far as there is room above.
    if place < 2:
        wrong = share[place] + 0.1
        assert _failed(pooled_coverage=np.where(np.arange(3) == place, wrong, share)) == {name}


def test_coverage_whose_error_is_zero_by_chance_is_judged_by_the_binomial_one():
    """Three of three: nothing varied, and 100 % of 95 % intervals is what one may expect."""
    few = {
        "pooled_coverage": [0.51, 0.79, 1.0],
        "pooled_coverage_standard_error": [0.02, 0.02, 0.0],
    }
    assert _failed(**few, identified=np.arange(40) < 3) == set()


@pytest.mark.parametrize("wrong", [-1e-6, np.nan])
def test_agents_less_likely_than_the_truth_are_counted(wrong):
    """A fit that led nowhere is not at least as likely either."""
    ratio = np.full(40, 10.0)
    ratio[0] = wrong
    assert _failed(likelihood_ratio=ratio) == {"population_likelihood_share"}


def test_coverage_of_few_agents_is_not_judged():
    judged = criteria(summary(n_agents=6), BOUNDS)
    assert [criterion.passed for criterion in judged] == [True, None, None, None]
    assert judged[1].why == "6 agents; judged from 20 on"
