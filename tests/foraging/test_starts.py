"""How the starts of a fit are made: which are led up an easier objective first, and what that costs."""

import numpy as np

from inverse_rational_control.foraging.starts import (
    approached_start,
    choose_start,
    fit_from_random_starts,
    random_start,
)
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.inference.start import fit_start
from inverse_rational_control.studies.population.drawn_agents import drawn_agents
from inverse_rational_control.studies.population.search_again import search_again


def test_the_way_to_a_start_leads_up_the_easier_objective(
    small_objective, fit_settings, small_whitening
):
    theta = choose_start(small_objective, fit_settings, np.random.default_rng(0))
    start = approached_start(small_objective, fit_settings, theta, small_whitening)
    shorter = small_objective.with_discount(fit_settings.approach_discount)
    prior = normal_prior(fit_settings.start_ranges, small_objective.space)
    easier = LogPosterior(shorter, prior)
    assert shorter.task.discount == 0.9 and small_objective.task.discount == 0.99
    assert easier.log_likelihood(start.parameters) > easier.log_likelihood(theta) + 10
    assert 3 < start.n_evaluations < 60


def test_every_other_start_is_led_and_only_for_quasi_newton(
    small_objective, fit_settings, small_whitening
):
    em = fit_settings.model_copy(update={"method": "em"})
    led = [
        random_start(small_objective, settings, np.random.default_rng, k, small_whitening)
        for settings, k in ((fit_settings, 0), (fit_settings, 1), (em, 0))
    ]
    assert [start.n_evaluations > 0 for start in led] == [True, False, False]


def test_a_search_far_below_a_known_maximum_seeks_no_last_digits(
    small_fit, small_objective, fit_settings, small_whitening
):
    start = small_fit.starts[1].start
    alone = fit_start(small_objective, fit_settings, start, small_whitening)
    ends, used = search_again(
        small_objective,
        fit_settings,
        np.random.default_rng,
        2,
        small_fit.log_likelihood + 1000.0,
        small_whitening,
    )
    assert (ends < small_fit.log_likelihood + 0.01).all()
    assert (used < alone.n_evaluations + 40).all()


def test_a_missed_maximum_is_found_again(small_fit, small_objective, fit_settings, small_whitening):
    """A fit that reports 0.5 nats less than there is."""
    reported = small_fit.log_likelihood - 0.5
    ends, _ = search_again(
        small_objective, fit_settings, np.random.default_rng, 2, reported, small_whitening
    )
    assert ends.max() - reported > 0.49


def test_fits_stop_when_two_starts_agree(small_objective, fit_settings, small_whitening):
    found = fit_from_random_starts(
        small_objective, fit_settings, np.random.default_rng, 1, 8, small_whitening
    )
    assert found.n_agreeing >= 2
    assert len(found.starts) < 9


def test_the_drawn_agents_depend_on_the_seed_alone():
    drawn = drawn_agents(2019, 100, 0.1)
    assert drawn == drawn_agents(2019, 100, 0.1) == sorted(set(drawn))
    assert len(drawn) == 10 and drawn[0] >= 0 and drawn[-1] < 100
    assert drawn != drawn_agents(2020, 100, 0.1)
    assert len(drawn_agents(2019, 6, 0.1)) == 1


def test_a_posterior_mode_is_found_from_random_starts(
    small_objective, fit_settings, small_whitening
):
    """With a narrow prior of one parameter, the others flat, the mode has that and more density."""
    flat = dict.fromkeys(small_objective.space.parameter_names, "flat")
    prior = normal_prior(flat | {"push_cost": (0.398, 0.402)}, small_objective.space)
    density = LogPosterior(small_objective, prior)
    found = fit_from_random_starts(
        density, fit_settings, np.random.default_rng, 2, 0, small_whitening
    )
    assert abs(found.estimate[8] - 0.4) < 0.004
    start = choose_start(density, fit_settings, np.random.default_rng(0))
    assert found.log_likelihood > density.log_likelihood(start)
