"""A made-up summary of the study: slightly skewed profiles of an estimate near the truth."""

import numpy as np

from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.identifiability.analysis import profile_names
from inverse_rational_control.studies.identifiability.dataset import IDENTIFIABILITY
from tests.filled import filled

PROFILE_NAMES = profile_names(parameter.name for parameter in AGENT_PARAMETERS)

N_POINTS = 17


def summary(truth=True, definite=True):
    """Points along each profile half a standard deviation apart, from four below to four above."""
    deviation = np.linspace(0.1, 0.4, 11)[:, None]
    root = np.tile(np.linspace(-4.0, 4.0, N_POINTS), (11, 1))
    offset = deviation * root * (1 + 0.02 * root)
    eigenvalue = np.geomspace(0.01, 10.0, 10) * (1 if definite else -1)
    given = {
        "wald_standard_deviation": deviation[:, 0],
        "offset": offset,
        "value": 0.5 + offset,
        "signed_root": root,
        "log_likelihood": -4000.0,
        "profile_log_likelihood": -4000.0 - 0.5 * root**2,
        "profile_converged": np.ones((11, N_POINTS), dtype=bool),
        "information_positive_definite": definite,
        "eigenvalue": eigenvalue,
        "standardized_eigenvalue": eigenvalue,
        "profile_lower": 0.5 - 1.9 * deviation[:, 0],
        "profile_upper": 0.5 + 2.0 * deviation[:, 0],
        "lower_open": np.zeros(11, dtype=bool),
        "upper_open": np.zeros(11, dtype=bool),
        "wald_lower": 0.5 - 1.96 * deviation[:, 0],
        "wald_upper": 0.5 + 1.96 * deviation[:, 0],
    }
    if not definite:
        given["correlation"] = np.full((10, 10), np.nan)
        given["wald_lower"] = given["wald_upper"] = np.full(11, np.nan)
    coordinates = {
        "parameter": PROFILE_NAMES[:10],
        "parameter_other": PROFILE_NAMES[:10],
        "profile": PROFILE_NAMES,
        "point": N_POINTS,
        "rank": 10,
    }
    return filled(
        IDENTIFIABILITY,
        coordinates,
        given,
        IDENTIFIABILITY.optional if truth else (),
        {"confidence_level": 0.95, "likelihood_cut": 3.841458820694124},
    )
