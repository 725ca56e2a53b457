"""What the information tells: eigenvalues, confounding, sentences."""

import numpy as np
import pytest

from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.parameters import agent_parameters, natural, unconstrained
from inverse_rational_control.studies.identifiability.analysis import (
    correlation,
    describe_direction,
    information_spectrum,
    profile_names,
    standardized,
    weakest_directions_text,
)


@pytest.fixture
def information():
    factor = np.random.default_rng(2).normal(size=(10, 10))
    return factor @ factor.T + 0.1 * np.eye(10)


def test_spectrum_puts_the_matrix_together_again_weakest_first(information):
    spectrum = information_spectrum(information)
    assert (np.diff(spectrum.eigenvalues) >= 0).all()
    rebuilt = spectrum.directions.T @ np.diag(spectrum.eigenvalues) @ spectrum.directions
    np.testing.assert_allclose(rebuilt, information, atol=1e-10)
    largest = np.abs(spectrum.directions).argmax(1)
    assert (spectrum.directions[np.arange(10), largest] > 0).all()


def test_a_step_of_one_standard_deviation_costs_half_a_nat(information):
    spectrum = information_spectrum(information)
    for value, direction in zip(spectrum.eigenvalues, spectrum.directions, strict=True):
        step = direction / np.sqrt(value)
        assert 0.5 * step @ information @ step == pytest.approx(0.5, rel=1e-10)


def test_standardized_information_does_not_know_units(information):
    units = np.exp(np.random.default_rng(4).normal(size=10))
    other = information * np.outer(units, units)
    np.testing.assert_allclose(standardized(other), standardized(information), rtol=1e-12)
    np.testing.assert_allclose(np.diag(standardized(information)), 1.0, rtol=1e-14)
    apart = information_spectrum(other).eigenvalues / information_spectrum(information).eigenvalues
    assert np.ptp(apart) > 0.1


def test_two_confounded_parameters():
    information = np.eye(10)
    information[0, 1] = information[1, 0] = 0.98
    spectrum = information_spectrum(standardized(information))
    assert spectrum.eigenvalues[0] == pytest.approx(0.02)
    np.testing.assert_allclose(
        np.abs(spectrum.directions[0]), [np.sqrt(0.5)] * 2 + [0.0] * 8, atol=1e-12
    )
    matrix = correlation(information)
    # Inverse of a 2 x 2 block: what the information adds up, the estimates trade off.
    assert matrix[0, 1] == pytest.approx(-0.98)
    np.testing.assert_allclose(np.diag(matrix), 1.0)


def test_what_is_not_defined_is_nan():
    indefinite = np.diag([-1.0, *np.ones(9)])
    assert np.isnan(correlation(indefinite)).all()
    assert np.isnan(standardized(indefinite)[0]).all()
    assert np.isnan(information_spectrum(standardized(indefinite)).eigenvalues).all()


def test_sentence_names_what_moves_which_way_and_how_far(paper_agent):
    step = np.zeros(10)
    step[[8, 9, 2]] = 0.05, -0.1, 0.001
    sentence = describe_direction(paper_agent, step, step)
    moved = natural(unconstrained(paper_agent) + step)
    assert f"a lower temperature (0.2 to {moved[9]:.3g} reward)" in sentence
    assert "and a higher push cost (0.3 to 0.35 reward) together" in sentence
    assert "disappearance" not in sentence
    alone = describe_direction(paper_agent, step, np.eye(10)[9])
    assert "push" not in alone and "together" not in alone


def test_an_undefined_direction_is_said_to_be(paper_agent):
    sentence = describe_direction(paper_agent, np.full(10, np.nan), np.ones(10))
    assert "not positive definite" in sentence


def test_text_lists_both_kinds():
    text = weakest_directions_text([4.0, -1.0], ["One.", "Two."], [0.01], ["Three."])
    assert "1. One. (Standard deviation 0.5, eigenvalue 4.)" in text
    assert "2. Two. (Standard deviation nan, eigenvalue -1.)" in text
    assert "1. Three. (Information 0.01 " in text


def test_profiles_are_the_parameters_then_the_weakest_direction():
    assert profile_names(["one", "two"]) == ("one", "two", "weakest_direction")


def test_sentences_name_extra_parameters(paper_agent):
    coordinates = Coordinates(agent_parameters(("perseveration",)))
    step = np.append(np.zeros(10), 0.5)
    estimate = np.append(paper_agent, 1.0)
    said = describe_direction(estimate, step, step, coordinates)
    assert "a higher perseveration (1 to 1.5)" in said
