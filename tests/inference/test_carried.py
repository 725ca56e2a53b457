"""What later steps take of a posterior, by its status; the table of parameters to report."""

import numpy as np
import pytest

from inverse_rational_control.inference.carried import parameter_rows, read_carried
from inverse_rational_control.inference.posterior_dataset import POSTERIOR
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.storage.contract import DatasetError, write_groups
from tests.filled import filled
from tests.studies.paper import made_up

NAMES = [parameter.name for parameter in AGENT_PARAMETERS]


def _stored(path, status, n_draws=30):
    draws = np.random.default_rng(1).uniform(0.1, 0.9, (2, n_draws, 10))
    sizes = {"parameter": NAMES, "chain": 2, "draw": n_draws}
    groups = {"posterior": {"parameters": draws}, "sample_stats": {}}
    found = {"": filled(POSTERIOR, sizes, {"status": status}, (), {"interval_level": 0.95})}
    for name, given in groups.items():
        found[name] = filled(POSTERIOR.groups[name], sizes, given)
    write_groups(found, path, POSTERIOR)
    return draws.reshape(-1, 10), found[""]


@pytest.mark.parametrize("status", ["converged", "rough"])
def test_draws_are_carried_on(tmp_path, status):
    draws, _ = _stored(tmp_path / "file.nc", status)
    carried = read_carried(tmp_path / "file.nc", 12)
    assert carried.said == f"12 draws from the posterior ({status})"
    places = np.linspace(0, 59, 12).round().astype(int)
    np.testing.assert_array_equal(carried.draws, draws[places])
    assert places[0] == 0
    assert places[-1] == 59


@pytest.mark.parametrize("n_draws", [30, 0])
def test_draws_that_have_not_converged_are_not(tmp_path, n_draws):
    _stored(tmp_path / "file.nc", "not_converged", n_draws)
    carried = read_carried(tmp_path / "file.nc", 12)
    assert carried.draws is None
    assert carried.said == "the estimate alone, as the posterior has not converged"


def test_without_a_posterior_the_estimate_must_do(tmp_path):
    # Snakemake gives an empty list for an input that is not wanted.
    assert read_carried([], 12).said == "the estimate alone"
    assert read_carried([], 12).draws is None
    with pytest.raises(DatasetError, match="no such file"):
        read_carried(tmp_path / "absent.nc", 12)


def test_table_of_parameters(tmp_path):
    _, posterior = _stored(tmp_path / "file.nc", "rough")
    fit = made_up.fit(truth=False).assign_coords(unit=("parameter", ["1"] * 10))
    table = parameter_rows(fit, posterior)
    assert list(table["parameter"]) == NAMES
    np.testing.assert_array_equal(table["posterior_median"], posterior["median"])
    np.testing.assert_array_equal(table["posterior_upper"], posterior["interval_upper"])
    np.testing.assert_array_equal(table["estimate"], fit["estimate"])
    np.testing.assert_array_equal(table["interval_upper"], fit["interval_upper"])
    assert set(table["posterior_status"]) == {"rough"}
    assert set(table["fit_status"]) == {"converged"}
    assert "truth" not in table
    bare = parameter_rows(fit, None)
    assert bare["posterior_median"].isna().all()
    assert set(bare["posterior_status"]) == {"not drawn"}
    assert list(bare.columns) == list(table.columns)
