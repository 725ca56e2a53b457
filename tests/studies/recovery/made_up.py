"""A made-up summary of the recovery study, sound in every criterion."""

import numpy as np

from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.recovery.dataset import RECOVERY
from tests.filled import filled

LENGTHS = np.array([500, 1000, 2000, 5000, 10000, 20000])


def summary(n_records=20, lengths=LENGTHS, **given):
    """Errors shrink with the square root of the length; a few fits of short records are at a bound."""
    rng = np.random.default_rng(7)
    cells = (n_records, len(lengths))
    size = np.linspace(0.05, 0.01, 10) * np.sqrt(5000 / np.asarray(lengths))[:, None]
    error = size * rng.normal(size=(*cells, 10))
    ratio = rng.chisquare(10, n_records)
    ratio += 10.0 - ratio.mean()
    status = np.full(cells, "converged", dtype=object)
    sound = {
        "error": error,
        "status": status,
        "likelihood_ratio": np.tile(ratio[:, None], (1, len(lengths))),
        "rmse": np.sqrt((error**2).mean(0)),
        "bound": size,
        "fitted_count": [n_records] * len(lengths),
        "at_bound_count": [0] * len(lengths),
        "unconverged_count": [0] * len(lengths),
        "slope": np.linspace(-0.6, -0.4, 10),
        "slope_standard_error": [0.05] * 10,
        "pooled_slope": -0.48,
        "pooled_slope_standard_error": 0.035,
        "coverage": [0.94] * len(lengths),
        "coverage_standard_error": [0.02] * len(lengths),
        "efficiency": np.full((len(lengths), 10), 0.95),
        "mean_efficiency": [0.95] * len(lengths),
        "mean_efficiency_standard_error": [0.05] * len(lengths),
        "pooled_efficiency": 0.97,
        "pooled_efficiency_standard_error": 0.05,
    }
    coordinates = {
        "seed": n_records,
        "n_steps": lengths,
        "parameter": [parameter.name for parameter in AGENT_PARAMETERS],
    }
    attributes = {"slope_from": 2000, "efficiency_from": 5000, "confidence_level": 0.95}
    return filled(RECOVERY, coordinates, sound | given, (), attributes)
