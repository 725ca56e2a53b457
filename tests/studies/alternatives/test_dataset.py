"""What the fits say, by hand."""

import numpy as np

from inverse_rational_control.parameter_space import FULL_SPACE, parameter_space
from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.recordings.dataset import stack
from inverse_rational_control.storage.contract import write
from inverse_rational_control.studies.alternatives.dataset import (
    ALTERNATIVE_FITS,
    ALTERNATIVES,
    BRUTE_FORCE,
    alternatives_dataset,
    brute_force_dataset,
    model_fits_dataset,
)
from inverse_rational_control.studies.alternatives.evidence import Evidence
from inverse_rational_control.studies.alternatives.models import ModelFit
from inverse_rational_control.task import Task

TASK = Task(n_bins=4, n_cues=3)
SIZES = {"full": 10, "small": 7}
TRUTH = np.full(10, 0.4)
FIXED = {parameter.name: 0.4 for parameter in AGENT_PARAMETERS[:3]}
SPACES = {"full": FULL_SPACE, "small": parameter_space(FIXED)}


def _fits(log_likelihoods, held_out=None):
    """Fits of both models, one row of log-likelihoods per record."""
    datasets = []
    for k, row in enumerate(log_likelihoods):
        other = [np.nan, np.nan] if held_out is None else held_out[k]
        fits = [
            ModelFit(
                *(name, value, new, size, np.full(10, 0.5), "converged", 9),
                n_charged=size,
                # The prior costs a nat per parameter.
                evidence=Evidence(value - size, 0.1),
                missed=0.25,
            )
            for (name, size), value, new in zip(SIZES.items(), row, other, strict=True)
        ]
        datasets.append(model_fits_dataset(fits, TASK, TRUTH, 0))
    return stack(datasets, range(len(datasets)), ALTERNATIVE_FITS)


def _searches():
    path = np.array([8, 11]), np.array([-104.0, -100.0])
    return brute_force_dataset(
        np.array([-np.inf, -120.0, -130.0, -110.0]), path, -100.0, -99.5, TASK
    )


def _summary():
    pairs = _fits(
        [[-100.0, -101.0], [-200.0, -203.0]], held_out=[[-110.0, -109.0], [-210.0, -205.0]]
    )
    # AIC asks 1 nat per parameter, BIC 4.3 at 5000 steps; the full model has three more.
    recovered = {
        "full": _fits([[-100.0, -150.0], [-100.0, -105.0], [-100.0, -101.0]]),
        "small": _fits([[-100.0, -100.5], [-100.0, -101.5], [-100.0, -104.0]]),
    }
    return alternatives_dataset(SPACES, TRUTH, pairs, recovered, _searches(), 100, 5000)


def test_what_is_made_meets_its_contract(tmp_path):
    write(_summary(), tmp_path / "summary.nc", ALTERNATIVES)
    write(_searches(), tmp_path / "searches.nc", BRUTE_FORCE)


def test_matrices_count_which_model_each_criterion_chooses():
    found = _summary()
    np.testing.assert_allclose(found["confusion_aic"], [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(found["confusion_bic"], [[1 / 3, 2 / 3], [0, 1]])
    np.testing.assert_allclose(found["inversion_bic"], [[1, 0.4], [0, 0.6]])
    np.testing.assert_array_equal(found["chosen_by_aic"], [[0, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(found["recovery_missed"], np.full((2, 3), 0.25))


def test_comparison_by_hand():
    found = _summary()
    np.testing.assert_allclose(found["held_out_mean"], [0, 0.03])
    np.testing.assert_allclose(found["held_out_standard_error"], [0, 0.02])
    np.testing.assert_allclose(found["excess_log_likelihood"], [[0, -1], [0, -3]])
    np.testing.assert_allclose(found["aic_difference"], [[0, -4], [0, 0]])
    log = np.log(100)
    np.testing.assert_allclose(found["bic_difference"], [[0, 2 - 3 * log], [0, 6 - 3 * log]])
    free = np.ones((2, 10), dtype=bool)
    free[1, :3] = False
    np.testing.assert_array_equal(found["is_free"], free)
    np.testing.assert_allclose(found["relative_error"].values[free], 0.25)
    assert np.isnan(found["relative_error"].values[~free]).all()


def test_a_model_can_be_the_agent_only_if_it_holds_true_values():
    pairs = _fits([[-100.0, -101.0], [-200.0, -203.0]])
    recovered = {"full": pairs, "small": pairs}
    wrong = parameter_space({name: 0.5 for name in FIXED})
    for space, specified in ((SPACES["small"], True), (wrong, False)):
        spaces = {"full": FULL_SPACE, "small": space}
        found = alternatives_dataset(spaces, TRUTH, pairs, recovered, _searches(), 100, 100)
        assert found["well_specified"].values.tolist() == [True, specified]
    # What has no space is a baseline: it estimates none of the agent's parameters.
    found = alternatives_dataset(
        {"full": FULL_SPACE}, TRUTH, pairs, recovered, _searches(), 100, 100
    )
    assert found["well_specified"].values.tolist() == [True, False]
    assert not found["is_free"].sel(model="small").any()


def test_gaps_are_to_the_maximum_of_the_fit():
    searches = _searches()
    assert searches["brute_force_gap"].values.tolist() == [np.inf, 20.0, 20.0, 10.0]
    assert searches["search_gap"].values.tolist() == [4.0, 0.0]
    assert searches["search_evaluations"].values.tolist() == [8, 11]
