"""Every criterion passes on sound results and fails, alone, on results spoilt in its own way."""

import numpy as np
import pytest

from inverse_rational_control.studies.population.criteria import criteria
from inverse_rational_control.studies.population.search_again import search_again_dataset
from tests.studies.population.made_up import summary

BOUNDS = {
    "coverage_standard_errors": 3,
    "likelihood_share_minimum": 0.99,
    "missed_maxima_maximum": 0,
    "missed_nats": 0.01,
}


def _searched(agent, *gains):
    reported = -1000.0
    ends = np.array([[reported + gain for gain in gains]])
    return search_again_dataset([agent], np.array([reported]), ends, np.full(ends.shape, 60))


SOUND = [_searched(3, 0.0, -4.0, 0.009), _searched(7, -1e-6, np.nan, -500.0)]


def _failed(again=SOUND, **given):
    return {
        judged.name for judged in criteria(summary(**given), again, BOUNDS) if not judged.passed
    }


def test_a_sound_population_passes():
    judged = criteria(summary(), SOUND, BOUNDS)
    assert all(criterion.passed for criterion in judged)
    assert len({criterion.name for criterion in judged}) == len(judged) == 5


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


@pytest.mark.parametrize("gains", [(0.0, 0.02), (0.0, 2.6, -1.0), (np.nan, np.nan)])
def test_a_missed_maximum_is_caught(gains):
    """Also a search that led nowhere: it says nothing for the maximum."""
    assert _failed([*SOUND, _searched(44, *gains)]) == {"population_maxima"}
    judged = criteria(summary(), [_searched(44, 2.58)], BOUNDS)
    assert any("44 by 2.58 nats" in criterion.why for criterion in judged)


def test_a_search_that_nobody_made_is_no_search():
    assert _failed([]) == {"population_maxima"}
