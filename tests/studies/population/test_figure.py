"""Figure 7 shows what its dataset holds, also with hardly a converged fit."""

import numpy as np
import pytest

from inverse_rational_control import plotting
from inverse_rational_control.studies.population.figure import draw, numbers
from tests.studies.population.made_up import summary


def test_numbers_are_those_of_the_dataset():
    population = summary()
    tables = numbers(population)
    for name in ("truth", "estimate"):
        np.testing.assert_array_equal(tables["A"][name], population[name].values.ravel())
    each = tables["B"][tables["B"]["parameter"] != "all"]
    np.testing.assert_array_equal(each["coverage"], population["coverage"].values.ravel())
    ends = tables["E"]
    assert dict(zip(ends["status"], ends["agents"], strict=True)) == {
        "converged": 97,
        **dict.fromkeys(("at_bound", "not_converged", "degenerate_record"), 1),
    }


@pytest.mark.parametrize("n_converged", [0, 1])
def test_hardly_a_converged_fit(tmp_path, n_converged):
    status = np.where(np.arange(4) < n_converged, "converged", "at_bound").astype(object)
    population = summary(n_agents=4, status=status, identified=status == "converged")
    for name in ("estimate", "standard_error", "likelihood_ratio"):
        population[name][-1] = np.nan
    for name in ("concordance", "bias", "z_mean", "z_standard_deviation", "coverage"):
        population[name][:] = np.nan
    for name in ("coverage_band_lower", "coverage_band_upper"):
        population[name][:] = np.nan
    plotting.save(draw(population), [tmp_path / "figure.png"])
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    assert numbers(population)["E"]["agents"].sum() == 4
