"""A made-up summary of the study: agents whose estimates err as their standard errors say."""

import numpy as np

from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.population.dataset import POPULATION
from tests.filled import filled

LEVELS = [0.5, 0.8, 0.95]


def summary(n_agents=40, **given):
    """Three fits did not converge, each in its own way; two agents have three fixed points."""
    status = np.array(["converged"] * n_agents, dtype=object)
    status[:3] = ["at_bound", "not_converged", "degenerate_record"]
    several = np.arange(n_agents)[:, None] % 20 == 0
    sound = {
        "status": status,
        "identified": status == "converged",
        "likelihood_ratio": np.random.default_rng(8).chisquare(10, n_agents),
        "radius": np.where(several, [0.7, 0.8, 1.05], [0.7, np.nan, np.nan]),
        "pooled_coverage": [0.51, 0.79, 0.94],
        "pooled_coverage_standard_error": [0.02] * 3,
    }
    coordinates = {
        "agent": n_agents,
        "parameter": [parameter.name for parameter in AGENT_PARAMETERS],
        "level": LEVELS,
        "fixed_point": 3,
    }
    return filled(POPULATION, coordinates, sound | given)
